#include "src/record/launch/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libxtf/error.h"

/* SIGCHLD is no signal to pass on, but the end of a child is not told to who ignores it. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}, ends = SIGCHLD;
static _Atomic pid_t command;

enum { N_SIGNALS = G_N_ELEMENTS(signals) };

/* The keyboard's signals go to all processes in the foreground; any other went to this process alone. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    pid_t pid = atomic_load(&command);
    int code = errno;

    if (pid > 0 && info->si_code != SI_KERNEL)
        kill(pid, number);
    errno = code;
}

static void catch (struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART},
                     plain = {.sa_handler = SIG_DFL};

    sigfillset(&action.sa_mask);
    sigaction(ends, &plain, &before[N_SIGNALS]);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static void restore(const struct sigaction *before)
{
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    sigaction(ends, &before[N_SIGNALS], NULL);
}

/* Of the new process: it has signals as this process had them, and xtf itself ignores SIGXFSZ. */
static void G_GNUC_NORETURN execute(char **argv, char **environment, const struct sigaction *before,
                                    const sigset_t *mask, int report)
{
    restore(before);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(argv[0], argv, environment);
    int code = errno;
    if (write(report, &code, sizeof code) < 0)
        _exit(126);
    _exit(127);
}

/* Starts the command; 0, or the errno of why it cannot be. Not by posix_spawn(), which makes it ignore signals that
 * nobody has ignored. Signals that come before it runs wait for it. */
static int start(char **argv, char **environment, const struct sigaction *before)
{
    sigset_t all, mask;
    int report[2], code = 0;

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    pid_t pid = fork();
    if (pid == 0)
        execute(argv, environment, before, &mask, report[1]);
    if (pid < 0)
        code = errno;
    close(report[1]);
    if (pid > 0 && read(report[0], &code, sizeof code) == sizeof code)
        waitpid(pid, NULL, 0);
    close(report[0]);
    if (code == 0)
        atomic_store(&command, pid);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return code;
}

bool xtf_run(char **argv, char **environment, int *status, GError **error)
{
    struct sigaction before[N_SIGNALS + 1];
    int how, failure = 0;

    catch (before);
    int code = start(argv, environment, before);
    pid_t pid = atomic_load(&command);
    siginfo_t ended; /* first it is seen, then it gives its number back, which nobody must signal then */
    while (code == 0 && waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    atomic_store(&command, 0);
    while (code == 0 && (failure = waitpid(pid, &how, 0) < 0 ? errno : 0) == EINTR)
        continue;
    restore(before);
    if (code != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be run: %s", argv[0], g_strerror(code));
    if (failure != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: how it ended is not told: %s", argv[0], g_strerror(failure));
    *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return true;
}

void xtf_become(char **argv, char **environment, GError **error)
{
    signal(SIGXFSZ, SIG_DFL);
    execvpe(argv[0], argv, environment);
    xtf_fail(error, XTF_ERROR_IO, "%s: cannot be run: %s", argv[0], g_strerror(errno));
}

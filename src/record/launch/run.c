#include "src/record/launch/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libxtf/error.h"

/* Signals passed on to the command, and SIGCHLD. SIGCHLD is reset, since a process that ignores it cannot wait for its
 * children. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}, child_signal = SIGCHLD;
static _Atomic pid_t command;

enum { N_SIGNALS = G_N_ELEMENTS(signals) };

/* Passes a signal on to the command. The keyboard's signals already go to all foreground processes. */
static void forward_signal(int number, siginfo_t *info, void *context)
{
    pid_t pid = atomic_load(&command);
    int code = errno;

    if (pid > 0 && info->si_code != SI_KERNEL)
        kill(pid, number);
    errno = code;
}

static void catch_signals(struct sigaction *before)
{
    struct sigaction action = {.sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART},
                     plain = {.sa_handler = SIG_DFL};

    sigfillset(&action.sa_mask);
    sigaction(child_signal, &plain, &before[N_SIGNALS]);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static void restore_signals(const struct sigaction *before)
{
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    sigaction(child_signal, &before[N_SIGNALS], NULL);
}

/* Runs the command in the new process, with the signal handlers from before. Resets SIGXFSZ, which xtf ignores. */
static void G_GNUC_NORETURN execute_command(char **argv, char **environment, const struct sigaction *before,
                                            const sigset_t *mask, int report)
{
    restore_signals(before);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(argv[0], argv, environment);
    int code = errno;
    if (write(report, &code, sizeof code) < 0)
        _exit(126);
    _exit(127);
}

/* Starts the command. Returns 0 or an errno. Not by posix_spawn(), which would make the command ignore further signals.
 * Signals stay blocked until the command runs. */
static int start_command(char **argv, char **environment, const struct sigaction *before)
{
    sigset_t all, mask;
    int report[2], code = 0;

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    pid_t pid = fork();
    if (pid == 0)
        execute_command(argv, environment, before, &mask, report[1]);
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
    int wait_status, failure = 0;

    catch_signals(before);
    int code = start_command(argv, environment, before);
    pid_t pid = atomic_load(&command);
    siginfo_t
        info; /* waitid() leaves the zombie, so that no signal goes to a reused pid; waitpid() then frees the pid */
    while (code == 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    atomic_store(&command, 0);
    while (code == 0 && (failure = waitpid(pid, &wait_status, 0) < 0 ? errno : 0) == EINTR)
        continue;
    restore_signals(before);
    if (code != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be run: %s", argv[0], g_strerror(code));
    if (failure != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: its exit status cannot be read: %s", argv[0], g_strerror(failure));
    *status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    return true;
}

void xtf_exec(char **argv, char **environment, GError **error)
{
    signal(SIGXFSZ, SIG_DFL);
    execvpe(argv[0], argv, environment);
    xtf_fail(error, XTF_ERROR_IO, "%s: cannot be run: %s", argv[0], g_strerror(errno));
}

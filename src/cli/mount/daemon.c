#include "src/cli/mount/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "src/cli/mount/descriptors.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/fs/fs.h"
#include "src/trace/text/escape.h"

enum {
    LOG_BYTES_MAX = 4 << 10, /* longest message in the log */
};

static volatile sig_atomic_t child_pid; /* process that signals are passed on to */

static void pass_signal_on(int signal_number)
{
    kill((pid_t)child_pid, signal_number);
}

/* Passes signals on to the child, so that only the child decides what they do. */
static void redirect_signals(pid_t child)
{
    signal(SIGINT, SIG_IGN); /* a terminal sends SIGINT to the child, too */
    child_pid = child;
    signal(SIGTERM, pass_signal_on); /* who sends SIGTERM may know only the parent's id */
    signal(SIGHUP, pass_signal_on);
}

/* Reads a byte from the child. Returns false when the child has closed the pipe. */
static bool read_byte(int fd)
{
    char byte;
    ssize_t n;

    do {
        n = read(fd, &byte, 1);
    } while (n < 0 && errno == EINTR);
    return n == 1;
}

/* Waits until the child is ready, or ends. Returns the exit status. */
static int await_child(int fd, pid_t child)
{
    int status;

    if (read_byte(fd))
        return XTF_EXIT_DONE;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return XTF_EXIT_FAILED;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "xtf: the daemon was ended by signal %d\n", WTERMSIG(status));
    return XTF_EXIT_FAILED;
}

bool xtf_daemon_start(XtfDaemon *daemon, bool foreground, int *status)
{
    int ends[2];

    *daemon = (XtfDaemon){.pipe = -1, .null = -1, .terminal = -1};
    xtf_close_inherited();
    if (foreground)
        return true;
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fprintf(stderr, "xtf: cannot make a pipe: %s\n", g_strerror(errno));
        *status = XTF_EXIT_FAILED;
        return false;
    }
    /* A signal between fork() and the handlers would end only the parent. */
    sigset_t ending, old_mask;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending, &old_mask);
    pid_t child = fork();
    if (child > 0)
        redirect_signals(child);
    pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    if (child == 0) {
        close(ends[0]);
        daemon->pipe = ends[1];
        daemon->null = open("/dev/null", O_RDWR | O_CLOEXEC);
        openlog("xtf", LOG_PID | LOG_NDELAY, LOG_DAEMON); /* now: a confined process can open no socket */
        return true;
    }
    close(ends[1]);
    daemon->pipe = ends[0];
    if (child > 0) {
        *status = await_child(ends[0], child);
    } else {
        fprintf(stderr, "xtf: cannot start the daemon: %s\n", g_strerror(errno));
        *status = XTF_EXIT_FAILED;
    }
    return false;
}

static void close_descriptor(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void xtf_daemon_await_release(XtfDaemon *daemon)
{
    signal(SIGINT, SIG_DFL);
    while (read_byte(daemon->pipe))
        ;
    close_descriptor(&daemon->pipe);
}

static void log_to_syslog(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
    g_autofree char *shown = xtf_text_shown(message, LOG_BYTES_MAX);
    if (!(level & (G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_INFO)))
        xtf_fs_log(shown);
    syslog(level & G_LOG_LEVEL_ERROR                              ? LOG_CRIT
           : level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING) ? LOG_WARNING
                                                                  : LOG_INFO,
           "%s", shown);
}

static void log_to_terminal(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
    g_autofree char *shown = xtf_text_shown(message, LOG_BYTES_MAX);

    if (!(level & (G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_INFO)))
        xtf_fs_log(shown);
    xtf_print_log(domain, level, message, data);
}

void xtf_daemon_ready(XtfDaemon *daemon, bool remarks_follow)
{
    if (daemon->pipe < 0) {
        g_log_set_default_handler(log_to_terminal, NULL);
        return;
    }
    g_log_set_default_handler(log_to_syslog, NULL);
    setsid();
    if (remarks_follow)
        daemon->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    for (int fd = STDIN_FILENO; daemon->null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(daemon->null, fd);
    if (daemon->null > STDERR_FILENO)
        close(daemon->null);
    /* The parent may have been killed: the mount continues. */
    signal(SIGPIPE, SIG_IGN);
    if (chdir("/") != 0 || write(daemon->pipe, "", 1) != 1)
        g_warning("cannot detach from the terminal: %s", g_strerror(errno));
    if (!remarks_follow)
        xtf_daemon_release(daemon);
}

void xtf_daemon_remark(const XtfDaemon *daemon, const char *line)
{
    dprintf(daemon->terminal >= 0 ? daemon->terminal : STDERR_FILENO, "xtf: %s\n", line);
}

void xtf_daemon_release(XtfDaemon *daemon)
{
    close_descriptor(&daemon->terminal);
    close_descriptor(&daemon->pipe);
}

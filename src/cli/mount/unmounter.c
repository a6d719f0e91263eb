#include "src/cli/mount/unmounter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/mount/confine.h"
#include "src/cli/mount/descriptors.h"
#include "src/cli/ui/common.h"

/* Reads a byte from the other side; 0: the other side has closed. */
static char receive_byte(int socket)
{
    char byte = 0;

    while (read(socket, &byte, 1) < 0 && errno == EINTR)
        ;
    return byte;
}

/* Starts a program, and waits for it. True if it succeeds. */
static bool run_program(char *const arguments[])
{
    pid_t pid;
    int status;

    if (posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ) != 0)
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool unmount_as_user(const char *mount_point)
{
    char *const arguments[] = {"fusermount3", "-u", "-q", "-z", "--", (char *)mount_point, NULL};

    return run_program(arguments);
}

/* Capabilities that unmounting needs. */
static const guint64 unmount_capabilities = G_GUINT64_CONSTANT(1) << CAP_SYS_ADMIN | G_GUINT64_CONSTANT(1)
                                                                                         << CAP_DAC_READ_SEARCH;

/* Drops all capabilities that unmounting does not need. Other users than root need fusermount3, which is setuid, so
 * they keep the right to gain privileges. */
static void drop_privileges(void)
{
    if (geteuid() != 0)
        return;
    xtf_confine_capabilities(unmount_capabilities, NULL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Runs as the unmounter, in a new session, so that signals of the terminal reach only the daemon. Closes the daemon's
 * files: the kernel must notice when the daemon ends. */
static G_GNUC_NORETURN void run_unmounter(const char *mount_point, int socket)
{
    setsid();
    dup2(socket, STDIN_FILENO);
    xtf_close_inherited();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    drop_privileges();
    if (chdir("/") != 0 || receive_byte(STDIN_FILENO) != 'u')
        _exit(XTF_EXIT_DONE);
    bool done = geteuid() == 0 ? umount2(mount_point, MNT_DETACH | UMOUNT_NOFOLLOW) == 0 : unmount_as_user(mount_point);
    _exit(write(STDIN_FILENO, done ? "y" : "n", 1) == 1 && done ? XTF_EXIT_DONE : XTF_EXIT_FAILED);
}

/* Forks the unmounter, which blocks all signals: it ends when the daemon does. Returns -1 with errno. A fork takes a
 * fifth of the time that the same program needs to start anew. The caller has the unmounter's name during the fork:
 * a list of processes never shows the unmounter as a second daemon. */
static pid_t fork_unmounter(const char *mount_point, int socket)
{
    sigset_t all, before;
    char name[16];

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    prctl(PR_GET_NAME, name, 0, 0, 0);
    prctl(PR_SET_NAME, XTF_UNMOUNTER, 0, 0, 0);
    pid_t pid = fork();
    if (pid == 0)
        run_unmounter(mount_point, socket);
    prctl(PR_SET_NAME, name, 0, 0, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

bool xtf_unmounter_start(XtfUnmounter *unmounter, const char *mount_point, GError **error)
{
    int ends[2];

    *unmounter = (XtfUnmounter){.socket = -1};
    if (geteuid() == 0) /* once for both processes; other users need fusermount3 */
        xtf_confine_bound(unmount_capabilities);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "cannot make a socket: %s", g_strerror(errno));
    unmounter->pid = fork_unmounter(mount_point, ends[1]);
    int failed = unmounter->pid < 0 ? errno : 0;
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return xtf_fail(error, XTF_ERROR_IO, "cannot start the process for unmounting: %s", g_strerror(failed));
    }
    unmounter->socket = ends[0];
    return true;
}

bool xtf_unmounter_end(XtfUnmounter *unmounter, bool unmount)
{
    if (unmounter->socket < 0)
        return false;
    bool done = unmount && write(unmounter->socket, "u", 1) == 1 && receive_byte(unmounter->socket) == 'y';
    close(unmounter->socket);
    unmounter->socket = -1;
    while (waitpid(unmounter->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return done;
}

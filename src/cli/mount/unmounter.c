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

/* Starts the unmounter in a new session, so that signals of the terminal reach only the daemon. Blocks all its signals:
 * it ends when the daemon does. Returns 0, or an errno. */
static int spawn_unmounter(XtfUnmounter *unmounter, const char *mount_point, int input)
{
    char *const arguments[] = {(char *)XTF_UNMOUNTER, (char *)mount_point, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;

    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    int result = posix_spawn(&unmounter->pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

bool xtf_unmounter_start(XtfUnmounter *unmounter, const char *mount_point, GError **error)
{
    int ends[2];

    *unmounter = (XtfUnmounter){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "cannot make a socket: %s", g_strerror(errno));
    int failed = spawn_unmounter(unmounter, mount_point, ends[1]);
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

/* ---- The program. */

static bool unmount_as_user(const char *mount_point)
{
    const char *arguments[] = {"fusermount3", "-u", "-q", "-z", "--", mount_point, NULL};
    int status;

    return g_spawn_sync(NULL, (char **)arguments, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                        NULL, &status, NULL) &&
           g_spawn_check_wait_status(status, NULL);
}

/* Drops all capabilities that unmounting does not need. Other users than root need fusermount3, which is setuid, so
 * they keep the right to gain privileges. */
static void drop_privileges(void)
{
    const guint64 kept = G_GUINT64_CONSTANT(1) << CAP_SYS_ADMIN | G_GUINT64_CONSTANT(1) << CAP_DAC_READ_SEARCH;

    if (geteuid() != 0)
        return;
    xtf_confine_capabilities(kept, NULL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int xtf_unmounter_main(int argc, char **argv)
{
    if (argc != 2)
        return XTF_EXIT_USAGE;
    xtf_close_inherited();
    if (chdir("/") != 0)
        return XTF_EXIT_FAILED;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    drop_privileges();
    if (receive_byte(STDIN_FILENO) != 'u')
        return XTF_EXIT_DONE;
    bool done = geteuid() == 0 ? umount2(argv[1], MNT_DETACH | UMOUNT_NOFOLLOW) == 0 : unmount_as_user(argv[1]);
    return write(STDIN_FILENO, done ? "y" : "n", 1) == 1 && done ? XTF_EXIT_DONE : XTF_EXIT_FAILED;
}

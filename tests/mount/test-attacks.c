/*
 * Attacks that a hijacked daemon could try: calls that change something outside of it. Each test confines a child
 * and tries them there. libseccomp refuses calls; Landlock also blocks signals to other processes.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/mount/confine.h"

static char *folder;
static pid_t victim;
static int to_victim, pair[2];

/* Sends back each byte until the other end is closed. */
static void answer_bytes(int socket)
{
    char byte;

    while (read(socket, &byte, 1) == 1 && write(socket, &byte, 1) == 1)
        ;
    _exit(0);
}

static void set_up(void)
{
    int ends[2];

    folder = g_dir_make_tmp("xtf-attacks-XXXXXX", NULL);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    victim = fork();
    if (victim == 0) {
        close(ends[0]);
        answer_bytes(ends[1]);
    }
    close(ends[1]);
    to_victim = ends[0];
}

/* True if the victim answers a byte. A process with a pending fatal signal would not. */
static bool victim_lives(void)
{
    char byte = 'x';

    return send(to_victim, &byte, 1, MSG_NOSIGNAL) == 1 && read(to_victim, &byte, 1) == 1;
}

static void tear_down(void)
{
    close(to_victim);
    waitpid(victim, NULL, 0);
    cr_assert_eq(g_rmdir(folder), 0, "something was made");
    g_free(folder);
}

/* Returns the name of the first attempt that succeeds in a confined child, or an empty string if all are refused. */
static char *run_attempts(const char *(*attempts)(void))
{
    int status, channel[2];
    char name[64] = "";

    cr_assert_eq(pipe(channel), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const XtfConfinement confinement = {.folder = folder};
        const char *failed = xtf_confine(&confinement, NULL) ? attempts() : "confining";
        _exit(failed ? write(channel[1], failed, strlen(failed)) < 0 : 0);
    }
    close(channel[1]);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status), "it was ended by signal %d", WTERMSIG(status));
    cr_assert_geq(read(channel[0], name, sizeof name - 1), 0);
    close(channel[0]);
    return g_strdup(name);
}

TestSuite(attacks, .init = set_up, .fini = tear_down);

/* ---- Signals by a ready descriptor. */

static void make_ready(int reader, int writer)
{
    char byte;

    if (write(writer, "x", 1) == 1)
        (void)!read(reader, &byte, 1);
}

static const char *signal_by_pipe(void)
{
    const struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = victim};
    int ends[2];

    if (pipe(ends) != 0)
        return "pipe";
    fcntl(ends[0], F_SETSIG, SIGKILL);
    fcntl(ends[0], F_SETOWN, victim);
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    make_ready(ends[0], ends[1]);
    fcntl(ends[0], F_SETOWN_EX, &owner);
    make_ready(ends[0], ends[1]);
    return NULL;
}

static const char *signal_by_socket(void)
{
    const int requests[] = {FIOSETOWN, SIOCSPGRP};
    int on = 1;

    for (size_t i = 0; i < G_N_ELEMENTS(requests); i++) {
        ioctl(pair[0], requests[i], &victim);
        ioctl(pair[0], FIOASYNC, &on);
        make_ready(pair[0], pair[1]);
    }
    return NULL;
}

static bool can_scope_signals(void)
{
    return syscall(444 /* landlock_create_ruleset */, NULL, 0, 1) >= 6;
}

static void assert_signals_blocked(const char *(*attempts)(void))
{
#ifndef XTF_HAVE_SECCOMP
    if (!can_scope_signals())
        cr_skip_test("the kernel's Landlock has no scope of signals");
#else
    (void)can_scope_signals;
#endif
    g_autofree char *failed = run_attempts(attempts);
    cr_assert_str_empty(failed);
    cr_assert(victim_lives(), "a confined process ended another one");
}

Test(attacks, a_pipe_signals_no_other_process)
{
    assert_signals_blocked(signal_by_pipe);
}

Test(attacks, a_socket_signals_no_other_process)
{
    assert_signals_blocked(signal_by_socket);
}

/* ---- Calls that are refused with any arguments. */

#ifdef XTF_HAVE_SECCOMP
#include <seccomp.h>

/* The test calls each with harmless arguments. */
static const char *const refused[] = {
    /* other processes */
    "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_send_signal", "pidfd_getfd", "ptrace",
    "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "setpriority", "setpgid",
    "sched_setscheduler", "sched_setparam", "sched_setaffinity", "ioprio_set", "move_pages", "migrate_pages",
    /* programs and processes */
    "execve", "execveat", "fork", "vfork", "clone3", "unshare", "setns", "chroot", "pivot_root",
    /* files */
    "open", "creat", "openat2", "open_by_handle_at", "name_to_handle_at", "open_tree", "truncate", "ftruncate",
    "fallocate", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
    "mkdir", "mkdirat", "rmdir", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown",
    "fchownat", "utimensat", "utime", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "pwrite64",
    "pwritev", "sendfile", "copy_file_range", "sync_file_range", "memfd_create", "memfd_secret", "fanotify_init",
    "inotify_init1", "acct", "quotactl",
    /* mounts and the system */
    "mount", "umount2", "fsopen", "fsconfig", "fsmount", "move_mount", "mount_setattr", "swapon", "swapoff", "reboot",
    "sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "init_module",
    "finit_module", "delete_module", "kexec_load", "syslog", "bpf", "perf_event_open", "userfaultfd", "iopl", "ioperm",
    "modify_ldt", "personality", "seccomp", "io_uring_setup", "io_setup", "keyctl", "add_key", "request_key",
    /* identities */
    "setuid", "setgid", "setresuid", "setresgid", "setreuid", "setregid", "setgroups", "setfsuid", "setfsgid", "capset",
    "setrlimit",
    /* connections to other processes */
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg", "setsockopt",
    "shmget", "shmat", "semget", "msgget", "msgsnd", "mq_open", "timer_create", "vhangup"};

static bool is_refused(long result)
{
    return result == -1 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static const char *call_all(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        int number = seccomp_syscall_resolve_name(refused[i]);
        if (number >= 0 && !is_refused(syscall(number, 0, 0, 0, 0, 0, 0)))
            return refused[i];
    }
    return NULL;
}

Test(attacks, calls_that_reach_out_are_refused)
{
    cr_assert_geq(G_N_ELEMENTS(refused), 100);
    g_autofree char *failed = run_attempts(call_all);
    cr_assert_str_empty(failed, "%s is not refused", failed);
    cr_assert(victim_lives());
}

/* ---- Calls that a mount needs with other arguments. */

static const char *call_with_arguments(void)
{
    const struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = getppid()};
    const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/none"};
    int on = 0, parent = getppid(), socket = pair[0];
    char byte = 'x';
#define TRY(call)              \
    do {                       \
        errno = 0;             \
        if (!is_refused(call)) \
            return #call;      \
    } while (0)

    TRY(fcntl(socket, F_SETOWN, parent));
    TRY(fcntl(socket, F_SETOWN_EX, &owner));
    TRY(fcntl(socket, F_SETSIG, SIGKILL));
    TRY(fcntl(socket, F_SETFL, O_ASYNC));
    TRY(fcntl(socket, F_SETLEASE, F_RDLCK));
    TRY(fcntl(socket, F_NOTIFY, DN_MODIFY));
    TRY(ioctl(socket, FIOASYNC, &on));
    TRY(ioctl(socket, FIOSETOWN, &parent));
    TRY(ioctl(socket, SIOCSPGRP, &parent));
    TRY(ioctl(socket, TIOCSTI, &byte));
    TRY(ioctl(socket, FICLONE, socket));
    TRY(syscall(SYS_openat, AT_FDCWD, folder, O_WRONLY));
    TRY(syscall(SYS_openat, AT_FDCWD, folder, O_RDWR | O_TMPFILE, 0600));
    TRY(syscall(SYS_openat, AT_FDCWD, folder, O_RDONLY | O_CREAT, 0600));
    TRY(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
    TRY(syscall(SYS_tgkill, victim, victim, SIGKILL));
    TRY(syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
    TRY(syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
    TRY(syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    TRY(sendto(socket, &byte, 1, 0, (const struct sockaddr *)&address, sizeof address));
#undef TRY
    return NULL;
}

Test(attacks, arguments_that_reach_out_are_refused)
{
    g_autofree char *failed = run_attempts(call_with_arguments);
    cr_assert_str_empty(failed, "not refused: %s", failed);
    cr_assert(victim_lives());
}
#endif

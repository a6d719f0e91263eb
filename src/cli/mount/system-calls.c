#include "src/cli/mount/system-calls.h"

#ifdef XTF_HAVE_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/fuse.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* What libfuse, GLib, libc, the allocator and reading a trace need. Names that an architecture lacks are left out. */
static const char *const always[] = {
    /* descriptors that are open */
    "read",
    "readv",
    "pread64",
    "preadv",
    "preadv2",
    "write",
    "writev",
    "close",
    "close_range",
    "dup",
    "dup2",
    "dup3",
    "lseek",
    "_llseek",
    "fstat",
    "fstat64",
    "fstatfs",
    "fstatfs64",
    "fadvise64",
    "fadvise64_64",
    "readahead",
    "flock",
    "splice",
    "vmsplice",
    "tee",
    "pipe",
    "pipe2",
    "eventfd2",
    "poll",
    "ppoll",
    "ppoll_time64",
    "select",
    "pselect6",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "epoll_pwait",
    "shutdown",
    /* names, to look only: what may be opened is restricted below, and by Landlock */
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "newfstatat",
    "fstatat64",
    "statx",
    "statfs",
    "statfs64",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getdents64",
    "getcwd",
    "chdir",
    /* memory */
    "brk",
    "munmap",
    "mremap",
    "madvise",
    "mlock",
    "munlock",
    "mincore",
    "membarrier",
    /* threads, signals, time */
    "futex",
    "futex_time64",
    "futex_waitv",
    "set_robust_list",
    "get_robust_list",
    "rseq",
    "set_tid_address",
    "gettid",
    "getpid",
    "getppid",
    "getpgrp",
    "getpgid",
    "getsid",
    "setsid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getgroups",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigpending",
    "rt_sigtimedwait",
    "rt_sigsuspend",
    "sigreturn",
    "sigaltstack",
    "sched_yield",
    "sched_getaffinity",
    "sched_getattr",
    "sched_getparam",
    "sched_getscheduler",
    "sched_setattr",
    "getcpu",
    "exit",
    "exit_group",
    "wait4",
    "waitid",
    "nanosleep",
    "clock_nanosleep",
    "clock_nanosleep_time64",
    "clock_gettime",
    "clock_gettime64",
    "clock_getres",
    "gettimeofday",
    "time",
    "times",
    "restart_syscall",
    "getrandom",
    "getrusage",
    "getrlimit",
    "ugetrlimit",
    "sysinfo",
    "uname",
    "umask",
    "capget",
};

static int allow(scmp_filter_ctx filter, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    int result = number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    return result == -EDOM || result == -EINVAL ? 0 : result; /* not on this architecture */
}

/* To read, or as libfuse opens /dev/fuse for another thread. Creating and truncating are out. */
static int allow_opening(scmp_filter_ctx filter)
{
    const unsigned changes = O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
    const struct scmp_arg_cmp to_read = SCMP_A2(SCMP_CMP_MASKED_EQ, changes | O_ACCMODE, O_RDONLY);
    const struct scmp_arg_cmp a_device = SCMP_A2(SCMP_CMP_EQ, O_RDWR | O_CLOEXEC);

    int result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, to_read);
    return result ? result : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, a_device);
}

/* Allows a call whose second argument is one of some values. */
static int allow_second(scmp_filter_ctx filter, int call, const scmp_datum_t *values, size_t n)
{
    int result = 0;

    for (size_t i = 0; i < n && !result; i++)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A1(SCMP_CMP_EQ, values[i]));
    return result == -EDOM ? 0 : result;
}

/* Flags and sizes of descriptors. The kernel sends a signal to the owner of a descriptor with O_ASYNC: no owner can be
 * set, and no such flag. */
static int allow_descriptor_flags(scmp_filter_ctx filter)
{
    static const scmp_datum_t commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,
                                            F_GETFL, F_SETPIPE_SZ,    F_GETPIPE_SZ};
    const struct scmp_arg_cmp set_flags[] = {SCMP_A1(SCMP_CMP_EQ, F_SETFL), SCMP_A2(SCMP_CMP_MASKED_EQ, O_ASYNC, 0)};
    const int calls[] = {SCMP_SYS(fcntl), SCMP_SYS(fcntl64)};
    int result = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(calls) && !result; i++) {
        result = allow_second(filter, calls[i], commands, G_N_ELEMENTS(commands));
        if (!result)
            result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, calls[i], G_N_ELEMENTS(set_flags), set_flags);
        result = result == -EDOM ? 0 : result;
    }
    return result;
}

/* Devices: another descriptor of /dev/fuse for a thread; and what libc asks to know whether there is a terminal. */
static int allow_devices(scmp_filter_ctx filter)
{
    static const scmp_datum_t requests[] = {FUSE_DEV_IOC_CLONE, TCGETS, TIOCGWINSZ};

    return allow_second(filter, SCMP_SYS(ioctl), requests, G_N_ELEMENTS(requests));
}

/* Messages to the system's log, which is connected: none to another address. */
static int allow_log(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1, SCMP_A4(SCMP_CMP_EQ, 0));
}

/* Memory that can be executed is out. */
static int allow_mapping(scmp_filter_ctx filter)
{
    const int calls[] = {SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(mprotect)};
    int result = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(calls) && !result; i++) {
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
        result = result == -EDOM ? 0 : result;
    }
    return result;
}

/* Threads, but no processes. The flags of clone3() lie in memory, where no filter sees them: libc does without it. */
static int allow_threads(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp a_thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
    const struct scmp_arg_cmp own = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid());
    int result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

    if (!result)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, a_thread);
    if (!result)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, own);
    return result;
}

/* Names of threads, and of memory. */
static int allow_names(scmp_filter_ctx filter)
{
    enum { SET_VMA = 0x53564d41 }; /* PR_SET_VMA */
    const scmp_datum_t allowed[] = {PR_SET_NAME, PR_GET_NAME, SET_VMA};
    int result = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(allowed) && !result; i++)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, allowed[i]));
    return result;
}

bool xtf_system_calls_restrict(GError **error)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int result = filter ? 0 : -ENOMEM;

    if (filter)
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree: many calls are allowed */
    for (size_t i = 0; i < G_N_ELEMENTS(always) && !result; i++)
        result = allow(filter, always[i]);
    result = result ? result : allow_opening(filter);
    result = result ? result : allow_descriptor_flags(filter);
    result = result ? result : allow_devices(filter);
    result = result ? result : allow_log(filter);
    result = result ? result : allow_mapping(filter);
    result = result ? result : allow_threads(filter);
    result = result ? result : allow_names(filter);
    result = result ? result : seccomp_load(filter);
    if (filter)
        seccomp_release(filter);
    if (result == -EINVAL || result == -ENOSYS || result == -ECANCELED) /* the kernel has no filters */
        return true;
    return !result || xtf_fail(error, XTF_ERROR_IO, "cannot give up system calls: %s", g_strerror(-result));
}

#else

bool xtf_system_calls_restrict(GError **error)
{
    return true;
}

#endif

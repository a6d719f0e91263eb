/*
 * Prints the filter of system calls that a confined daemon loads (system-calls.h), as an array in C.
 *
 * It runs when xtf is built, since libseccomp takes longer to make the filter than all the rest of confining. The
 * daemon fills in its process id, which is not known before.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/filter.h>
#include <linux/fuse.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    PROCESS_ID = 0x7e57ab1e, /* in place of the daemon's process id, which is smaller */
    INSTRUCTIONS_MAX = 4096, /* the kernel's bound */
};

/* System calls that libfuse, GLib, libc, the allocator and the reader of traces need. Names that the architecture lacks
 * are skipped. */
static const char *const always_allowed[] = {
    /* open descriptors */
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
    /* paths, for looking only; opening is restricted below, and by Landlock */
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

static int allow_call(scmp_filter_ctx filter, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    int result = number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    return result == -EDOM || result == -EINVAL ? 0 : result; /* not on this architecture */
}

/* Allows opening files for reading, and /dev/fuse as libfuse opens it for another thread. Forbids creating and
 * truncating. */
static int allow_opening(scmp_filter_ctx filter)
{
    const unsigned changes = O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
    const struct scmp_arg_cmp reading = SCMP_A2(SCMP_CMP_MASKED_EQ, changes | O_ACCMODE, O_RDONLY);
    const struct scmp_arg_cmp device = SCMP_A2(SCMP_CMP_EQ, O_RDWR | O_CLOEXEC);

    int result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, reading);
    return result ? result : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, device);
}

/* Allows a call if its second argument is one of the values. */
static int allow_second(scmp_filter_ctx filter, int call, const scmp_datum_t *values, size_t n)
{
    int result = 0;

    for (size_t i = 0; i < n && !result; i++)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A1(SCMP_CMP_EQ, values[i]));
    return result == -EDOM ? 0 : result;
}

/* Allows flags and sizes of descriptors, but neither O_ASYNC nor an owner. With both, the kernel would send the owner
 * signals. */
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

/* Allows ioctl() for cloning /dev/fuse for a thread, and for libc's test for a terminal. */
static int allow_devices(scmp_filter_ctx filter)
{
    static const scmp_datum_t requests[] = {FUSE_DEV_IOC_CLONE, TCGETS, TIOCGWINSZ};

    return allow_second(filter, SCMP_SYS(ioctl), requests, G_N_ELEMENTS(requests));
}

/* Allows sending to the connected system log, and to no other address. */
static int allow_log(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1, SCMP_A4(SCMP_CMP_EQ, 0));
}

/* Allows mapping memory, unless it is executable. */
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

/* Allows making threads, but no processes. A filter cannot see the flags of clone3(), so it fails with ENOSYS: libc
 * then uses clone(). */
static int allow_threads(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
    const struct scmp_arg_cmp own_process = SCMP_A0(SCMP_CMP_EQ, PROCESS_ID);
    int result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

    if (!result)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, thread);
    if (!result)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, own_process);
    return result;
}

/* Makes the call that sets a thread's scheduling succeed without an effect. GLib calls it for each new thread of a
 * pool, with the settings that the thread inherits anyway. With another number it would slow any process of the user
 * down. */
static int ignore_scheduling(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(0), SCMP_SYS(sched_setattr), 0);
}

/* Allows naming threads and memory. */
static int allow_names(scmp_filter_ctx filter)
{
    enum { SET_VMA = 0x53564d41 }; /* PR_SET_VMA */
    const scmp_datum_t allowed[] = {PR_SET_NAME, PR_GET_NAME, SET_VMA};
    int result = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(allowed) && !result; i++)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, allowed[i]));
    return result;
}

static int add_rules(scmp_filter_ctx filter)
{
    static int (*const add_others[])(scmp_filter_ctx) = {
        allow_opening, allow_descriptor_flags, allow_devices,     allow_log,
        allow_mapping, allow_threads,          ignore_scheduling, allow_names};
    int result = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(always_allowed) && !result; i++)
        result = allow_call(filter, always_allowed[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(add_others) && !result; i++)
        result = add_others[i](filter);
    return result;
}

/* Makes the filter's instructions. Returns their number; negative: the number of an error. */
static int make_instructions(struct sock_filter *instructions)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int file = memfd_create("filter", MFD_CLOEXEC), result = filter && file >= 0 ? 0 : -ENOMEM;

    if (filter)
        seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* binary search, as many calls are allowed */
    result = result ? result : add_rules(filter);
    result = result ? result : seccomp_export_bpf(filter, file);
    ssize_t size = result ? result : pread(file, instructions, INSTRUCTIONS_MAX * sizeof *instructions, 0);
    if (filter)
        seccomp_release(filter);
    if (file >= 0)
        close(file);
    return size < 0 ? (int)size : (int)((size_t)size / sizeof *instructions);
}

/* Prints the instructions, and the place of the only one that compares with the process id. False if there is not
 * exactly one. */
static bool print_filter(const struct sock_filter *instructions, int n)
{
    int place = -1, places = 0;

    puts("/* Made by make-filter. */\n#include <linux/filter.h>\n\nstatic const struct sock_filter filter[] = {");
    for (int i = 0; i < n; i++) {
        const struct sock_filter *instruction = &instructions[i];
        printf("    {0x%x, %u, %u, 0x%x},\n", instruction->code, instruction->jt, instruction->jf, instruction->k);
        if (instruction->k == PROCESS_ID) {
            place = i;
            places++;
        }
    }
    printf("};\n\nenum { PROCESS_ID_PLACE = %d };\n", place);
    return places == 1;
}

int main(void)
{
    static struct sock_filter instructions[INSTRUCTIONS_MAX];
    int n = make_instructions(instructions);

    if (n < 0) {
        fprintf(stderr, "make-filter: cannot make the filter: %s\n", strerror(-n));
        return 1;
    }
    if (print_filter(instructions, n))
        return 0;
    fputs("make-filter: not exactly one instruction compares with the process id\n", stderr);
    return 1;
}

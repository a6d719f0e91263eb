/* Attempts of more than one call, for the rows of confined-rows.def. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/torture/entry/place.h"

long try_list(const char *folder)
{
    DIR *dir = opendir(folder);

    return dir && readdir(dir) ? 0 : -1;
}

long try_splice_into_file(void)
{
    int ends[2];

    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
        return -1;
    return splice(ends[0], NULL, place.writable, NULL, 1, 0);
}

/* ---- Programs, threads and memory. */

static void *do_nothing(void *data)
{
    return data;
}

long try_thread(void)
{
    pthread_t thread;

    errno = pthread_create(&thread, NULL, do_nothing, NULL);
    return errno == 0 && pthread_join(thread, NULL) == 0 ? 0 : -1;
}

/* Ends a new process at once, and waits for it in its parent. */
static long end_child(long pid)
{
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid((pid_t)pid, NULL, 0);
    return pid;
}

long try_process(void)
{
    return end_child(fork());
}

long try_clone3(void)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};

    return end_child(syscall(SYS_clone3, &arguments, sizeof arguments));
}

long try_thread_in_namespace(void)
{
    return end_child(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL));
}

long try_program_by_descriptor(void)
{
    char *const arguments[] = {"true", NULL}, *const environment[] = {NULL};
    return syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments, environment, 0);
}

long try_executable_later(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? -1 : mprotect(memory, 4096, PROT_READ | PROT_EXEC);
}

long try_executable_file(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, place.readable, 0) == MAP_FAILED ? -1 : 0;
}

long try_read_of_victim(void)
{
    char byte;
    struct iovec here = {.iov_base = &byte, .iov_len = 1}, there = {.iov_base = &place, .iov_len = 1};

    return process_vm_readv(place.victim, &here, 1, &there, 1, 0);
}

long try_descriptor_of_victim(void)
{
    long pidfd = syscall(SYS_pidfd_open, place.victim, 0);

    return pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, 0, 0);
}

long try_32_bit_call(void)
{
#ifdef __x86_64__
    long result = 20; /* getpid */
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return result;
#else
    errno = ENOSYS;
    return -1;
#endif
}

/* ---- Signals and scheduling. */

long try_signal_queue(void)
{
    siginfo_t info = {.si_signo = SIGCONT, .si_code = SI_QUEUE};

    info.si_pid = getpid();
    info.si_uid = getuid();
    return syscall(SYS_rt_sigqueueinfo, place.victim, SIGCONT, &info);
}

long try_signal_by_pidfd(void)
{
    long pidfd = syscall(SYS_pidfd_open, place.victim, 0);

    return pidfd < 0 ? -1 : syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
}

long try_timer(void)
{
    timer_t timer;

    return timer_create(CLOCK_MONOTONIC, NULL, &timer);
}

/* The kernel's struct sched_attr, which some versions of libc lack. */
typedef struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
} Scheduling;

/* Changes how a process is scheduled, and keeps its nice value, which only root may lower. Returns -1 with EPERM if it
 * is scheduled as before: a filter may let the call succeed without an effect. */
long try_scheduling_of(pid_t pid)
{
    Scheduling attributes = {.size = sizeof attributes, .policy = SCHED_BATCH, .nice = place.nice}, now = {0};

    if (syscall(SYS_sched_setattr, pid, &attributes, 0) != 0)
        return -1;
    if (syscall(SYS_sched_getattr, pid, &now, sizeof now, 0) == 0 && now.policy == SCHED_BATCH)
        return 0;
    errno = EPERM;
    return -1;
}

long try_limits_of_victim(void)
{
    struct rlimit limit = {0};

    return syscall(SYS_prlimit64, place.victim, RLIMIT_CORE, &limit, NULL);
}

/* ---- Sockets, rights and terminals. */

long try_connect_abstract(void)
{
    return connect(place.local, (struct sockaddr *)&place.abstract, place.abstract_size);
}

long try_send_to_address(void)
{
    return sendto(place.datagram, "x", 1, 0, (struct sockaddr *)&place.log, place.log_size);
}

long try_send_descriptor(void)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec data = {.iov_base = "x", .iov_len = 1};
    const struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};

    memcpy(CMSG_DATA(&control.header), &place.readable, sizeof(int));
    return sendmsg(place.pair[0], &message, 0);
}

long try_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

    return syscall(SYS_capget, &header, sets) != 0 ? -1 : syscall(SYS_capset, &header, sets);
}

long try_terminal_input(void)
{
    return ioctl(place.terminal, TIOCSTI, "x");
}

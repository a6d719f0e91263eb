/*
 * Start and end of the collector, on the side of the traced process.
 *
 * The collector must not be a child of the program. The program's wait() would return a child, and its handler of
 * SIGCHLD would see the child end. A signal to all processes of the job would kill it, too. So an intermediate process
 * starts the collector in a new session and ends; init adopts the collector.
 *
 * clone() creates both processes. They share the program's memory (CLONE_VM), and the program is stopped until they
 * end or execute (CLONE_VFORK). So the kernel copies no page tables, however big the program is, and a variable passes
 * errors back. The intermediate process sends no signal when it ends, and only wait4() with __WALL, as called here,
 * returns it.
 *
 * A pair of sockets, on which nothing is ever sent, shows each side the end of the other. The kernel closes the traced
 * process's socket when the process ends, however it ends, and when it executes another program. If the collector
 * ends, its socket closes: the rings get no more space, and the process stops recording. The process polls its socket
 * only when a ring is full. So a collector that has ended costs the program nothing and never blocks it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/record/core/inner.h"
#include "src/record/job-folder.h"
#include "src/record/job.h"

enum {
    MEMORY = 3, /* descriptors of the collector */
    SOCKET = 4,
    PROCESS = 5,
    FOLDER = 6, /* closed by the execve() that starts the collector */
    STACK = 65536,
    CPUS = 65536 / 8,
    NICE = 5,
};

typedef struct {
    const char *program, *log, *host;
    int folder; /* descriptor of the job folder, for `log` */
    char *const *arguments;
    char **environment;
    int memory, socket, process; /* descriptors; process: -1 if none */
    uint8_t *inner_stack;        /* end of the collector's first stack */
    int error;                   /* errno of the call that failed */
} Start;

static void raise_limits(void)
{
    static const int limits[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU};
    struct rlimit limit;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!getrlimit(limits[i], &limit)) {
            limit.rlim_cur = limit.rlim_max;
            setrlimit(limits[i], &limit);
        }
}

static void reset_signals(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL);
    /* If a part exceeds the limit of file sizes, write() must fail and not kill the collector. */
    usual.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Moves the collector's descriptors to their numbers: MEMORY, SOCKET, PROCESS, FOLDER. */
static bool move_descriptors(Start *start)
{
    int from[] = {start->memory, start->socket, start->process, start->folder};

    /* First move descriptors away from the numbers that others need. */
    for (int i = 0; i < 4; i++)
        if (from[i] >= 0 && from[i] <= FOLDER) {
            from[i] = fcntl(from[i], F_DUPFD, FOLDER + 1);
            if (from[i] < 0)
                return false;
        }
    for (int i = 0; i < 4; i++)
        if (from[i] >= 0 && dup2(from[i], MEMORY + i) < 0)
            return false;
    fcntl(FOLDER, F_SETFD, FD_CLOEXEC);
    start->folder = FOLDER;
    if (start->process < 0)
        close(PROCESS);
    return true;
}

/* Closes all descriptors but MEMORY, SOCKET and PROCESS, and opens the log as stderr. */
static bool set_descriptors(Start *start)
{
    if (!move_descriptors(start))
        return false;
    int null_device = open("/dev/null", O_RDWR);
    int log = xtf_job_file_open(start->folder, start->log, O_WRONLY | O_CREAT | O_APPEND);
    if (null_device < 0 || dup2(null_device, 0) < 0 || dup2(null_device, 1) < 0 ||
        dup2(log < 0 ? null_device : log, 2) < 0)
        return false;
    if (syscall(SYS_close_range, FOLDER + 1, ~0U, 0)) {
        long most = sysconf(_SC_OPEN_MAX);
        for (int i = FOLDER + 1; i < (most < 65536 ? most : 65536); i++)
            close(i);
    }
    return true;
}

/* Creates or removes FOLDER/HOST-PID.starting, which says that a part will appear. PID is the collector's, which
 * removes the file when it has created the part. If the collector cannot be started, become_collector() removes it. */
static void mark_starting(const Start *start, bool remove)
{
    char name[512];

    snprintf(name, sizeof name, "%s-%d" XTF_JOB_STARTING, start->host, (int)getpid());
    if (remove)
        unlinkat(start->folder, name, 0);
    else
        close(xtf_job_file_open(start->folder, name, O_WRONLY | O_CREAT));
}

/* Executes the collector in the new process. It shares the memory of the traced process and may change only `start`. */
static int become_collector(void *data)
{
    Start *start = data;
    uint8_t cpus[CPUS];

    setsid();
    reset_signals();
    raise_limits();
    memset(cpus, 0xff, sizeof cpus);
    syscall(SYS_sched_setaffinity, 0, sizeof cpus, cpus);
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICE);
    mark_starting(start, false);
    if (set_descriptors(start))
        execve(start->program, start->arguments, start->environment);
    start->error = errno ? errno : EINVAL;
    mark_starting(start, true);
    _exit(127);
}

static int run_intermediate(void *data)
{
    Start *start = data;

    if (clone(become_collector, start->inner_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, start) < 0)
        start->error = errno;
    _exit(0);
}

/* Copies the program's environment without LD_PRELOAD and LD_AUDIT, which would load libraries into the collector. */
static void copy_environment(char **copy)
{
    size_t n = 0;

    for (char **variable = environ; variable && *variable; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) && strncmp(*variable, "LD_AUDIT=", 9))
            copy[n++] = *variable;
    copy[n] = NULL;
}

/* Starts the collector through an intermediate process. All signals are blocked meanwhile; the collector unblocks them
 * before it is executed. */
static bool spawn_collector(Start *start)
{
    size_t variables = 1;
    sigset_t all, before;
    int status;

    for (char **variable = environ; variable && *variable; variable++)
        variables++;
    size_t size = (2 * STACK + variables * sizeof(char *) + xtf_core.page - 1) / xtf_core.page * xtf_core.page;
    uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        start->error = errno;
        return false;
    }
    start->environment = (char **)(memory + 2 * STACK);
    copy_environment(start->environment);
    start->inner_stack = memory + 2 * STACK;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t intermediate = clone(run_intermediate, memory + STACK, CLONE_VM | CLONE_VFORK, start);
    if (intermediate < 0)
        start->error = errno;
    else
        while (syscall(SYS_wait4, intermediate, &status, __WALL, NULL) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(memory, size);
    return !start->error;
}

/* Notes the CPUs of the process. The kernel refuses a set that is too short for its own. */
static void note_cpus(void)
{
    uint8_t *cpus = xtf_core.process->cpus;

    if (syscall(SYS_sched_getaffinity, 0, sizeof xtf_core.process->cpus, cpus) < 0)
        memset(cpus, 0, sizeof xtf_core.process->cpus);
}

static int open_process(void)
{
#ifdef SYS_pidfd_open
    int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
    XtfCoreDescriptor hidden = {.number = -1};

    if (process >= 0)
        hidden = xtf_core_hide(process);
    return hidden.number;
#else
    return -1;
#endif
}

bool xtf_core_start_collector(int folder)
{
    const char *program = xtf_core_option("XTF");
    char log[64], host[256] = "";
    int pair[2];

    if (!program) {
        xtf_core_refuse("XTF_RECORD_XTF is not set: this process is not recorded");
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        xtf_core_refuse("cannot start the collector: %s: this process is not recorded", strerror(errno));
        return false;
    }
    note_cpus();
    gethostname(host, sizeof host - 1);
    snprintf(log, sizeof log, XTF_JOB_LOG "%d" XTF_JOB_LOG_ENDING, (int)getpid());
    xtf_core.socket = xtf_core_hide(pair[0]);
    XtfCoreDescriptor peer = xtf_core_hide(pair[1]);
    int process = open_process();
    char *const arguments[] = {
        (char *)program, "collect", "--memory", "3", "--socket", "4", process < 0 ? NULL : "--process", "5", NULL};
    Start start = {.program = program,
                   .log = log,
                   .folder = folder,
                   .host = host,
                   .arguments = arguments,
                   .memory = xtf_core.memory.number,
                   .socket = peer.number,
                   .process = process};
    bool started = false;
    if (xtf_core.socket.number < 0 || peer.number < 0)
        start.error = EMFILE;
    else
        started = spawn_collector(&start);
    xtf_core_drop_descriptor(&peer);
    if (process >= 0)
        syscall(SYS_close, process);
    if (!started) {
        xtf_core_refuse("cannot start the collector, %s: %s: this process is not recorded", program,
                        strerror(start.error));
        xtf_core_drop_descriptor(&xtf_core.socket);
    }
    return started;
}

bool xtf_core_collector_lives(void)
{
    struct timespec none = {0};
    struct pollfd entry = {.fd = xtf_core.socket.number, .events = POLLIN};

    if (atomic_load_explicit(&xtf_core.lost, memory_order_relaxed))
        return false;
    if (!xtf_core_is_ours(&xtf_core.socket))
        return true; /* the program has closed the socket: the end of the collector is invisible */
    /* poll() is a cancellation point. */
    return syscall(SYS_ppoll, &entry, 1, &none, NULL, 0) <= 0;
}

void xtf_core_lose_collector(void)
{
    atomic_store(&xtf_core.lost, true);
    xtf_core_life.active = false;
}

void xtf_core_wake_collector(void)
{
    atomic_fetch_add(&xtf_core.process->wake, 1);
    xtf_core_futex_wake(&xtf_core.process->wake);
}

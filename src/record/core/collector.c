/*
 * The collector's start and end, as the traced process sees them.
 *
 * The collector is a process of its own, and no relative: a child would be seen by the program's wait(), its end by
 * the program's handler of SIGCHLD, and whoever kills the job's processes would kill it, too. So a process in between
 * starts the collector in a session of its own and ends, and leaves the collector to init. Both are made by clone()
 * with our memory (CLONE_VM) and run before we go on (CLONE_VFORK): no page table is copied, however big the program
 * is, and an error is told by a variable. The one in between sends no signal when it ends, and only a wait that asks
 * for such children (__WALL) finds it; that is ours.
 *
 * Each side notices the end of the other by a pair of sockets on which nothing is ever sent. Ours is closed by the
 * kernel when the process ends, however it ends, and when it executes another program. A collector that ends closes its
 * own: then nobody will make room in the rings, and the process stops recording. It does not look while there is room;
 * so a collector that ends costs a program nothing, and never stops it.
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
    MEMORY = 3, /* the collector's descriptors */
    SOCKET = 4,
    PROCESS = 5,
    FOLDER = 6, /* until it is one */
    STACK = 65536,
    CPUS = 65536 / 8,
    NICE = 5,
};

typedef struct {
    const char *program, *log, *host;
    int folder; /* a descriptor: of what `log` lies in */
    char *const *arguments;
    char **environment;
    int memory, socket, process; /* process: -1 if there is none */
    uint8_t *inner_stack;        /* its end */
    int error;                   /* errno of what failed */
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
    /* A part that grows past the limit of file sizes is an error to be told, and no death. */
    usual.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Moves what the collector needs to its places: MEMORY, SOCKET, PROCESS, FOLDER. */
static bool move_descriptors(Start *start)
{
    int from[] = {start->memory, start->socket, start->process, start->folder};

    /* What stands where another one belongs moves away first. */
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

/* Leaves the descriptors MEMORY, SOCKET and PROCESS open, and the log. */
static bool set_descriptors(Start *start)
{
    if (!move_descriptors(start))
        return false;
    int nothing = open("/dev/null", O_RDWR);
    int log = xtf_job_file_open(start->folder, start->log, O_WRONLY | O_CREAT | O_APPEND);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(log < 0 ? nothing : log, 2) < 0)
        return false;
    if (syscall(SYS_close_range, FOLDER + 1, ~0U, 0)) {
        long most = sysconf(_SC_OPEN_MAX);
        for (int i = FOLDER + 1; i < (most < 65536 ? most : 65536); i++)
            close(i);
    }
    return true;
}

/* Tells who waits for the parts of a job that there is one to come: the collector takes FOLDER/HOST-PID.starting away
 * when the part is where it belongs, and so does `remove`. */
static void mark(const Start *start, bool remove)
{
    char name[512];

    snprintf(name, sizeof name, "%s-%d" XTF_JOB_STARTING, start->host, (int)getpid());
    if (remove)
        unlinkat(start->folder, name, 0);
    else
        close(xtf_job_file_open(start->folder, name, O_WRONLY | O_CREAT));
}

/* In the collector to be, with the memory of the traced process: nothing here may change it but `start`. */
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
    mark(start, false);
    if (set_descriptors(start))
        execve(start->program, start->arguments, start->environment);
    start->error = errno ? errno : EINVAL;
    mark(start, true);
    _exit(127);
}

static int be_between(void *data)
{
    Start *start = data;

    if (clone(become_collector, start->inner_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, start) < 0)
        start->error = errno;
    _exit(0);
}

/* The program's environment without what would load us, or another library of its, into the collector. */
static void copy_environment(char **copy)
{
    size_t n = 0;

    for (char **variable = environ; variable && *variable; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) && strncmp(*variable, "LD_AUDIT=", 9))
            copy[n++] = *variable;
    copy[n] = NULL;
}

/* Runs it, with no signal handler of the program in between. */
static bool run(Start *start)
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
    pid_t between = clone(be_between, memory + STACK, CLONE_VM | CLONE_VFORK, start);
    if (between < 0)
        start->error = errno;
    else
        while (syscall(SYS_wait4, between, &status, __WALL, NULL) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(memory, size);
    return !start->error;
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
    gethostname(host, sizeof host - 1);
    snprintf(log, sizeof log, XTF_JOB_LOG "%d" XTF_JOB_LOG_ENDING, (int)getpid());
    xtf_core.socket = xtf_core_hide(pair[0]);
    XtfCoreDescriptor other = xtf_core_hide(pair[1]);
    int process = open_process();
    char *const arguments[] = {
        (char *)program, "collect", "--memory", "3", "--socket", "4", process < 0 ? NULL : "--process", "5", NULL};
    Start start = {.program = program,
                   .log = log,
                   .folder = folder,
                   .host = host,
                   .arguments = arguments,
                   .memory = xtf_core.memory.number,
                   .socket = other.number,
                   .process = process};
    bool started = false;
    if (xtf_core.socket.number < 0 || other.number < 0)
        start.error = EMFILE;
    else
        started = run(&start);
    xtf_core_drop_descriptor(&other);
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
    struct pollfd look = {.fd = xtf_core.socket.number, .events = POLLIN};

    if (atomic_load_explicit(&xtf_core.lost, memory_order_relaxed))
        return false;
    if (!xtf_core_is_ours(&xtf_core.socket))
        return true; /* the program has closed it: nobody can tell */
    /* poll() is a cancellation point. */
    return syscall(SYS_ppoll, &look, 1, &none, NULL, 0) <= 0;
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

#include "src/import/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libxtf/error.h"

/* Type of the child's message: success, the error's code and message, the result. */
#define ENVELOPE "(bisv)"

enum {
    TICK_MS = 50,
    DEFAULT_STALL_SECONDS = 60,
};

typedef struct {
    pid_t pid;
    int pipe;
    GByteArray *received;
    XtfSupervised *shared;
    uint64_t heartbeat;   /* value of the child's heartbeat when it was read last */
    double heartbeat_cpu; /* the child's CPU time in seconds when the heartbeat changed last */
} Child;

static void send_all(int fd, const void *data, size_t length)
{
    const char *at = data;

    while (length > 0) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(1); /* the parent has ended */
        at += n;
        length -= n;
    }
}

/* Returns the child's message. Takes ownership of the result, or if it is NULL of the error. */
static GVariant *make_envelope(GVariant *result, GError *error)
{
    bool succeeded = result;
    g_autofree char *message =
        g_utf8_make_valid(succeeded ? "" : error->message, -1); /* file names in it may have any bytes */
    GVariant *envelope = g_variant_new(ENVELOPE, succeeded, succeeded ? 0 : error->code, message,
                                       succeeded ? result : g_variant_new_boolean(FALSE));

    g_clear_error(&error);
    return g_variant_ref_sink(envelope);
}

G_GNUC_NORETURN static void run_child(const XtfSupervision *supervision, XtfSupervised *shared, int fd, pid_t parent)
{
    GError *error = NULL;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_IGN);  /* the parent handles Ctrl-C */
    signal(SIGXFSZ, SIG_IGN); /* write() fails when the file size limit is reached */
    GVariant *result = supervision->work(shared, supervision->data, &error);
    GVariant *envelope = make_envelope(result, error);
    send_all(fd, g_variant_get_data(envelope), g_variant_get_size(envelope));
    g_variant_unref(envelope);
    _exit(0); /* ends without flushing the parent's buffers or running its atexit handlers */
}

static double cpu_seconds(pid_t pid)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return used.tv_sec + used.tv_nsec / 1e9;
}

static bool has_stalled(Child *child, unsigned stall_seconds)
{
    uint64_t now = atomic_load(&child->shared->heartbeat);
    double cpu = cpu_seconds(child->pid);

    if (now != child->heartbeat) {
        child->heartbeat = now;
        child->heartbeat_cpu = cpu;
        return false;
    }
    return cpu - child->heartbeat_cpu > (stall_seconds != 0 ? stall_seconds : DEFAULT_STALL_SECONDS);
}

static const char *subject_of(const XtfSupervision *supervision)
{
    return supervision->subject ? supervision->subject : "the archive may be damaged: its reader";
}

/* True if the kernel or the C library sends the signal to a process for its own fault. */
static bool is_crash(int signal_number)
{
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

    for (size_t i = 0; i < G_N_ELEMENTS(crashes); i++)
        if (crashes[i] == signal_number)
            return true;
    return false;
}

/* Sets *error to how a child ended that sent no whole message. A signal from outside is no damage of the archive. */
static void fail_end(const XtfSupervision *supervision, int status, GError **error)
{
    const char *subject = supervision->subject ? supervision->subject : "the archive's reader";
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (number == 0 || is_crash(number))
        xtf_fail(error, XTF_ERROR_DAMAGED, "%s crashed (%s)", subject_of(supervision),
                 number ? strsignal(number) : "exit without a result");
    else
        xtf_fail(error, XTF_ERROR_IO, "%s was ended by signal %d (%s)%s", subject, number, strsignal(number),
                 number == SIGKILL   ? ": memory may have run out, or somebody killed the process"
                 : number == SIGXCPU ? ": the limit of processor time (ulimit -t) is reached"
                 : number == SIGTRAP ? ": memory may have run out"
                                     : "");
}

/* Receives the child's message until the child closes the pipe. Fails if the user cancels or the child hangs. */
static bool receive_message(Child *child, const XtfSupervision *supervision, GError **error)
{
    for (;;) {
        struct pollfd pollfd = {.fd = child->pipe, .events = POLLIN};
        int ready = poll(&pollfd, 1, TICK_MS);
        if (supervision->cancel && atomic_load(supervision->cancel))
            return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
        if (supervision->progress)
            supervision->progress(atomic_load(&child->shared->events), atomic_load(&child->shared->per_million) / 1e6,
                                  supervision->progress_data);
        if (ready > 0) {
            guint8 buffer[65536];
            ssize_t n = read(child->pipe, buffer, sizeof buffer);
            if (n == 0)
                return true;
            if (n > 0)
                g_byte_array_append(child->received, buffer, n);
        } else if (has_stalled(child, supervision->stall_seconds))
            return xtf_fail(error, XTF_ERROR_DAMAGED, "%s makes no progress", subject_of(supervision));
    }
}

/* Returns the result in the child's message; NULL with an error. */
static GVariant *open_envelope(Child *child, const XtfSupervision *supervision, int status, GError **error)
{
    g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(g_steal_pointer(&child->received));
    g_autoptr(GVariant) envelope = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(ENVELOPE), bytes, FALSE));
    g_autoptr(GVariant) result = NULL;
    const char *message;
    gboolean succeeded;
    gint32 code;

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_end(supervision, status, error);
        return NULL;
    }
    g_variant_get(envelope, "(bi&sv)", &succeeded, &code, &message, &result);
    if (!succeeded) {
        xtf_fail(error, code, "%s", message);
        return NULL;
    }
    if (!g_variant_is_of_type(result, supervision->type)) {
        xtf_fail(error, XTF_ERROR_IO, "the child process sent an incomplete result");
        return NULL;
    }
    return g_steal_pointer(&result);
}

static void list_suspects(const XtfSupervised *shared, GArray *suspects)
{
    for (unsigned i = 0; i < XTF_SUPERVISED_WORKERS; i++) {
        uint64_t busy = atomic_load(&shared->busy_with[i]);
        if (busy-- != 0)
            g_array_append_val(suspects, busy);
    }
}

static GVariant *supervise_child(Child *child, const XtfSupervision *supervision, GArray *suspects, GError **error)
{
    GVariant *result = NULL;
    GError *failed = NULL;
    int status = 0;
    bool sent = receive_message(child, supervision, &failed);

    if (!sent)
        kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (sent)
        result = open_envelope(child, supervision, status, &failed);
    if (!result && (!sent || !WIFEXITED(status)) && failed->code == XTF_ERROR_DAMAGED)
        list_suspects(child->shared, suspects);
    if (failed)
        g_propagate_error(error, failed);
    return result;
}

GVariant *xtf_supervise(const XtfSupervision *supervision, GArray *suspects, GError **error)
{
    XtfSupervised *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t parent = getpid();
    GVariant *result = NULL;
    int pipe_ends[2] = {-1, -1};
    pid_t pid = -1;

    if (shared != MAP_FAILED && pipe2(pipe_ends, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0) {
        close(pipe_ends[0]);
        run_child(supervision, shared, pipe_ends[1], parent);
    }
    if (pid < 0) {
        xtf_fail(error, XTF_ERROR_IO, "cannot start a child process: %s", g_strerror(errno));
    } else {
        Child child = {.pid = pid, .pipe = pipe_ends[0], .received = g_byte_array_new(), .shared = shared};
        close(pipe_ends[1]);
        pipe_ends[1] = -1;
        result = supervise_child(&child, supervision, suspects, error);
        g_clear_pointer(&child.received, g_byte_array_unref);
    }
    if (pipe_ends[0] >= 0)
        close(pipe_ends[0]);
    if (pipe_ends[1] >= 0)
        close(pipe_ends[1]);
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *shared);
    return result;
}

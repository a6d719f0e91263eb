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

/* What the child sends: whether it succeeded, the error's code and message, the result. */
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
    uint64_t heartbeat; /* as last seen */
    double cpu_then;    /* seconds that the child had computed by then */
} Child;

static void send_all(int fd, const void *data, size_t length)
{
    const char *at = data;

    while (length > 0) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(1); /* the parent is gone */
        at += n;
        length -= n;
    }
}

/* Takes the result, or if that is NULL the error. */
static GVariant *make_envelope(GVariant *result, GError *error)
{
    bool fine = result;
    g_autofree char *message = g_utf8_make_valid(fine ? "" : error->message, -1); /* it may name files */
    GVariant *envelope =
        g_variant_new(ENVELOPE, fine, fine ? 0 : error->code, message, fine ? result : g_variant_new_boolean(FALSE));

    g_clear_error(&error);
    return g_variant_ref_sink(envelope);
}

G_GNUC_NORETURN static void be_child(const XtfSupervision *supervision, XtfSupervised *shared, int fd, pid_t parent)
{
    GError *error = NULL;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_IGN);  /* the parent decides what Ctrl-C means */
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of writing */
    GVariant *result = supervision->work(shared, supervision->data, &error);
    GVariant *envelope = make_envelope(result, error);
    send_all(fd, g_variant_get_data(envelope), g_variant_get_size(envelope));
    g_variant_unref(envelope);
    _exit(0); /* nothing of the parent's is flushed or cleaned up twice */
}

static double cpu_seconds(pid_t pid)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return used.tv_sec + used.tv_nsec / 1e9;
}

static bool hangs(Child *child, unsigned stall_seconds)
{
    uint64_t now = atomic_load(&child->shared->heartbeat);
    double cpu = cpu_seconds(child->pid);

    if (now != child->heartbeat) {
        child->heartbeat = now;
        child->cpu_then = cpu;
        return false;
    }
    return cpu - child->cpu_then > (stall_seconds != 0 ? stall_seconds : DEFAULT_STALL_SECONDS);
}

/* Collects what the child sends, until it closes the pipe. */
static bool watch(Child *child, const XtfSupervision *supervision, GError **error)
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
        } else if (hangs(child, supervision->stall_seconds))
            return xtf_fail(error, XTF_ERROR_DAMAGED, "%s goes on for ever",
                            supervision->subject ? supervision->subject : "the archive is damaged: reading it");
    }
}

static GVariant *open_envelope(Child *child, const XtfSupervision *supervision, int status, GError **error)
{
    g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(g_steal_pointer(&child->received));
    g_autoptr(GVariant) envelope = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(ENVELOPE), bytes, FALSE));
    g_autoptr(GVariant) result = NULL;
    const char *message;
    gboolean fine;
    gint32 code;

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        xtf_fail(error, XTF_ERROR_DAMAGED, "%s died of it (%s)",
                 supervision->subject ? supervision->subject : "the archive is damaged: its reader",
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it gave up");
        return NULL;
    }
    g_variant_get(envelope, "(bi&sv)", &fine, &code, &message, &result);
    if (!fine) {
        xtf_fail(error, code, "%s", message);
        return NULL;
    }
    if (!g_variant_is_of_type(result, supervision->type)) {
        xtf_fail(error, XTF_ERROR_IO, "the reading process was cut short");
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
    bool sent = watch(child, supervision, &failed);

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
    int ends[2] = {-1, -1};
    pid_t pid = -1;

    if (shared != MAP_FAILED && pipe2(ends, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_child(supervision, shared, ends[1], parent);
    }
    if (pid < 0) {
        xtf_fail(error, XTF_ERROR_IO, "no process for reading: %s", g_strerror(errno));
    } else {
        Child child = {.pid = pid, .pipe = ends[0], .received = g_byte_array_new(), .shared = shared};
        close(ends[1]);
        ends[1] = -1;
        result = supervise_child(&child, supervision, suspects, error);
        g_clear_pointer(&child.received, g_byte_array_unref);
    }
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *shared);
    return result;
}

/*
 * Measures finding the receive of single messages, as the tree finds it. For a row of `sends` it finds the message's
 * number in its group, and the row of the receiver's `postings` with that number. It also finds out if the group has
 * the same number of sends and receives.
 *
 *     match [--messages N] [--processes P] [--tags T] [--bursts] [--asked A] [--warm] [--cache MIB] [--keep FILE]
 *
 * Each of P processes (default 5) sends N messages (default 800 000), the same number to each other process, with T
 * tags (default 100 000). Tags are in random order, or with --bursts one tag after another. Receives complete in
 * another order than they are posted. A message's size is its number among all messages from its sender to its
 * receiver, so that the answer can be checked. With --warm each message was asked for once before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"
#include "src/import/messages.h"
#include "src/tables/match/match.h"

enum { IN_FLIGHT = 64 };

typedef struct {
    gint64 messages, processes, tags, asked, cache;
    gboolean bursts, warm;
    char *keep;
} Shape;

/* Returns the tag of message i from one process to another. */
static uint32_t tag_of(const Shape *shape, uint64_t sender, uint64_t receiver, uint64_t i)
{
    uint64_t per_pair = (uint64_t)shape->messages / (uint64_t)(shape->processes - 1);
    uint64_t mixed = sender << 56 ^ receiver << 48 ^ i;

    return (uint32_t)(shape->bursts ? i * (uint64_t)shape->tags / per_pair
                                    : bench_random(&mixed) % (uint64_t)shape->tags);
}

static void send_to_all(const Shape *shape, XtfStream *stream, uint64_t self, uint64_t i, uint64_t time)
{
    for (uint64_t peer = 0; peer < (uint64_t)shape->processes; peer++) {
        XtfSendsRow row = {.region = 0,
                           .peer = (uint32_t)peer,
                           .tag = tag_of(shape, self, peer, i),
                           .bytes = i,
                           .request = XTF_NONE64};
        bench_check(peer == self || xtf_stream_send(stream, time + peer, &row), stream->error, "a send");
    }
}

/* Posts receives [i, end) of one sender, and completes them in random order. */
static void receive_messages(const Shape *shape, XtfStream *stream, uint64_t peer, uint64_t i, uint64_t end,
                             uint64_t *random, uint64_t time)
{
    uint64_t order[IN_FLIGHT], n = end - i;

    for (uint64_t k = 0; k < n; k++) {
        uint64_t at = bench_below(random, k + 1);
        XtfRequestsRow row = {.region = 1, .request = k};
        order[k] = order[at];
        order[at] = k;
        bench_check(xtf_stream_request(stream, XTF_LABEL_MPI_IRECV_REQUEST, time + k, &row), stream->error,
                    "a request");
    }
    for (uint64_t k = 0; k < n; k++) {
        uint64_t number = i + order[k];
        XtfRecvsRow row = {.region = 1,
                           .peer = (uint32_t)peer,
                           .tag = tag_of(shape, peer, stream->location, number),
                           .bytes = number,
                           .request = order[k]};
        bench_check(xtf_stream_irecv(stream, time + n + k, &row), stream->error, "a receive");
    }
}

static void write_process(const Shape *shape, XtfStream *stream, uint64_t self)
{
    uint64_t per_pair = (uint64_t)shape->messages / (uint64_t)(shape->processes - 1), random = self;
    g_autoptr(GError) error = NULL;

    xtf_stream_begin(stream, self);
    for (uint64_t i = 0; i < per_pair; i += IN_FLIGHT / 4) {
        uint64_t end = MIN(i + IN_FLIGHT / 4, per_pair), time = 1000 * i;
        for (uint64_t k = i; k < end; k++)
            send_to_all(shape, stream, self, k, time + 100 * (k - i));
        for (uint64_t peer = 0; peer < (uint64_t)shape->processes; peer++)
            if (peer != self)
                receive_messages(shape, stream, peer, i, end, &random, time + 2000 + 100 * peer);
    }
    bench_check(xtf_stream_end(stream, &error), error, "process %" PRIu64, self);
}

static void generate_trace(const Shape *shape, const char *path)
{
    const XtfWriterOptions options = {.no_sync = true};
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    uint32_t schemas[XTF_N_MODEL_SCHEMAS];
    XtfDefinitions definitions;
    XtfStream stream;

    bench_check(writer, error, "%s", path);
    for (unsigned tag = 0; tag < XTF_N_ARRAY_TYPES; tag++)
        bench_check(xtf_writer_add_schema(writer, xtf_model_schema(tag), &schemas[tag], &error), error, "%s", path);
    xtf_definitions_init(&definitions);
    bench_check(xtf_definitions_resolve(&definitions, writer, &error), error, "%s", path);
    xtf_stream_init(&stream, writer, &definitions, schemas);
    for (uint64_t self = 0; self < (uint64_t)shape->processes; self++)
        write_process(shape, &stream, self);
    xtf_stream_finish(&stream);
    xtf_definitions_finish(&definitions);
    bench_check(xtf_writer_close(writer, &error), error, "%s", path);
}

/* ---- Measuring. */

static bool is_never_reserved(const XtfSchema *schema)
{
    return false;
}

/* Finds the receive of a message, and checks its size. Locations are processes, whose numbers are their indices. */
static void check_message(XtfMatching *matching, const XtfMessageEnd *send)
{
    g_autoptr(GError) error = NULL;
    XtfMessage message;

    bench_check(xtf_match_send(matching, send, &message, &error), error, "match");
    bench_check(message.has_receive && message.state == XTF_PAIR_CERTAIN, NULL, "no receive of message %" PRIu64,
                send->row);
    bench_check(message.received_bytes == message.sent_bytes, NULL, "message %" PRIu64 " of %u: wrong receive",
                send->row, send->location);
}

/* Chooses sends at random. */
static XtfMessageEnd *choose_sends(const Shape *shape)
{
    uint64_t n = (uint64_t)shape->processes, random = 1;
    uint64_t rows = (uint64_t)shape->messages / (n - 1) * (n - 1);
    XtfMessageEnd *sends = g_new(XtfMessageEnd, (gsize)shape->asked);

    for (gint64 i = 0; i < shape->asked; i++)
        sends[i] = (XtfMessageEnd){(uint32_t)bench_below(&random, n), bench_below(&random, rows)};
    return sends;
}

static void time_messages(const Shape *shape, XtfMatching *matching, const XtfMessageEnd *sends, double *times)
{
    for (gint64 i = 0; i < shape->asked; i++) {
        double begin = bench_processor_time();
        check_message(matching, &sends[i]);
        times[i] = bench_processor_time() - begin;
    }
}

static void measure_messages(const Shape *shape, const char *path)
{
    g_autoptr(XtfTrace) trace = bench_open(path, (uint64_t)shape->cache);
    g_autofree char *cache = bench_cache_name(trace, (uint64_t)shape->cache);
    g_autofree double *times = g_new(double, (gsize)shape->asked);
    g_autofree XtfMessageEnd *sends = choose_sends(shape);
    XtfCounters before, after;
    XtfTraceContext context;
    GError *error = NULL;
    XtfMatching matching;

    bench_check(xtf_trace_context_init(&context, trace, false, is_never_reserved, &error), error, "properties");
    xtf_matching_init(&matching, &context);
    if (shape->warm)
        time_messages(shape, &matching, sends, times);
    xtf_trace_get_counters(trace, &before);
    time_messages(shape, &matching, sends, times);
    xtf_trace_get_counters(trace, &after);
    xtf_matching_finish(&matching);
    xtf_trace_context_finish(&context);
    double median = bench_median(times, (size_t)shape->asked);
    g_autofree char *middle = bench_duration(median);
    g_autofree char *tail = bench_duration(bench_quantile(times, (size_t)shape->asked, 0.99));
    g_autofree char *figure =
        g_strdup_printf("the receive of a send, random%s, %s", shape->warm ? ", warm" : "", cache);
    bench_row(figure, "1 ms", NULL, "%s of processor time, 99%%: %s, %.1f blocks made", middle, tail,
              (double)(after.cache_loads - before.cache_loads) / (double)shape->asked);
}

static void work(const char *folder, void *data)
{
    const Shape *shape = data;
    g_autofree char *path = shape->keep ? g_strdup(shape->keep) : g_build_filename(folder, "match.xtf", NULL);

    if (!shape->keep || access(path, R_OK) != 0)
        generate_trace(shape, path);
    printf("%s: %.1f bytes a message\n", path,
           (double)bench_file_size(path) / (double)(shape->messages * shape->processes));
    measure_messages(shape, path);
}

int main(int argc, char **argv)
{
    Shape shape = {.messages = 800000, .processes = 5, .tags = 100000, .asked = 1000, .cache = 0};
    const GOptionEntry entries[] = {
        {"messages", 'n', 0, G_OPTION_ARG_INT64, &shape.messages, "Messages that a process sends (default: 800 000)",
         "N"},
        {"processes", 'p', 0, G_OPTION_ARG_INT64, &shape.processes, "Default: 5", "P"},
        {"tags", 't', 0, G_OPTION_ARG_INT64, &shape.tags, "Default: 100 000", "T"},
        {"bursts", 0, 0, G_OPTION_ARG_NONE, &shape.bursts, "One tag after another", NULL},
        {"asked", 0, 0, G_OPTION_ARG_INT64, &shape.asked, "Messages to find (default: 1000)", "A"},
        {"warm", 0, 0, G_OPTION_ARG_NONE, &shape.warm, "Find each once before", NULL},
        {"cache", 0, 0, G_OPTION_ARG_INT64, &shape.cache, "Cache of the reader (default: the library's default)",
         "MIB"},
        {"keep", 0, 0, G_OPTION_ARG_FILENAME, &shape.keep, "The file; generated if it does not exist", "FILE"},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && argc == 1 && shape.messages > 0 &&
                    shape.processes > 1 && shape.processes < 256 && shape.tags > 0 && shape.asked > 0 &&
                    shape.cache >= 0,
                error, "bad arguments: see --help");
    return bench_in_folder(NULL, work, &shape);
}

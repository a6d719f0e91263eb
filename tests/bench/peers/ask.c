/*
 * Asks one peer questions: see ask.h. peers.py runs this program, and makes a table of its output.
 *
 *     ask cache TRACE.xtf                  XTF's page cache by default, in bytes
 *     ask questions TRACE.xtf N            N questions of each kind and width, a line each
 *     ask build PEER FOLDER TRACE.xtf      prints seconds, seconds of processor and rows
 *     ask warm|cold PEER SOURCE < QUESTIONS
 *     ask once PEER SOURCE KIND LOCATION ID FROM TO
 *     ask text PEER SOURCE                 writes all calls as text to /dev/null; prints their number and seconds
 *
 * A question's line has: share of the trace's time, kind, location, its id, from, to. `warm` prints the answer to each
 * question, and its seconds: the median of five, after the question was asked four times. `cold` drops the peer's files
 * from the system's cache, and opens the peer again for each question. It prints the seconds for opening and asking.
 *
 * If ASK_PROCESSOR is set, `cold` prints the seconds of processor instead. The environment's ASK_CACHE is the bytes of
 * cache of XTF and SQLite (default: 64 MiB). ASK_THREADS bounds DuckDB's threads.
 */
#include "ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[N_KINDS] = {"rows", "calls", "bytes"};
static const double shares[] = {0.0001, 0.01, 0.5};

static const Peer *const peers[] = {
    &peer_xtf,
#ifdef HAVE_SQLITE
    &peer_sqlite,
#endif
#ifdef HAVE_LMDB
    &peer_lmdb,
#endif
    &peer_otf2,   &peer_duckdb, &peer_parquet,
};

void tally_add(Tally *tally, uint64_t number, uint64_t count)
{
    enum { SMALL = 1 << 16 };

    if (number < SMALL) {
        if (!tally->small)
            tally->small = g_new0(uint64_t, SMALL);
        tally->n_small = MAX(tally->n_small, number + 1);
        tally->small[number] += count;
        return;
    }
    if (!tally->large)
        tally->large = g_hash_table_new(NULL, NULL);
    gpointer key = GSIZE_TO_POINTER(number);
    g_hash_table_insert(tally->large, key,
                        GSIZE_TO_POINTER(GPOINTER_TO_SIZE(g_hash_table_lookup(tally->large, key)) + count));
}

uint64_t tally_end(Tally *tally)
{
    uint64_t result = 0;
    GHashTableIter iter;
    gpointer count;

    for (uint64_t i = 0; i < tally->n_small; i++)
        result += tally->small[i] * tally->small[i];
    if (tally->large) {
        g_hash_table_iter_init(&iter, tally->large);
        while (g_hash_table_iter_next(&iter, NULL, &count))
            result += GPOINTER_TO_SIZE(count) * GPOINTER_TO_SIZE(count);
        g_hash_table_remove_all(tally->large);
    }
    if (tally->small)
        memset(tally->small, 0, tally->n_small * sizeof *tally->small);
    tally->n_small = 0;
    return result;
}

void tally_clear(Tally *tally)
{
    g_clear_pointer(&tally->small, g_free);
    g_clear_pointer(&tally->large, g_hash_table_unref);
}

static uint64_t number_from_environment(const char *name, uint64_t otherwise)
{
    const char *value = g_getenv(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

uint64_t ask_cache_bytes(void)
{
    return number_from_environment("ASK_CACHE", 64 << 20);
}

unsigned ask_threads(void)
{
    return (unsigned)number_from_environment("ASK_THREADS", 0);
}

static XtfTrace *open_trace(const char *path)
{
    g_autoptr(GError) error = NULL;
    XtfTrace *trace = xtf_trace_open(path, NULL, &error);
    bench_check(trace, error, "%s", path);
    return trace;
}

static void print_cache(const char *path)
{
    XtfTrace *trace = open_trace(path);
    XtfCounters counters;

    xtf_trace_get_counters(trace, &counters);
    printf("%" PRIu64 "\n", counters.cache_limit);
    xtf_trace_unref(trace);
}

/* Returns the arrays of a type, each of a location. */
static GArray *arrays_of(XtfTrace *trace, const char *type)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, type);
    GArray *arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    g_autoptr(GError) error = NULL;

    for (uint64_t rank = 0; schema && rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        bench_check(xtf_trace_get_arrays(trace, rank, 1, &array, &error), error, "arrays");
        if (array.schema == schema)
            g_array_append_val(arrays, array);
    }
    return arrays;
}

static void visit_rows(const XtfArray *array, void (*visit)(void *self, uint32_t location, const void *row), void *self,
                       uint32_t location)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    bench_check(xtf_cursor_seek_n(&cursor, 0, &found, &error), error, "rows");
    while (found) {
        visit(self, location, xtf_cursor_row(&cursor));
        bench_check(xtf_cursor_next(&cursor, 1, &found, &error), error, "rows");
    }
}

void ask_each_row(const char *path, const RowSink *sink, void *self)
{
    XtfTrace *trace = open_trace(path);
    g_autoptr(GArray) calls = arrays_of(trace, "enters_leaves");
    g_autoptr(GArray) sends = arrays_of(trace, "sends");

    for (guint i = 0; i < calls->len; i++)
        visit_rows(&g_array_index(calls, XtfArray, i), (void (*)(void *, uint32_t, const void *))sink->call, self, i);
    for (guint s = 0; s < sends->len; s++) {
        const XtfArray *array = &g_array_index(sends, XtfArray, s);
        guint i = 0;
        while (i < calls->len && g_array_index(calls, XtfArray, i).location != array->location)
            i++;
        visit_rows(array, (void (*)(void *, uint32_t, const void *))sink->send, self, i);
    }
    xtf_trace_unref(trace);
}

static void print_questions(const char *path, unsigned n)
{
    XtfTrace *trace = open_trace(path);
    g_autoptr(GArray) calls = arrays_of(trace, "enters_leaves");
    const XtfClock *clock = xtf_trace_clock(trace);
    uint64_t random = 1, span = clock->last + 1 - clock->first;

    bench_check(calls->len > 0, NULL, "%s: the trace has no calls", path);
    for (size_t s = 0; s < G_N_ELEMENTS(shares); s++) {
        uint64_t width = MAX(1, (uint64_t)((double)span * shares[s]));
        for (unsigned i = 0; i < n; i++) {
            uint64_t from = clock->first + bench_below(&random, span - width + 1);
            uint32_t location = (uint32_t)bench_below(&random, calls->len);
            for (unsigned kind = 0; kind < N_KINDS; kind++)
                printf("%g %s %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", shares[s], kinds[kind], location,
                       g_array_index(calls, XtfArray, location).location, from, from + width);
        }
    }
    xtf_trace_unref(trace);
}

static Kind kind_of(const char *name)
{
    for (unsigned kind = 0; kind < N_KINDS; kind++)
        if (g_str_equal(kinds[kind], name))
            return (Kind)kind;
    bench_fail(NULL, "no such question: %s", name);
}

static const Peer *peer_of(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(peers); i++)
        if (g_str_equal(peers[i]->name, name))
            return peers[i];
    bench_fail(NULL, "no such peer: %s", name);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the elapsed time of a question. Beyond a scheduler slice, returns the processor time if that is less, which
 * excludes the time of other programs. For a peer with several threads the result is never more than the elapsed time.
 */
static double ask_once(const Peer *peer, void *self, const Question *question)
{
    const double slice = 1e-3;
    double processor = bench_processor_time(), before = bench_now();

    peer->ask(self, question);
    double elapsed = bench_now() - before;
    return elapsed < slice ? elapsed : MIN(elapsed, bench_processor_time() - processor);
}

/* Asks a question often enough before measuring that XTF has built its digest of a leaf, which it does at the third
 * question. */
static uint64_t ask_warm(const Peer *peer, void *self, const Question *question, double *seconds)
{
    uint64_t answer = peer->ask(self, question);
    double times[5];

    for (int i = 0; i < 3; i++)
        peer->ask(self, question);
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++)
        times[i] = ask_once(peer, self, question);
    qsort(times, G_N_ELEMENTS(times), sizeof *times, compare_doubles);
    *seconds = times[G_N_ELEMENTS(times) / 2];
    return answer;
}

static void drop_from_cache(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    const char *name;

    if (!folder) {
        bench_check(bench_make_cold(path), NULL, "%s: its pages stay in memory", path);
        return;
    }
    while ((name = g_dir_read_name(folder))) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        drop_from_cache(below);
    }
}

static uint64_t ask_cold(const Peer *peer, const char *source, const Question *question, double *seconds)
{
    g_autofree char *stored = peer->file ? g_build_filename(source, peer->file, NULL) : g_path_get_dirname(source);

    drop_from_cache(peer->file || !g_str_has_suffix(source, ".xtf") ? stored : source);
    double (*now)(void) = g_getenv("ASK_PROCESSOR") ? bench_processor_time : bench_now;
    double before = now();
    void *self = peer->open(source);
    uint64_t answer = peer->ask(self, question);
    *seconds = now() - before;
    peer->close(self);
    return answer;
}

static void answer_all(const Peer *peer, const char *source, bool cold)
{
    void *self = cold ? NULL : peer->open(source);
    char share[16], kind[16];
    Question question;

    while (scanf("%15s %15s %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64, share, kind, &question.location,
                 &question.id, &question.from, &question.to) == 6) {
        double seconds;
        question.kind = kind_of(kind);
        uint64_t answer =
            cold ? ask_cold(peer, source, &question, &seconds) : ask_warm(peer, self, &question, &seconds);
        printf("%s %s %" PRIu64 " %.9f\n", share, kind, answer, seconds);
    }
    if (self)
        peer->close(self);
}

static void count_call(void *rows, uint32_t location, const XtfEntersLeavesRow *row)
{
    ++*(uint64_t *)rows;
}

static void count_send(void *rows, uint32_t location, const XtfSendsRow *row)
{
    ++*(uint64_t *)rows;
}

static void build_peer(const Peer *peer, const char *folder, const char *trace)
{
    static const RowSink counter = {count_call, count_send};
    uint64_t rows = 0;
    double before = bench_now(), processor = bench_processor_time();

    ask_each_row(trace, &counter,
                 &rows); /* measures reading the rows alone; its time is subtracted from the peer's below */
    double reading = bench_now() - before, reading_processor = bench_processor_time() - processor;
    before = bench_now();
    processor = bench_processor_time();
    peer->build(folder, trace);
    printf("%.3f %.3f %" PRIu64 "\n", MAX(0, bench_now() - before - reading),
           MAX(0, bench_processor_time() - processor - reading_processor), rows);
}

static void write_text(const Peer *peer, const char *source)
{
    void *self = peer->open(source);
    double before = bench_now();

    bench_check(peer->write_text, NULL, "%s writes no text", peer->name);
    uint64_t rows = peer->write_text(self);
    printf("%" PRIu64 " %.4f\n", rows, bench_now() - before);
    peer->close(self);
}

int main(int argc, char **argv)
{
    g_set_prgname("ask");
    if (argc == 3 && g_str_equal(argv[1], "cache")) {
        print_cache(argv[2]);
    } else if (argc == 4 && g_str_equal(argv[1], "questions")) {
        print_questions(argv[2], (unsigned)atoi(argv[3]));
    } else if (argc == 5 && g_str_equal(argv[1], "build")) {
        build_peer(peer_of(argv[2]), argv[3], argv[4]);
    } else if (argc == 4 && (g_str_equal(argv[1], "warm") || g_str_equal(argv[1], "cold"))) {
        answer_all(peer_of(argv[2]), argv[3], g_str_equal(argv[1], "cold"));
    } else if (argc == 4 && g_str_equal(argv[1], "text")) {
        write_text(peer_of(argv[2]), argv[3]);
    } else if (argc == 9 && g_str_equal(argv[1], "once")) {
        const Peer *peer = peer_of(argv[2]);
        void *self = peer->open(argv[3]);
        Question question = {kind_of(argv[4]), (uint32_t)atoi(argv[5]), strtoull(argv[6], NULL, 10),
                             strtoull(argv[7], NULL, 10), strtoull(argv[8], NULL, 10)};
        printf("%" PRIu64 "\n", peer->ask(self, &question));
        peer->close(self);
    } else {
        bench_fail(NULL,
                   "usage: ask cache TRACE | questions TRACE N | build PEER FOLDER TRACE | warm|cold PEER SOURCE | "
                   "once PEER SOURCE KIND LOCATION ID FROM TO | text PEER SOURCE");
    }
    return 0;
}

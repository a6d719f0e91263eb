/*
 * Counts the requests of a reader: how many reads, and how many bytes, a question needs when nothing is cached. Over a
 * network, each read is a request to the store.
 *
 *     requests [--single] [--list] TRACE.xtf [PATH...]
 *
 * A request may ask for several ranges; with --single it asks for one. --list prints the request, offset and length of
 * each range. Each question opens the trace anew. docs/TREE.md has the paths. By default the program asks for counts,
 * the profile, the facts, the first screen of the records, and the front page.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "libxtf/trace.h"
#include "src/tree/paths/tree.h"
#include "tests/counted-source.h"

enum { SCREEN_BYTES = 4096, BYTES_AT_ONCE = 64 << 10 };

static gboolean single, lists;

/* Opens a trace; *counted gets its source. */
static XtfTrace *open_counted(const char *path, CountedSource **counted)
{
    g_autoptr(GError) error = NULL;

    *counted = counted_source_open(path, !single, &error);
    bench_check(*counted, error, "%s", path);
    (*counted)->lists = lists;
    XtfTrace *trace = xtf_trace_open_source(&(*counted)->source, NULL, &error);
    bench_check(trace, error, "%s", path);
    return trace;
}

/* Reads a file of the tree, at most `most` bytes. */
static void read_file(XtfTree *tree, const char *path, size_t most)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, &error);
    char buffer[BYTES_AT_ONCE];
    size_t done = 0, got = 1;

    bench_check(node, error, "%s", path);
    while (done < most && got > 0) {
        bench_check(xtf_node_read(node, done, buffer, MIN(most - done, sizeof buffer), &got, &error), error, "%s",
                    path);
        done += got;
    }
}

static void ask_question(const char *trace_path, const char *path, size_t most)
{
    g_autoptr(GError) error = NULL;
    CountedSource *counted;
    g_autoptr(XtfTrace) trace = open_counted(trace_path, &counted);
    uint64_t opening = counted->n_reads, opening_bytes = counted->n_bytes;
    g_autoptr(XtfTree) tree = xtf_tree_new(trace, &error);

    bench_check(tree, error, "%s", trace_path);
    read_file(tree, path, most);
    printf("%-40s %9" PRIu64 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "\n", path, opening, opening_bytes,
           counted->n_reads, counted->n_ranges, counted->n_bytes);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *path;
        size_t most;
    } questions[] = {{"count", SIZE_MAX},
                     {"proc/1/time/20%-30%/count", SIZE_MAX},
                     {"time/20%-30%/count", SIZE_MAX},
                     {"profile", SIZE_MAX},
                     {"info", SIZE_MAX},
                     {"records", SCREEN_BYTES},
                     {"index.html", SIZE_MAX}};

    const GOptionEntry entries[] = {
        {"single", 0, 0, G_OPTION_ARG_NONE, &single, "Ask for one range by each request", NULL},
        {"list", 0, 0, G_OPTION_ARG_NONE, &lists, "Print each range", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("TRACE.xtf [PATH...]");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && argc >= 2, error, "bad arguments: see --help");
    printf("%-40s %9s %10s %9s %9s %10s\n", "# question", "opening", "bytes", "requests", "ranges", "bytes");
    for (int i = 2; i < argc; i++)
        ask_question(argv[1], argv[i], SIZE_MAX);
    for (unsigned i = 0; argc == 2 && i < G_N_ELEMENTS(questions); i++)
        ask_question(argv[1], questions[i].path, questions[i].most);
    return 0;
}

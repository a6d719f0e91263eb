/*
 * Requests of a reader: how many reads, of how many bytes, a question takes of a trace that nothing has cached. A store
 * that is read over a network answers a read by a request.
 *
 *     requests TRACE.xtf [PATH...]
 *
 * Each question opens the trace anew. Paths are those of docs/TREE.md; by default a count in a window, the profile, the
 * facts, the first screen of the records, and the front page.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "libxtf/trace.h"
#include "src/tree/paths/tree.h"

enum { SCREEN_BYTES = 4096, BYTES_AT_ONCE = 64 << 10 };

/* A source that counts what a base source reads. */
typedef struct {
    XtfSource source;
    XtfSource *base;
    uint64_t n_reads, n_bytes;
} CountedSource;

static CountedSource *current; /* the source of the question */

static bool counted_read(XtfSource *self, uint64_t offset, void *buffer, size_t length, GError **error)
{
    CountedSource *source = (CountedSource *)self;

    source->n_reads++;
    source->n_bytes += length;
    if (g_getenv("XTF_BENCH_READS"))
        fprintf(stderr, "  read of %zu bytes at %" PRIu64 "\n", length, offset);
    return source->base->ops->read(source->base, offset, buffer, length, error);
}

static void counted_close(XtfSource *self)
{
    xtf_source_close(((CountedSource *)self)->base);
}

static const XtfSourceOps counted_ops = {.read = counted_read, .close = counted_close};

static XtfTrace *open_counted(const char *path)
{
    g_autoptr(GError) error = NULL;
    XtfSource *base = xtf_source_open_pread(path, &error);

    bench_check(base, error, "%s", path);
    current = g_new0(CountedSource, 1);
    *current = (CountedSource){.source = {.ops = &counted_ops, .size = xtf_source_size(base)}, .base = base};
    XtfTrace *trace = xtf_trace_open_source(&current->source, NULL, &error);
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

static void ask(const char *trace_path, const char *path, size_t most)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = open_counted(trace_path);
    uint64_t opening = current->n_reads, opening_bytes = current->n_bytes;
    g_autoptr(XtfTree) tree = xtf_tree_new(trace, &error);

    bench_check(tree, error, "%s", trace_path);
    read_file(tree, path, most);
    printf("%-40s %9" PRIu64 " %10" PRIu64 " %9" PRIu64 " %10" PRIu64 "\n", path, opening, opening_bytes,
           current->n_reads, current->n_bytes);
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

    if (argc < 2) {
        fprintf(stderr, "usage: requests TRACE.xtf [PATH...]\n");
        return 2;
    }
    printf("%-40s %9s %10s %9s %10s\n", "# question", "opening", "bytes", "all reads", "bytes");
    for (int i = 2; i < argc; i++)
        ask(argv[1], argv[i], SIZE_MAX);
    for (unsigned i = 0; argc == 2 && i < G_N_ELEMENTS(questions); i++)
        ask(argv[1], questions[i].path, questions[i].most);
    return 0;
}

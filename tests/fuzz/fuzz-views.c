/*
 * Opens any bytes as a trace, and reads the views that combine several structures of a file. These views match
 * messages, look up the arrays of other locations, and follow references of tables.
 */
#include "fuzz-structure.h"

#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"

enum {
    CACHE_BYTES = 16 << 20,
    PIECE = 1 << 16,
    VIEW_BYTES = 64 << 20, /* most bytes read of a view; no file of the tests has a larger one */
};

static const char *const views[] = {"messages", "timeline.svg", "timeline.html", "index.html", "findings"};

static void must(bool condition, const char *fault)
{
    if (!condition)
        g_error("fuzz: %s", fault);
}

/* Reads a file of the tree. An error is a valid answer if it has a message. */
static bool read_view(XtfTree *tree, const char *path, GError **error)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);
    char piece[PIECE];
    size_t length = 1;

    for (uint64_t offset = 0; node && length > 0 && offset < MIN(xtf_node_size(node), VIEW_BYTES); offset += length)
        if (!xtf_node_read(node, offset, piece, sizeof piece, &length, error))
            return false;
    return node != NULL;
}

/* Reads the views of a trace, and takes ownership of it. Returns false if the trace is NULL. */
static bool read_tree(XtfTrace *opened, GError **error)
{
    g_autoptr(XtfTrace) trace = opened;
    g_autoptr(XtfTree) tree = trace ? xtf_tree_new(trace, error) : NULL;

    must(tree || (*error && (*error)->message[0]), "a trace was refused without a message");
    g_clear_error(error);
    for (size_t i = 0; tree && i < G_N_ELEMENTS(views); i++) {
        bool good = read_view(tree, views[i], error);
        must(good == !*error, "a view failed without an error, or succeeded with one");
        g_clear_error(error);
    }
    return trace != NULL;
}

static const XtfOpenOptions options = {.cache_bytes = CACHE_BYTES};

bool fuzz_read(const uint8_t *data, size_t size)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
    GError *error = NULL;

    return read_tree(xtf_trace_open_source(xtf_source_new_bytes(bytes), &options, &error), &error);
}

bool fuzz_read_file(const char *path)
{
    GError *error = NULL;

    return read_tree(xtf_trace_open(path, &options, &error), &error);
}

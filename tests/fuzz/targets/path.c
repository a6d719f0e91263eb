/*
 * Looks up the input as a path in the tree of a trace. Two reads of a file return the same bytes, and their number is
 * the file's size. Every name that a directory lists can be looked up. XTF_FUZZ_TRACE is the trace.
 */
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"
#include "tests/fuzz/targets/target.h"

enum {
    PATH_MAX_BYTES = 4096,
    NAMES_MAX = 12, /* listed names that are looked up */
    PIECE = 32 << 10,
};

static XtfTree *open_tree(void)
{
    static XtfTree *tree;
    GError *error = NULL;

    if (!tree) {
        const char *path = g_getenv("XTF_FUZZ_TRACE");
        target_must(path != NULL, "XTF_FUZZ_TRACE is not set");
        g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
        tree = trace ? xtf_tree_new(trace, &error) : NULL;
        target_must(tree != NULL, "the trace cannot be opened");
    }
    return tree;
}

static void read_file(XtfNode *file)
{
    g_autofree char *whole = g_malloc(PIECE), *part = g_malloc(PIECE);
    uint64_t size = xtf_node_size(file);
    GError *error = NULL;
    size_t length = 0, again = 0;

    if (!target_result(xtf_node_read(file, 0, whole, PIECE, &length, &error), &error))
        return;
    target_must(length == MIN(size, PIECE), "a file has more or fewer bytes than its size says");
    size_t middle = length / 2;
    if (target_result(xtf_node_read(file, middle, part, length - middle, &again, &error), &error))
        target_must(again == length - middle && memcmp(part, whole + middle, again) == 0, "two reads differ");
    if (size > 0 && target_result(xtf_node_read(file, size - 1, part, PIECE, &again, &error), &error))
        target_must(again == 1, "the last byte of a file is missing, or is not the last");
    if (target_result(xtf_node_read(file, size, part, PIECE, &again, &error), &error))
        target_must(again == 0, "a file has bytes behind its end");
}

static bool add_name(const char *name, XtfNodeKind kind, void *data)
{
    GPtrArray *names = data;

    target_must(*name && !strchr(name, '/'), "a listed name is empty, or has a slash");
    g_ptr_array_add(names, g_strdup(name));
    return names->len < NAMES_MAX;
}

static void list_directory(XtfNode *directory)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    GError *error = NULL;

    if (!target_result(xtf_node_list(directory, 0, add_name, names, &error), &error))
        return;
    for (guint i = 0; i < names->len; i++) {
        g_autoptr(XtfNode) node = xtf_node_lookup(directory, names->pdata[i], &error);
        target_must(node || error->code != XTF_ERROR_NOT_FOUND, "a listed name does not exist");
        target_result(node != NULL, &error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *path = g_strndup((const char *)data, MIN(size, PATH_MAX_BYTES));
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(open_tree(), path, &error);

    if (!target_result(node != NULL, &error))
        return 0;
    g_autofree char *remark = xtf_node_remark(node);
    switch (xtf_node_kind(node)) {
    case XTF_NODE_DIRECTORY:
        list_directory(node);
        break;
    case XTF_NODE_FILE:
        read_file(node);
        break;
    case XTF_NODE_LINK:
        target_must(xtf_node_size(node) == strlen(xtf_node_target(node)), "a link has another length than its target");
    }
    return 0;
}

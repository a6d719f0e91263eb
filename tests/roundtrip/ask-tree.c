/*
 * Answers many questions about the tree of one trace, as `xtf cat` and `xtf ls` do, without a process for each
 * question.
 *
 *     ask-tree TRACE.xtf
 *
 * Each line of the standard input is a question, `cat PATH` or `ls PATH`. The answer begins with a line: 0 (good) or
 * 1, and the number of bytes that follow. The bytes are the content of the file, the names in the directory, one a
 * line, or the error.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/tree/paths/tree.h"

static bool put_name(const char *name, XtfNodeKind kind, void *data)
{
    g_string_append_printf(data, "%s\n", name);
    return true;
}

/* Reads the content in pieces of different lengths, so that reads begin and end anywhere. */
static bool put_content(XtfNode *file, GString *answer, GError **error)
{
    enum { LEAST = 1000, MOST = 1 << 20 };
    uint64_t size = xtf_node_size(file);
    size_t length = 0, piece = MOST;

    for (uint64_t offset = 0; offset < size; offset += length, piece = piece == MOST ? LEAST : MOST) {
        g_string_set_size(answer, (gsize)offset + piece);
        if (!xtf_node_read(file, offset, answer->str + offset, piece, &length, error))
            return false;
        g_string_set_size(answer, (gsize)offset + length);
        if (length == 0)
            return xtf_fail(error, XTF_ERROR_IO, "a file ends at %" PRIu64 ", and should at %" PRIu64, offset, size);
    }
    return true;
}

static bool answer_question(XtfTree *tree, const char *path, bool lists, GString *answer, GError **error)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);

    if (!node)
        return false;
    if ((xtf_node_kind(node) == XTF_NODE_DIRECTORY) != lists)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: is %s directory", path, lists ? "no" : "a");
    return lists ? xtf_node_list(node, 0, put_name, answer, error) : put_content(node, answer, error);
}

static XtfTree *open_tree(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    XtfTree *tree = trace ? xtf_tree_new(trace, &error) : NULL;

    if (tree) {
        xtf_tree_name_after(tree, path);
        return tree;
    }
    fprintf(stderr, "ask-tree: %s\n", error->message);
    exit(1);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;

    if (argc != 2)
        return 2;
    XtfTree *tree = open_tree(argv[1]);
    while (getline(&line, &room, stdin) > 0) {
        g_autoptr(GString) answer = g_string_new(NULL);
        g_autoptr(GError) error = NULL;
        const char *path = strchr(line, ' ');
        line[strcspn(line, "\n")] = '\0';
        bool good = path && answer_question(tree, path + 1, line[0] == 'l', answer, &error);
        if (!good)
            g_string_assign(answer, error ? error->message : "no such question");
        printf("%d %zu\n", good ? 0 : 1, answer->len);
        fwrite(answer->str, 1, answer->len, stdout);
        fflush(stdout);
    }
    free(line);
    xtf_tree_free(tree);
    return 0;
}

/*
 * xtf cat TRACE PATH...: prints files of a trace's tree, without a mount.
 */
#include "src/cli/commands/commands.h"

#include <glib.h>
#include <stdio.h>

#include "libxtf/error.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

enum {
    BUFFER = 1 << 20,
};

static bool copy_out(XtfNode *file, char *buffer, GError **error)
{
    size_t length = 0;

    for (uint64_t offset = 0; offset < xtf_node_size(file); offset += length) {
        if (!xtf_node_read(file, offset, buffer, BUFFER, &length, error) || !xtf_print_bytes(buffer, length, error))
            return false;
    }
    return true;
}

/* Format of the output. */
typedef struct {
    char *buffer;
    gboolean csv, json;
} Form;

static bool write_stdout(void *data, const char *bytes, size_t length, GError **error)
{
    (void)data;
    return xtf_print_bytes(bytes, length, error);
}

static bool write_values(XtfNode *file, const char *path, const Form *form, GError **error)
{
    if (xtf_node_write(file, form->csv ? XTF_ROWS_CSV : XTF_ROWS_JSON, write_stdout, NULL, error))
        return true;
    g_prefix_error(error, "%s: ", path);
    return false;
}

static bool print_file(XtfTree *tree, const char *path, const Form *form, GError **error)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);

    if (!node)
        return false;
    if (xtf_node_kind(node) == XTF_NODE_DIRECTORY)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: is a directory; `xtf ls` lists it", path);
    g_autofree char *remark = xtf_node_remark(node);
    if (remark)
        xtf_print_line(stderr, "xtf: warning: %s: %s", path, remark);
    return form->csv || form->json ? write_values(node, path, form, error) : copy_out(node, form->buffer, error);
}

int xtf_command_cat(int argc, char **argv)
{
    g_autofree char *buffer = g_malloc(BUFFER);
    Form form = {.buffer = buffer};
    g_auto(GStrv) probes = NULL;
    gboolean incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"csv", 0, 0, G_OPTION_ARG_NONE, &form.csv, "Write tables and records as CSV", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &form.json, "Write tables and records as JSON Lines: an object per line",
         NULL},
        {"probe", 0, 0, G_OPTION_ARG_STRING_ARRAY, &probes,
         "Costs of records for local/profile, as ENTER=120ns,LEAVE=90ns", "COSTS"},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    GError *error = NULL;
    int status = XTF_EXIT_DONE;

    if (!xtf_cli_parse(&argc, &argv, -2, "TRACE PATH...",
                       "Prints files of a trace, as a mount would show them.\n"
                       "\n"
                       "  xtf cat run.xtf findings\n"
                       "  xtf cat run.xtf proc/0/time/40%-60%/profile\n"
                       "  xtf cat --csv run.xtf by/time:100/classes > classes.csv",
                       entries))
        return XTF_EXIT_USAGE;
    if (form.csv && form.json) {
        fputs("xtf: cat: --csv and --json exclude each other\n", stderr);
        return XTF_EXIT_USAGE;
    }
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(argv[1], incomplete, &error);
    if (!tree)
        return xtf_cli_fail(error);
    g_autofree char *costs = probes ? g_strjoinv(",", probes) : NULL;
    if (costs)
        xtf_tree_state_probes(tree, costs);
    xtf_tree_draw_first(tree);
    for (int i = 2; i < argc; i++) {
        if (!print_file(tree, argv[i], &form, &error)) {
            status = xtf_cli_fail(error);
            error = NULL;
        }
    }
    return status;
}

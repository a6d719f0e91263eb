/*
 * xtf ls [-l] TRACE PATH...: lists directories of a trace's tree, without a mount.
 */
#include "src/cli/commands/commands.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

/* Collects a name. Look-ups follow after the listing, which must not look up. */
static bool collect_name(const char *name, XtfNodeKind kind, void *data)
{
    g_ptr_array_add(data, g_strdup(name));
    return true;
}

static void print_long(const char *name, XtfNode *node)
{
    static const char kinds[] = {[XTF_NODE_DIRECTORY] = 'd', [XTF_NODE_FILE] = '-', [XTF_NODE_LINK] = 'l'};
    XtfNodeKind kind = xtf_node_kind(node);

    xtf_print_line(stdout, "%c %14" PRIu64 " %s%s%s", kinds[kind], xtf_node_size(node), name,
                   kind == XTF_NODE_LINK ? " -> " : "", kind == XTF_NODE_LINK ? xtf_node_target(node) : "");
}

static bool list_path(XtfTree *tree, const char *path, bool in_full, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, error);

    if (!node)
        return false;
    if (xtf_node_kind(node) != XTF_NODE_DIRECTORY) {
        if (in_full)
            print_long(path, node);
        else
            xtf_print_line(stdout, "%s", path);
        return true;
    }
    if (!xtf_node_list(node, 0, collect_name, names, error))
        return false;
    for (unsigned i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autoptr(XtfNode) child = in_full ? xtf_node_lookup(node, name, error) : NULL;
        if (!in_full)
            xtf_print_line(stdout, "%s", name);
        else if (child)
            print_long(name, child);
        else
            return false;
    }
    return true;
}

int xtf_command_ls(int argc, char **argv)
{
    gboolean in_full = FALSE, incomplete = FALSE;
    GOptionEntry entries[] = {
        {"long", 'l', 0, G_OPTION_ARG_NONE, &in_full, "Show kinds, sizes and targets of links", NULL},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    GError *error = NULL;
    int status = XTF_EXIT_DONE;

    if (!xtf_cli_parse(&argc, &argv, -1, "TRACE [PATH...]",
                       "Lists directories of a trace, as a mount would show them; without PATH, the top.\n"
                       "\n"
                       "  xtf ls run.xtf proc/0",
                       entries))
        return XTF_EXIT_USAGE;
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(argv[1], incomplete, &error);
    if (!tree)
        return xtf_cli_fail(error);
    for (int i = 2; i < MAX(argc, 3); i++) {
        const char *path = i < argc ? argv[i] : "/";
        if (argc > 3 && i > 2)
            putchar('\n');
        if (argc > 3)
            xtf_print_line(stdout, "%s:", path);
        if (!list_path(tree, path, in_full, &error)) {
            status = xtf_cli_fail(error);
            error = NULL;
        }
    }
    return status;
}

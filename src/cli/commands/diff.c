/*
 * xtf diff A B [PATH [PATH_B]]: what changed between two traces, or between two parts of one.
 */
#include "src/tree/diff/diff.h"

#include <errno.h>
#include <stdio.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

/* A directory of records. */
static XtfNode *find(XtfTree *tree, const char *path, GError **error)
{
    XtfNode *node = xtf_tree_resolve(tree, path, error);
    g_autofree char *remark = node ? xtf_node_remark(node) : NULL;

    if (remark)
        xtf_print_line(stderr, "xtf: warning: %s: %s", path, remark);
    return node;
}

static bool diff(XtfTree *const trees[2], char **sources, const char *const paths[2], const XtfDiffOptions *options,
                 GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(XtfNode) a = find(trees[0], paths[0], error);
    g_autoptr(XtfNode) b = a ? find(trees[1], paths[1], error) : NULL;

    if (!b || !xtf_diff(a, b, options, text, error))
        return false;
    xtf_print_line(stdout, "# a: %s %s", sources[0], paths[0]);
    xtf_print_line(stdout, "# b: %s %s", sources[1], paths[1]);
    return fwrite(text->str, 1, text->len, stdout) == text->len ||
           xtf_fail(error, XTF_ERROR_IO, "cannot write: %s", g_strerror(errno));
}

static bool parse_order(const char *text, XtfDiffOrder *by)
{
    const char *name;

    for (unsigned i = 0; (name = xtf_diff_order_name(i)); i++) {
        if (g_strcmp0(text, name) == 0) {
            *by = (XtfDiffOrder)i;
            return true;
        }
    }
    return !text;
}

int xtf_command_diff(int argc, char **argv)
{
    g_autofree char *by = NULL;
    gint64 top = 0;
    gboolean incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"by", 'b', 0, G_OPTION_ARG_STRING, &by, "Compare exclusive (default) or inclusive time, or calls", "WHAT"},
        {"top", 'n', 0, G_OPTION_ARG_INT64, &top, "Show the N regions that changed most (default: all)", "N"},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    XtfDiffOptions options = {0};
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, -2, "A B [PATH [PATH_B]]",
            "Puts totals, classes and regions of two traces side by side, the greatest change first. PATH is\n"
            "a directory of their trees, such as time/40%-60% or proc/0; PATH_B that of B, if it is another:\n"
            "`xtf diff T T time/0%-50% time/50%-100%` compares two halves of one trace.",
            entries))
        return XTF_EXIT_USAGE;
    if (argc > 5 || top < 0 || !parse_order(by, &options.by)) {
        fputs(argc > 5  ? "xtf: diff: too many arguments\n"
              : top < 0 ? "xtf: diff: --top takes a number from 1 on (0: all)\n"
                        : "xtf: diff: --by takes exclusive, inclusive or calls\n",
              stderr);
        return XTF_EXIT_USAGE;
    }
    options.top = (uint64_t)top;
    const char *paths[] = {argc > 3 ? argv[3] : "/", argc > 4 ? argv[4] : argc > 3 ? argv[3] : "/"};
    g_autoptr(XtfTree) a = xtf_cli_open_tree(argv[1], incomplete, &error);
    g_autoptr(XtfTree) b = a ? xtf_cli_open_tree(argv[2], incomplete, &error) : NULL;
    if (!b)
        return xtf_cli_fail(error);
    return diff((XtfTree *[]){a, b}, argv + 1, paths, &options, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
}

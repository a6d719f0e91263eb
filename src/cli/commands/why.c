/*
 * xtf why PATH...: of paths in mounts, why they are not there. Through a mount every mistake is ENOENT.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/mount/mount-point.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

/* The absolute path, without links as far as it leads anywhere. */
static char *resolve(const char *path)
{
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autofree char *known = g_strdup(whole);

    for (;;) {
        g_autofree char *real = realpath(known, NULL);
        const char *rest = whole + strlen(known);
        if (real)
            return g_strconcat(*rest && g_str_equal(real, "/") ? "" : real, rest, NULL);
        char *slash = strrchr(known, '/');
        if (!slash || slash == known)
            return g_steal_pointer(&whole);
        *slash = '\0';
    }
}

static void print_node(const char *path, const char *mount, const XtfNode *node)
{
    static const char *const kinds[] = {
        [XTF_NODE_DIRECTORY] = "a directory", [XTF_NODE_FILE] = "a file", [XTF_NODE_LINK] = "a link"};
    g_autofree char *remark = xtf_node_remark(node);
    struct stat info;

    xtf_print_line(stdout, "%s: is there: %s", path, kinds[xtf_node_kind(node)]);
    if (remark)
        xtf_print_line(stdout, "%s: %s", path, remark);
    if (lstat(path, &info) != 0)
        xtf_print_line(stdout, "%s: but the mount does not show it: %s (see %s/log)", path, g_strerror(errno), mount);
}

/* The trace is opened once more, beside the mount, and the path is looked up in it as xtf cat would. */
static bool explain(const char *path, GError **error)
{
    g_auto(XtfMounted) mounted = {0};
    g_autofree char *whole = resolve(path);
    g_autofree char *mount = xtf_mounted_above(&mounted, whole);

    if (!mount)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: lies in no mounted trace", path);
    const char *inside = whole + strlen(mount);
    if (g_str_equal(inside, "/log"))
        inside = "";
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(mounted.source, true, error);
    g_autoptr(XtfNode) node = tree ? xtf_tree_resolve(tree, *inside ? inside + 1 : "/", error) : NULL;
    if (node)
        print_node(whole, mount, node);
    return node;
}

int xtf_command_why(int argc, char **argv)
{
    GError *error = NULL;
    int status = XTF_EXIT_DONE;

    if (!xtf_cli_parse(
            &argc, &argv, -1, "PATH...",
            "Says why there is nothing at a path below a mounted trace, in the words of `xtf cat`. The path need\n"
            "not exist. The exit status is 1 if it does not.",
            NULL))
        return XTF_EXIT_USAGE;
    for (int i = 1; i < argc; i++) {
        if (!explain(argv[i], &error)) {
            status = xtf_cli_fail(error);
            error = NULL;
        }
    }
    return status;
}

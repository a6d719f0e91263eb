/*
 * xtf why PATH...: explains why paths in mounts do not exist, or cannot be read. Through a mount every wrong path is
 * ENOENT, and all damage EIO.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/commands/commands.h"
#include "src/cli/mount/mount-point.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

enum {
    BUFFER = 1 << 20,
    BYTES_READ = 256 << 20, /* most bytes of a file that are read as a test */
    NAMES_READ = 65536,     /* most names of a directory that are read as a test */
};

/* Returns the absolute path, with links resolved as far as the path exists. The caller frees it. */
static char *resolve_path(const char *path)
{
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autofree char *known = g_strdup(whole);

    for (;;) {
        g_autofree char *real = realpath(known, NULL);
        const char *tail = whole + strlen(known);
        if (real)
            return g_strconcat(*tail && g_str_equal(real, "/") ? "" : real, tail, NULL);
        char *slash = strrchr(known, '/');
        if (!slash || slash == known)
            return g_steal_pointer(&whole);
        *slash = '\0';
    }
}

typedef struct {
    const char *path, *mount;  /* absolute path, and the mount that it is in */
    const XtfMounted *mounted; /* the mount's entry in the mount table */
    XtfTree *tree;             /* tree of the trace as it is now */
} Question;

/* ---- Paths that the mount does not show. */

/* Returns the first part of the path that the mount does not show, which the caller frees; NULL: it shows all. */
static char *first_missing(const Question *question)
{
    const char *inside = question->path + strlen(question->mount);

    while (*inside == '/') {
        size_t length = strcspn(++inside, "/");
        g_autofree char *part = g_strndup(question->path, (gsize)(inside - question->path) + length);
        struct stat info;
        if (lstat(part, &info) != 0)
            return g_strndup(inside, length);
        inside += length;
    }
    return NULL;
}

/* True if the missing part is the directory of rows of an analysis. */
static bool is_of_analysis(const Question *question)
{
    g_autofree char *missing = first_missing(question);
    const XtfSchema *schema = missing ? xtf_trace_find_schema(xtf_tree_trace(question->tree), missing) : NULL;

    return schema && schema->kind == XTF_SCHEMA_DERIVED;
}

/* True if the mount shows the path within 2.5 s; a mount looks for an analysis once a second. If not, sets errno. */
static bool is_shown(const char *path)
{
    enum { TRIES = 25, PAUSE = 100 * 1000 }; /* microseconds */
    struct stat info;

    for (int i = 0; i < TRIES; i++) {
        if (lstat(path, &info) == 0)
            return true;
        if (errno != ENOENT)
            return false;
        g_usleep(PAUSE);
    }
    errno = ENOENT;
    return false;
}

static void print_unshown(const Question *question, int number)
{
    g_autofree char *mount = g_shell_quote(question->mount), *source = g_shell_quote(question->mounted->source);

    if (number != ENOENT)
        xtf_print_line(stdout, "%s: but the mount does not show it: %s (see %s/log)", question->path,
                       g_strerror(number), question->mount);
    else
        xtf_print_line(stdout,
                       "%s: but the mount does not show it: the trace %s after it was mounted; "
                       "xtf unmount %s && xtf mount %s %s shows it as it is now",
                       question->path, is_of_analysis(question) ? "was analysed" : "has changed", mount, source, mount);
}

/* ---- Paths that cannot be read. */

static bool count_name(const char *name, XtfNodeKind kind, void *data)
{
    uint64_t *left = data;
    return --*left > 0;
}

/* Lists a directory, or reads a file, up to a bound. */
static bool read_node(XtfNode *node, GError **error)
{
    g_autofree char *buffer = g_malloc(BUFFER);
    uint64_t size = MIN(xtf_node_size(node), (uint64_t)BYTES_READ), names = NAMES_READ;
    size_t length = 0;

    if (xtf_node_kind(node) == XTF_NODE_DIRECTORY)
        return xtf_node_list(node, 0, count_name, &names, error);
    for (uint64_t offset = 0; xtf_node_kind(node) == XTF_NODE_FILE && offset < size; offset += length)
        if (!xtf_node_read(node, offset, buffer, BUFFER, &length, error))
            return false;
    return true;
}

/* Adds a prefix to an error, and to damage the advice to check the whole trace. */
static void add_advice(const Question *question, const char *prefix, GError **error)
{
    g_prefix_error(error, "%s", prefix);
    if (!g_error_matches(*error, XTF_ERROR, XTF_ERROR_DAMAGED))
        return;
    g_autofree char *source = g_shell_quote(question->mounted->source);
    g_autofree char *message = g_strdup_printf("%s; xtf check %s lists all damage", (*error)->message, source);
    g_free((*error)->message);
    (*error)->message = g_steal_pointer(&message);
}

static bool explain_node(const Question *question, XtfNode *node, GError **error)
{
    static const char *const kinds[] = {
        [XTF_NODE_DIRECTORY] = "a directory", [XTF_NODE_FILE] = "a file", [XTF_NODE_LINK] = "a link"};
    g_autofree char *remark = xtf_node_remark(node);

    xtf_print_line(stdout, "%s: exists: %s", question->path, kinds[xtf_node_kind(node)]);
    if (remark)
        xtf_print_line(stdout, "%s: %s", question->path, remark);
    if (!is_shown(question->path))
        print_unshown(question, errno);
    if (read_node(node, error))
        return true;
    g_autofree char *prefix = g_strdup_printf("%s: cannot be read: ", question->path);
    add_advice(question, prefix, error);
    return false;
}

/* Opens the trace again, without the mount, and looks the path up in it as xtf cat would. */
static bool explain_path(const char *path, GError **error)
{
    g_auto(XtfMounted) mounted = {0};
    g_autofree char *whole = resolve_path(path);
    g_autofree char *mount = xtf_mounted_above(&mounted, whole);

    if (!mount)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: is in no mounted trace", path);
    const char *inside = whole + strlen(mount);
    if (g_str_equal(inside, "/log"))
        inside = "";
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(mounted.source, true, error);
    const Question question = {whole, mount, &mounted, tree};
    g_autoptr(XtfNode) node = tree ? xtf_tree_resolve(tree, *inside ? inside + 1 : "/", error) : NULL;
    if (node)
        return explain_node(&question, node, error);
    add_advice(&question, "", error);
    return false;
}

int xtf_command_why(int argc, char **argv)
{
    GError *error = NULL;
    int status = XTF_EXIT_DONE;

    if (!xtf_cli_parse(
            &argc, &argv, -1, "PATH...",
            "Explains why a path in a mounted trace does not exist, or cannot be read. Exits with 1 if so.\n\n"
            "  xtf why DIR/proc/99/count",
            NULL))
        return XTF_EXIT_USAGE;
    for (int i = 1; i < argc; i++) {
        if (!explain_path(argv[i], &error)) {
            status = xtf_cli_fail(error);
            error = NULL;
        }
    }
    return status;
}

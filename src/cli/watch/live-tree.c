#include "src/cli/watch/live-tree.h"

#include "libxtf/trace.h"
#include "src/cli/trace/archive-cache.h"

/* Makes the tree of a trace, which it borrows. */
static XtfTree *tree_of(XtfTrace *trace, GError **error)
{
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return info.closed ? xtf_tree_new(trace, error) : xtf_tree_new_growing(trace, error);
}

XtfTree *xtf_live_tree_open(const char *source, GError **error)
{
    const XtfSourceOptions options = {.no_companion = true};
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, &options, &path, error);

    return trace ? tree_of(trace, error) : NULL;
}

bool xtf_live_tree_renew(XtfTree **tree, GError **error)
{
    g_autoptr(XtfTrace) later = NULL;

    if (xtf_tree_is_final(*tree))
        return true;
    if (!xtf_trace_refresh(xtf_tree_trace(*tree), &later, error))
        return false;
    XtfTree *next = later ? tree_of(later, error) : NULL;
    if (!next)
        return !later;
    xtf_tree_free(*tree);
    *tree = next;
    return true;
}

/*
 * local/: tables of a selection without the cost of the recorder's probes.
 */
#include "src/tables/views/view.h"
#include "src/tree/paths/entries.h"

static XtfNode *lookup_local(XtfNode *directory, const char *name, GError **error)
{
    if (!g_str_equal(name, "profile"))
        return xtf_not_found(error, "\"%s\" is not in local/, which has profile", name);
    if (!xtf_view_check(&directory->tree->views, &xtf_view_local_profile, directory->selection, error))
        return NULL;
    XtfNode *node = xtf_node_new(directory, &xtf_view_file);
    node->view = &xtf_view_local_profile;
    return xtf_node_with_size(node, error);
}

static bool list_local(XtfNode *directory, XtfLister *lister, GError **error)
{
    if (xtf_view_exists(&directory->tree->views, &xtf_view_local_profile, directory->selection))
        xtf_lister_show(lister, "profile", XTF_NODE_FILE);
    return true;
}

const XtfNodeClass xtf_local_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_local, .list = list_local};

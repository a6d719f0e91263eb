/*
 * by/KEY/: the tables of a selection, with a block of lines for each value of a key. Each selection has by/, and so
 * does each by/KEY/. A selection does not list by/, because its tables show all records again.
 */
#include "src/tables/views/blocks.h"
#include "src/tree/paths/entries.h"

static XtfNode *lookup_key(XtfNode *directory, const char *name, GError **error);
static bool list_keys(XtfNode *directory, XtfLister *lister, GError **error);
static XtfNode *lookup_table(XtfNode *directory, const char *name, GError **error);
static bool list_tables(XtfNode *directory, XtfLister *lister, GError **error);

const XtfNodeClass xtf_by_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_key, .list = list_keys};
static const XtfNodeClass key_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_table, .list = list_tables};

/* ---- by/ */

static XtfNode *lookup_key(XtfNode *directory, const char *name, GError **error)
{
    XtfGrouping *grouping =
        xtf_grouping_new(&directory->tree->context, directory->selection, directory->grouping, name, error);

    if (!grouping)
        return NULL;
    XtfNode *node = xtf_node_new(directory, &key_dir);
    node->grouping = grouping;
    return node;
}

/* Lists the keys that a lookup finds. */
static bool list_keys(XtfNode *directory, XtfLister *lister, GError **error)
{
    for (unsigned i = 0; i < XTF_GROUP_N_KEYS; i++) {
        GError *lookup_error = NULL;
        g_autoptr(XtfNode) node = lookup_key(directory, xtf_grouping_key_name(i), &lookup_error);
        if (!xtf_lister_offer(lister, xtf_grouping_key_name(i), XTF_NODE_DIRECTORY, node, lookup_error, error))
            return false;
    }
    return true;
}

/* ---- by/KEY/ */

/* Finds a view by its name, in the first block: all blocks' selections have the same views. */
static const XtfView *find_view(const XtfNode *directory, const char *name)
{
    g_autoptr(XtfSelection) block = xtf_grouping_selection(directory->grouping, 0);

    return xtf_view_by_name_for_blocks(&directory->tree->views, name, block);
}

static XtfNode *lookup_table(XtfNode *directory, const char *name, GError **error)
{
    const XtfView *view = find_view(directory, name);
    bool is_by = g_str_equal(name, "by");

    if (!is_by && !view)
        return xtf_not_found(error, "\"%s\" is not a table that by/ shows: ls lists the tables, and by/ adds a key",
                             name);
    if (!is_by && !xtf_blocks_exist(&directory->tree->views, view, directory->grouping, error))
        return NULL;
    XtfNode *node = xtf_node_new(directory, is_by ? &xtf_by_dir : &xtf_view_file);
    node->grouping = xtf_grouping_ref(directory->grouping);
    if (is_by)
        return node;
    node->view = view;
    return xtf_node_with_size(node, error);
}

static void list_view(XtfNode *directory, const XtfView *view, XtfLister *lister)
{
    if (find_view(directory, view->table.name) == view &&
        xtf_blocks_exist(&directory->tree->views, view, directory->grouping, NULL))
        xtf_lister_show(lister, view->table.name, XTF_NODE_FILE);
}

static bool list_tables(XtfNode *directory, XtfLister *lister, GError **error)
{
    list_view(directory, &xtf_view_count, lister);
    for (const XtfView *const *view = xtf_all_views; *view; view++)
        list_view(directory, *view, lister);
    return true;
}

#include "src/tree/paths/cluster-entries.h"

#include <stdio.h>

#include "src/network/tables/cluster-view.h"

bool xtf_clusters_exist(const XtfTree *tree)
{
    g_autoptr(GArray) portions = xtf_link_portions(tree->trace, NULL);

    return !portions || portions->len > 0;
}

/* ---- A portion. The node's window begins at the length in its name. */

static bool init_view(XtfNode *node, XtfClusterView *view, GError **error)
{
    return xtf_cluster_view_init(view, &node->tree->resolver, node->selection, node->window.from, error);
}

static bool table_size(XtfNode *file, uint64_t *size, GError **error)
{
    g_auto(XtfClusterView) view = {0};

    if (!init_view(file, &view, error))
        return false;
    *size = xtf_cluster_table_size(&view);
    return true;
}

static bool table_read(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_auto(XtfClusterView) view = {0};

    return init_view(file, &view, error) && xtf_cluster_table_read(&view, offset, buffer, length, error);
}

static bool table_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    g_auto(XtfClusterView) view = {0};

    return init_view(file, &view, error) && xtf_cluster_table_rows(&view, sink, error);
}

static bool summary_table(XtfNode *file, XtfTableOutput *output, GError **error)
{
    g_auto(XtfClusterView) view = {0};

    return init_view(file, &view, error) && xtf_cluster_summary_table(&view, output, error);
}

static GString *image_text(XtfNode *file, GError **error)
{
    g_auto(XtfClusterView) view = {0};

    return init_view(file, &view, error) ? xtf_cluster_png(&view, error) : NULL;
}

static XtfNode *lookup_portion_file(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass table_file = {.kind = XTF_NODE_FILE,
                                            .size = table_size,
                                            .read = table_read,
                                            .rows = table_rows},
                              summary_file = {.kind = XTF_NODE_FILE, .table = summary_table, .keeps = true},
                              image_file = {.kind = XTF_NODE_FILE, .text = image_text, .keeps = true};
    const XtfNodeClass *class = g_str_equal(name, "table")          ? &table_file
                                : g_str_equal(name, "summary")      ? &summary_file
                                : g_str_equal(name, "clusters.png") ? &image_file
                                                                    : NULL;

    if (!class)
        return xtf_no_such(name, error);
    XtfNode *file = xtf_node_new(directory, class);
    file->window = directory->window;
    return xtf_node_with_size(file, error);
}

static bool list_portion_files(XtfNode *directory, XtfLister *lister, GError **error)
{
    xtf_lister_show(lister, "clusters.png", XTF_NODE_FILE);
    xtf_lister_show(lister, "summary", XTF_NODE_FILE);
    xtf_lister_show(lister, "table", XTF_NODE_FILE);
    return true;
}

static const XtfNodeClass portion_dir = {
    .kind = XTF_NODE_DIRECTORY, .lookup = lookup_portion_file, .list = list_portion_files};

/* ---- clusters/ */

static bool portions_table(XtfNode *file, XtfTableOutput *output, GError **error)
{
    return xtf_cluster_portions_table(&file->tree->context, output, error);
}

static XtfNode *lookup_portion(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass portions_file = {.kind = XTF_NODE_FILE, .table = portions_table, .keeps = true};
    uint64_t length;

    if (g_str_equal(name, "portions"))
        return xtf_node_with_size(xtf_node_new(directory, &portions_file), error);
    g_autoptr(GArray) portions = xtf_link_portions(directory->tree->trace, error);
    if (!portions || !xtf_time_scale_parse_instant(&directory->tree->context.scale, name, &length, error) ||
        !xtf_link_portion_of(portions, length, error))
        return NULL;
    XtfNode *portion = xtf_node_new(directory, &portion_dir);
    portion->window.from = portion->window.to = length;
    return portion;
}

static bool list_portions(XtfNode *directory, XtfLister *lister, GError **error)
{
    g_autoptr(GArray) portions = xtf_link_portions(directory->tree->trace, error);

    if (!portions)
        return false;
    xtf_lister_show(lister, "portions", XTF_NODE_FILE);
    for (guint i = 0; i < portions->len; i++) {
        char name[XTF_TIME_TEXT_MAX];
        snprintf(name, sizeof name, "%" PRIu64, g_array_index(portions, XtfLinkPortion, i).from);
        xtf_lister_show(lister, name, XTF_NODE_DIRECTORY);
    }
    return true;
}

const XtfNodeClass xtf_clusters_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_portion, .list = list_portions};

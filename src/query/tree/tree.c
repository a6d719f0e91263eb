/*
 * The tree as its users see it: references, kinds, sizes, contents, and walks along paths.
 */
#include "src/query/tree/tree.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/query/text/digits.h"
#include "src/query/tree/node.h"
#include "src/query/views/info.h"

enum {
    LINKS_MAX = 40, /* followed on one path, as in Linux */
};

XtfTree *xtf_tree_new(XtfTrace *trace, GError **error)
{
    XtfTree *tree = g_new0(XtfTree, 1);

    tree->trace = xtf_trace_ref(trace);
    xtf_trace_context_init(&tree->context, trace);
    xtf_resolver_init(&tree->resolver, &tree->context);
    xtf_formats_init(&tree->formats, &tree->context);
    xtf_records_init(&tree->records, &tree->resolver, &tree->formats);
    xtf_views_init(&tree->views, &tree->resolver, &tree->formats);
    tree->tables = g_new0(XtfTableView *, xtf_trace_n_schemas(trace) + 1);
    g_mutex_init(&tree->lock);
    tree->root = g_new0(XtfNode, 1);
    g_atomic_ref_count_init(&tree->root->references);
    tree->root->tree = tree;
    tree->root->selection = xtf_selection_new();
    return tree;
}

void xtf_tree_free(XtfTree *tree)
{
    if (!tree)
        return;
    xtf_node_unref(tree->root);
    xtf_views_finish(&tree->views);
    xtf_records_finish(&tree->records);
    xtf_formats_finish(&tree->formats);
    xtf_resolver_finish(&tree->resolver);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(tree->trace); i++)
        xtf_table_view_free(tree->tables[i]);
    g_free(tree->tables);
    xtf_trace_context_finish(&tree->context);
    g_mutex_clear(&tree->lock);
    xtf_trace_unref(tree->trace);
    g_free(tree);
}

XtfTrace *xtf_tree_trace(XtfTree *tree)
{
    return tree->trace;
}

XtfNode *xtf_tree_root(XtfTree *tree)
{
    return xtf_node_ref(tree->root);
}

XtfNode *xtf_node_ref(XtfNode *node)
{
    g_atomic_ref_count_inc(&node->references);
    return node;
}

void xtf_node_unref(XtfNode *node)
{
    if (!node || !g_atomic_ref_count_dec(&node->references))
        return;
    xtf_selection_unref(node->selection);
    g_free(node->text);
    g_free(node);
}

XtfNode *xtf_node_new(const XtfNode *parent, NodeRole role)
{
    XtfNode *node = g_new0(XtfNode, 1);

    g_atomic_ref_count_init(&node->references);
    node->tree = parent->tree;
    node->role = role;
    node->depth = parent->depth + 1;
    node->numberings = parent->numberings;
    node->selection = parent->selection ? xtf_selection_ref(parent->selection) : NULL;
    return node;
}

XtfNode *xtf_node_new_link(const XtfNode *parent, char *target)
{
    XtfNode *node = xtf_node_new(parent, NODE_LINK);
    node->text = target;
    node->size = strlen(target);
    return node;
}

XtfNode *xtf_node_new_text(const XtfNode *parent, GString *text)
{
    XtfNode *node = xtf_node_new(parent, NODE_TEXT);
    node->size = text->len;
    node->text = g_string_free(text, FALSE);
    return node;
}

XtfNodeKind xtf_node_kind(const XtfNode *node)
{
    if (node->role <= NODE_LAST_DIRECTORY)
        return XTF_NODE_DIRECTORY;
    return node->role <= NODE_LAST_FILE ? XTF_NODE_FILE : XTF_NODE_LINK;
}

uint64_t xtf_node_size(const XtfNode *node)
{
    return node->size;
}

const char *xtf_node_target(const XtfNode *link)
{
    return link->text;
}

XtfNode *xtf_no_such(const char *name, GError **error)
{
    g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "there is no \"%s\" here", name);
    return NULL;
}

/* ---- Definitions. */

static const XtfTableView *table_view(XtfTree *tree, uint32_t schema, GError **error)
{
    g_mutex_lock(&tree->lock);
    if (!tree->tables[schema])
        tree->tables[schema] = xtf_table_view_new(tree->trace, xtf_trace_schema(tree->trace, schema), error);
    const XtfTableView *view = tree->tables[schema];
    g_mutex_unlock(&tree->lock);
    return view;
}

static XtfNode *lookup_table(XtfNode *directory, const char *name, GError **error)
{
    const XtfSchema *schema = xtf_trace_context_schema(&directory->tree->context, name, XTF_SCHEMA_TABLE);
    const XtfTableView *view = schema ? table_view(directory->tree, schema->id, error) : NULL;

    if (!schema)
        return xtf_no_such(name, error);
    if (!view)
        return NULL;
    XtfNode *node = xtf_node_new(directory, NODE_TABLE);
    node->a = schema->id;
    node->size = xtf_table_view_size(view);
    return node;
}

static bool list_tables(XtfNode *directory, XtfLister *lister)
{
    XtfTree *tree = directory->tree;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(tree->trace); i++) {
        if (xtf_trace_schema(tree->trace, i)->kind == XTF_SCHEMA_TABLE)
            xtf_lister_show(lister, tree->context.type_names[i], XTF_NODE_FILE);
    }
    return true;
}

/* ---- Directories. */

void xtf_lister_show(XtfLister *lister, const char *name, XtfNodeKind kind)
{
    if (lister->from)
        lister->from--;
    else if (!lister->stopped)
        lister->stopped = !lister->visit(name, kind, lister->data);
}

XtfNode *xtf_node_lookup(XtfNode *directory, const char *name, GError **error)
{
    switch (directory->role) {
    case NODE_RECORD:
        return xtf_record_lookup(directory, name, error);
    case NODE_DEFINITIONS:
        return lookup_table(directory, name, error);
    default:
        if (directory->role <= NODE_LAST_DIRECTORY)
            return xtf_selection_lookup(directory, name, error);
        return xtf_no_such(name, error);
    }
}

bool xtf_node_list(XtfNode *directory, uint64_t from, XtfNodeVisit visit, void *data, GError **error)
{
    XtfLister lister = {from, visit, data, false};

    if (directory->role == NODE_RECORD)
        return xtf_record_list(directory, from, visit, data, error);
    if (directory->role == NODE_DEFINITIONS)
        return list_tables(directory, &lister);
    return xtf_selection_list(directory, from, visit, data, error);
}

/* ---- Contents. */

/* The whole of a small file, worked out anew; NULL with an error. */
static GString *small_text(XtfNode *file, GError **error)
{
    XtfTree *tree = file->tree;
    const XtfFormat *format;
    uint64_t count;

    switch (file->role) {
    case NODE_README:
        return g_string_new(xtf_readme);
    case NODE_COLUMNS:
        format = xtf_formats_get(&tree->formats, file->selection->type, error);
        return format ? xtf_columns_text(format, &tree->context.scale) : NULL;
    case NODE_COUNT: {
        if (!xtf_resolver_count(&tree->resolver, file->selection, &count, error))
            return NULL;
        GString *text = g_string_new(NULL);
        g_string_printf(text, "%" G_GUINT64_FORMAT "\n", count);
        return text;
    }
    default:
        g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "this is no file");
        return NULL;
    }
}

static bool read_small(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_autoptr(GString) text = small_text(file, error);

    if (!text)
        return false;
    if (text->len != file->size) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "numbers do not fit the widths that the trace states");
        return false;
    }
    xtf_copy_part(text->str, text->len, 0, offset, buffer, length);
    return true;
}

bool xtf_node_read(XtfNode *file, uint64_t offset, void *buffer, size_t length, size_t *length_read, GError **error)
{
    size_t part = offset < file->size ? (size_t)MIN((uint64_t)length, file->size - offset) : 0;
    const XtfTableView *view;
    bool good = true;

    if (part && file->role == NODE_RECORDS) {
        good = xtf_records_read(&file->tree->records, file->selection, offset, buffer, part, error);
    } else if (part && file->role == NODE_VIEW) {
        good = xtf_view_read(&file->tree->views, file->view, file->selection, offset, buffer, part, error);
    } else if (part && file->role == NODE_TABLE) {
        view = table_view(file->tree, (uint32_t)file->a, error);
        good = view && xtf_table_view_read(view, offset, buffer, part, error);
    } else if (part && file->role == NODE_TEXT) {
        xtf_copy_part(file->text, file->size, 0, offset, buffer, part);
    } else if (part) {
        good = read_small(file, offset, buffer, part, error);
    }
    if (good)
        *length_read = part;
    return good;
}

/* ---- Paths. */

static bool walk(GPtrArray *trail, const char *path, unsigned *links, GError **error);

/* One component further; the trail ends with where it leads. */
static bool step(GPtrArray *trail, const char *name, unsigned *links, GError **error)
{
    XtfNode *here = trail->pdata[trail->len - 1];

    if (xtf_node_kind(here) != XTF_NODE_DIRECTORY) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "what stands before \"%s\" is no directory", name);
        return false;
    }
    if (g_str_equal(name, "") || g_str_equal(name, "."))
        return true;
    if (g_str_equal(name, "..")) {
        if (trail->len > 1)
            g_ptr_array_set_size(trail, (int)trail->len - 1);
        return true;
    }
    g_autoptr(XtfNode) node = xtf_node_lookup(here, name, error);
    if (!node)
        return false;
    if (xtf_node_kind(node) != XTF_NODE_LINK) {
        g_ptr_array_add(trail, g_steal_pointer(&node));
        return true;
    }
    if (++*links > LINKS_MAX) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "too many links");
        return false;
    }
    return walk(trail, xtf_node_target(node), links, error);
}

static bool walk(GPtrArray *trail, const char *path, unsigned *links, GError **error)
{
    g_auto(GStrv) names = g_strsplit(path, "/", -1);

    for (char **name = names; *name; name++) {
        if (!step(trail, *name, links, error)) {
            g_prefix_error(error, "%s: ", *name);
            return false;
        }
    }
    return true;
}

XtfNode *xtf_tree_resolve(XtfTree *tree, const char *path, GError **error)
{
    g_autoptr(GPtrArray) trail = g_ptr_array_new_with_free_func((GDestroyNotify)xtf_node_unref);
    unsigned links = 0;

    g_ptr_array_add(trail, xtf_tree_root(tree));
    if (!walk(trail, path, &links, error)) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    return xtf_node_ref(trail->pdata[trail->len - 1]);
}

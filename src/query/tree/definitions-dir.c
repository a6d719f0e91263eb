/* definitions/: a file for each definition table. */
#include "src/query/tree/entries.h"

static const XtfTableView *table_view(XtfTree *tree, uint32_t schema, GError **error)
{
    g_mutex_lock(&tree->lock);
    if (!tree->tables[schema])
        tree->tables[schema] = xtf_table_view_new(tree->trace, xtf_trace_schema(tree->trace, schema), error);
    const XtfTableView *view = tree->tables[schema];
    g_mutex_unlock(&tree->lock);
    return view;
}

static bool size_table(XtfNode *file, uint64_t *size, GError **error)
{
    const XtfTableView *view = table_view(file->tree, file->schema, error);

    if (view)
        *size = xtf_table_view_size(view);
    return view != NULL;
}

static bool read_table(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    const XtfTableView *view = table_view(file->tree, file->schema, error);
    return view && xtf_table_view_read(view, offset, buffer, length, error);
}

static XtfNode *lookup_table(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass table_file = {.kind = XTF_NODE_FILE, .size = size_table, .read = read_table};
    const XtfSchema *schema = xtf_trace_context_schema(&directory->tree->context, name, XTF_SCHEMA_TABLE);

    if (!schema)
        return xtf_no_such(name, error);
    XtfNode *node = xtf_node_new(directory, &table_file);
    node->schema = schema->id;
    return xtf_node_with_size(node, error);
}

static bool list_tables(XtfNode *directory, XtfLister *lister, GError **error)
{
    XtfTree *tree = directory->tree;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(tree->trace); i++) {
        if (xtf_trace_schema(tree->trace, i)->kind == XTF_SCHEMA_TABLE)
            xtf_lister_show(lister, tree->context.type_names[i], XTF_NODE_FILE);
    }
    return true;
}

const XtfNodeClass xtf_definitions_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_table, .list = list_tables};

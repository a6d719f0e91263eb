/* definitions/: a file for each definition table, and rows/TABLE/ROW: a file for each row, in which no text is cut. */
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tree/paths/entries.h"

#define ROWS    "rows"
#define COLOURS "colours"

/* ---- Tables. */

/* Sets the extra column of a table: the class of regions, unless the trace has classes. */
static bool find_extra_column(XtfTree *tree, const XtfSchema *schema, XtfTableExtra *extra, GError **error)
{
    *extra = (XtfTableExtra){0};
    if (!g_str_equal(schema->name, XTF_TABLE_REGIONS) || xtf_schema_field(schema, "class"))
        return true;
    const XtfRegionClasses *classes = xtf_trace_context_classes(&tree->context, error);
    if (classes && classes->by_row)
        *extra = (XtfTableExtra){.name = "class", .words = xtf_class_names, .by_row = classes->by_row};
    return classes;
}

/* Returns the view of a table, which it makes at the first use. The caller holds the lock. */
static const XtfTableView *table_view(XtfTree *tree, uint32_t number, GError **error)
{
    const XtfSchema *schema = xtf_trace_schema(tree->trace, number);
    XtfTableExtra extra;

    if (!tree->tables[number] && find_extra_column(tree, schema, &extra, error))
        tree->tables[number] = xtf_table_view_new(tree->trace, schema, &extra, error);
    return tree->tables[number];
}

/* Returns the view of a node's table. Views are immutable. */
static const XtfTableView *node_table(XtfNode *node, GError **error)
{
    g_mutex_lock(&node->tree->lock);
    const XtfTableView *view = table_view(node->tree, node->definition.schema, error);
    g_mutex_unlock(&node->tree->lock);
    return view;
}

static bool size_table(XtfNode *file, uint64_t *size, GError **error)
{
    const XtfTableView *view = node_table(file, error);

    if (view)
        *size = xtf_table_view_size(view);
    return view != NULL;
}

static bool read_table(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    const XtfTableView *view = node_table(file, error);
    return view && xtf_table_view_read(view, offset, buffer, length, error);
}

static bool table_rows(XtfNode *file, const XtfRowSink *sink, GError **error)
{
    const XtfTableView *view = node_table(file, error);
    return view && xtf_table_view_rows(view, sink, error);
}

/* ---- Rows. */

/* Returns the text of a row, which the tree keeps until a read of another row. The caller holds the lock. */
static const GString *row_text(XtfNode *file, GError **error)
{
    XtfTree *tree = file->tree;
    uint32_t schema = file->definition.schema;
    uint64_t row = file->definition.row;

    if (tree->row.text && tree->row.schema == schema && tree->row.row == row)
        return tree->row.text;
    const XtfTableView *view = table_view(tree, schema, error);
    GString *text = view ? xtf_table_view_row_text(view, row, error) : NULL;
    if (!text)
        return NULL;
    if (tree->row.text)
        g_string_free(tree->row.text, TRUE);
    tree->row.text = text;
    tree->row.schema = schema;
    tree->row.row = row;
    return text;
}

static bool size_row(XtfNode *file, uint64_t *size, GError **error)
{
    g_mutex_lock(&file->tree->lock);
    const GString *text = row_text(file, error);
    if (text)
        *size = text->len;
    g_mutex_unlock(&file->tree->lock);
    return text;
}

static bool read_row(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_mutex_lock(&file->tree->lock);
    const GString *text = row_text(file, error);
    if (text)
        xtf_copy_part(text->str, text->len, 0, offset, buffer, length);
    g_mutex_unlock(&file->tree->lock);
    return text;
}

static XtfNode *lookup_row(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass row_file = {
        .kind = XTF_NODE_FILE, .size = size_row, .read = read_row, .same_by_size = true};
    const XtfTableView *view = node_table(directory, error);
    guint64 row;

    if (!view)
        return NULL;
    if (!g_ascii_isdigit(*name) || !g_ascii_string_to_unsigned(name, 10, 0, UINT64_MAX, &row, NULL))
        return xtf_not_found(error, "not the number of a row: rows are numbered from 0");
    if (row >= xtf_table_view_n_rows(view))
        return xtf_not_found(error, "the table has %" PRIu64 " rows, numbered from 0", xtf_table_view_n_rows(view));
    XtfNode *node = xtf_node_new(directory, &row_file);
    node->definition.schema = directory->definition.schema;
    node->definition.row = row;
    return xtf_node_with_size(node, error);
}

/* ---- Colours. */

static bool colours_table(XtfNode *file, XtfTableOutput *output, GError **error)
{
    const XtfColours *colours = xtf_pictures_colours(&file->tree->pictures, error);
    return colours && xtf_colours_table(colours, &file->tree->context.scale, output, error);
}

static bool has_colours(const XtfNode *directory)
{
    return xtf_picture_check(&directory->tree->pictures, xtf_picture_find("timeline.svg"),
                             directory->tree->root->selection, NULL);
}

/* ---- Directories. */

static XtfNode *new_table_node(XtfNode *directory, const char *name, const XtfNodeClass *class, GError **error)
{
    const XtfSchema *schema = xtf_trace_context_schema(&directory->tree->context, name, XTF_SCHEMA_TABLE);

    if (!schema)
        return xtf_no_such(name, error);
    XtfNode *node = xtf_node_new(directory, class);
    node->definition.schema = schema->id;
    return xtf_node_with_size(node, error);
}

/* Finds the directory of a table's rows. It lists none: a table may have a million, and its file shows them all. */
static XtfNode *lookup_rows(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass table_rows_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_row};
    return new_table_node(directory, name, &table_rows_dir, error);
}

static bool list_tables(XtfNode *directory, XtfLister *lister, GError **error);

static XtfNode *lookup_table(XtfNode *directory, const char *name, GError **error)
{
    static const XtfNodeClass table_file = {
        .kind = XTF_NODE_FILE, .size = size_table, .read = read_table, .rows = table_rows, .same_by_size = true};
    static const XtfNodeClass rows_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_rows, .list = list_tables};
    static const XtfNodeClass colours_file = {.kind = XTF_NODE_FILE, .table = colours_table};

    if (strcmp(name, ROWS) == 0)
        return xtf_node_new(directory, &rows_dir);
    if (strcmp(name, COLOURS) == 0 && has_colours(directory))
        return xtf_node_with_size(xtf_node_new(directory, &colours_file), error);
    return new_table_node(directory, name, &table_file, error);
}

static bool is_rows_dir(const XtfNode *directory)
{
    return directory->class != &xtf_definitions_dir;
}

/* True if a listing shows a table. Tables of analyses and alignments are hidden while empty, so that an undone
 * alignment leaves no file. */
static bool is_listed(const XtfTrace *trace, const XtfSchema *schema)
{
    static const char *const hidden_if_empty[] = {XTF_TABLE_ANALYSES, XTF_TABLE_CLOCK_ALIGNMENTS,
                                                  XTF_TABLE_EARLIER_CLOCKS, NULL};

    return schema->kind == XTF_SCHEMA_TABLE &&
           (xtf_trace_n_rows(trace, schema->id) > 0 || !g_strv_contains(hidden_if_empty, schema->name));
}

static bool list_tables(XtfNode *directory, XtfLister *lister, GError **error)
{
    XtfTree *tree = directory->tree;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(tree->trace); i++) {
        if (is_listed(tree->trace, xtf_trace_schema(tree->trace, i)))
            xtf_lister_show(lister, tree->context.type_names[i],
                            is_rows_dir(directory) ? XTF_NODE_DIRECTORY : XTF_NODE_FILE);
    }
    if (is_rows_dir(directory))
        return true;
    xtf_lister_show(lister, ROWS, XTF_NODE_DIRECTORY);
    if (has_colours(directory))
        xtf_lister_show(lister, COLOURS, XTF_NODE_FILE);
    return true;
}

const XtfNodeClass xtf_definitions_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_table, .list = list_tables};

bool xtf_definitions_dir_has(const char *name)
{
    return strcmp(name, ROWS) == 0 || strcmp(name, COLOURS) == 0;
}

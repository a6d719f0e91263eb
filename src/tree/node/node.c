#include "libxtf/trace.h"
#include "src/tree/node/node-class.h"

#include <string.h>

#include "libxtf/error.h"

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
    xtf_grouping_unref(node->grouping);
    g_free(node->text);
    g_free(node);
}

/* ---- New nodes. */

XtfNode *xtf_node_new(const XtfNode *parent, const XtfNodeClass *class)
{
    XtfNode *node = g_new0(XtfNode, 1);

    g_atomic_ref_count_init(&node->references);
    node->tree = parent->tree;
    node->class = class;
    node->depth = parent->depth + 1;
    node->numberings = parent->numberings;
    node->moves = parent->moves;
    node->selection = parent->selection ? xtf_selection_ref(parent->selection) : NULL;
    return node;
}

XtfNode *xtf_node_new_selection(const XtfNode *parent, XtfSelection *selection)
{
    XtfNode *node = xtf_node_new(parent, parent->tree->root->class);
    xtf_selection_unref(node->selection);
    node->selection = selection;
    return node;
}

/* Opens the window at each end that reaches outside the trace, so that equal windows have equal selections. While the
 * trace grows, a window that ends exactly at its current end stays closed. */
XtfNode *xtf_node_new_window(const XtfNode *parent, uint64_t from, uint64_t to)
{
    const XtfTimeScale *scale = &parent->tree->context.scale;
    bool growing = !xtf_tree_is_final(parent->tree);
    uint64_t a = from <= scale->origin ? 0 : from,
             b = to > scale->end || (to == scale->end && !growing) ? XTF_TIME_OPEN : to;
    XtfNode *node = xtf_node_new_selection(parent, xtf_selection_in_window(parent->selection, MIN(a, b), b));

    node->is_window = true;
    node->window.from = from;
    node->window.to = to;
    return node;
}

const XtfNodeClass xtf_link = {.kind = XTF_NODE_LINK};

XtfNode *xtf_node_new_link(const XtfNode *parent, char *target)
{
    XtfNode *node = xtf_node_new(parent, &xtf_link);
    node->text = target;
    node->size = strlen(target);
    return node;
}

/* ---- Texts that a node keeps, and reads without its tree. */

static bool read_kept(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    xtf_copy_part(file->text, file->size, 0, offset, buffer, length);
    return true;
}

bool xtf_node_never_same_by_size(const XtfNode *file)
{
    return false;
}

static const XtfNodeClass kept_text = {.kind = XTF_NODE_FILE, .read = read_kept};
/* Class of texts that change with commits: open calls may last longer, and the known facts of messages change. */
static const XtfNodeClass changing_text = {
    .kind = XTF_NODE_FILE, .read = read_kept, .same_by_size_if_final = xtf_node_never_same_by_size};

static void keep_text(XtfNode *node, GString *text)
{
    if (!node->class->table && !node->class->rows && !node->class->write)
        node->class = node->selection && node->selection->calls ? &changing_text : &kept_text;
    node->size = text->len;
    node->text = g_string_free(text, FALSE);
}

XtfNode *xtf_node_new_text(const XtfNode *parent, GString *text)
{
    XtfNode *node = xtf_node_new(parent, &kept_text);

    keep_text(node, text);
    return node;
}

XtfNode *xtf_node_new_changing_text(const XtfNode *parent, GString *text)
{
    XtfNode *node = xtf_node_new_text(parent, text);

    node->class = &changing_text;
    return node;
}

static bool has_text(const XtfNodeClass *class)
{
    return class->text || class->table;
}

/* Makes the text of a file whose class has `text` or `table`. Returns NULL on error. */
static GString *make_text(XtfNode *file, GError **error)
{
    g_auto(XtfTableOutput) output = {0};

    if (file->class->text)
        return file->class->text(file, error);
    xtf_table_output_init_text(&output);
    return file->class->table(file, &output, error) ? g_steal_pointer(&output.text) : NULL;
}

XtfNode *xtf_node_with_size(XtfNode *new, GError **error)
{
    g_autoptr(XtfNode) node = new;
    const XtfNodeClass *class = node->class;
    g_autoptr(GString) text = has_text(class) ? make_text(node, error) : NULL;

    if (text && (class->keeps || xtf_node_future(node) == XTF_NODE_CHANGES))
        keep_text(node, g_steal_pointer(&text)); /* the trace may soon no longer hold the data */
    else if (text)
        node->size = text->len;
    else if (has_text(class) || (class->size && !class->size(node, &node->size, error)))
        return NULL;
    return g_steal_pointer(&node);
}

/* ---- Using nodes. */

XtfNodeKind xtf_node_kind(const XtfNode *node)
{
    return node->class->kind;
}

uint64_t xtf_node_size(const XtfNode *node)
{
    return node->size;
}

const char *xtf_node_target(const XtfNode *link)
{
    return link->text;
}

XtfNode *xtf_not_found(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_propagate_error(error, g_error_new_valist(XTF_ERROR, XTF_ERROR_NOT_FOUND, format, arguments));
    va_end(arguments);
    return NULL;
}

XtfNode *xtf_no_such(const char *name, GError **error)
{
    return xtf_not_found(error, "there is no \"%s\" here", name);
}

void xtf_lister_show(XtfLister *lister, const char *name, XtfNodeKind kind)
{
    if (lister->from)
        lister->from--;
    else if (!lister->stopped)
        lister->stopped = !lister->visit(name, kind, lister->data);
}

bool xtf_lister_offer(XtfLister *lister, const char *name, XtfNodeKind kind, bool found, GError *lookup_error,
                      GError **error)
{
    if (lookup_error && (lookup_error->code == XTF_ERROR_IO || lookup_error->code == XTF_ERROR_STALE ||
                         lookup_error->code == XTF_ERROR_CANCELLED)) {
        g_propagate_error(error, lookup_error);
        return false;
    }
    if (found || (lookup_error && lookup_error->code == XTF_ERROR_DAMAGED))
        xtf_lister_show(lister, name, kind);
    g_clear_error(&lookup_error);
    return true;
}

bool xtf_node_list(XtfNode *directory, uint64_t from, XtfNodeVisit visit, void *data, GError **error)
{
    XtfLister lister = {from, visit, data, false};
    return !directory->class->list || directory->class->list(directory, &lister, error);
}

static bool read_text(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error)
{
    g_autoptr(GString) text = file->text ? NULL : make_text(file, error);

    if (file->text)
        return read_kept(file, offset, buffer, length, error);
    if (!text)
        return false;
    if (text->len != file->size)
        return xtf_damaged(
            error, "a value does not fit its column, whose width follows from the limits that the trace states");
    xtf_copy_part(text->str, text->len, 0, offset, buffer, length);
    return true;
}

bool xtf_node_read(XtfNode *file, uint64_t offset, void *buffer, size_t length, size_t *length_read, GError **error)
{
    size_t part = offset < file->size ? (size_t)MIN((uint64_t)length, file->size - offset) : 0;
    bool (*read)(XtfNode *, uint64_t, char *, size_t, GError **) =
        has_text(file->class) ? read_text : file->class->read;

    if (part && !read(file, offset, buffer, part, error))
        return false;
    *length_read = part;
    return true;
}

/* ---- Later commits. */

bool xtf_tree_is_final(const XtfTree *tree)
{
    return xtf_trace_context_final(&tree->context) == UINT64_MAX;
}

static bool selection_is_final(const XtfNode *node)
{
    return node->selection && xtf_selection_is_final(node->selection, &node->tree->context);
}

XtfNodeFuture xtf_node_future(const XtfNode *node)
{
    const XtfNodeClass *class = node->class;

    if (xtf_tree_is_final(node->tree))
        return XTF_NODE_FINAL;
    switch (class->kind) {
    case XTF_NODE_DIRECTORY:
        return node->text ? XTF_NODE_CHANGES : XTF_NODE_FINAL;
    case XTF_NODE_LINK:
        return XTF_NODE_CHANGES;
    case XTF_NODE_FILE:
        break;
    }
    if (node->moves)
        return XTF_NODE_CHANGES;
    if (class->same_by_size || class->same_by_size_if_final || !selection_is_final(node))
        return class->grows ? XTF_NODE_GROWS : XTF_NODE_CHANGES;
    return XTF_NODE_FINAL;
}

/* True if later commits only append rows to tables, so that rows keep their numbers. */
static bool tables_only_grow(const XtfNode *node)
{
    XtfTraceInfo info;

    xtf_trace_get_info(node->tree->context.trace, &info);
    return !info.joined;
}

bool xtf_node_is_same(const XtfNode *older, const XtfNode *newer)
{
    const XtfNodeClass *class = newer->class;

    if (older->class != class || older->size != newer->size)
        return false;
    if (older->text || newer->text)
        return g_strcmp0(older->text, newer->text) == 0;
    if (newer->moves)
        return class->kind == XTF_NODE_DIRECTORY;
    return class->kind == XTF_NODE_DIRECTORY || (class->same_by_size && tables_only_grow(newer)) ||
           (class->same_by_size_if_final && class->same_by_size_if_final(newer) && selection_is_final(older));
}

const char *xtf_node_lasting_name(const XtfNode *directory)
{
    return directory->class->kind == XTF_NODE_DIRECTORY ? directory->text : NULL;
}

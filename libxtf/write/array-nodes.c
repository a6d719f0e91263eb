/*
 * The P index being written: the arrays in its lowest nodes.
 */
#include "libxtf/write/writer-private.h"

static int compare_arrays(const XtfArrayWriter *a, const XtfArrayWriter *b)
{
    return xtf_compare_array_keys(a->location, a->schema->id, b->location, b->schema->id);
}

static XtfNodeWriter *node_new(void)
{
    XtfNodeWriter *node = g_new0(XtfNodeWriter, 1);
    node->arrays = g_ptr_array_new();
    return node;
}

/* The last node that begins no later than the array. */
static guint find_node(const GPtrArray *nodes, const XtfArrayWriter *array)
{
    guint low = 0, high = nodes->len;

    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        const XtfNodeWriter *node = nodes->pdata[middle];
        if (compare_arrays(node->arrays->pdata[0], array) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Cuts a full node in two; where arrays come in order, at its end, so that nodes stay full. */
static void split_node(XtfWriter *writer, guint at, bool append)
{
    XtfNodeWriter *node = writer->nodes->pdata[at], *right = node_new();
    guint keep = append ? node->arrays->len : node->arrays->len / 2;

    for (guint i = keep; i < node->arrays->len; i++)
        g_ptr_array_add(right->arrays, node->arrays->pdata[i]);
    g_ptr_array_set_size(node->arrays, (gint)keep);
    node->changed = right->changed = true;
    g_ptr_array_insert(writer->nodes, (gint)at + 1, right);
}

XtfArrayWriter *xtf_writer_find_array(const XtfWriter *writer, uint64_t location, const XtfSchema *schema)
{
    return g_hash_table_lookup(writer->arrays, &(XtfArrayWriter){.location = location, .schema = schema});
}

void xtf_writer_take_array(XtfWriter *writer, XtfArrayWriter *array)
{
    g_hash_table_add(writer->arrays, array);
    if (writer->nodes->len == 0)
        g_ptr_array_add(writer->nodes, node_new());
    guint at = find_node(writer->nodes, array);
    XtfNodeWriter *node = writer->nodes->pdata[at];
    guint slot = node->arrays->len;
    while (slot > 0 && compare_arrays(node->arrays->pdata[slot - 1], array) > 0)
        slot--;
    if (node->arrays->len == XTF_NODE_ARRAYS) {
        split_node(writer, at, slot == node->arrays->len);
        if (slot >= node->arrays->len) {
            slot -= node->arrays->len;
            node = writer->nodes->pdata[at + 1];
        }
    }
    g_ptr_array_insert(node->arrays, (gint)slot, array);
    node->changed = true;
}

void xtf_node_writer_encode(XtfNodeWriter *node, GByteArray *bytes, XtfBranch *branch)
{
    *branch = (XtfBranch){0};
    xtf_node_encode(bytes, 0);
    for (guint i = 0; i < node->arrays->len; i++) {
        XtfArrayWriter *array = node->arrays->pdata[i];
        if (array->n_rows == 0)
            continue;
        if (branch->arrays++ == 0) {
            branch->location = array->location;
            branch->schema = array->schema->id;
        }
        branch->n_rows += array->n_rows;
        node->changed |= array->changed || array->remapped;
        array->changed = array->remapped = false;
        const XtfArray stored = xtf_array_writer_stored(array);
        xtf_node_add_array(bytes, &stored);
    }
}

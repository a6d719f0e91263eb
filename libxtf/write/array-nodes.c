/*
 * The P index being written: the arrays in its lowest nodes.
 */
#include "libxtf/write/writer-private.h"

/* Compares the key of an array with the first key of a node. Returns a negative number if the array's key is less, 0 if
 * the keys are equal. */
static int compare_to_node(const XtfNodeWriter *node, uint64_t location, uint32_t schema)
{
    return xtf_compare_array_keys(location, schema, node->location, node->schema);
}

static int compare_to_entry(const XtfNodeEntry *entry, uint64_t location, uint32_t schema)
{
    return xtf_compare_array_keys(location, schema, entry->location, entry->schema);
}

static XtfNodeWriter *node_new(XtfWriter *writer)
{
    XtfNodeWriter *node = g_new0(XtfNodeWriter, 1);
    node->entries = xtf_object_pool_new(&writer->entries);
    return node;
}

/* Returns the index of the last node whose first key is not greater than (location, schema); 0 if there is no such
 * node. */
static guint find_node(const GPtrArray *nodes, uint64_t location, uint32_t schema)
{
    guint low = 0, high = nodes->len;

    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (compare_to_node(nodes->pdata[middle], location, schema) >= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the number of arrays in the node whose keys are less than (location, schema). */
static uint32_t find_slot(const XtfNodeWriter *node, uint64_t location, uint32_t schema)
{
    uint32_t low = 0, high = node->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_to_entry(&node->entries[middle], location, schema) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sets the node's key from its first array. */
static void update_node_key(XtfNodeWriter *node)
{
    if (node->n == 0)
        return;
    node->location = node->entries[0].location;
    node->schema = node->entries[0].schema;
}

/* Splits a full node in two halves. With `append` the split is at the end: arrays that arrive in key order leave full
 * nodes. */
static void split_node(XtfWriter *writer, guint index, bool append)
{
    XtfNodeWriter *node = writer->nodes->pdata[index], *right = node_new(writer);
    uint32_t keep = append ? node->n : node->n / 2;

    right->n = node->n - keep;
    memcpy(right->entries, node->entries + keep, right->n * sizeof *right->entries);
    update_node_key(right);
    node->n = keep;
    node->changed = right->changed = true;
    g_ptr_array_insert(writer->nodes, (gint)index + 1, right);
}

XtfArrayWriter *xtf_writer_find_array(const XtfWriter *writer, uint64_t location, const XtfSchema *schema)
{
    if (writer->nodes->len == 0)
        return NULL;
    const XtfNodeWriter *node = writer->nodes->pdata[find_node(writer->nodes, location, schema->id)];
    uint32_t slot = find_slot(node, location, schema->id);
    if (slot == node->n || compare_to_entry(&node->entries[slot], location, schema->id) != 0)
        return NULL;
    return node->entries[slot].array;
}

void xtf_writer_take_array(XtfWriter *writer, XtfArrayWriter *array)
{
    const XtfNodeEntry entry = {.location = array->location, .schema = array->schema->id, .array = array};

    if (writer->nodes->len == 0)
        g_ptr_array_add(writer->nodes, node_new(writer));
    guint index = find_node(writer->nodes, entry.location, entry.schema);
    XtfNodeWriter *node = writer->nodes->pdata[index];
    uint32_t slot = find_slot(node, entry.location, entry.schema);
    if (node->n == XTF_NODE_ARRAYS) {
        split_node(writer, index, slot == node->n);
        if (slot >= node->n) {
            slot -= node->n;
            node = writer->nodes->pdata[index + 1];
        }
    }
    memmove(node->entries + slot + 1, node->entries + slot, (node->n - slot) * sizeof entry);
    node->entries[slot] = entry;
    node->n++;
    node->changed = true;
    update_node_key(node);
}

void xtf_writer_trim_pools(XtfWriter *writer, uint32_t n_arrays)
{
    enum { ARRAYS_PER_TRIM = 8192 };

    writer->n_touched += n_arrays;
    if (writer->n_touched < ARRAYS_PER_TRIM)
        return;
    writer->n_touched = 0;
    xtf_object_pool_page_out(&writer->arrays);
    xtf_object_pool_page_out(&writer->entries);
}

void xtf_node_writer_encode(XtfNodeWriter *node, GByteArray *bytes, XtfBranch *branch)
{
    *branch = (XtfBranch){0};
    xtf_node_encode(bytes, 0);
    for (uint32_t i = 0; i < node->n; i++) {
        XtfArrayWriter *array = node->entries[i].array;
        if (array->n_rows == 0)
            continue;
        if (branch->arrays++ == 0) {
            branch->location = array->location;
            branch->schema = array->schema->id;
        }
        branch->n_rows += array->n_rows;
        if (array->changed || array->remapped) {
            node->changed = true;
            array->changed = array->remapped = false;
        }
        const XtfArray stored = xtf_array_writer_stored(array);
        xtf_node_add_array(bytes, &stored);
    }
}

/*
 * The P index: from (location, schema) to arrays. It is a tree of nodes that commits write as items.
 *
 * A branch holds the number of arrays below it. So the index is searchable by rank as well as by key, and a listing may
 * continue from any array. Nodes are loaded one by one through the page cache: opening a trace reads none of them. Each
 * descent checks the nodes on its way: callers rely on the order, and on one array per key.
 */
#include "libxtf/disk/codec.h"
#include "libxtf/disk/node.h"
#include "libxtf/tree/trace-private.h"

/* A pinned node. Its entries ascend, and lie between the keys in the nodes above. */
typedef struct {
    XtfBlock *block; /* NULL: no node, and count is 0 */
    unsigned level;
    uint32_t count;
    bool bounded; /* all keys of the node must be less than (end_location, end_schema); else they have no bound */
    uint64_t end_location;
    uint32_t end_schema;
} Node;

static void node_finish(Node *node)
{
    xtf_block_put(g_steal_pointer(&node->block));
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Node, node_finish)

/* Loads a node, replacing the one in *node. */
static bool load_node(XtfTrace *trace, XtfRef ref, unsigned level, Node *node, GError **error)
{
    node_finish(node);
    if (ref.length > XTF_NODE_BYTES || ref.offset % XTF_ITEM_ALIGNMENT != 0)
        return xtf_damaged(error, "P index: invalid reference to a node at byte %" PRIu64 ", %u bytes", ref.offset,
                           ref.length);
    node->block = xtf_item_get(trace, ref, error);
    node->level = level;
    if (!node->block)
        return false;
    if (!xtf_node_valid(node->block->data, node->block->length, level, &node->count))
        return xtf_damaged(error, "P index: invalid node of level %u at byte %" PRIu64, level, ref.offset);
    return xtf_node_ascends(node->block->data, level, node->count) ||
           xtf_damaged(error, "P index: the entries of the node at byte %" PRIu64 " are out of order", ref.offset);
}

/* Checks that a branch agrees with the node below it, so that a search by key and one by rank find the same array. */
static bool check_branch(const Node *node, const XtfBranch *branch, GError **error)
{
    XtfBranch sums = xtf_node_sums(node->block->data, node->level, node->count);
    uint64_t last;
    uint32_t last_schema;

    xtf_node_key(node->block->data, node->level, node->count - 1, &last, &last_schema);
    if (sums.location != branch->location || sums.schema != branch->schema || sums.arrays != branch->arrays ||
        sums.n_rows != branch->n_rows)
        return xtf_damaged(error, "P index: a branch does not match the node below it (location %" PRIu64 ")",
                           branch->location);
    return !node->bounded || xtf_compare_array_keys(last, last_schema, node->end_location, node->end_schema) < 0 ||
           xtf_damaged(error, "P index: the node at location %" PRIu64 " overlaps the next one", sums.location);
}

static bool enter_child(XtfTrace *trace, uint32_t entry, Node *node, GError **error)
{
    XtfBranch branch = xtf_node_branch(node->block->data, entry);

    if (entry + 1 < node->count) {
        node->bounded = true;
        xtf_node_key(node->block->data, node->level, entry + 1, &node->end_location, &node->end_schema);
    }
    return load_node(trace, branch.child, node->level - 1, node, error) && check_branch(node, &branch, error);
}

static bool enter_root(XtfTrace *trace, Node *node, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;

    node->bounded = false;
    if (!load_node(trace, catalog->arrays_root, catalog->arrays_height - 1, node, error))
        return false;
    uint64_t arrays = xtf_node_sums(node->block->data, node->level, node->count).arrays;
    return arrays == catalog->n_arrays ||
           xtf_damaged(error, "P index: it has %" PRIu64 " arrays, but the catalog states %" PRIu64, arrays,
                       catalog->n_arrays);
}

/* Returns the maximum number of rows of an array of this file. Packed rows may take almost no bytes. But every leaf is
 * a page, and all leaves except the open one are in the file. */
static uint64_t rows_max(const XtfTrace *trace, const XtfArray *array)
{
    const XtfCodec *codec = xtf_codec(array->codec);
    uint64_t size = xtf_source_size(trace->source);
    uint32_t page_size = trace->superblock.info.page_size, row_size = MAX(array->schema->row_size, 1);

    if (codec && codec->side_by_side && !array->joined) /* pieces may be packed */
        return size / row_size;
    return (size / page_size + 1) * xtf_leaf_rows_max(page_size, row_size);
}

bool xtf_array_check_entry(XtfTrace *trace, const XtfArray *entry, uint32_t schema, XtfArray *array, GError **error)
{
    XtfArray decoded = *entry;
    decoded.trace = trace;
    decoded.schema = xtf_trace_schema(trace, schema);
    decoded.clock = xtf_trace_clock_map(trace, decoded.clock_map);
    decoded.joined &= (trace->superblock.incompatible & XTF_FEATURE_JOINED) > 0; /* else the flags are reserved */
    const char *fault = NULL;

    if (!decoded.schema || decoded.schema->kind == XTF_SCHEMA_TABLE)
        fault = "it has no schema";
    else if (decoded.n_rows == 0 || decoded.n_rows > rows_max(trace, &decoded) ||
             decoded.local_first > decoded.local_last)
        fault = "its number of rows or its times are invalid";
    else if (decoded.height == 0 || decoded.height > XTF_HEIGHT_MAX)
        fault = "its height is invalid";
    else if (decoded.segment >= trace->catalog.n_segments)
        fault = "it belongs to a segment that does not exist";
    else if (decoded.edge_offset > xtf_source_size(trace->source))
        fault = "its right edge is beyond the end of the file";
    else if (decoded.edge_offset % XTF_ITEM_ALIGNMENT != 0 || decoded.edge_length > XTF_ITEM_MAX)
        fault = "the place of its right edge is not that of an item";
    else if (decoded.clock_map > 0 && !decoded.clock)
        return xtf_damaged(error, "array %u of location %" PRIu64 ": its clock map %u does not exist", decoded.id,
                           decoded.location, decoded.clock_map);
    if (fault)
        return xtf_damaged(error, "array %u of location %" PRIu64 ": %s", decoded.id, decoded.location, fault);
    decoded.first = xtf_clock_map_to_global(decoded.clock, decoded.local_first);
    decoded.last = xtf_clock_map_to_global(decoded.clock, decoded.local_last);
    decoded.kept = trace->kept_from;
    *array = decoded;
    return true;
}

/* Decodes an array from its entry in a node, and checks it. */
static bool decode_array(XtfTrace *trace, const Node *node, uint32_t slot, XtfArray *array, GError **error)
{
    uint32_t schema;
    XtfArray entry;

    xtf_node_array(node->block->data, slot, &entry, &schema);
    return xtf_array_check_entry(trace, &entry, schema, array, error);
}

/* Compares the key of an entry with a key. Returns a value less than, equal to or greater than 0. */
static int compare_entry(const Node *node, uint32_t i, uint64_t location, uint32_t schema)
{
    uint64_t own_location;
    uint32_t own_schema;

    xtf_node_key(node->block->data, node->level, i, &own_location, &own_schema);
    return xtf_compare_array_keys(own_location, own_schema, location, schema);
}

/* Returns the number of the node's entries before the key. */
static uint32_t node_rank(const Node *node, uint64_t location, uint32_t schema)
{
    uint32_t low = 0, high = node->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_entry(node, middle, location, schema) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t xtf_trace_n_arrays(const XtfTrace *trace)
{
    return trace->catalog.n_arrays;
}

/* Descends to the lowest node that has the key or would have it, and finds the key's slot. *before gets the number of
 * arrays before that node. If the trace has no arrays, *node stays empty. */
static bool find_slot(XtfTrace *trace, uint64_t location, uint32_t schema, Node *node, uint32_t *slot, uint64_t *before,
                      GError **error)
{
    *slot = 0;
    *before = 0;
    if (trace->catalog.n_arrays == 0)
        return true;
    if (!enter_root(trace, node, error))
        return false;
    while (node->level > 0) {
        uint32_t at = node_rank(node, location, schema);
        /* If entry `at` has the key itself, its child begins with it. Otherwise the child before may have the key. */
        if (at == node->count || compare_entry(node, at, location, schema) > 0)
            at -= at > 0;
        for (uint32_t i = 0; i < at; i++)
            *before += xtf_node_branch(node->block->data, i).arrays;
        if (!enter_child(trace, at, node, error))
            return false;
    }
    *slot = node_rank(node, location, schema);
    return true;
}

bool xtf_trace_find_array(XtfTrace *trace, uint64_t location, uint32_t schema, XtfArray *array, bool *found,
                          GError **error)
{
    g_auto(Node) node = {0};
    uint32_t slot;
    uint64_t before;

    if (!find_slot(trace, location, schema, &node, &slot, &before, error))
        return false;
    bool key_exists = slot < node.count && compare_entry(&node, slot, location, schema) == 0;
    if (key_exists && !decode_array(trace, &node, slot, array, error))
        return false;
    *found = key_exists && xtf_array_is_supported(array, NULL);
    return true;
}

bool xtf_trace_array_rank(XtfTrace *trace, uint64_t location, uint32_t schema, uint64_t *rank, GError **error)
{
    g_auto(Node) node = {0};
    uint32_t slot;
    uint64_t before;

    if (!find_slot(trace, location, schema, &node, &slot, &before, error))
        return false;
    *rank = MIN(before + slot, trace->catalog.n_arrays);
    return true;
}

/* Descends to the lowest node that has the array of a rank; *slot gets the array's slot. */
static bool find_leaf_by_rank(XtfTrace *trace, uint64_t rank, Node *node, uint32_t *slot, GError **error)
{
    if (!enter_root(trace, node, error))
        return false;
    while (node->level > 0) {
        uint32_t i = 0;
        for (; i < node->count; i++) {
            uint64_t below = xtf_node_branch(node->block->data, i).arrays;
            if (rank < below)
                break;
            rank -= below;
        }
        if (i == node->count) /* the numbers are so great that their sum overflowed */
            return xtf_damaged(error, "P index: it has fewer arrays than its branches state");
        if (!enter_child(trace, i, node, error))
            return false;
    }
    if (rank >= node->count)
        return xtf_damaged(error, "P index: it has fewer arrays than its branches state");
    *slot = (uint32_t)rank;
    return true;
}

bool xtf_trace_get_arrays(XtfTrace *trace, uint64_t rank, uint64_t count, XtfArray *arrays, GError **error)
{
    if (count > trace->catalog.n_arrays || rank > trace->catalog.n_arrays - count)
        return xtf_fail(error, XTF_ERROR_INVALID, "array ranks %" PRIu64 " to %" PRIu64 " are out of range", rank,
                        rank + count);
    while (count > 0) {
        g_auto(Node) node = {0};
        uint32_t slot = 0;
        if (!find_leaf_by_rank(trace, rank, &node, &slot, error))
            return false;
        for (; slot < node.count && count > 0; slot++, rank++, count--)
            if (!decode_array(trace, &node, slot, arrays++, error))
                return false;
    }
    return true;
}

/*
 * The P index: from (location, schema) to arrays, a tree of nodes that a commit writes as items.
 *
 * A branch says how many arrays lie below it, so that the index is searchable by rank as well as by key, and a listing
 * may go on from anywhere. Nodes are fetched one by one through the page cache: opening a trace reads none of them.
 */
#include "libxtf/pack/codec.h"
#include "libxtf/tree/trace-private.h"

/* A node, pinned. */
typedef struct {
    XtfBlock *block;
    unsigned level;
    uint32_t count;
} Node;

static const XtfDiskArray *node_arrays(const Node *node)
{
    return (const XtfDiskArray *)(node->block->data + sizeof(XtfDiskNode));
}

static const XtfDiskBranch *node_branches(const Node *node)
{
    return (const XtfDiskBranch *)(node->block->data + sizeof(XtfDiskNode));
}

static bool get_node(XtfTrace *trace, XtfRef ref, unsigned level, Node *node, GError **error)
{
    XtfBlock *block = xtf_item_get(trace, ref, error);
    if (!block)
        return false;
    const XtfDiskNode *head = (const XtfDiskNode *)block->data;
    uint64_t entry = level > 0 ? sizeof(XtfDiskBranch) : sizeof(XtfDiskArray);
    if (block->length >= sizeof *head && xtf_read32(head->magic) == XTF_NODE_MAGIC && head->level == level &&
        xtf_read32(head->count) > 0 && xtf_read32(head->count) * entry == block->length - sizeof *head) {
        *node = (Node){.block = block, .level = level, .count = xtf_read32(head->count)};
        return true;
    }
    xtf_cache_put(trace->cache, block);
    return xtf_damaged(error, "P index: no node of level %u at byte %" PRIu64, level, ref.offset);
}

static void put_node(XtfTrace *trace, Node *node)
{
    if (node->block)
        xtf_cache_put(trace->cache, node->block);
    node->block = NULL;
}

/* The most rows that an array of this file can have. Packed ones may take next to nothing, but each leaf is a page, and
 * but one of them is in the file. */
static uint64_t rows_most(const XtfTrace *trace, const XtfArray *array)
{
    uint64_t size = trace->source->size;

    if (array->codec == XTF_CODEC_PLAIN)
        return size / array->schema->row_size;
    return (size / trace->superblock.info.page_size + 1) * XTF_LEAF_ROWS_MAX;
}

/* Takes an array out of its entry, checking each number that is used later without a second look. */
static bool decode_array(XtfTrace *trace, const XtfDiskArray *disk, XtfArray *array, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;
    XtfRef edge = xtf_ref_read(&disk->edge);
    XtfArray decoded = {
        .trace = trace,
        .schema = xtf_trace_schema(trace, xtf_read32(disk->schema)),
        .location = xtf_read64(disk->location),
        .n_rows = xtf_read64(disk->n_rows),
        .first = xtf_read64(disk->first),
        .last = xtf_read64(disk->last),
        .id = xtf_read32(disk->array),
        .segment = xtf_read16(disk->segment),
        .edge_offset = edge.offset,
        .edge_length = edge.length,
        .edge_checksum = edge.checksum,
        .height = disk->height,
        .codec = disk->codec,
    };
    const char *fault = NULL;

    if (!decoded.schema || decoded.schema->kind == XTF_SCHEMA_TABLE)
        fault = "it has no schema";
    else if (decoded.codec > XTF_CODEC_COMPACT)
        fault = "its codec is not known";
    else if (decoded.n_rows == 0 || decoded.n_rows > rows_most(trace, &decoded) || decoded.first > decoded.last)
        fault = "its numbers make no sense";
    else if (decoded.height == 0 || decoded.height > XTF_HEIGHT_MAX)
        fault = "its height makes no sense";
    else if (decoded.segment >= catalog->n_segments)
        fault = "it belongs to a segment that does not exist";
    else if (edge.offset > trace->source->size)
        fault = "its right edge lies past the end of the file";
    if (fault)
        return xtf_damaged(error, "array %u of location %" PRIu64 ": %s", decoded.id, decoded.location, fault);
    *array = decoded;
    return true;
}

static int compare_keys(uint64_t location_a, uint32_t schema_a, uint64_t location_b, uint32_t schema_b)
{
    if (location_a != location_b)
        return location_a < location_b ? -1 : 1;
    return schema_a < schema_b ? -1 : schema_a > schema_b;
}

static int compare_entry(const Node *node, uint32_t i, uint64_t location, uint32_t schema)
{
    if (node->level > 0) {
        const XtfDiskBranch *branch = &node_branches(node)[i];
        return compare_keys(xtf_read64(branch->location), xtf_read32(branch->schema), location, schema);
    }
    const XtfDiskArray *array = &node_arrays(node)[i];
    return compare_keys(xtf_read64(array->location), xtf_read32(array->schema), location, schema);
}

/* The number of the node's entries before the key. */
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

/* Descends to the lowest node in which the key is or would be. Outputs how many arrays lie before that node. */
static bool find_leaf(XtfTrace *trace, uint64_t location, uint32_t schema, Node *node, uint64_t *before, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;

    *before = 0;
    if (!get_node(trace, catalog->arrays_root, catalog->arrays_height - 1, node, error))
        return false;
    while (node->level > 0) {
        uint32_t slot = node_rank(node, location, schema);
        /* An equal first key is in the child itself, a smaller one may be before it. */
        if (slot == node->count || compare_entry(node, slot, location, schema) > 0)
            slot -= slot > 0;
        const XtfDiskBranch *branches = node_branches(node);
        for (uint32_t i = 0; i < slot; i++)
            *before += xtf_read64(branches[i].arrays);
        XtfRef child = xtf_ref_read(&branches[slot].child);
        unsigned level = node->level - 1;
        put_node(trace, node);
        if (!get_node(trace, child, level, node, error))
            return false;
    }
    return true;
}

uint64_t xtf_trace_n_arrays(const XtfTrace *trace)
{
    return trace->catalog.n_arrays;
}

/* The key's place: the lowest node and the slot in it, where it is or would be. Without arrays the node is empty. */
static bool find_slot(XtfTrace *trace, uint64_t location, uint32_t schema, Node *node, uint32_t *slot, uint64_t *before,
                      GError **error)
{
    *node = (Node){0};
    *slot = 0;
    *before = 0;
    if (trace->catalog.n_arrays == 0)
        return true;
    if (!find_leaf(trace, location, schema, node, before, error))
        return false;
    *slot = node_rank(node, location, schema);
    return true;
}

bool xtf_trace_find_array(XtfTrace *trace, uint64_t location, uint32_t schema, XtfArray *array, bool *found,
                          GError **error)
{
    Node node;
    uint32_t slot;
    uint64_t before;

    if (!find_slot(trace, location, schema, &node, &slot, &before, error))
        return false;
    bool there = slot < node.count && compare_entry(&node, slot, location, schema) == 0;
    bool good = !there || decode_array(trace, &node_arrays(&node)[slot], array, error);
    put_node(trace, &node);
    if (good)
        *found = there;
    return good;
}

bool xtf_trace_array_rank(XtfTrace *trace, uint64_t location, uint32_t schema, uint64_t *rank, GError **error)
{
    Node node;
    uint32_t slot;
    uint64_t before;

    if (!find_slot(trace, location, schema, &node, &slot, &before, error))
        return false;
    *rank = MIN(before + slot, trace->catalog.n_arrays);
    put_node(trace, &node);
    return true;
}

/* Descends to the lowest node that holds the rank-th array. *slot is the array's place in it. */
static bool find_leaf_by_rank(XtfTrace *trace, uint64_t rank, Node *node, uint32_t *slot, GError **error)
{
    const XtfCatalog *catalog = &trace->catalog;

    if (!get_node(trace, catalog->arrays_root, catalog->arrays_height - 1, node, error))
        return false;
    while (node->level > 0) {
        const XtfDiskBranch *branches = node_branches(node);
        uint32_t i = 0;
        while (i < node->count && rank >= xtf_read64(branches[i].arrays))
            rank -= xtf_read64(branches[i++].arrays);
        bool there = i < node->count;
        XtfRef child = there ? xtf_ref_read(&branches[i].child) : (XtfRef){0};
        unsigned level = node->level - 1;
        put_node(trace, node);
        if (!there)
            return xtf_damaged(error, "P index: it holds fewer arrays than it says");
        if (!get_node(trace, child, level, node, error))
            return false;
    }
    if (rank >= node->count) {
        put_node(trace, node);
        return xtf_damaged(error, "P index: a node holds fewer arrays than its parent says");
    }
    *slot = (uint32_t)rank;
    return true;
}

bool xtf_trace_get_arrays(XtfTrace *trace, uint64_t rank, uint64_t count, XtfArray *arrays, GError **error)
{
    if (count > trace->catalog.n_arrays || rank > trace->catalog.n_arrays - count) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "the trace has no arrays %" PRIu64 " to %" PRIu64, rank,
                    rank + count);
        return false;
    }
    while (count > 0) {
        Node node;
        uint32_t slot = 0;
        bool good = true;
        if (!find_leaf_by_rank(trace, rank, &node, &slot, error))
            return false;
        for (; good && slot < node.count && count > 0; slot++, rank++, count--)
            good = decode_array(trace, &node_arrays(&node)[slot], arrays++, error);
        put_node(trace, &node);
        if (!good)
            return false;
    }
    return true;
}

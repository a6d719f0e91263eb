#include "libxtf/disk/node.h"

static const XtfDiskArray *arrays_of(const uint8_t *node)
{
    return (const XtfDiskArray *)(node + sizeof(XtfDiskNode));
}

static const XtfDiskBranch *branches_of(const uint8_t *node)
{
    return (const XtfDiskBranch *)(node + sizeof(XtfDiskNode));
}

bool xtf_node_valid(const uint8_t *node, uint32_t length, unsigned level, uint32_t *count)
{
    const XtfDiskNode *head = (const XtfDiskNode *)node;
    uint64_t entry = level > 0 ? sizeof(XtfDiskBranch) : sizeof(XtfDiskArray);

    if (length < sizeof *head || xtf_read32(head->magic) != XTF_NODE_MAGIC || head->level != level)
        return false;
    *count = xtf_read32(head->count);
    return *count > 0 && *count * entry == length - sizeof *head;
}

void xtf_node_array(const uint8_t *node, uint32_t i, XtfArray *array, uint32_t *schema)
{
    xtf_array_entry_decode(&arrays_of(node)[i], array, schema);
}

void xtf_array_entry_decode(const XtfDiskArray *disk, XtfArray *array, uint32_t *schema)
{
    XtfRef edge = xtf_ref_read(&disk->edge);

    *schema = xtf_read32(disk->schema);
    *array = (XtfArray){
        .location = xtf_read64(disk->location),
        .n_rows = xtf_read64(disk->n_rows),
        .local_first = xtf_read64(disk->first),
        .local_last = xtf_read64(disk->last),
        .id = xtf_read32(disk->array),
        .segment = xtf_read32(disk->segment),
        .edge_offset = edge.offset,
        .edge_length = edge.length,
        .edge_checksum = edge.checksum,
        .height = disk->height,
        .codec = disk->codec,
        .clock_map = xtf_read32(disk->clock_map),
        .joined = disk->flags & XTF_ARRAY_JOINED,
    };
}

XtfBranch xtf_node_branch(const uint8_t *node, uint32_t i)
{
    const XtfDiskBranch *disk = &branches_of(node)[i];

    return (XtfBranch){
        .location = xtf_read64(disk->location),
        .schema = xtf_read32(disk->schema),
        .arrays = xtf_read64(disk->arrays),
        .n_rows = xtf_read64(disk->n_rows),
        .child = xtf_ref_read(&disk->child),
    };
}

void xtf_node_key(const uint8_t *node, unsigned level, uint32_t i, uint64_t *location, uint32_t *schema)
{
    *location = xtf_read64(level > 0 ? branches_of(node)[i].location : arrays_of(node)[i].location);
    *schema = xtf_read32(level > 0 ? branches_of(node)[i].schema : arrays_of(node)[i].schema);
}

XtfBranch xtf_node_sums(const uint8_t *node, unsigned level, uint32_t count)
{
    XtfBranch sums = {.arrays = level > 0 ? 0 : count};

    xtf_node_key(node, level, 0, &sums.location, &sums.schema);
    for (uint32_t i = 0; i < count; i++) {
        sums.arrays += level > 0 ? xtf_read64(branches_of(node)[i].arrays) : 0;
        sums.n_rows += xtf_read64(level > 0 ? branches_of(node)[i].n_rows : arrays_of(node)[i].n_rows);
    }
    return sums;
}

bool xtf_node_ascends(const uint8_t *node, unsigned level, uint32_t count)
{
    uint64_t before, location;
    uint32_t schema_before, schema;

    xtf_node_key(node, level, 0, &before, &schema_before);
    for (uint32_t i = 1; i < count; i++, before = location, schema_before = schema) {
        xtf_node_key(node, level, i, &location, &schema);
        if (xtf_compare_array_keys(before, schema_before, location, schema) >= 0)
            return false;
    }
    return true;
}

void xtf_node_encode(GByteArray *bytes, unsigned level)
{
    XtfDiskNode head = {.level = (uint8_t)level};

    g_byte_array_set_size(bytes, 0);
    xtf_write32(&head.magic, XTF_NODE_MAGIC);
    g_byte_array_append(bytes, (const guint8 *)&head, sizeof head);
}

static void add_entry(GByteArray *bytes, const void *entry, guint length)
{
    g_byte_array_append(bytes, entry, length);
    XtfDiskNode *head = (XtfDiskNode *)bytes->data;
    xtf_write32(&head->count, xtf_read32(head->count) + 1);
}

void xtf_array_entry_encode(const XtfArray *array, XtfDiskArray *disk)
{
    *disk =
        (XtfDiskArray){.height = array->height, .codec = array->codec, .flags = array->joined ? XTF_ARRAY_JOINED : 0};
    xtf_write64(&disk->location, array->location);
    xtf_write32(&disk->schema, array->schema->id);
    xtf_write32(&disk->array, array->id);
    xtf_write64(&disk->n_rows, array->n_rows);
    xtf_write64(&disk->first, array->local_first);
    xtf_write64(&disk->last, array->local_last);
    xtf_ref_write(&disk->edge, (XtfRef){array->edge_offset, array->edge_length, array->edge_checksum});
    xtf_write32(&disk->segment, array->segment);
    xtf_write32(&disk->clock_map, array->clock_map);
}

void xtf_node_add_array(GByteArray *bytes, const XtfArray *array)
{
    XtfDiskArray disk;

    xtf_array_entry_encode(array, &disk);
    add_entry(bytes, &disk, sizeof disk);
}

void xtf_node_add_branch(GByteArray *bytes, const XtfBranch *branch)
{
    XtfDiskBranch disk = {0};

    xtf_write64(&disk.location, branch->location);
    xtf_write32(&disk.schema, branch->schema);
    xtf_write64(&disk.arrays, branch->arrays);
    xtf_write64(&disk.n_rows, branch->n_rows);
    xtf_ref_write(&disk.child, branch->child);
    add_entry(bytes, &disk, sizeof disk);
}

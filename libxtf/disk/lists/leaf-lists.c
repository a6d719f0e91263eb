#include "libxtf/disk/lists/leaf-lists.h"

#include "libxtf/base/bytes.h"
#include "libxtf/disk/address.h"
#include "libxtf/error.h"
#include "libxtf/pack/pack.h"

/* Entries are packed as rows of this schema. */
static XtfField entry_fields[] = {
    {.name = (char *)"time", .role = (char *)"time", .type = XTF_TYPE_U64, .offset = 0, .width = 8},
    {.name = (char *)"before", .type = XTF_TYPE_U64, .flags = XTF_FIELD_RISES, .offset = 8, .width = 8},
    {.name = (char *)"place", .type = XTF_TYPE_U64, .flags = XTF_FIELD_RISES, .offset = 16, .width = 8},
};
static const XtfSchema entry_schema = {.kind = XTF_SCHEMA_RECORD,
                                       .name = (char *)"entries",
                                       .row_size = sizeof(XtfDiskEntry),
                                       .n_fields = G_N_ELEMENTS(entry_fields),
                                       .fields = entry_fields};

static void add_head(GByteArray *heads, const XtfLeafList *list)
{
    XtfDiskLeafList disk;

    xtf_write32(&disk.segment, list->segment);
    xtf_write32(&disk.array, list->array);
    xtf_write32(&disk.n_entries, list->n_entries);
    xtf_write32(&disk.length, list->length);
    g_byte_array_append(heads, (const guint8 *)&disk, sizeof disk);
}

bool xtf_leaf_lists_add(GByteArray *heads, GByteArray *packed, uint32_t segment, uint32_t array, const GArray *entries)
{
    uint64_t bound = xtf_pack_bound(&entry_schema, entries->len);
    guint start = packed->len;

    g_byte_array_set_size(packed, start + (guint)bound);
    const XtfLeafList list = {
        .segment = segment,
        .array = array,
        .n_entries = entries->len,
        .length = xtf_pack(&entry_schema, (const uint8_t *)entries->data, entries->len, XTF_PACK_LEVEL_DEFAULT,
                           packed->data + start, (uint32_t)bound, NULL),
    };
    g_byte_array_set_size(packed, start + list.length);
    xtf_bytes_align(packed);
    if (sizeof(XtfDiskLeafLists) + heads->len + sizeof(XtfDiskLeafList) + packed->len > XTF_LEAF_LISTS_BYTES) {
        g_byte_array_set_size(packed, start);
        return false;
    }
    add_head(heads, &list);
    return true;
}

GByteArray *xtf_leaf_lists_encode(const GByteArray *heads, const GByteArray *packed)
{
    GByteArray *item = g_byte_array_new();
    XtfDiskLeafLists disk = {0};

    xtf_write32(&disk.n_lists, heads->len / (uint32_t)sizeof(XtfDiskLeafList));
    g_byte_array_append(item, (const guint8 *)&disk, sizeof disk);
    g_byte_array_append(item, heads->data, heads->len);
    g_byte_array_append(item, packed->data, packed->len);
    return item;
}

static int compare_arrays(const XtfLeafList *list, uint32_t segment, uint32_t array)
{
    if (list->segment != segment)
        return list->segment < segment ? -1 : 1;
    return list->array < array ? -1 : list->array > array;
}

/* Sets the offset of each list's packed entries, from `at` on. Returns false if lists are out of order, or do not end
 * where the item does. */
static bool place_lists(GArray *lists, uint64_t at, uint64_t length)
{
    for (guint i = 0; i < lists->len; i++) {
        XtfLeafList *list = &g_array_index(lists, XtfLeafList, i);
        const XtfLeafList *last = i > 0 ? list - 1 : NULL;
        if (list->n_entries < 2 || list->length > length - at ||
            (last && compare_arrays(last, list->segment, list->array) >= 0))
            return false;
        list->at = at;
        at += xtf_aligned(list->length);
        if (at > length)
            return false;
    }
    return at == length;
}

GArray *xtf_leaf_lists_decode(const uint8_t *item, uint32_t length, GError **error)
{
    XtfBytesReader reader = {.at = item, .left = length};
    XtfDiskLeafLists disk;

    xtf_bytes_read(&reader, &disk, sizeof disk);
    uint32_t n = xtf_read32(disk.n_lists);
    if (n == 0 || n > reader.left / sizeof(XtfDiskLeafList)) {
        xtf_damaged(error, "leaf lists: there are none, or the item is cut short");
        return NULL;
    }
    g_autoptr(GArray) lists = g_array_sized_new(FALSE, FALSE, sizeof(XtfLeafList), n);
    for (uint32_t i = 0; i < n; i++) {
        XtfDiskLeafList head;
        xtf_bytes_read(&reader, &head, sizeof head);
        const XtfLeafList list = {.segment = xtf_read32(head.segment),
                                  .array = xtf_read32(head.array),
                                  .n_entries = xtf_read32(head.n_entries),
                                  .length = xtf_read32(head.length)};
        g_array_append_val(lists, list);
    }
    if (place_lists(lists, length - reader.left, length))
        return g_steal_pointer(&lists);
    xtf_damaged(error, "leaf lists: they are out of order, or do not fill their item");
    return NULL;
}

const XtfLeafList *xtf_leaf_lists_find(const GArray *lists, uint32_t segment, uint32_t array)
{
    guint low = 0, high = lists->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const XtfLeafList *list = &g_array_index(lists, XtfLeafList, middle);
        int order = compare_arrays(list, segment, array);
        if (order == 0)
            return list;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *xtf_leaf_list_unpack(const XtfLeafList *list, const uint8_t *item, uint64_t n_rows, XtfDiskEntry *entries)
{
    const char *fault = NULL;

    if (!xtf_unpack_rows(&entry_schema, item + list->at, list->length, list->n_entries, (uint8_t *)entries, &fault))
        return fault;
    if (xtf_read64(entries[0].before) != 0 || xtf_read64(entries[list->n_entries - 1].before) >= n_rows)
        return "it does not begin with row 0, or goes beyond the last row";
    for (uint32_t i = 1; i < list->n_entries; i++)
        if (xtf_read64(entries[i].before) <= xtf_read64(entries[i - 1].before))
            return "its numbers of rows do not rise";
    return NULL;
}

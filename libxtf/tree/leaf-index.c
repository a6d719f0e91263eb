/*
 * Leaf lists: a copy of the entries of level 1, from which a reader finds a leaf without index pages. Only traces whose
 * requests are slow load them. A list that is damaged is not used: the index pages say the same.
 */
#include "libxtf/base/fetching-source.h"
#include "libxtf/tree/descent.h"
#include "libxtf/tree/items.h"

void xtf_superblock_prefer_longer_run(const XtfSource *source, XtfSuperblock *superblocks, unsigned n)
{
    if (!xtf_source_is_fetching(source) || n < 2 || superblocks[0].info.commit != superblocks[1].info.commit ||
        superblocks[1].opening_bytes <= superblocks[0].opening_bytes)
        return;
    XtfSuperblock shorter = superblocks[0];
    superblocks[0] = superblocks[1];
    superblocks[1] = shorter;
}

void xtf_trace_load_leaf_lists(XtfTrace *trace)
{
    XtfRef ref = trace->catalog.leaf_lists;

    if (ref.length == 0 || !xtf_source_is_fetching(trace->source))
        return;
    g_autofree uint8_t *item = xtf_trace_read_item(trace, ref, "leaf lists", NULL);
    trace->leaf_lists = item ? xtf_leaf_lists_decode(item, ref.length, NULL) : NULL;
    if (trace->leaf_lists)
        trace->leaf_lists_item = g_steal_pointer(&item);
}

/* Context of the block maker unpack_list(): the list to unpack. */
typedef struct {
    const XtfArray *array;
    const XtfLeafList *list;
} ListContext;

static bool unpack_list(void *user, uint8_t **data, uint32_t *length, GError **error)
{
    const ListContext *context = user;
    const XtfArray *array = context->array;
    const XtfLeafList *list = context->list;

    if (list->n_entries - 1 > xtf_array_segment(array)->pages) /* each leaf but the open one is a page */
        return xtf_damaged(error, "array %u: its leaf list has more leaves than there are pages", array->id);
    *length = list->n_entries * (uint32_t)sizeof(XtfDiskEntry);
    g_autofree uint8_t *entries = xtf_trace_allocate(*length, "leaf list", error);
    const char *fault = entries ? xtf_leaf_list_unpack(list, array->trace->leaf_lists_item, array->n_rows,
                                                       (XtfDiskEntry *)(void *)entries)
                                : NULL;
    if (fault)
        xtf_damaged(error, "array %u: its leaf list: %s", array->id, fault);
    if (!entries || fault)
        return false;
    *data = g_steal_pointer(&entries);
    return true;
}

bool xtf_leaf_list_get(const XtfArray *array, XtfDescentPage *page)
{
    const XtfTrace *trace = array->trace;
    const XtfLeafList *list = xtf_leaf_lists_find(trace->leaf_lists, array->segment, array->id);
    ListContext context = {.array = array, .list = list};

    if (!list || array->height < 2 || array->joined)
        return false;
    XtfBlock *block = xtf_cache_make(trace->cache, trace->catalog.leaf_lists.offset + list->at, list->length,
                                     trace->catalog.leaf_lists.checksum, unpack_list, &context, NULL);
    if (!block)
        return false;
    *page = (XtfDescentPage){.array = array, .level = 1, .open = true, .end = array->n_rows};
    page->page = (XtfPageView){.block = block,
                               .payload = block->data,
                               .keys = block->data,
                               .stride = sizeof(XtfDiskEntry),
                               .count = list->n_entries};
    return true;
}

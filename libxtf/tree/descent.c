#include "libxtf/tree/descent.h"

#include "libxtf/tree/leaf.h"

static const XtfDiskEntry *entry_at(const XtfWalkPage *page, uint32_t slot)
{
    return (const XtfDiskEntry *)page->page.payload + slot;
}

void xtf_walk_root_leaf(const XtfArray *array, const XtfBlock *edge, XtfWalkLeaf *leaf)
{
    *leaf = (XtfWalkLeaf){.array = array, .open = true, .end = array->n_rows, .offset = edge->offset};
}

void xtf_walk_root_page(const XtfArray *array, XtfBlock *edge, XtfWalkPage *root)
{
    *root =
        (XtfWalkPage){.array = array, .edge = edge, .level = array->height - 1u, .open = true, .end = array->n_rows};
    xtf_view_edge(array, edge, root->level, &root->page);
}

uint64_t xtf_walk_start(const XtfWalkPage *page, uint32_t slot)
{
    return xtf_read64(entry_at(page, slot)->before);
}

uint64_t xtf_walk_end(const XtfWalkPage *page, uint32_t slot)
{
    return slot + 1 < page->page.count ? xtf_walk_start(page, slot + 1) : page->end;
}

uint32_t xtf_walk_slot(const XtfWalkPage *page, uint64_t n)
{
    uint32_t low = 0, high = page->page.count - 1;

    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (xtf_walk_start(page, middle) <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static bool is_open_child(const XtfWalkPage *page, uint32_t slot)
{
    return page->open && slot + 1 == page->page.count;
}

void xtf_walk_leaf(const XtfWalkPage *page, uint32_t slot, XtfWalkLeaf *leaf)
{
    const XtfTrace *trace = page->array->trace;
    uint64_t place = xtf_read64(entry_at(page, slot)->child);
    bool open = is_open_child(page, slot);

    *leaf = (XtfWalkLeaf){
        .array = page->array,
        .parent = page,
        .slot = slot,
        .open = open,
        .place = place,
        .first_n = xtf_walk_start(page, slot),
        .end = xtf_walk_end(page, slot),
        .offset = open ? page->edge->offset
                       : (trace->catalog.segments[page->array->segment].first_page + place) *
                             trace->superblock.info.page_size,
    };
}

bool xtf_walk_down(const XtfWalkPage *page, uint32_t slot, XtfWalkPage *child, GError **error)
{
    const XtfArray *array = page->array;
    const XtfDiskEntry *entry = entry_at(page, slot);
    XtfWalkPage to = {
        .array = array,
        .edge = page->edge,
        .level = page->level - 1,
        .open = is_open_child(page, slot),
        .end = xtf_walk_end(page, slot),
    };

    if (to.open) {
        xtf_view_edge(array, page->edge, to.level, &to.page);
    } else {
        XtfBlock *block = xtf_page_get(array, xtf_read64(entry->child), to.level, error);
        if (!block)
            return false;
        xtf_view_page(array, block, &to.page);
    }
    /* Its entries lie behind one another, so the last one's must lie before the end for all to do. */
    if (to.page.first_n == xtf_read64(entry->before) && xtf_page_time(&to.page, 0) == xtf_read64(entry->first_t) &&
        xtf_walk_start(&to, to.page.count - 1) < to.end) {
        *child = to;
        return true;
    }
    xtf_walk_leave(&to);
    return xtf_damaged(error, "array %u: page %" PRIu64 " does not hold what the entry that names it says", array->id,
                       xtf_read64(entry->child));
}

void xtf_walk_leave(XtfWalkPage *page)
{
    if (!page->open)
        xtf_cache_put(page->array->trace->cache, page->page.block);
}

bool xtf_walk_rows(const XtfWalkLeaf *leaf, XtfPageView *view, GError **error)
{
    const XtfArray *array = leaf->array;

    if (leaf->open) {
        XtfBlock *edge = xtf_edge_get(array, error);
        if (!edge || !xtf_leaf_get_open(array, edge, XTF_LEAF_ROWS, view, error))
            return false;
    } else if (!xtf_leaf_get(array, leaf->place, XTF_LEAF_ROWS, view, error)) {
        return false;
    }
    if (view->first_n == leaf->first_n && view->count == leaf->end - leaf->first_n)
        return true;
    xtf_cache_put(array->trace->cache, view->block);
    return xtf_damaged(error, "array %u: leaf %" PRIu64 " does not hold rows %" PRIu64 " to %" PRIu64, array->id,
                       leaf->place, leaf->first_n, leaf->end);
}

bool xtf_way_find(const XtfArray *array, uint64_t n, XtfWay *way, GError **error)
{
    way->n_pages = 0;
    way->leaf.array = array;
    way->edge = xtf_edge_get(array, error);
    if (!way->edge)
        return false;
    if (array->height == 1) {
        xtf_walk_root_leaf(array, way->edge, &way->leaf);
        return true;
    }
    xtf_walk_root_page(array, way->edge, &way->pages[way->n_pages++]);
    for (;;) {
        const XtfWalkPage *page = &way->pages[way->n_pages - 1];
        uint32_t slot = xtf_walk_slot(page, n);
        if (page->level == 1) {
            xtf_walk_leaf(page, slot, &way->leaf);
            return true;
        }
        if (!xtf_walk_down(page, slot, &way->pages[way->n_pages], error)) {
            xtf_way_leave(way);
            return false;
        }
        way->n_pages++;
    }
}

void xtf_way_leave(XtfWay *way)
{
    while (way->n_pages > 0)
        xtf_walk_leave(&way->pages[--way->n_pages]);
    if (way->edge)
        xtf_cache_put(way->leaf.array->trace->cache, g_steal_pointer(&way->edge));
}

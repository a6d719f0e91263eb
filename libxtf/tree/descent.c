#include "libxtf/tree/descent.h"

void xtf_descent_root_leaf(const XtfArray *array, XtfBlock *edge, XtfDescentLeaf *leaf)
{
    *leaf = (XtfDescentLeaf){.array = array, .edge = edge, .open = true, .end = array->n_rows, .offset = edge->offset};
}

void xtf_descent_root_page(const XtfArray *array, XtfBlock *edge, XtfDescentPage *root)
{
    *root =
        (XtfDescentPage){.array = array, .edge = edge, .level = array->height - 1u, .open = true, .end = array->n_rows};
    xtf_page_view_of_edge(array, edge, root->level, &root->page);
}

uint64_t xtf_descent_child_start(const XtfDescentPage *page, uint32_t slot)
{
    return xtf_read64(xtf_page_entry(&page->page, slot)->before);
}

uint64_t xtf_descent_child_end(const XtfDescentPage *page, uint32_t slot)
{
    return slot + 1 < page->page.count ? xtf_descent_child_start(page, slot + 1) : page->end;
}

uint32_t xtf_descent_child_of_row(const XtfDescentPage *page, uint64_t n)
{
    uint32_t low = 0, high = page->page.count - 1;

    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (xtf_descent_child_start(page, middle) <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static bool is_open_child(const XtfDescentPage *page, uint32_t slot)
{
    return page->open && slot + 1 == page->page.count;
}

void xtf_descent_leaf(const XtfDescentPage *page, uint32_t slot, XtfDescentLeaf *leaf)
{
    const XtfArray *array = page->array;
    uint64_t place = xtf_read64(xtf_page_entry(&page->page, slot)->child);
    bool open = is_open_child(page, slot);

    *leaf = (XtfDescentLeaf){
        .array = array,
        .edge = page->edge,
        .parent = page,
        .slot = slot,
        .open = open,
        .place = place,
        .first_n = xtf_descent_child_start(page, slot),
        .end = xtf_descent_child_end(page, slot),
        .offset =
            open ? page->edge->offset : xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), place),
    };
}

bool xtf_descent_enter(const XtfDescentPage *page, uint32_t slot, XtfDescentPage *child, GError **error)
{
    const XtfArray *array = page->array;
    const XtfDiskEntry *entry = xtf_page_entry(&page->page, slot);
    XtfDescentPage to = {
        .array = array,
        .edge = page->edge,
        .level = page->level - 1,
        .open = is_open_child(page, slot),
        .end = xtf_descent_child_end(page, slot),
    };

    if (to.open) {
        xtf_page_view_of_edge(array, page->edge, to.level, &to.page);
    } else {
        XtfBlock *block = xtf_page_get(array, xtf_read64(entry->child), to.level, error);
        if (!block)
            return false;
        xtf_page_view_of_page(array, block, &to.page);
    }
    /* Its entries lie behind one another, so if the last one's rows lie before the end, all do. */
    if (to.page.first_n == xtf_read64(entry->before) && xtf_page_time(&to.page, 0) == xtf_read64(entry->first_t) &&
        xtf_descent_child_start(&to, to.page.count - 1) < to.end) {
        *child = to;
        return true;
    }
    xtf_descent_leave(&to);
    return xtf_damaged(error, "array %u: page %" PRIu64 " does not hold what the entry that names it says", array->id,
                       xtf_read64(entry->child));
}

void xtf_descent_leave(XtfDescentPage *page)
{
    if (!page->open)
        xtf_page_view_finish(&page->page);
}

bool xtf_descent_leaf_get(const XtfDescentLeaf *leaf, XtfLeafPart part, XtfPageView *view, GError **error)
{
    const XtfArray *array = leaf->array;
    g_auto(XtfPageView) read = {0};

    if (!(leaf->open ? xtf_leaf_get_open(array, leaf->edge, part, &read, error)
                     : xtf_leaf_get(array, leaf->place, part, &read, error)))
        return false;
    if (read.first_n != leaf->first_n || read.count != leaf->end - leaf->first_n)
        return xtf_damaged(error, "array %u: leaf %" PRIu64 " does not hold rows %" PRIu64 " to %" PRIu64, array->id,
                           leaf->place, leaf->first_n, leaf->end);
    if (leaf->parent && xtf_page_time(&read, 0) != xtf_read64(xtf_page_entry(&leaf->parent->page, leaf->slot)->first_t))
        return xtf_damaged(error, "array %u: leaf %" PRIu64 " does not begin as the entry that names it says",
                           array->id, leaf->place);
    *view = xtf_page_view_steal(&read);
    return true;
}

bool xtf_descent_find(const XtfArray *array, uint64_t n, XtfDescent *descent, GError **error)
{
    descent->n_pages = 0;
    descent->edge = xtf_edge_get(array, error);
    if (!descent->edge)
        return false;
    if (array->height == 1) {
        xtf_descent_root_leaf(array, descent->edge, &descent->leaf);
        return true;
    }
    xtf_descent_root_page(array, descent->edge, &descent->pages[descent->n_pages++]);
    for (;;) {
        const XtfDescentPage *page = &descent->pages[descent->n_pages - 1];
        uint32_t slot = xtf_descent_child_of_row(page, n);
        if (page->level == 1) {
            xtf_descent_leaf(page, slot, &descent->leaf);
            return true;
        }
        if (!xtf_descent_enter(page, slot, &descent->pages[descent->n_pages], error)) {
            xtf_descent_finish(descent);
            return false;
        }
        descent->n_pages++;
    }
}

void xtf_descent_finish(XtfDescent *descent)
{
    while (descent->n_pages > 0)
        xtf_descent_leave(&descent->pages[--descent->n_pages]);
    xtf_block_put(g_steal_pointer(&descent->edge));
}

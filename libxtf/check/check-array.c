/*
 * Walking an array. The walk descends as a reader does, so all that a reader verifies on the way is verified; the walk
 * adds what only a whole level shows: its links, and that sealed pages are full.
 */
#include "libxtf/check/check-private.h"
#include "libxtf/disk/page.h"
#include "libxtf/totals/stored.h"

/* One step along a level: checks the links and numbers of a page, sealed or open (an open page's `next` is 0, and its
 * place may be). False if the page was passed before, so that a walk that goes in circles ends. */
static bool pass_page(XtfChecking *check, unsigned level, const XtfPageView *view, uint64_t place, bool open)
{
    XtfLevelWalk *walk = &check->levels[level];
    uint32_t id = check->array->id;

    if (view->first_n != walk->n)
        xtf_checking_problem(check, "array %u, level %u: a page begins at row %" PRIu64 ", not %" PRIu64, id, level,
                             view->first_n, walk->n);
    if (view->previous != walk->place)
        xtf_checking_problem(check,
                             "array %u, level %u: page %" PRIu64 " says page %" PRIu64 " is before it, not %" PRIu64,
                             id, level, place, view->previous, walk->place);
    if (walk->place && place != walk->next)
        xtf_checking_problem(check,
                             "array %u, level %u: page %" PRIu64 " says page %" PRIu64 " is behind it, not %" PRIu64,
                             id, level, walk->place, walk->next, place);
    if (open && !walk->place && place)
        xtf_checking_problem(check, "array %u, level %u: page %" PRIu64 " is reserved, though none was sealed", id,
                             level, place);
    if (open && place && place >= xtf_array_segment(check->array)->pages)
        xtf_checking_problem(check, "array %u, level %u: page %" PRIu64 " is reserved, behind the array's segment", id,
                             level, place);
    *walk = (XtfLevelWalk){.place = place, .next = view->next, .n = view->first_n};
    return !place || xtf_checking_use_page(check, xtf_page_number(xtf_array_segment(check->array), place),
                                           open ? XTF_USE_RESERVED : XTF_USE_PAGE);
}

static void pass_leaf(XtfChecking *check, const XtfPageView *leaf)
{
    const XtfSchema *schema = check->array->schema;

    if (xtf_page_time(leaf, 0) < check->last_t)
        xtf_checking_problem(check, "array %u: time goes backwards before row %" PRIu64, check->array->id,
                             leaf->first_n);
    check->last_t = xtf_page_time(leaf, leaf->count - 1);
    check->levels[0].n = leaf->first_n + leaf->count;
    xtf_value_check_rows(check->values, schema, leaf->payload, leaf->count);
}

/* Whether a sealed page is as full as it can be. Of packed rows this is not known without packing more of them. */
static bool is_full(const XtfArray *array, unsigned level, uint32_t count)
{
    uint32_t page_size = xtf_array_page_size(array);

    if (level > 0)
        return count == xtf_index_entries_max(page_size);
    return !xtf_codec(array->codec)->side_by_side || count == xtf_page_room(page_size) / array->schema->row_size;
}

/* What follows the payload of a page, or of a companion, in its last page. */
static void check_rest(XtfChecking *check, uint64_t place, const uint8_t *rest, uint32_t n)
{
    if (!xtf_checking_all_zero(rest, n))
        xtf_checking_problem(check, "array %u: page %" PRIu64 ": bytes stand behind its payload", check->array->id,
                             place);
}

static void check_companion_rest(XtfChecking *check, uint64_t place, uint64_t used)
{
    g_autoptr(GError) error = NULL;
    XtfSource *source = check->trace->source;
    uint32_t page_size = xtf_array_page_size(check->array), n = (uint32_t)((page_size - used % page_size) % page_size);
    uint64_t at = xtf_page_offset(xtf_array_segment(check->array), page_size, place) + used;
    g_autofree uint8_t *rest = g_malloc(page_size);

    if (at > xtf_source_size(source) || n > xtf_source_size(source) - at)
        return; /* who reads the companion says so */
    if (source->ops->read(source, at, rest, n, &error))
        check_rest(check, place, rest, n);
    else
        xtf_checking_take_error(check, &error);
}

/* The pages of an index page's companion. Its content is checked once the array is known to be sound. */
static void use_companion(XtfChecking *check, uint64_t place, const XtfDiskPage *page)
{
    g_autoptr(GError) error = NULL;
    XtfSource *source = check->trace->source;
    uint32_t page_size = xtf_array_page_size(check->array), companion = xtf_read32(page->companion);
    uint64_t first = xtf_page_number(xtf_array_segment(check->array), place + companion);
    XtfDiskPage head;

    if (companion == 0 || xtf_checking_page_slot(check, first) >= check->n_uses)
        return;
    if (!source->ops->read(source, first * page_size, &head, sizeof head, &error)) {
        xtf_checking_take_error(check, &error);
        return;
    }
    uint64_t n_pages = (sizeof head + (uint64_t)xtf_read32(head.length) + page_size - 1) / page_size;
    for (uint64_t i = 0; i < n_pages && !xtf_checking_stopping(check); i++)
        xtf_checking_use_page(check, first + i, XTF_USE_PAGE);
    check_companion_rest(check, place + companion, sizeof head + (uint64_t)xtf_read32(head.length));
}

static void check_page_rest(XtfChecking *check, unsigned level, uint64_t place)
{
    g_autoptr(GError) error = NULL;
    XtfBlock *page = xtf_page_get(check->array, place, level, &error);

    if (page) {
        uint32_t used = (uint32_t)sizeof(XtfDiskPage) + xtf_read32(xtf_page_head(page)->length);
        check_rest(check, place, page->data + used, page->length - used);
    } else {
        xtf_checking_take_error(check, &error);
    }
    xtf_block_drop(page); /* of packed rows nobody needs it again */
}

/* Passes a page or leaf that a descent came to by an entry. False if it was passed before. */
static bool pass_child(XtfChecking *check, unsigned level, const XtfPageView *view, uint64_t place, bool open)
{
    if (!open && check->report.pages++ % 256 == 0)
        xtf_checking_report_progress(check);
    bool fresh = pass_page(check, level, view, place, open);
    if (!open && !is_full(check->array, level, view->count))
        xtf_checking_problem(check, "array %u: page %" PRIu64 " is sealed, but not full", check->array->id, place);
    if (!open)
        check_page_rest(check, level, place);
    return fresh;
}

/* The totals of a page's children, as they are stored. */
static void verify_totals(XtfChecking *check, const XtfDescentPage *page)
{
    g_autoptr(GError) error = NULL;
    g_autofree uint8_t *bytes = NULL;
    XtfBytesReader tables;

    if (xtf_read32(xtf_page_head(page->page.block)->companion) > 0 &&
        !xtf_stored_totals_tables(page, &bytes, &tables, &error))
        xtf_checking_take_error(check, &error);
}

/* What the head of a sealed leaf says, whose rows are not unpacked. */
static bool view_head(const XtfDescentLeaf *leaf, uint64_t place, XtfPageView *view, GError **error)
{
    g_autoptr(XtfBlock) page = xtf_page_get(leaf->array, place, 0, error);

    if (!page)
        return false;
    const XtfDiskPage *head = xtf_page_head(page);
    *view = (XtfPageView){.count = xtf_read32(head->count),
                          .first_n = xtf_read64(head->first_n),
                          .previous = xtf_read64(head->previous),
                          .next = xtf_read64(head->next)};
    return (view->first_n == leaf->first_n && view->count == leaf->end - leaf->first_n) ||
           xtf_damaged(error, "page %" PRIu64 ": it does not hold the rows that its parent says", place);
}

/* What could not be read is passed over. */
static void skip_child(XtfChecking *check, unsigned level, uint64_t place, GError **error)
{
    xtf_checking_take_error(check, error);
    check->levels[level] = (XtfLevelWalk){.place = place, .n = check->levels[level].n};
}

static void walk_leaf(XtfChecking *check, const XtfDescentLeaf *leaf, uint64_t place)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfPageView) view = {0};
    bool head_only = check->stored_only && !leaf->open;

    if (!(head_only ? view_head(leaf, place, &view, &error) : xtf_descent_leaf_rows(leaf, &view, &error)))
        skip_child(check, 0, place, &error);
    else if (!pass_child(check, 0, &view, place, leaf->open))
        return;
    else if (head_only)
        check->levels[0].n = view.first_n + view.count;
    else
        pass_leaf(check, &view);
}

static void walk_children(XtfChecking *check, const XtfDescentPage *page);

static void walk_child(XtfChecking *check, const XtfDescentPage *page, uint32_t slot)
{
    g_autoptr(GError) error = NULL;
    uint64_t place = xtf_read64(xtf_page_entry(&page->page, slot)->child);
    XtfDescentPage child;

    if (page->level == 1) {
        XtfDescentLeaf leaf;
        xtf_descent_leaf(page, slot, &leaf);
        walk_leaf(check, &leaf, place);
        return;
    }
    if (!xtf_descent_enter(page, slot, &child, &error)) {
        skip_child(check, page->level - 1, place, &error);
        return;
    }
    if (pass_child(check, child.level, &child.page, place, child.open)) {
        if (!child.open)
            use_companion(check, place, xtf_page_head(child.page.block));
        if (!child.open && check->stored_only)
            verify_totals(check, &child);
        walk_children(check, &child);
    }
    xtf_descent_leave(&child);
}

static void walk_children(XtfChecking *check, const XtfDescentPage *page)
{
    for (uint32_t slot = 0; slot < page->page.count && !xtf_checking_stopping(check); slot++)
        walk_child(check, page, slot);
    check->levels[page->level].n = check->levels[page->level - 1].n;
}

static void walk_tree(XtfChecking *check, XtfBlock *edge)
{
    const XtfArray *array = check->array;
    uint64_t place = xtf_edge_level(edge->data, array->height, array->height - 1u).place;
    XtfDescentLeaf leaf;
    XtfDescentPage root;

    if (array->height == 1) {
        xtf_descent_root_leaf(array, edge, &leaf);
        walk_leaf(check, &leaf, place);
        return;
    }
    xtf_descent_root_page(array, edge, &root);
    pass_page(check, root.level, &root.page, place, true);
    walk_children(check, &root);
}

/* Nothing may follow the last part of an edge. */
static void check_edge_end(XtfChecking *check, const XtfBlock *edge)
{
    const XtfArray *array = check->array;
    unsigned last = array->schema->n_aggregates > 0 ? array->height : 0;
    XtfBytesReader totals = xtf_edge_totals(edge->data, edge->length, array->height, last);

    if (totals.failed || totals.at + totals.left != edge->data + edge->length)
        xtf_checking_problem(check, "array %u: its right edge is not as long as its parts", array->id);
}

void xtf_checking_walk_array(XtfChecking *check, const XtfArray *array)
{
    g_autoptr(GError) error = NULL;
    uint64_t problems = check->report.problems, first;

    check->array = array;
    check->last_t = array->first;
    memset(check->levels, 0, sizeof check->levels);
    xtf_checking_use_item(check, xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0),
                          (XtfRef){.offset = array->edge_offset, .length = array->edge_length});
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, &error);
    if (!edge) {
        xtf_checking_take_error(check, &error);
        return;
    }
    xtf_checking_use_item(check, xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0),
                          xtf_edge_leaf(array, edge->data));
    check_edge_end(check, edge);
    walk_tree(check, edge);
    check->report.rows += array->n_rows;
    check->n_rows[array->schema->id] += array->n_rows;
    if (check->stored_only)
        check->unknown[array->schema->id] = true; /* what its rows say */
    if (check->stored_only || xtf_checking_stopping(check) || check->report.problems > problems)
        return; /* the checks below would only repeat what is known to be wrong */
    if (!xtf_array_time(array, 0, &first, &error))
        xtf_checking_take_error(check, &error);
    else if (first != array->first || check->last_t != array->last)
        xtf_checking_problem(check, "array %u: its first and last times are not what the P index says", array->id);
    else
        xtf_checking_aggregates(check, array);
}

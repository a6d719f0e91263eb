/*
 * The walk over an array's pages. The walk descends like a reader, and so verifies all that a reader verifies. In
 * addition it checks the properties of whole levels: the links between pages, and that sealed pages are full.
 */
#include "libxtf/check/check-private.h"
#include "libxtf/disk/page.h"
#include "libxtf/totals/tables/stored.h"

/* Moves one page along a level, and checks the links and row numbers of the page, sealed or open. An open page's `next`
 * is 0, and its place may be 0. Returns false if the walk has already met the page, so that circular links end the
 * walk. */
static bool process_page(XtfChecking *check, unsigned level, const XtfPageView *view, uint64_t place, bool open)
{
    XtfLevelWalk *walk = &check->levels[level];
    uint32_t id = check->array->id;

    if (view->first_n != walk->n)
        xtf_checking_problem(check, "array %u, level %u: a page begins at row %" PRIu64 ", not %" PRIu64, id, level,
                             view->first_n, walk->n);
    /* In a trace of volumes, the link to the next page leads nowhere at a volume's end. */
    bool linked = !xtf_trace_has_volumes(check->trace);

    if (view->previous != walk->place && !walk->unread)
        xtf_checking_problem(
            check, "array %u, level %u: page %" PRIu64 " names page %" PRIu64 " as its previous page, not %" PRIu64, id,
            level, place, view->previous, walk->place);
    if (linked && walk->place && place != walk->next)
        xtf_checking_problem(
            check, "array %u, level %u: page %" PRIu64 " names page %" PRIu64 " as its next page, not %" PRIu64, id,
            level, walk->place, walk->next, place);
    if (open && !walk->place && !walk->unread && place)
        xtf_checking_problem(check, "array %u, level %u: page %" PRIu64 " is reserved, but no page is sealed", id,
                             level, place);
    if (open && place && place >= xtf_array_segment(check->array)->pages)
        xtf_checking_problem(check,
                             "array %u, level %u: page %" PRIu64 " is reserved after the end of the array's segment",
                             id, level, place);
    *walk = (XtfLevelWalk){.place = place, .next = view->next, .n = view->first_n};
    return !place || xtf_checking_use_page(check, xtf_page_number(xtf_array_segment(check->array), place),
                                           open ? XTF_USE_RESERVED : XTF_USE_PAGE);
}

static void process_leaf(XtfChecking *check, const XtfPageView *leaf)
{
    const XtfSchema *schema = check->array->schema;

    if (xtf_page_time(leaf, 0) < check->last_t)
        xtf_checking_problem(check, "array %u: time goes backwards before row %" PRIu64, check->array->id,
                             leaf->first_n);
    check->last_t = xtf_page_time(leaf, leaf->count - 1);
    check->levels[0].n = leaf->first_n + leaf->count;
    xtf_value_check_rows(check->values, schema, leaf->payload, leaf->count);
}

/* True if a sealed page is as full as possible. For packed rows the answer is always true: the check would have to pack
 * more rows to find out. */
static bool is_full(const XtfArray *array, unsigned level, uint32_t count)
{
    uint32_t page_size = xtf_array_page_size(array);

    if (level > 0)
        return count == xtf_index_entries_max(page_size);
    return !xtf_codec(array->codec)->side_by_side || count == xtf_page_room(page_size) / array->schema->row_size;
}

/* Checks that the bytes after the payload of a page are zero. In a companion, such bytes reach to the end of its last
 * page. */
static void check_unused_bytes(XtfChecking *check, uint64_t place, const uint8_t *unused, uint32_t n)
{
    if (!xtf_checking_all_zero(unused, n))
        xtf_checking_problem(check, "array %u: page %" PRIu64 ": there are bytes after its payload", check->array->id,
                             place);
}

static void check_companion_unused_bytes(XtfChecking *check, uint64_t place, uint64_t used)
{
    g_autoptr(GError) error = NULL;
    XtfSource *source = check->trace->source;
    uint32_t page_size = xtf_array_page_size(check->array), n = (uint32_t)((page_size - used % page_size) % page_size);
    uint64_t at = xtf_page_offset(xtf_array_segment(check->array), page_size, place) + used;
    g_autofree uint8_t *unused = g_malloc(page_size);

    if (at > xtf_source_size(source) || n > xtf_source_size(source) - at)
        return; /* reading the companion reports the problem */
    if (source->ops->read(source, at, unused, n, &error))
        check_unused_bytes(check, place, unused, n);
    else
        xtf_checking_take_error(check, &error);
}

/* Records the pages of an index page's companion as used. Their content is checked after the array has proved sound. */
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
    check_companion_unused_bytes(check, place + companion, sizeof head + (uint64_t)xtf_read32(head.length));
}

static void check_page_unused_bytes(XtfChecking *check, const XtfArray *array, unsigned level, uint64_t place)
{
    g_autoptr(GError) error = NULL;
    XtfBlock *page = xtf_page_get(array, place, level, &error);

    if (page) {
        uint32_t used = (uint32_t)sizeof(XtfDiskPage) + xtf_read32(xtf_page_head(page)->length);
        check_unused_bytes(check, place, page->data + used, page->length - used);
    } else {
        xtf_checking_take_error(check, &error);
    }
    xtf_block_drop(page); /* nothing reads this page again */
}

/* Processes a page or leaf that a descent reached by an entry. Returns false if the walk has already met it. */
static bool process_child(XtfChecking *check, unsigned level, const XtfPageView *view, uint64_t place, bool open)
{
    if (!open && check->report.pages++ % 256 == 0)
        xtf_checking_report_progress(check);
    bool is_new = process_page(check, level, view, place, open);
    if (!open && !is_full(check->array, level, view->count))
        xtf_checking_problem(check, "array %u: page %" PRIu64 " is sealed, but not full", check->array->id, place);
    if (!open)
        check_page_unused_bytes(check, check->array, level, place);
    return is_new;
}

/* Verifies the stored totals of a page's children, without rows. */
static void verify_totals(XtfChecking *check, const XtfDescentPage *page)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfCompanionTables) tables = {0};
    XtfBytesReader bytes;

    if (xtf_read32(xtf_page_head(page->page.block)->companion) > 0 &&
        !xtf_stored_totals_tables(page, &tables, &bytes, &error))
        xtf_checking_take_error(check, &error);
}

/* Reads the head of a sealed leaf without unpacking its rows. */
static bool read_leaf_head(const XtfDescentLeaf *leaf, uint64_t place, XtfPageView *view, GError **error)
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

/* Reports an unreadable page and skips it. */
static void skip_child(XtfChecking *check, unsigned level, uint64_t place, GError **error)
{
    xtf_checking_take_error(check, error);
    check->levels[level] = (XtfLevelWalk){.place = place, .n = check->levels[level].n};
}

/* True if a sealed page is in a file that cannot be read. The file has been reported, unless it was removed on
 * purpose. */
static bool is_unread(XtfChecking *check, uint64_t place)
{
    uint64_t page = xtf_page_number(xtf_array_segment(check->array), place);

    if (xtf_checking_can_read(check, page))
        return false;
    check->removed |= xtf_checking_is_removed(check, page);
    return true;
}

/* Passes over an unread page, and over all pages below it, which have the rows up to `end`. */
static void pass_over_child(XtfChecking *check, unsigned level, uint64_t end)
{
    check->unread_rows += end - check->levels[0].n;
    for (unsigned i = 0; i <= level; i++)
        check->levels[i] = (XtfLevelWalk){.place = check->levels[i].place, .n = end, .unread = true};
}

/* ---- Leaves of joined arrays. */

/* Records the items of a piece's array as used. Index pages of that array are not used.
 */
static void use_piece(XtfChecking *check, const XtfArray *source)
{
    g_autoptr(GError) error = NULL;
    uint64_t base = xtf_page_offset(xtf_array_segment(source), xtf_array_page_size(source), 0);
    g_autoptr(XtfBlock) edge = xtf_edge_get(source, &error);

    xtf_checking_add_identity(check, source);
    xtf_checking_use_item(check, base, (XtfRef){.offset = source->edge_offset, .length = source->edge_length});
    if (edge)
        xtf_checking_use_item(check, base, xtf_edge_leaf(source, edge->data));
    else
        xtf_checking_take_error(check, &error);
}

/* Returns the page of a leaf of a piece: its own, or that of the right edge that holds it. */
static uint64_t page_in_piece(const XtfArray *source, uint64_t place)
{
    return xtf_page_number(xtf_array_segment(source),
                           place > 0 ? place : source->edge_offset / xtf_array_page_size(source));
}

/* Checks a leaf of a joined array. Its neighbours may be in other arrays, so its links say nothing. */
static void walk_joined_leaf(XtfChecking *check, const XtfDescentLeaf *leaf, uint64_t place)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfPageView) view = {0};
    XtfPiece piece;
    XtfArray source;

    if (!xtf_joined_piece(check->array, leaf->edge, leaf->first_n, &piece, &source, &error)) {
        skip_child(check, 0, place, &error);
        check->levels[0].n = leaf->end;
        return;
    }
    bool elsewhere = piece.kind == XTF_PIECE_ARRAY;
    if (elsewhere && !xtf_checking_can_read(check, page_in_piece(&source, place))) {
        pass_over_child(check, 0, leaf->end);
        return;
    }
    if (!xtf_descent_leaf_rows(leaf, &view, &error)) {
        skip_child(check, 0, place, &error);
        check->levels[0].n = leaf->end;
        return;
    }
    if (view.first_n != check->levels[0].n)
        xtf_checking_problem(check, "array %u: a leaf begins at row %" PRIu64 ", not %" PRIu64, check->array->id,
                             view.first_n, check->levels[0].n);
    if (elsewhere && view.first_n == piece.first_n)
        use_piece(check, &source);
    if (elsewhere && place > 0) {
        check->report.pages++;
        if (xtf_checking_use_page(check, xtf_page_number(xtf_array_segment(&source), place), XTF_USE_PAGE))
            check_page_unused_bytes(check, &source, 0, place);
    }
    process_leaf(check, &view);
}

static void walk_leaf(XtfChecking *check, const XtfDescentLeaf *leaf, uint64_t place)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfPageView) view = {0};
    bool head_only = check->stored_only && !leaf->open;

    if (check->array->joined) {
        walk_joined_leaf(check, leaf, place);
        return;
    }
    if (!(head_only ? read_leaf_head(leaf, place, &view, &error) : xtf_descent_leaf_rows(leaf, &view, &error)))
        skip_child(check, 0, place, &error);
    else if (!process_child(check, 0, &view, place, leaf->open))
        return;
    else if (head_only)
        check->levels[0].n = view.first_n + view.count;
    else
        process_leaf(check, &view);
}

static void walk_children(XtfChecking *check, const XtfDescentPage *page);

static void walk_child(XtfChecking *check, const XtfDescentPage *page, uint32_t slot)
{
    g_autoptr(GError) error = NULL;
    uint64_t place = xtf_read64(xtf_page_entry(&page->page, slot)->child);
    bool open = page->open && slot + 1 == page->page.count;
    XtfDescentPage child;

    bool own = !(page->level == 1 && page->array->joined); /* else the leaf's page is in another array's segment */

    if (!open && own && is_unread(check, place)) {
        pass_over_child(check, page->level - 1, xtf_descent_child_end(page, slot));
        return;
    }
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
    if (process_child(check, child.level, &child.page, place, child.open)) {
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
    check->root_first = xtf_read64(xtf_page_entry(&root.page, 0)->first_t);
    process_page(check, root.level, &root.page, place, true);
    walk_children(check, &root);
}

/* Checks that no bytes follow the last totals in a right edge but the pieces of a joined array. The walk checks what
 * the pieces contain. */
static void check_edge_end(XtfChecking *check, const XtfBlock *edge)
{
    const XtfArray *array = check->array;
    unsigned last = array->schema->n_aggregates > 0 ? array->height : 0;
    XtfBytesReader totals = xtf_edge_totals(edge->data, edge->length, array->height, last);
    const uint8_t *end = totals.at + totals.left;
    uint32_t left = totals.failed ? 0 : (uint32_t)(edge->data + edge->length - end);

    if (totals.failed || (array->joined ? !xtf_pieces_fill(end, left) : left > 0))
        xtf_checking_problem(check, "array %u: its right edge is not as long as its parts", array->id);
}

/* True if the array's right edge is in a file that cannot be read. */
static bool has_unread_edge(XtfChecking *check, const XtfArray *array)
{
    uint64_t page = array->edge_offset / xtf_array_page_size(array);

    return array->edge_length > 0 && is_unread(check, page);
}

/* Counts the rows of an array by its entry in the P index. If some rows were not read, the limits of the schema's
 * values are unknown. */
static void count_checked_rows(XtfChecking *check)
{
    const XtfArray *array = check->array;

    check->report.rows += array->n_rows - check->unread_rows;
    check->report.removed_arrays += check->removed;
    check->n_rows[array->schema->id] += array->n_rows;
    if (check->stored_only || check->unread_rows > 0)
        check->unknown[array->schema->id] = true;
}

/* Compares the array's first and last time with the P index. Returns false if they differ. If the first row cannot be
 * read, its time is taken from the root. A last row that lies in a missing piece is not compared. */
static bool check_times(XtfChecking *check)
{
    g_autoptr(GError) error = NULL;
    const XtfArray *array = check->array;
    uint64_t first = check->root_first;

    if (check->unread_rows == 0 && !xtf_array_time(array, 0, &first, &error)) {
        xtf_checking_take_error(check, &error);
        return false;
    }
    if (first == array->first && (check->levels[0].unread || check->last_t == array->last))
        return true;
    xtf_checking_problem(check, "array %u: its first and last times are not those in the P index", array->id);
    return false;
}

/* Walks the tree of an array whose right edge can be read. Returns false if the right edge is damaged. */
static bool walk_edge(XtfChecking *check)
{
    g_autoptr(GError) error = NULL;
    const XtfArray *array = check->array;
    uint64_t base = xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0);
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, &error);

    if (!edge) {
        xtf_checking_take_error(check, &error);
        return false;
    }
    xtf_checking_use_item(check, base, xtf_edge_leaf(array, edge->data));
    check_edge_end(check, edge);
    walk_tree(check, edge);
    return true;
}

void xtf_checking_walk_array(XtfChecking *check, const XtfArray *array)
{
    uint64_t problems = check->report.problems;

    check->array = array;
    check->last_t = array->first;
    check->unread_rows = 0;
    check->removed = false;
    memset(check->levels, 0, sizeof check->levels);
    xtf_checking_use_item(check, xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0),
                          (XtfRef){.offset = array->edge_offset, .length = array->edge_length});
    if (has_unread_edge(check, array))
        check->unread_rows = array->n_rows;
    else if (!walk_edge(check))
        return;
    count_checked_rows(check);
    if (check->stored_only || xtf_checking_stopping(check) || check->report.problems > problems ||
        check->unread_rows == array->n_rows)
        return; /* further checks would only repeat known problems */
    if (check_times(check) && check->unread_rows == 0)
        xtf_checking_aggregates(check, array);
}

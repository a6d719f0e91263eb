/*
 * Sums over rows [n1, n2): down the tree along both edges of the interval, and what lies between them from the tables.
 *
 *     root        . . .[. . . . . . . . .]. .        whole children: lists of the root's table
 *                     /                   \
 *     index   . . . [. . .]         [. . .]. . .     whole children beside the two ways down: lists of these pages'
 * tables
 *                  /                       \
 *     leaves  ..[....]                   [..]...     whole chunks: lists of the leaves' digests; else rows
 *
 * Nothing is ever subtracted: least, greatest and last values could not be. Parts are added from left to right, as the
 * last values want it.
 *
 * A list that does not tell what is asked, because its groups are too coarse for the depth or for the filter, is no
 * use; its child is gone into instead, which leads to finer lists, and at last to the leaf's digest, which is never
 * coarse.
 *
 * In a page, cells are added up by the numbers of its dictionary; keys are looked at, by the filter and by the caller's
 * totals, once for each group of the page, however many children there are.
 */
#include "libxtf/frames.h"
#include "libxtf/sums-leaf.h"
#include "libxtf/sums-table.h"
#include "libxtf/totals.h"

/* What is to be added up. Without totals rows are only counted. */
typedef struct {
    const XtfArray *array;
    const XtfSums *sums;
    unsigned which;
    const XtfGroupFilter *filter; /* may be NULL */
    XtfTotals *totals;            /* may be NULL */
    uint64_t count;
    XtfBlock *edge; /* pinned */
} Query;

/* What a query makes of a group. */
typedef enum {
    USE_UNKNOWN, /* not asked yet */
    USE_NOT,
    USE_ALL,
    USE_FINER, /* it must be told in more detail */
} Use;

/* Sums of one page's lists, by the numbers of their groups. */
typedef struct {
    Query *query;
    const XtfSumLists *lists;
    bool use_all;     /* all groups are meant, and fine enough */
    uint8_t *uses;    /* Use, by group */
    uint32_t *places; /* by group: where its cells are, plus 1; NULL: rows are only counted */
    uint32_t *groups; /* those added so far, n_added */
    uint64_t *cells;  /* of them */
    uint32_t n_added;
    void *room;
} PageSums;

static bool is_before(const XtfSums *sums, const uint64_t *key, unsigned depth)
{
    return sums->kind == XTF_SUMS_FRAMES && depth > 0 && key[0] == XTF_FRAMES_BEFORE;
}

/* Groups of all rows, told in no detail, are not to have those again that XTF_FRAMES_BEFORE has. */
static bool leaves_before_out(const Query *query)
{
    return query->sums->kind == XTF_SUMS_FRAMES && (!query->totals || query->totals->depth == 0);
}

static Use use_of(const Query *query, const uint64_t *key, unsigned depth)
{
    if (is_before(query->sums, key, depth) && leaves_before_out(query))
        return USE_NOT;
    XtfMatch match = query->filter ? query->filter->match(key, depth, query->filter->data) : XTF_MATCH_ALL;
    if (match == XTF_MATCH_NONE)
        return USE_NOT;
    if (match == XTF_MATCH_SOME || (query->totals && depth < query->totals->depth))
        return USE_FINER;
    return USE_ALL;
}

static void page_sums_init(PageSums *page, Query *query, const XtfSumLists *lists)
{
    size_t n = lists->n_groups, cells = query->totals ? n * lists->n_cells : 0;
    uint8_t *room = g_malloc(cells * sizeof(uint64_t) + 2 * n * sizeof(uint32_t) + n + 1);

    *page = (PageSums){
        .query = query,
        .lists = lists,
        .use_all = !query->filter && !lists->some_coarse && !leaves_before_out(query),
        .room = room,
        .cells = (uint64_t *)(void *)room,
        .places = (uint32_t *)(void *)(room + cells * sizeof(uint64_t)),
    };
    page->groups = page->places + n;
    page->uses = (uint8_t *)(page->groups + n);
    memset(page->places, 0, n * sizeof *page->places);
    memset(page->uses, USE_UNKNOWN, n);
}

static Use use_of_group(PageSums *page, uint32_t group)
{
    if (page->uses[group] == USE_UNKNOWN)
        page->uses[group] =
            (uint8_t)use_of(page->query, xtf_sum_lists_key(page->lists, group), page->lists->depths[group]);
    return page->uses[group];
}

/* Whether a list tells all that is asked. */
static bool tells(PageSums *page, const XtfLists *of, uint32_t list)
{
    if (page->use_all)
        return true;
    for (uint32_t item = of->starts[list]; item < of->starts[list + 1]; item++)
        if (use_of_group(page, of->groups[item]) == USE_FINER)
            return false;
    return true;
}

static uint64_t rows_counted(const XtfSums *sums, const uint64_t *cells)
{
    return sums->kind == XTF_SUMS_FRAMES ? cells[XTF_FRAMES_BEGUN] + cells[XTF_FRAMES_ENDED] : cells[XTF_GROUP_ROWS];
}

static void add_group(PageSums *page, uint32_t group, const uint64_t *cells)
{
    const XtfSumLists *lists = page->lists;
    unsigned n_cells = lists->n_cells;

    if (page->places[group] > 0) {
        xtf_sum_lists_add(lists, group, page->cells + (size_t)(page->places[group] - 1) * n_cells, cells);
        return;
    }
    memcpy(page->cells + (size_t)page->n_added * n_cells, cells, n_cells * sizeof *cells);
    page->groups[page->n_added] = group;
    page->places[group] = ++page->n_added;
}

/* Adds a list, which tells all that is asked. */
static void add_list(PageSums *page, const XtfLists *of, uint32_t list)
{
    const XtfSumLists *lists = page->lists;
    Query *query = page->query;

    for (uint32_t item = of->starts[list]; item < of->starts[list + 1]; item++) {
        uint32_t group = of->groups[item];
        const uint64_t *cells = xtf_sum_lists_cells(lists, of, item);
        if (!page->use_all && use_of_group(page, group) != USE_ALL)
            continue;
        if (query->totals)
            add_group(page, group, cells);
        else
            query->count += rows_counted(query->sums, cells);
    }
}

/* Gives what was added up so far to the caller's totals. */
static void flush(PageSums *page)
{
    for (uint32_t i = 0; i < page->n_added; i++) {
        uint32_t group = page->groups[i];
        xtf_totals_add(page->query->totals, xtf_sum_lists_key(page->lists, group),
                       page->cells + (size_t)i * page->lists->n_cells);
        page->places[group] = 0;
    }
    page->n_added = 0;
}

static void page_sums_finish(PageSums *page)
{
    flush(page);
    g_free(page->room);
}

/* The end of the run of neighbours from `i` that one list tells of, which is *list of *of: a block's or a short one,
 * which tells all that is asked, or else the neighbour's own. */
static uint32_t next_list(PageSums *page, uint32_t i, uint32_t end, const XtfLists **of, uint32_t *list)
{
    const XtfSumLists *lists = page->lists;

    *list = i / XTF_SUMS_BLOCK;
    *of = &lists->blocks;
    if (i % XTF_SUMS_BLOCK == 0 && i + XTF_SUMS_BLOCK <= end && tells(page, *of, *list))
        return i + XTF_SUMS_BLOCK;
    *list = i;
    *of = lists->shorts.starts && tells(page, &lists->shorts, i) ? &lists->shorts : &lists->lists;
    return i + 1;
}

/* Adds rows [from, to) of a leaf that lie in one chunk, whose first row is `start`. All count from the leaf's first. */
static bool add_rows(Query *query, const XtfWalkLeaf *leaf, const XtfSumLists *chunks, uint32_t start, uint32_t from,
                     uint32_t to, GError **error)
{
    const XtfSchema *schema = query->array->schema;
    g_autoptr(XtfTotals) totals = xtf_totals_new(query->sums, query->sums->n_keys);
    XtfFramesBelow below;
    XtfFrameStack stack;
    XtfPageView rows;
    bool good = true;

    if (!xtf_walk_rows(leaf, &rows, error))
        return false;
    xtf_frame_stack_init(&stack);
    xtf_frames_below_init(&below, query->array, query->which);
    if (query->sums->kind == XTF_SUMS_FRAMES) {
        xtf_sum_lists_stack(chunks, start / XTF_CHUNK_ROWS, leaf->first_n + start, &stack);
        good = xtf_summer_add(schema, query->sums, rows.payload + (size_t)start * schema->row_size, from - start,
                              &stack, &below.deepener, totals, error);
        xtf_totals_clear(totals);
    }
    good = good && xtf_summer_add(schema, query->sums, rows.payload + (size_t)from * schema->row_size, to - from,
                                  &stack, &below.deepener, totals, error);
    for (uint32_t i = 0; good && i < xtf_totals_n(totals); i++)
        if (use_of(query, xtf_totals_key(totals, i), query->sums->n_keys) == USE_ALL)
            xtf_totals_add(query->totals, xtf_totals_key(totals, i), xtf_totals_cells(totals, i));
    xtf_frame_stack_clear(&stack);
    xtf_cache_put(query->array->trace->cache, rows.block);
    return good;
}

static bool count_rows(Query *query, const XtfWalkLeaf *leaf, uint32_t from, uint32_t to, GError **error)
{
    const XtfSchema *schema = query->array->schema;
    XtfPageView rows;

    if (!xtf_walk_rows(leaf, &rows, error))
        return false;
    for (uint32_t i = from; i < to; i++)
        query->count +=
            xtf_row_matches(schema, query->which, query->filter, rows.payload + (size_t)i * schema->row_size);
    xtf_cache_put(query->array->trace->cache, rows.block);
    return true;
}

/* Adds rows [from, to) of a leaf, which count from its first, all in one chunk and not the whole of it; or none. */
static bool add_part(Query *query, const XtfWalkLeaf *leaf, const XtfSumLists *chunks, uint32_t from, uint32_t to,
                     GError **error)
{
    if (from >= to)
        return true;
    return query->totals ? add_rows(query, leaf, chunks, from / XTF_CHUNK_ROWS * XTF_CHUNK_ROWS, from, to, error)
                         : count_rows(query, leaf, from, to, error);
}

/* Adds rows [n1, n2) of a leaf. */
static bool add_leaf(Query *query, const XtfWalkLeaf *leaf, uint64_t n1, uint64_t n2, GError **error)
{
    XtfBlock *block = xtf_leaf_digest_get(leaf, query->which, error);
    if (!block)
        return false;

    const XtfSumLists *chunks = xtf_block_sum_lists(block);
    uint32_t from = (uint32_t)(n1 - leaf->first_n), to = (uint32_t)(n2 - leaf->first_n);
    uint32_t first = (from + XTF_CHUNK_ROWS - 1) / XTF_CHUNK_ROWS; /* whole chunks: [first, last) */
    uint32_t last = n2 == leaf->end ? chunks->n : to / XTF_CHUNK_ROWS;
    bool good;
    if (first > last) { /* both edges lie in one chunk */
        good = add_part(query, leaf, chunks, from, to, error);
    } else {
        PageSums sums;
        good = add_part(query, leaf, chunks, from, MIN(first * XTF_CHUNK_ROWS, to), error);
        page_sums_init(&sums, query, chunks);
        for (uint32_t i = first; i < last;) {
            const XtfLists *of;
            uint32_t list;
            i = next_list(&sums, i, last, &of, &list);
            add_list(&sums, of, list);
        }
        page_sums_finish(&sums);
        good = good && add_part(query, leaf, chunks, last * XTF_CHUNK_ROWS, to, error);
    }
    xtf_cache_put(query->array->trace->cache, block);
    return good;
}

static bool add_page(Query *query, const XtfWalkPage *page, uint64_t n1, uint64_t n2, GError **error);

/* Adds those of rows [n1, n2) that lie below a child. */
static bool add_child(Query *query, const XtfWalkPage *page, uint32_t slot, uint64_t n1, uint64_t n2, GError **error)
{
    n1 = MAX(n1, xtf_walk_start(page, slot));
    n2 = MIN(n2, xtf_walk_end(page, slot));
    if (page->level == 1) {
        XtfWalkLeaf leaf;
        xtf_walk_leaf(page, slot, &leaf);
        return add_leaf(query, &leaf, n1, n2, error);
    }
    XtfWalkPage child;
    if (!xtf_walk_down(page, slot, &child, error))
        return false;
    bool good = add_page(query, &child, n1, n2, error);
    xtf_walk_leave(&child);
    return good;
}

/* Adds children [first, last) whole: by lists as far as they tell what is asked, else by going down. */
static bool add_children(Query *query, const XtfWalkPage *page, uint32_t first, uint32_t last, GError **error)
{
    if (first >= last)
        return true;
    XtfBlock *table = xtf_sums_table_get(query->array, query->which, page->level, &page->page, page->open, error);
    if (!table)
        return false;

    PageSums sums;
    bool good = true;
    page_sums_init(&sums, query, xtf_block_sum_lists(table));
    for (uint32_t i = first; good && i < last;) {
        const XtfLists *of;
        uint32_t list, child = i;
        i = next_list(&sums, i, last, &of, &list);
        if (i > child + 1 || tells(&sums, of, list)) {
            add_list(&sums, of, list);
        } else {
            flush(&sums);
            good = add_child(query, page, child, 0, UINT64_MAX, error);
        }
    }
    page_sums_finish(&sums);
    xtf_cache_put(query->array->trace->cache, table);
    return good;
}

/* Adds rows [n1, n2), at least one, all below the page. */
static bool add_page(Query *query, const XtfWalkPage *page, uint64_t n1, uint64_t n2, GError **error)
{
    uint32_t left = xtf_walk_slot(page, n1), right = xtf_walk_slot(page, n2 - 1);
    bool open_child = page->open && right + 1 == page->page.count;
    uint32_t first = left + (n1 > xtf_walk_start(page, left)); /* whole children, told: [first, last) */
    uint32_t last = right + (n2 == xtf_walk_end(page, right) && !open_child);

    if (first > left && !add_child(query, page, left, n1, n2, error))
        return false;
    if (!add_children(query, page, first, last, error))
        return false;
    return last > right || (right == left && first > left) || add_child(query, page, right, n1, n2, error);
}

static bool run(Query *query, uint64_t n1, uint64_t n2, GError **error)
{
    const XtfArray *array = query->array;
    bool good;

    n2 = MIN(n2, array->n_rows);
    if (n1 >= n2)
        return true;
    query->edge = xtf_edge_get(array, error);
    if (!query->edge)
        return false;
    if (array->height == 1) {
        XtfWalkLeaf leaf;
        xtf_walk_root_leaf(array, query->edge, &leaf);
        good = add_leaf(query, &leaf, n1, n2, error);
    } else {
        XtfWalkPage root;
        xtf_walk_root_page(array, query->edge, &root);
        good = add_page(query, &root, n1, n2, error);
    }
    xtf_cache_put(array->trace->cache, query->edge);
    return good;
}

static Query new_query(const XtfArray *array, unsigned sums, const XtfGroupFilter *filter)
{
    return (Query){.array = array, .sums = &array->schema->sums[sums], .which = sums, .filter = filter};
}

bool xtf_array_sum(const XtfArray *array, unsigned sums, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                   XtfTotals *totals, GError **error)
{
    Query query = new_query(array, sums, filter);

    query.totals = totals;
    return run(&query, n1, n2, error);
}

bool xtf_array_group_rank(const XtfArray *array, unsigned sums, const XtfGroupFilter *filter, uint64_t n,
                          uint64_t *rank, GError **error)
{
    Query query = new_query(array, sums, filter);

    if (!filter) { /* all rows are meant */
        *rank = MIN(n, array->n_rows);
        return true;
    }
    if (!run(&query, 0, n, error))
        return false;
    *rank = query.count;
    return true;
}

bool xtf_row_matches(const XtfSchema *schema, unsigned sums, const XtfGroupFilter *filter, const uint8_t *row)
{
    const XtfSums *of = &schema->sums[sums];
    uint64_t key[XTF_SUMS_KEYS_MAX];

    if (!filter)
        return true;
    xtf_sums_row_key(schema, of, row, key);
    return filter->match(key, of->n_keys, filter->data) == XTF_MATCH_ALL;
}

/* The k-th row meant (from 0) below a leaf, a page... k goes down by those that are passed. */
typedef struct {
    uint64_t k, n;
    bool found;
} Selection;

/* Whether the k-th row is among the rows that a list tells of; if not, they are passed. */
static bool list_holds(PageSums *page, const XtfLists *of, uint32_t list, Selection *selection)
{
    uint64_t before = page->query->count;

    add_list(page, of, list);
    uint64_t count = page->query->count - before;
    if (selection->k < count)
        return true;
    selection->k -= count;
    return false;
}

static bool select_row(const Query *query, const XtfWalkLeaf *leaf, uint64_t from, Selection *selection, GError **error)
{
    const XtfSchema *schema = query->array->schema;
    XtfPageView rows;

    if (!xtf_walk_rows(leaf, &rows, error))
        return false;
    for (uint64_t i = from; i < rows.count && !selection->found; i++) {
        if (!xtf_row_matches(schema, query->which, query->filter, rows.payload + i * schema->row_size))
            continue;
        selection->n = leaf->first_n + i;
        selection->found = selection->k-- == 0;
    }
    xtf_cache_put(query->array->trace->cache, rows.block);
    return true;
}

/* The list of neighbours [i, end) that holds the k-th row; `end` if none does. Stops at one that does not tell, too. */
static uint32_t select_list(PageSums *page, uint32_t i, uint32_t end, Selection *selection)
{
    while (i < end) {
        const XtfLists *of;
        uint32_t list, next = next_list(page, i, end, &of, &list);
        if (next == i + 1 && !tells(page, of, list))
            return i;
        if (list_holds(page, of, list, selection)) {
            while (i + 1 < next && !list_holds(page, &page->lists->lists, i, selection)) /* in one of a block's */
                i++;
            return i;
        }
        i = next;
    }
    return end;
}

static bool select_in_leaf(Query *query, const XtfWalkLeaf *leaf, Selection *selection, GError **error)
{
    XtfBlock *block = xtf_leaf_digest_get(leaf, query->which, error);
    PageSums sums;

    if (!block)
        return false;
    page_sums_init(&sums, query, xtf_block_sum_lists(block));
    uint32_t n = sums.lists->n, chunk = select_list(&sums, 0, n, selection);
    page_sums_finish(&sums);
    xtf_cache_put(query->array->trace->cache, block);
    return chunk == n || select_row(query, leaf, (uint64_t)chunk * XTF_CHUNK_ROWS, selection, error);
}

static bool select_in_page(Query *query, const XtfWalkPage *page, Selection *selection, GError **error);

static bool select_in_child(Query *query, const XtfWalkPage *page, uint32_t slot, Selection *selection, GError **error)
{
    if (page->level == 1) {
        XtfWalkLeaf leaf;
        xtf_walk_leaf(page, slot, &leaf);
        return select_in_leaf(query, &leaf, selection, error);
    }
    XtfWalkPage child;
    if (!xtf_walk_down(page, slot, &child, error))
        return false;
    bool good = select_in_page(query, &child, selection, error);
    xtf_walk_leave(&child);
    return good;
}

/* Goes into the child whose list holds the row, and into those whose list does not tell, one after another. */
static bool select_in_page(Query *query, const XtfWalkPage *page, Selection *selection, GError **error)
{
    XtfBlock *table = xtf_sums_table_get(query->array, query->which, page->level, &page->page, page->open, error);
    PageSums sums;
    bool good = true;

    if (!table)
        return false;
    page_sums_init(&sums, query, xtf_block_sum_lists(table));
    uint32_t told = page->page.count - page->open;
    for (uint32_t i = 0; good && !selection->found && i < page->page.count; i++) {
        i = select_list(&sums, i, told, selection);
        if (i < page->page.count)
            good = select_in_child(query, page, i, selection, error);
    }
    page_sums_finish(&sums);
    xtf_cache_put(query->array->trace->cache, table);
    return good;
}

bool xtf_array_group_select(const XtfArray *array, unsigned sums, const XtfGroupFilter *filter, uint64_t k, uint64_t *n,
                            GError **error)
{
    Query query = new_query(array, sums, filter);
    Selection selection = {.k = k, .n = array->n_rows};
    bool good;

    if (!filter) { /* all rows are meant */
        *n = MIN(k, array->n_rows);
        return true;
    }
    query.edge = xtf_edge_get(array, error);
    if (!query.edge)
        return false;
    if (array->height == 1) {
        XtfWalkLeaf leaf;
        xtf_walk_root_leaf(array, query.edge, &leaf);
        good = select_in_leaf(&query, &leaf, &selection, error);
    } else {
        XtfWalkPage root;
        xtf_walk_root_page(array, query.edge, &root);
        good = select_in_page(&query, &root, &selection, error);
    }
    xtf_cache_put(array->trace->cache, query.edge);
    if (good)
        *n = selection.found ? selection.n : array->n_rows;
    return good;
}

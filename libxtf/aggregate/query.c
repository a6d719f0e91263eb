#include "libxtf/aggregate/query.h"

#include "libxtf/totals/group-totals-private.h"
#include "libxtf/totals/tables/filters.h"
#include "libxtf/totals/tables/stored.h"

/* How a query uses a group. */
typedef enum {
    UNDECIDED, /* zero: not decided yet */
    EXCLUDED,
    INCLUDED,
    NEEDS_DETAIL, /* the query needs more keys than the group has */
} GroupUse;

XtfTotalsQuery xtf_totals_query(const XtfArray *array, unsigned index, const XtfGroupFilter *filter,
                                XtfGroupTotals *totals)
{
    const XtfAggregate *aggregate = &array->schema->aggregates[index];
    bool filtered = aggregate->filters && filter && filter->exact;

    return (XtfTotalsQuery){.array = array,
                            .aggregate = aggregate,
                            .index = index,
                            .filter = filter,
                            .totals = totals,
                            .filtered = filtered,
                            .hash = filtered ? xtf_filter_hash(array->schema, aggregate, filter->exact) : 0};
}

bool xtf_totals_query_may_be_below(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot,
                                   XtfBlock **filters, bool *may_have, GError **error)
{
    *may_have = true;
    if (!query->filtered || page->level > 1)
        return true;
    if (!*filters && !(*filters = xtf_stored_filters_get(page, query->index, error)))
        return false;
    *may_have = xtf_filters_may_have((const XtfFilters *)(const void *)(*filters)->data, slot, query->hash);
    return true;
}

bool xtf_totals_query_leaf(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, XtfDescentLeaf *leaf,
                           bool *scans, GError **error)
{
    xtf_descent_leaf(page, slot, leaf);
    *scans = false;
    if (!query->filtered || query->totals)
        return true;
    g_autoptr(XtfBlock) block = xtf_stored_totals_get(page, query->index, slot, error);
    if (!block)
        return false;
    const XtfChildTotals *stored = xtf_block_child_totals(block);
    const uint32_t entry = stored->exact.starts[slot - stored->first];
    *scans = xtf_child_totals_depth(stored, xtf_totals_tier_group(&stored->exact, entry)) < stored->n_keys;
    return true;
}

/* Returns the filter's answer for groups whose keys begin with `key`. */
static XtfMatch match_key(const XtfTotalsQuery *query, const uint64_t *key, unsigned depth)
{
    const XtfGroupFilter *filter = query->filter;

    if (!filter || (!filter->exact && !filter->match))
        return XTF_MATCH_ALL;
    if (!filter->exact)
        return filter->match(key, depth, filter->data);
    for (unsigned k = 0; k < depth; k++)
        if (key[k] != filter->exact[k])
            return XTF_MATCH_NONE;
    return depth == query->aggregate->n_keys ? XTF_MATCH_ALL : XTF_MATCH_SOME;
}

/* True if the query excludes the group XTF_FRAMES_BEFORE: in totals without keys, its rows would be counted twice. */
static bool excludes_frames_before(const XtfTotalsQuery *query)
{
    return query->aggregate->kind == XTF_AGGREGATE_FRAMES && (!query->totals || query->totals->depth == 0);
}

static GroupUse decide_use(const XtfTotalsQuery *query, const uint64_t *key, unsigned depth)
{
    if (excludes_frames_before(query) && depth > 0 && key[0] == XTF_FRAMES_BEFORE)
        return EXCLUDED;
    XtfMatch answer = match_key(query, key, depth);
    if (answer == XTF_MATCH_NONE)
        return EXCLUDED;
    if (answer == XTF_MATCH_SOME || (query->totals && depth < query->totals->depth))
        return NEEDS_DETAIL;
    return INCLUDED;
}

bool xtf_totals_query_matches(const XtfTotalsQuery *query, const uint64_t *key)
{
    return decide_use(query, key, query->aggregate->n_keys) == INCLUDED;
}

static bool needs_all_keys(const XtfTotalsQuery *query)
{
    return !query->filter && query->totals && query->totals->depth == query->aggregate->n_keys;
}

void xtf_page_totals_init(XtfPageTotals *page, XtfTotalsQuery *query, const XtfChildTotals *children)
{
    size_t n = children->n_groups;

    *page = (XtfPageTotals){
        .query = query,
        .children = children,
        .use_all = !query->filter && !children->some_coarse && !excludes_frames_before(query),
        .use_coarse = children->coarse.starts && !needs_all_keys(query),
        .numbers = g_malloc0(n * (sizeof *page->numbers + sizeof *page->uses) + 1),
    };
    page->uses = (uint8_t *)(page->numbers + n); /* all UNDECIDED */
}

void xtf_page_totals_finish(XtfPageTotals *page)
{
    g_free(page->numbers);
}

static GroupUse get_group_use(XtfPageTotals *page, uint32_t group)
{
    if (page->uses[group] == UNDECIDED)
        page->uses[group] = (uint8_t)decide_use(page->query, xtf_child_totals_key(page->children, group),
                                                xtf_child_totals_depth(page->children, group));
    return page->uses[group];
}

bool xtf_page_totals_suffice(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    if (page->use_all && tier != &page->children->coarse)
        return true;
    for (uint32_t entry = tier->starts[item]; entry < tier->starts[item + 1]; entry++)
        if (get_group_use(page, xtf_totals_tier_group(tier, entry)) == NEEDS_DETAIL)
            return false;
    return true;
}

static uint64_t count_rows_of_entry(const XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t entry)
{
    const XtfTotalsQuery *query = page->query;

    if (query->aggregate->kind != XTF_AGGREGATE_FRAMES)
        return xtf_totals_tier_cell(tier, entry, XTF_GROUP_ROWS);
    bool begins_only = query->filter && query->filter->begins_only;
    return xtf_totals_tier_cell(tier, entry, XTF_FRAMES_BEGUN) +
           (begins_only ? 0 : xtf_totals_tier_cell(tier, entry, XTF_FRAMES_ENDED));
}

/* Returns the cells of a group that has been looked up. `number` is 1 + its number in `totals`. */
static inline uint64_t *cells_at(const XtfGroupTotals *totals, uint32_t number)
{
    return totals->groups + (size_t)(number - 1) * totals->stride + totals->depth;
}

static inline void look_up_group(XtfPageTotals *page, uint32_t group)
{
    if (G_LIKELY(page->numbers[group] > 0))
        return;
    xtf_group_totals_cells_of(page->query->totals, xtf_child_totals_key(page->children, group));
    page->numbers[group] = page->query->totals->last + 1;
}

/* Returns the entries of a tier, with a copy of the columns of their groups and cells. */
static inline XtfNarrowRows copy_columns(const XtfTotalsTier *tier, unsigned n_cells, XtfNarrowColumn *columns)
{
    XtfNarrowRows entries = tier->entries;

    for (unsigned i = 0; i <= n_cells; i++)
        columns[i] = entries.columns[i];
    entries.columns = columns;
    return entries;
}

/* Adds the totals number `item` of a tier. All their groups are used, and cells are only added up: the most frequent
 * case. */
static void add_plain_cells(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    const XtfGroupTotals *totals = page->query->totals;
    const uint32_t first = tier->starts[item], end = tier->starts[item + 1];
    XtfNarrowColumn columns[1 + XTF_AGGREGATE_CELLS_MAX];

    for (uint32_t entry = first; entry < end; entry++)
        look_up_group(page, xtf_totals_tier_group(tier, entry));
    const XtfGroupTotals totals_copy = *totals; /* local copies stay in registers while cells are written */
    const XtfNarrowRows entries = copy_columns(tier, totals_copy.n_cells, columns);
    for (uint32_t entry = first; entry < end; entry++) {
        uint64_t *cells = cells_at(&totals_copy, page->numbers[xtf_narrow_number(&entries, entry, 0)]);
        for (unsigned i = 0; i < totals_copy.n_cells; i++)
            cells[i] += xtf_narrow_number(&entries, entry, 1 + i);
    }
}

/* Adds the totals number `item` of a tier of frames, all of whose groups are used. */
static void add_frame_cells(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    XtfNarrowColumn columns[1 + XTF_FRAMES_CELLS];
    const XtfNarrowRows entries = copy_columns(tier, XTF_FRAMES_CELLS, columns);

    for (uint32_t entry = tier->starts[item]; entry < tier->starts[item + 1]; entry++) {
        uint64_t added[XTF_FRAMES_CELLS];
        uint32_t group = (uint32_t)xtf_narrow_number(&entries, entry, 0);
        for (unsigned i = 0; i < XTF_FRAMES_CELLS; i++)
            added[i] = xtf_narrow_number(&entries, entry, 1 + i);
        look_up_group(page, group);
        xtf_frames_add(cells_at(page->query->totals, page->numbers[group]), added);
    }
}

static void add_item(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    const XtfGroupTotals *totals = page->query->totals;
    uint64_t cells[XTF_AGGREGATE_CELLS_MAX];

    for (uint32_t entry = tier->starts[item]; entry < tier->starts[item + 1]; entry++) {
        uint32_t group = xtf_totals_tier_group(tier, entry);
        if (!page->use_all && get_group_use(page, group) != INCLUDED)
            continue;
        look_up_group(page, group);
        xtf_group_totals_add_cells(totals, xtf_child_totals_key(page->children, group),
                                   cells_at(totals, page->numbers[group]),
                                   xtf_child_totals_cells(page->children, tier, entry, cells));
    }
}

static void count_item(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    for (uint32_t entry = tier->starts[item]; entry < tier->starts[item + 1]; entry++)
        if (page->use_all || get_group_use(page, xtf_totals_tier_group(tier, entry)) == INCLUDED)
            page->query->count += count_rows_of_entry(page, tier, entry);
}

void xtf_page_totals_add(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    const XtfGroupTotals *totals = page->query->totals;

    if (!totals)
        count_item(page, tier, item);
    else if (totals->plain && page->use_all)
        add_plain_cells(page, tier, item);
    else if (page->query->aggregate->kind == XTF_AGGREGATE_FRAMES && page->use_all)
        add_frame_cells(page, tier, item);
    else
        add_item(page, tier, item);
}

/* True if totals of the tier, each of `step` children, begin with child i, end at `end` or before, and suffice. */
static bool tier_covers(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t step, uint32_t i, uint32_t end)
{
    return tier->starts && i % step == 0 && i + step <= end && xtf_page_totals_suffice(page, tier, i / step);
}

uint32_t xtf_page_totals_next(XtfPageTotals *page, uint32_t i, uint32_t end, const XtfTotalsTier **tier, uint32_t *item)
{
    const XtfChildTotals *children = page->children;
    uint32_t step = 1;

    *tier = &children->exact;
    if (tier_covers(page, &children->blocks, XTF_TOTALS_BLOCK, i, end)) {
        *tier = &children->blocks;
        step = XTF_TOTALS_BLOCK;
    } else if (tier_covers(page, &children->halves, XTF_TOTALS_HALF, i, end)) {
        *tier = &children->halves;
        step = XTF_TOTALS_HALF;
    } else if (page->use_coarse && xtf_page_totals_suffice(page, &children->coarse, i)) {
        *tier = &children->coarse;
    }
    *item = i / step;
    return i + step;
}

#include "libxtf/aggregate/query.h"

#include "libxtf/totals/filters.h"
#include "libxtf/totals/group-totals-private.h"
#include "libxtf/totals/stored.h"

/* What a query does with a group. */
typedef enum {
    NOT_ASKED,
    LEFT_OUT,
    TAKEN,
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
                                   XtfBlock **filters, bool *may, GError **error)
{
    *may = true;
    if (!query->filtered || page->level > 1)
        return true;
    if (!*filters && !(*filters = xtf_stored_filters_get(page, query->index, error)))
        return false;
    *may = xtf_filters_may_have((const XtfFilters *)(const void *)(*filters)->data, slot, query->hash);
    return true;
}

bool xtf_totals_query_scans(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, bool *scans,
                            GError **error)
{
    *scans = false;
    if (!query->filtered || query->totals)
        return true;
    g_autoptr(XtfBlock) block = xtf_stored_totals_get(page, query->index, error);
    if (!block)
        return false;
    const XtfChildTotals *stored = xtf_block_child_totals(block);
    *scans = xtf_child_totals_depth(stored, stored->exact.groups[stored->exact.starts[slot]]) < stored->n_keys;
    return true;
}

/* What the filter says of groups whose keys begin with these. */
static XtfMatch match(const XtfTotalsQuery *query, const uint64_t *key, unsigned depth)
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

/* Whether XTF_FRAMES_BEFORE is left out: without keys its rows would be counted twice. */
static bool leaves_before_out(const XtfTotalsQuery *query)
{
    return query->aggregate->kind == XTF_AGGREGATE_FRAMES && (!query->totals || query->totals->depth == 0);
}

static GroupUse use_of(const XtfTotalsQuery *query, const uint64_t *key, unsigned depth)
{
    if (leaves_before_out(query) && depth > 0 && key[0] == XTF_FRAMES_BEFORE)
        return LEFT_OUT;
    XtfMatch said = match(query, key, depth);
    if (said == XTF_MATCH_NONE)
        return LEFT_OUT;
    if (said == XTF_MATCH_SOME || (query->totals && depth < query->totals->depth))
        return NEEDS_DETAIL;
    return TAKEN;
}

bool xtf_totals_query_matches(const XtfTotalsQuery *query, const uint64_t *key)
{
    return use_of(query, key, query->aggregate->n_keys) == TAKEN;
}

static bool needs_all_keys(const XtfTotalsQuery *query)
{
    return !query->filter && query->totals && query->totals->depth == query->aggregate->n_keys;
}

void xtf_page_totals_init(XtfPageTotals *page, XtfTotalsQuery *query, const XtfChildTotals *children)
{
    size_t n = children->n_groups, cells = query->totals ? n * children->n_cells : 0;
    uint8_t *room = g_malloc(cells * sizeof(uint64_t) + 2 * n * sizeof(uint32_t) + n + 1);

    *page = (XtfPageTotals){
        .query = query,
        .children = children,
        .use_all = !query->filter && !children->some_coarse && !leaves_before_out(query),
        .use_coarse = children->coarse.starts && !needs_all_keys(query),
        .room = room,
        .cells = (uint64_t *)(void *)room,
        .positions = (uint32_t *)(void *)(room + cells * sizeof(uint64_t)),
    };
    page->groups = page->positions + n;
    page->uses = (uint8_t *)(page->groups + n);
    memset(page->positions, 0, n * sizeof *page->positions);
    memset(page->uses, NOT_ASKED, n);
}

static GroupUse use_of_group(XtfPageTotals *page, uint32_t group)
{
    if (page->uses[group] == NOT_ASKED)
        page->uses[group] = (uint8_t)use_of(page->query, xtf_child_totals_key(page->children, group),
                                            xtf_child_totals_depth(page->children, group));
    return page->uses[group];
}

bool xtf_page_totals_suffice(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    if (page->use_all && tier != &page->children->coarse)
        return true;
    for (uint32_t entry = tier->starts[item]; entry < tier->starts[item + 1]; entry++)
        if (use_of_group(page, tier->groups[entry]) == NEEDS_DETAIL)
            return false;
    return true;
}

static uint64_t rows_counted(const XtfTotalsQuery *query, const uint64_t *cells)
{
    if (query->aggregate->kind != XTF_AGGREGATE_FRAMES)
        return cells[XTF_GROUP_ROWS];
    return cells[XTF_FRAMES_BEGUN] + (query->filter && query->filter->begun ? 0 : cells[XTF_FRAMES_ENDED]);
}

static inline void add_group(XtfPageTotals *page, uint32_t group, const uint64_t *cells, unsigned n_cells)
{
    uint32_t position = page->positions[group];

    if (G_LIKELY(position > 0)) {
        xtf_child_totals_add(page->children, group, page->cells + (size_t)(position - 1) * n_cells, cells, n_cells);
        return;
    }
    memcpy(page->cells + (size_t)page->n_added * n_cells, cells, n_cells * sizeof *cells);
    page->groups[page->n_added] = group;
    page->positions[group] = ++page->n_added;
}

void xtf_page_totals_add(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item)
{
    const unsigned n_cells = page->children->n_cells;
    const uint64_t *cells = tier->cells + (size_t)tier->starts[item] * n_cells;
    XtfTotalsQuery *query = page->query;

    for (uint32_t entry = tier->starts[item]; entry < tier->starts[item + 1]; entry++, cells += n_cells) {
        uint32_t group = tier->groups[entry];
        if (!page->use_all && use_of_group(page, group) != TAKEN)
            continue;
        if (query->totals)
            add_group(page, group, cells, n_cells);
        else
            query->count += rows_counted(query, cells);
    }
}

void xtf_page_totals_flush(XtfPageTotals *page)
{
    for (uint32_t i = 0; i < page->n_added; i++) {
        uint32_t group = page->groups[i];
        xtf_group_totals_add(page->query->totals, xtf_child_totals_key(page->children, group),
                             page->cells + (size_t)i * page->children->n_cells);
        page->positions[group] = 0;
    }
    page->n_added = 0;
}

void xtf_page_totals_finish(XtfPageTotals *page)
{
    xtf_page_totals_flush(page);
    g_free(page->room);
}

/* Whether the totals of `step` children together cover child i, and no child from `end` on. */
static bool covers(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t step, uint32_t i, uint32_t end)
{
    return tier->starts && i % step == 0 && i + step <= end && xtf_page_totals_suffice(page, tier, i / step);
}

uint32_t xtf_page_totals_next(XtfPageTotals *page, uint32_t i, uint32_t end, const XtfTotalsTier **tier, uint32_t *item)
{
    const XtfChildTotals *children = page->children;
    uint32_t step = 1;

    *tier = &children->exact;
    if (covers(page, &children->blocks, XTF_TOTALS_BLOCK, i, end)) {
        *tier = &children->blocks;
        step = XTF_TOTALS_BLOCK;
    } else if (covers(page, &children->quarters, XTF_TOTALS_QUARTER, i, end)) {
        *tier = &children->quarters;
        step = XTF_TOTALS_QUARTER;
    } else if (page->use_coarse && xtf_page_totals_suffice(page, &children->coarse, i)) {
        *tier = &children->coarse;
    }
    *item = i / step;
    return i + step;
}

#include "libxtf/totals/tables/read-tables.h"

/* Returns the most rows that the table may have. */
static uint64_t count_rows_most(const XtfChildren *children, const XtfSchema *schema)
{
    uint64_t n = children->n;
    uint64_t few = XTF_TABLE_BYTES / schema->row_size + XTF_CHILD_GROUPS + n * XTF_CHILD_GROUPS_LEAST;

    return MIN(n * XTF_CHILD_GROUPS, few);
}

/* Returns the number of rows below a child or a batch. */
static uint64_t count_rows_below(const XtfChildren *children, uint32_t child)
{
    const XtfDescentPage *page = children->page;
    const uint32_t step = children->step;

    if (!page)
        return children->array->n_rows;
    return xtf_descent_child_end(page, MIN(child * step + step, page->page.count) - 1) -
           xtf_descent_child_start(page, child * step);
}

/* Groups of one child. */
typedef struct {
    const uint64_t *depth, *keys, *cells; /* of the first group */
    uint32_t n;
    uint32_t stride; /* numbers from a cell to the next cell of the same group */
} ChildGroups;

/* True if groups have the same keys. */
static bool have_same_keys(const ChildGroups *groups, const ChildGroups *more, unsigned n_keys)
{
    const size_t size = groups->n * sizeof *groups->keys;

    return groups->n == more->n && memcmp(groups->keys, more->keys, size * n_keys) == 0 &&
           memcmp(groups->depth, more->depth, size) == 0;
}

/* True if groups of one key have no fault. */
static bool has_good_keys(const ChildGroups *groups)
{
    bool good = groups->depth[0] == 1;

    for (uint32_t i = 1; i < groups->n; i++)
        good &= groups->depth[i] == 1 && groups->keys[i] > groups->keys[i - 1];
    return good;
}

/* Returns a fault of the keys of a child's groups, or NULL. */
static const char *find_key_fault(const XtfAggregate *aggregate, const ChildGroups *groups)
{
    const unsigned n_keys = aggregate->n_keys, depth = (unsigned)MIN(groups->depth[0], n_keys);
    const uint64_t *key = groups->keys;

    if (n_keys == 1 && has_good_keys(groups)) /* the most frequent case */
        return NULL;
    for (uint32_t i = 0; i < groups->n; i++, key += n_keys) {
        if (groups->depth[i] > n_keys)
            return "a group has too many keys";
        if (groups->depth[i] != depth)
            return "the groups of a child have different numbers of keys";
        for (unsigned k = depth; k < n_keys; k++)
            if (key[k] != 0)
                return "a group has a key beyond its depth";
        if (i == 0)
            continue;
        unsigned k = 0;
        while (k < depth && key[k] == key[(int)k - (int)n_keys])
            k++;
        if (k == depth)
            return "a group occurs twice";
        if (key[k] < key[(int)k - (int)n_keys])
            return "the groups are out of order";
    }
    return NULL;
}

/* Returns a cell of all groups of a child. */
static const uint64_t *cells_of(const ChildGroups *groups, unsigned cell)
{
    return groups->cells + (size_t)cell * groups->stride;
}

/* True if the groups of a child count exactly its rows, as most do, and none of them counts rows twice. False says
 * nothing. */
static bool count_rows_once(const XtfAggregate *aggregate, const ChildGroups *groups, uint64_t n_rows)
{
    const bool frames = aggregate->kind == XTF_AGGREGATE_FRAMES;
    const uint64_t *counts = cells_of(groups, frames ? XTF_FRAMES_BEGUN : XTF_GROUP_ROWS);
    const uint64_t *ends = cells_of(groups, XTF_FRAMES_ENDED);
    uint64_t counted = 0, bits = 0;

    /* The groups of frames that began before are the last. */
    if (groups->n == 0 || (frames && groups->keys[(size_t)(groups->n - 1) * aggregate->n_keys] == XTF_FRAMES_BEFORE))
        return false;
    for (uint32_t i = 0; i < groups->n; i++) {
        counted += counts[i];
        bits |= counts[i];
    }
    for (uint32_t i = 0; frames && i < groups->n; i++) {
        counted += ends[i];
        bits |= ends[i];
    }
    return bits < UINT64_C(1) << 32 && counted == n_rows; /* fewer than 2^32 groups: the sum is exact */
}

/* Returns a fault if the groups of frames of a child do not count its rows. */
static const char *find_count_fault(const XtfAggregate *aggregate, const ChildGroups *groups, uint64_t n_rows)
{
    const bool frames = aggregate->kind == XTF_AGGREGATE_FRAMES;
    const unsigned n_keys = aggregate->n_keys;
    const uint64_t *counts = cells_of(groups, frames ? XTF_FRAMES_BEGUN : XTF_GROUP_ROWS);
    const uint64_t *ends = cells_of(groups, XTF_FRAMES_ENDED), *key = groups->keys;
    uint64_t uncounted = n_rows;

    if (count_rows_once(aggregate, groups, n_rows))
        return NULL;
    for (uint32_t i = 0; i < groups->n; i++, key += n_keys) {
        if (frames && groups->depth[i] > 0 && key[0] == XTF_FRAMES_BEFORE)
            continue; /* its rows are also counted under other keys */
        uint64_t counted = counts[i], ended = frames ? ends[i] : 0;
        if (counted > uncounted || ended > uncounted - counted)
            return "the groups count more rows than are below the child";
        uncounted -= counted + ended;
    }
    return groups->n == 0 || uncounted > 0 ? "the groups do not count all rows below the child" : NULL;
}

/* Adds the groups of a child whose keys have a map. */
static void add_mapped_groups(XtfMappedGroups *to, const ChildGroups *groups)
{
    const unsigned n_keys = to->aggregate->n_keys, n_cells = xtf_aggregate_n_cells(to->aggregate);
    uint64_t cells[XTF_AGGREGATE_CELLS_MAX];

    for (uint32_t i = 0; i < groups->n; i++) {
        for (unsigned cell = 0; cell < n_cells; cell++)
            cells[cell] = groups->cells[(size_t)cell * groups->stride + i];
        xtf_mapped_groups_add(to, groups->keys + (size_t)i * n_keys, (unsigned)groups->depth[0], cells);
    }
}

/* Adds the groups of a child. Their cells are in the builder already unless keys have a map. `repeats`: they have the
 * keys of the child before. */
static void add_child_groups(XtfMappedGroups *to, const ChildGroups *groups, bool repeats)
{
    xtf_mapped_groups_next(to);
    if (to->any)
        add_mapped_groups(to, groups);
    else if (repeats)
        xtf_child_totals_builder_repeat_keys(to->builder, groups->n);
    else
        xtf_child_totals_builder_add_keys(to->builder, groups->keys, (unsigned)groups->depth[0], groups->n);
}

/* True if n rows are of the child. */
static bool are_of_child(const uint64_t *rows, uint32_t n, uint32_t child)
{
    uint64_t differences = 0;

    for (uint32_t i = 0; i < n; i++)
        differences |= rows[i] ^ child;
    return differences == 0;
}

/* Returns the end of the rows of a child, which begin with `row`. Most children have the same number
 * of rows, so this number is tried first, by a short loop. */
static uint32_t find_child_end(const XtfTotalsRows *rows, uint32_t child, uint32_t row, uint32_t n_before)
{
    if (rows->n - row >= n_before && are_of_child(rows->child + row, n_before, child))
        row += n_before;
    while (row < rows->n && rows->child[row] == child)
        row++;
    return row;
}

/* Checks and adds the unpacked groups of all children. */
static const char *read_children(const XtfChildren *children, const XtfTotalsRows *rows, const uint64_t *cells,
                                 XtfMappedGroups *to)
{
    const XtfAggregate *aggregate = to->aggregate;
    ChildGroups before = {0};
    uint32_t row = 0;

    for (uint32_t child = children->first; child < children->first + children->n; child++) {
        uint32_t end = find_child_end(rows, child, row, before.n);
        const ChildGroups groups = {.depth = rows->depth + row,
                                    .keys = rows->keys + (size_t)row * aggregate->n_keys,
                                    .cells = cells + row,
                                    .n = end - row,
                                    .stride = rows->n};
        bool repeats = groups.n > 0 && have_same_keys(&groups, &before, aggregate->n_keys);
        const char *fault = groups.n > 0 && !repeats ? find_key_fault(aggregate, &groups) : NULL;
        if (!fault)
            fault = find_count_fault(aggregate, &groups, count_rows_below(children, child));
        if (fault)
            return fault;
        add_child_groups(to, &groups, repeats);
        before = groups;
        row = end;
    }
    xtf_mapped_groups_flush(to);
    return row == rows->n ? NULL : "a group names a child that does not exist";
}

const char *xtf_groups_read(const XtfChildren *children, const XtfPackedRows *packed, XtfMappedGroups *to)
{
    const XtfSchema *schema = xtf_stored_totals_schema(to->aggregate);
    const XtfCodec *codec = xtf_codec(children->array->codec);
    const unsigned n_cells = xtf_aggregate_n_cells(to->aggregate);
    const char *fault = NULL;
    XtfTotalsRows rows;

    if (!xtf_stored_rows_check(packed, count_rows_most(children, schema), &fault))
        return fault;
    g_autofree uint64_t *unmapped = to->any ? g_new(uint64_t, (size_t)packed->n * n_cells) : NULL;
    uint64_t *cells = to->any ? unmapped : xtf_child_totals_builder_cells(to->builder, packed->n);
    if (!xtf_stored_totals_unpack(to->aggregate, codec, packed, n_cells, cells, &rows, &fault))
        return fault;
    return read_children(children, &rows, cells, to);
}

const char *xtf_groups_count_begun(const XtfChildren *children, const XtfAggregate *aggregate,
                                   const XtfPackedRows *packed, uint64_t *before)
{
    const XtfSchema *schema = xtf_stored_totals_schema(aggregate);
    const char *fault = NULL;
    XtfTotalsRows rows;
    uint32_t row = 0;

    if (!xtf_stored_rows_check(packed, count_rows_most(children, schema), &fault))
        return fault;
    g_autofree uint64_t *begun = g_new(uint64_t, packed->n);
    if (!xtf_stored_totals_unpack(aggregate, xtf_codec(children->array->codec), packed, XTF_FRAMES_BEGUN + 1, begun,
                                  &rows, &fault))
        return fault;
    for (uint32_t i = 0; i < children->n; i++) {
        uint32_t child = children->first + i;
        uint64_t uncounted = count_rows_below(children, child);
        before[i + 1] = before[i];
        for (; row < rows.n && rows.child[row] == child; row++) {
            if (rows.depth[row] > 0 && rows.keys[(size_t)row * aggregate->n_keys] == XTF_FRAMES_BEFORE)
                continue; /* these rows end frames */
            if (begun[row] > uncounted)
                return "the groups count more rows than are below the child";
            uncounted -= begun[row];
            before[i + 1] += begun[row];
        }
    }
    return row == rows.n ? NULL : "a group names a child that does not exist";
}

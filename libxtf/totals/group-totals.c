#include "libxtf/totals/group-totals-private.h"

#include <math.h>
#include <stdlib.h>

#define TYPE_UNKNOWN ((XtfType)0) /* the value's type depends on a key beyond the depth */

XtfGroupTotals *xtf_group_totals_new(const XtfAggregate *aggregate, unsigned depth)
{
    XtfGroupTotals *totals = g_new0(XtfGroupTotals, 1);

    totals->aggregate = aggregate;
    totals->depth = (uint8_t)MIN(depth, aggregate->n_keys);
    totals->n_cells = (uint8_t)xtf_aggregate_n_cells(aggregate);
    totals->stride = totals->depth + totals->n_cells;
    totals->plain = aggregate->kind != XTF_AGGREGATE_FRAMES && !aggregate->extremes && !aggregate->real_values &&
                    !aggregate->typed_values;
    return totals;
}

void xtf_group_totals_free(XtfGroupTotals *totals)
{
    if (!totals)
        return;
    g_free(totals->groups);
    xtf_key_table_finish(&totals->table);
    g_free(totals);
}

void xtf_group_totals_clear(XtfGroupTotals *totals)
{
    if (totals->n > 0)
        xtf_key_table_clear(&totals->table);
    totals->n = totals->last = 0;
}

static XtfKeys table_keys(const XtfGroupTotals *totals)
{
    return (XtfKeys){.words = totals->groups, .length = totals->depth, .stride = totals->stride};
}

static XtfType value_type(const XtfGroupTotals *totals, const uint64_t *key, unsigned value)
{
    const XtfAggregate *aggregate = totals->aggregate;

    if (aggregate->typed_values >> value & 1) {
        if (totals->depth < aggregate->typed_by)
            return TYPE_UNKNOWN;
        uint64_t type = key[aggregate->typed_by - 1];
        if (type >= 64)
            return XTF_TYPE_U64;
        return aggregate->reals >> type & 1     ? XTF_TYPE_F64
               : aggregate->signeds >> type & 1 ? XTF_TYPE_I64
                                                : XTF_TYPE_U64;
    }
    return aggregate->real_values >> value & 1     ? XTF_TYPE_F64
           : aggregate->signed_values >> value & 1 ? XTF_TYPE_I64
                                                   : XTF_TYPE_U64;
}

bool xtf_group_totals_value_is_real(const XtfGroupTotals *totals, const uint64_t *key, unsigned i)
{
    return value_type(totals, key, i) == XTF_TYPE_F64;
}

/* Sets the cells of a group that has no rows yet: each minimum is greater than its maximum. */
static void clear_cells(const XtfGroupTotals *totals, const uint64_t *key, uint64_t *cells)
{
    static const struct {
        uint64_t least, greatest;
    } initial[] = {
        [XTF_TYPE_U64] = {UINT64_MAX, 0},
        [XTF_TYPE_I64] = {INT64_MAX, (uint64_t)INT64_MIN},
        [XTF_TYPE_F64] = {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000)}, /* infinity and -infinity */
        [TYPE_UNKNOWN] = {0, 0},
    };

    memset(cells, 0, totals->n_cells * sizeof *cells);
    if (totals->aggregate->kind == XTF_AGGREGATE_FRAMES || !totals->aggregate->extremes)
        return;
    for (unsigned i = 0; i < totals->aggregate->n_values; i++) {
        uint64_t *value = cells + 1 + i * XTF_VALUE_CELLS;
        XtfType type = value_type(totals, key, i);
        value[XTF_VALUE_MIN] = initial[type].least;
        value[XTF_VALUE_MAX] = initial[type].greatest;
    }
}

/* Adds a group. Not inlined, because lookups of existing groups take most of the time. */
G_GNUC_NO_INLINE static uint32_t add_group(XtfGroupTotals *totals, const uint64_t *key)
{
    if (totals->n == totals->room) {
        totals->room = MAX(2 * totals->room, 16);
        totals->groups = g_renew(uint64_t, totals->groups, (size_t)totals->room * totals->stride);
    }
    uint64_t *group = totals->groups + (size_t)totals->n * totals->stride;
    for (unsigned i = 0; i < totals->depth; i++)
        group[i] = key[i];
    clear_cells(totals, key, group + totals->depth);
    xtf_key_table_reserve(&totals->table, table_keys(totals), totals->n);
    *xtf_key_table_slot(&totals->table, table_keys(totals), key) = ++totals->n;
    return totals->n;
}

uint64_t *xtf_group_totals_look_up(XtfGroupTotals *totals, const uint64_t *key)
{
    uint32_t number = totals->n > 0 ? *xtf_key_table_slot(&totals->table, table_keys(totals), key) : 0;

    if (G_UNLIKELY(number == 0))
        number = add_group(totals, key);
    totals->last = number - 1;
    return totals->groups + (size_t)totals->last * totals->stride + totals->depth;
}

/* Adds two reals. All NaNs become one, so that the bits do not depend on the order of the values. */
static uint64_t add_reals(uint64_t a, uint64_t b)
{
    double sum = xtf_f64_from_bits(a) + xtf_f64_from_bits(b);
    return xtf_f64_to_bits(isnan(sum) ? NAN : sum);
}

static void combine_value(const XtfGroupTotals *totals, XtfType type, uint64_t *cells, const uint64_t *added)
{
    if (type == TYPE_UNKNOWN)
        return;
    if (type == XTF_TYPE_F64)
        cells[XTF_VALUE_SUM] = add_reals(cells[XTF_VALUE_SUM], added[XTF_VALUE_SUM]);
    else
        cells[XTF_VALUE_SUM] += added[XTF_VALUE_SUM];
    if (!totals->aggregate->extremes || xtf_value_less(type, added[XTF_VALUE_MAX], added[XTF_VALUE_MIN]))
        return;
    if (xtf_value_less(type, added[XTF_VALUE_MIN], cells[XTF_VALUE_MIN]))
        cells[XTF_VALUE_MIN] = added[XTF_VALUE_MIN];
    if (xtf_value_less(type, cells[XTF_VALUE_MAX], added[XTF_VALUE_MAX]))
        cells[XTF_VALUE_MAX] = added[XTF_VALUE_MAX];
    /* With fewer keys, groups that become one are not added in time order. */
    if (totals->depth == totals->aggregate->n_keys)
        cells[XTF_VALUE_LAST] = added[XTF_VALUE_LAST];
}

void xtf_group_totals_add_value(const XtfGroupTotals *totals, const uint64_t *key, uint64_t *cells, unsigned i,
                                uint64_t value)
{
    if (totals->plain) {
        cells[1 + i] += value;
        return;
    }
    const uint64_t added[XTF_VALUE_CELLS] = {value, value, value, value};
    XtfType type = value_type(totals, key, i);
    uint64_t *value_cells = cells + 1 + i * (totals->aggregate->extremes ? XTF_VALUE_CELLS : 1);

    if (type == XTF_TYPE_F64 && isnan(xtf_f64_from_bits(value)))
        value_cells[XTF_VALUE_SUM] = xtf_f64_to_bits(NAN);
    else
        combine_value(totals, type, value_cells, added);
}

void xtf_group_totals_combine(const XtfGroupTotals *totals, const uint64_t *key, uint64_t *cells, const uint64_t *added)
{
    const XtfAggregate *aggregate = totals->aggregate;
    unsigned step = aggregate->extremes ? XTF_VALUE_CELLS : 1;

    if (aggregate->kind == XTF_AGGREGATE_FRAMES) {
        xtf_frames_add(cells, added);
        return;
    }
    cells[XTF_GROUP_ROWS] += added[XTF_GROUP_ROWS];
    for (unsigned i = 0; i < aggregate->n_values; i++)
        combine_value(totals, value_type(totals, key, i), cells + 1 + i * step, added + 1 + i * step);
}

void xtf_group_totals_add(XtfGroupTotals *totals, const uint64_t *key, const uint64_t *cells)
{
    xtf_group_totals_add_cells(totals, key, xtf_group_totals_cells_of(totals, key), cells);
}

void xtf_group_totals_add_all(XtfGroupTotals *totals, const XtfGroupTotals *from)
{
    /* Rows that end frames that never began are also counted under their own keys. */
    bool drops_before = totals->aggregate->kind == XTF_AGGREGATE_FRAMES && totals->depth == 0 && from->depth > 0;

    for (uint32_t i = 0; i < from->n; i++) {
        const uint64_t *key = xtf_group_totals_key(from, i);
        if (!drops_before || key[0] != XTF_FRAMES_BEFORE)
            xtf_group_totals_add(totals, key, key + from->depth);
    }
}

XtfGroupTotals *xtf_group_totals_coarse_copy(const XtfGroupTotals *totals, unsigned depth)
{
    XtfGroupTotals *coarse = xtf_group_totals_new(totals->aggregate, depth);

    xtf_group_totals_add_all(coarse, totals);
    return coarse;
}

XtfGroupTotals *xtf_group_totals_coarsen(const XtfGroupTotals *totals, uint64_t most)
{
    XtfGroupTotals *coarse = NULL;
    unsigned depth = totals->depth;

    do
        xtf_group_totals_replace(&coarse, xtf_group_totals_coarse_copy(totals, --depth));
    while (coarse->n > most && depth > 0);
    return coarse;
}

void xtf_group_totals_add_bounded(XtfGroupTotals **totals, const XtfGroupTotals *more, uint64_t most)
{
    if (more->depth < (*totals)->depth)
        xtf_group_totals_replace(totals, xtf_group_totals_coarse_copy(*totals, more->depth));
    xtf_group_totals_add_all(*totals, more);
    if ((*totals)->n > most && (*totals)->depth > 0)
        xtf_group_totals_replace(totals, xtf_group_totals_coarsen(*totals, most));
}

uint32_t xtf_group_totals_n(const XtfGroupTotals *totals)
{
    return totals->n;
}

const uint64_t *xtf_group_totals_key(const XtfGroupTotals *totals, uint32_t i)
{
    return totals->groups + (size_t)i * totals->stride;
}

const uint64_t *xtf_group_totals_cells(const XtfGroupTotals *totals, uint32_t i)
{
    return xtf_group_totals_key(totals, i) + totals->depth;
}

const uint64_t *xtf_group_totals_find(const XtfGroupTotals *totals, const uint64_t *key)
{
    if (totals->n == 0)
        return NULL;
    uint32_t slot = *xtf_key_table_slot(&totals->table, table_keys(totals), key);
    return slot != 0 ? xtf_group_totals_cells(totals, slot - 1) : NULL;
}

static int compare_keys(const void *a, const void *b, void *depth)
{
    const uint64_t *left = a, *right = b;

    for (unsigned i = 0; i < GPOINTER_TO_UINT(depth); i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

void xtf_group_totals_sort(XtfGroupTotals *totals)
{
    if (totals->n == 0)
        return;
    qsort_r(totals->groups, totals->n, totals->stride * sizeof *totals->groups, compare_keys,
            GUINT_TO_POINTER(totals->depth));
    xtf_key_table_rebuild(&totals->table, table_keys(totals), totals->n);
}

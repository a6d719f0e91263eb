#include "src/pictures/timeline/rows/row-columns.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/slices.h"

enum {
    PURE_PER_MILLE = 995, /* a column of which one region has this part is not worth dividing */
};

uint64_t xtf_column_time(const XtfColumnPlan *plan, uint32_t cell)
{
    return xtf_time_bin_bound(plan->from, plan->to, cell, plan->cells);
}

/* ---- One column. */

/* Returns the index of the first share whose line is not less than `line`. */
static uint32_t find_share(const XtfPictureColumn *column, uint64_t line)
{
    uint32_t low = 0, high = column->n;

    if (high > 0 && column->shares[high - 1].line < line)
        return high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (column->shares[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void xtf_picture_column_add(XtfPictureColumn *column, const XtfShare *share)
{
    uint32_t i = find_share(column, share->line);

    column->regions += share->ticks;
    if (i == column->n || column->shares[i].line != share->line) {
        if (column->n == column->room) {
            column->room = MAX(column->room * 2, 4);
            column->shares = g_renew(XtfShare, column->shares, column->room);
        }
        memmove(&column->shares[i + 1], &column->shares[i], (column->n - i) * sizeof *column->shares);
        column->shares[i] = (XtfShare){.line = share->line};
        column->n++;
    }
    column->shares[i].ticks += share->ticks;
    column->shares[i].calls += share->calls;
}

void xtf_picture_column_join(XtfPictureColumn *to, const XtfPictureColumn *from)
{
    to->whole += from->whole;
    to->alive += from->alive;
    for (uint32_t i = 0; i < from->n; i++)
        xtf_picture_column_add(to, &from->shares[i]);
}

void xtf_picture_column_finish(XtfPictureColumn *column)
{
    g_clear_pointer(&column->shares, g_free);
}

static int compare_shares(const void *a, const void *b)
{
    const XtfShare *x = a, *y = b;

    if (x->ticks != y->ticks)
        return x->ticks < y->ticks ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

void xtf_picture_column_sort(XtfPictureColumn *column)
{
    if (column->n > 1)
        qsort(column->shares, column->n, sizeof *column->shares, compare_shares);
}

/* Subtracts the left half from a column that was divided. */
static void subtract_left(XtfPictureColumn *whole, const XtfPictureColumn *left)
{
    uint32_t kept = 0;

    whole->whole -= MIN(whole->whole, left->whole);
    whole->alive -= MIN(whole->alive, left->alive);
    whole->regions = 0;
    for (uint32_t i = 0, j = 0; i < whole->n; i++) {
        XtfShare share = whole->shares[i];
        while (j < left->n && left->shares[j].line < share.line)
            j++;
        if (j < left->n && left->shares[j].line == share.line) {
            share.ticks -= MIN(share.ticks, left->shares[j].ticks);
            share.calls -= MIN(share.calls, left->shares[j].calls);
        }
        whole->regions += share.ticks;
        if (share.ticks || share.calls)
            whole->shares[kept++] = share;
    }
    whole->n = kept;
}

/* True if one colour, or the ground, has nearly all of a column. */
static bool is_pure(const XtfPictureColumn *column)
{
    uint64_t most =
        MAX(column->whole - MIN(column->whole, column->alive), column->alive - MIN(column->alive, column->regions));

    for (uint32_t i = 0; i < column->n; i++)
        most = MAX(most, column->shares[i].ticks);
    return (unsigned __int128)most * 1000 >= (unsigned __int128)column->whole * PURE_PER_MILLE;
}

/* ---- Measuring. */

void xtf_row_meter_init(XtfRowMeter *meter, const XtfRegionTimes *times, const XtfPictureRows *rows,
                        const XtfColumnPlan *plan)
{
    xtf_region_times_init_more(&meter->times, times);
    meter->rows = rows;
    meter->plan = plan;
}

void xtf_row_meter_finish(XtfRowMeter *meter)
{
    xtf_region_times_finish(&meter->times);
}

static void add_region_shares(XtfRowMeter *meter, XtfPictureColumn *column)
{
    XtfGroupTotals *groups = meter->times.groups;
    const XtfRegions *regions = &meter->times.regions;

    xtf_group_totals_sort(groups);
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        const uint64_t *cells = xtf_group_totals_cells(groups, i);
        uint64_t line = xtf_region_line(regions, *xtf_group_totals_key(groups, i));
        const XtfShare share = {.line = line,
                                .ticks = cells[XTF_FRAMES_EXCLUSIVE],
                                .calls = line == regions->n ? 0 : cells[XTF_FRAMES_BEGUN]};
        if (line < xtf_regions_n_lines(regions) && xtf_region_is_listed(regions, line) && (share.ticks || share.calls))
            xtf_picture_column_add(column, &share);
    }
}

/* Columns that are measured together, in ascending order, and the calls of a location. */
typedef struct {
    XtfRowMeter *meter;
    XtfPictureColumn **columns;
    const XtfArray *calls;
} Measuring;

/* Adds the location's times in a column to it. meter->times.groups is the profile of the column. */
static bool add_location_times(XtfRowMeter *meter, const XtfArray *calls, XtfPictureColumn *column, GError **error)
{
    const XtfLocationArrays *arrays = &meter->times.arrays;
    uint64_t a = xtf_column_time(meter->plan, column->from), b = xtf_column_time(meter->plan, column->to);
    uint64_t from = xtf_clock_map_to_local(calls->clock, a), to = xtf_clock_map_to_local(calls->clock, b);
    uint64_t first = MAX(from, arrays->local_first), last = MIN(to, arrays->local_last), gaps;

    if (to <= from)
        return true;
    column->whole += to - from;
    if (last < first)
        return true;
    if (!xtf_location_gap_ticks(arrays, true, first, last, &gaps, error))
        return false;
    column->alive += last - first - gaps;
    add_region_shares(meter, column);
    return true;
}

/* Takes a slice: each other one is a column. */
static bool take_column(const XtfSlice *slice, void *data, GError **error)
{
    const Measuring *measuring = data;

    return slice->number % 2 == 1 ||
           add_location_times(measuring->meter, measuring->calls, measuring->columns[slice->number / 2], error);
}

/* Adds the times of one location to empty columns. */
static bool measure_location(const Measuring *measuring, uint32_t n, GError **error)
{
    XtfRowMeter *meter = measuring->meter;
    const XtfLocationArrays *arrays = &meter->times.arrays;
    g_autofree uint64_t *edges = g_new(uint64_t, 2 * (size_t)n);

    for (uint32_t i = 0; i < n; i++) {
        edges[2 * i] = xtf_column_time(meter->plan, measuring->columns[i]->from);
        edges[2 * i + 1] = xtf_column_time(meter->plan, measuring->columns[i]->to);
    }
    return xtf_array_slice_profiles(measuring->calls, meter->times.frames.number, edges, 2 * (size_t)n,
                                    arrays->local_first, arrays->local_last, meter->times.groups, take_column,
                                    (void *)measuring, error);
}

/* Measures empty columns, in ascending order, by the index: location by location, in one pass over each. */
static bool measure_by_index(XtfRowMeter *meter, const XtfPictureRow *row, XtfPictureColumn **columns, uint32_t n,
                             GError **error)
{
    const XtfSelectedLocations *selected = &meter->rows->selected;

    for (uint32_t i = 0; i < row->n; i++) {
        const XtfLocation *location = xtf_selected_location(selected, row->first + i);
        if (!xtf_location_arrays_load(&meter->times.arrays, meter->times.context, location, error))
            return false;
        const XtfArray *calls = xtf_location_arrays_find(&meter->times.arrays, meter->times.frames.schema);
        if (calls && !measure_location(&(Measuring){meter, columns, calls}, n, error))
            return false;
    }
    return true;
}

/* ---- Dividing. */

static XtfPictureColumn *column_new(uint32_t from, uint32_t to)
{
    XtfPictureColumn *column = g_new(XtfPictureColumn, 1);
    *column = (XtfPictureColumn){.from = from, .to = to};
    return column;
}

static void column_free(void *data)
{
    xtf_picture_column_finish(data);
    g_free(data);
}

/* Frees the room that a column will not need: a picture keeps the columns of all rows until it is drawn. */
static void shrink_column(XtfPictureColumn *column)
{
    column->room = column->n;
    column->shares = g_renew(XtfShare, column->shares, column->n);
}

/* Returns true if a column is wide enough to halve. */
static bool is_wide(const XtfColumnPlan *plan, const XtfPictureColumn *column)
{
    uint32_t middle = column->from + (column->to - column->from) / 2;

    return column->to - column->from >= 2 * plan->narrowest &&
           xtf_column_time(plan, column->from) < xtf_column_time(plan, middle) &&
           xtf_column_time(plan, middle) < xtf_column_time(plan, column->to);
}

/* Adds the narrowest columns that halving a column leads to. */
static void add_narrowest(const XtfColumnPlan *plan, uint32_t from, uint32_t to, GPtrArray *all)
{
    uint32_t middle = from + (to - from) / 2;

    if (!is_wide(plan, &(XtfPictureColumn){.from = from, .to = to})) {
        g_ptr_array_add(all, column_new(from, to));
        return;
    }
    add_narrowest(plan, from, middle, all);
    add_narrowest(plan, middle, to, all);
}

/* Returns the first of the narrowest columns that ends after a cell begins. */
static uint32_t find_narrowest(const GPtrArray *narrowest, uint32_t cell)
{
    uint32_t low = 0, high = narrowest->len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (((const XtfPictureColumn *)narrowest->pdata[middle])->to <= cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int compare_columns(const void *a, const void *b)
{
    const XtfPictureColumn *const *x = a, *const *y = b;
    return (*x)->from < (*y)->from ? -1 : (*x)->from > (*y)->from;
}

/* Measures empty columns: as sums of the narrowest columns, if these are measured, else by the index. */
static bool measure_columns(XtfRowMeter *meter, const XtfPictureRow *row, const GPtrArray *narrowest,
                            XtfPictureColumn **columns, uint32_t n, GError **error)
{
    g_autofree XtfPictureColumn **sorted = NULL;

    if (narrowest->len == 0) {
        sorted = g_memdup2(columns, n * sizeof *columns);
        qsort(sorted, n, sizeof *sorted, compare_columns);
        return measure_by_index(meter, row, sorted, n, error);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = find_narrowest(narrowest, columns[i]->from);
        for (; at < narrowest->len && ((XtfPictureColumn *)narrowest->pdata[at])->to <= columns[i]->to; at++)
            xtf_picture_column_join(columns[i], narrowest->pdata[at]);
    }
    return true;
}

/* Returns the narrowest columns of a row, measured, if the budget is enough to halve all columns down to them. Else
 * returns none. One pass over all their edges costs less than one pass for each halving. */
static bool measure_narrowest(XtfRowMeter *meter, const XtfPictureRow *row, const GPtrArray *all, GPtrArray *narrowest,
                              GError **error)
{
    for (uint32_t i = 0; i < all->len; i++) {
        const XtfPictureColumn *column = all->pdata[i];
        add_narrowest(meter->plan, column->from, column->to, narrowest);
    }
    if (narrowest->len - all->len > meter->plan->splits) {
        g_ptr_array_set_size(narrowest, 0);
        return true;
    }
    return measure_by_index(meter, row, (XtfPictureColumn **)narrowest->pdata, narrowest->len, error);
}

/* Halves columns of `all`, and appends the left halves. Sets *done if no column was halved. */
static bool halve_columns(GPtrArray *all, const GPtrArray *narrowest, uint32_t *splits, XtfRowMeter *meter,
                          const XtfPictureRow *row, bool *done, GError **error)
{
    uint32_t n = all->len;
    g_autoptr(GPtrArray) wholes = g_ptr_array_new();

    for (uint32_t i = 0; i<n && * splits> 0; i++) {
        XtfPictureColumn *whole = all->pdata[i];
        if (!is_wide(meter->plan, whole) || is_pure(whole))
            continue;
        g_ptr_array_add(all, column_new(whole->from, whole->from + (whole->to - whole->from) / 2));
        g_ptr_array_add(wholes, whole);
        --*splits;
    }
    *done = wholes->len == 0;
    if (*done)
        return true;
    XtfPictureColumn **lefts = (XtfPictureColumn **)all->pdata + n;
    if (!measure_columns(meter, row, narrowest, lefts, wholes->len, error))
        return false;
    for (uint32_t i = 0; i < wholes->len; i++) {
        XtfPictureColumn *whole = wholes->pdata[i];
        whole->from = lefts[i]->to;
        subtract_left(whole, lefts[i]);
    }
    return true;
}

bool xtf_row_columns_measure(XtfRowColumns *columns, XtfRowMeter *meter, const XtfPictureRow *row, GError **error)
{
    const XtfColumnPlan *plan = meter->plan;
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(column_free);
    g_autoptr(GPtrArray) narrowest = g_ptr_array_new_with_free_func(column_free);
    uint32_t splits = plan->splits;
    bool done = false;

    *columns = (XtfRowColumns){0};
    for (uint32_t i = 0; i < plan->columns; i++)
        g_ptr_array_add(all, column_new((uint32_t)((uint64_t)plan->cells * i / plan->columns),
                                        (uint32_t)((uint64_t)plan->cells * (i + 1) / plan->columns)));
    if (!measure_narrowest(meter, row, all, narrowest, error) ||
        !measure_columns(meter, row, narrowest, (XtfPictureColumn **)all->pdata, all->len, error))
        return false;
    while (!done) {
        if (!halve_columns(all, narrowest, &splits, meter, row, &done, error))
            return false;
    }
    qsort(all->pdata, all->len, sizeof *all->pdata, compare_columns);
    columns->all = g_new(XtfPictureColumn, all->len);
    for (columns->n = 0; columns->n < all->len; columns->n++) {
        XtfPictureColumn *column = all->pdata[columns->n];
        shrink_column(column);
        columns->all[columns->n] = *column;
        *column = (XtfPictureColumn){0};
    }
    return true;
}

void xtf_row_columns_finish(XtfRowColumns *columns)
{
    for (uint32_t i = 0; i < columns->n; i++)
        xtf_picture_column_finish(&columns->all[i]);
    g_clear_pointer(&columns->all, g_free);
    columns->n = 0;
}

XtfPictureColumn xtf_row_columns_sum(const XtfRowColumns *columns, uint32_t from, uint32_t to)
{
    XtfPictureColumn sum = {.from = from, .to = to};

    for (uint32_t i = 0; i < columns->n; i++) {
        if (columns->all[i].from >= from && columns->all[i].to <= to)
            xtf_picture_column_join(&sum, &columns->all[i]);
    }
    return sum;
}

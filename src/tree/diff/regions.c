/*
 * The tables of classes and regions of a diff: the greatest change first.
 */
#include "src/trace/text/escape.h"
#include "src/tree/diff/change.h"
#include "src/tree/diff/diff-private.h"
#include "src/tree/diff/growth.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("calls_a", XTF_COLUMN_NUMBER, NULL, "calls in the first trace"),
    XTF_COLUMN("calls_b", XTF_COLUMN_NUMBER, NULL, "calls in the second trace"),
    XTF_COLUMN("exclusive_a", XTF_COLUMN_TIME, NULL, "exclusive time in the first trace"),
    XTF_COLUMN("exclusive_b", XTF_COLUMN_TIME, NULL, "exclusive time in the second trace"),
    XTF_COLUMN("inclusive_a", XTF_COLUMN_TIME, NULL, "inclusive time in the first trace"),
    XTF_COLUMN("inclusive_b", XTF_COLUMN_TIME, NULL, "inclusive time in the second trace"),
    XTF_COLUMN("difference", XTF_COLUMN_ANY, NULL, "second minus first"),
    XTF_COLUMN("ratio", XTF_COLUMN_REAL, NULL, "second divided by first"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
    XTF_COLUMN("class", XTF_COLUMN_TEXT, NULL, "class of regions"),
};

const XtfTableDeclaration xtf_table_diff_regions =
    XTF_TABLE("diff: regions and classes", "regions or classes of either trace", columns);

static const char *const orders[] = {
    [XTF_DIFF_BY_EXCLUSIVE] = "exclusive",
    [XTF_DIFF_BY_INCLUSIVE] = "inclusive",
    [XTF_DIFF_BY_CALLS] = "calls",
};

const char *xtf_diff_order_name(unsigned order)
{
    return order < G_N_ELEMENTS(orders) ? orders[order] : NULL;
}

typedef struct {
    const char *label; /* borrowed */
    uint64_t number;
    bool known[2];    /* true if the trace has such a region */
    XtfWide calls[2]; /* sum over all regions with the label */
    XtfWide time[2];  /* inclusive or exclusive; ticks of the trace, then of the common clock */
    XtfWide by[2];    /* the value that is compared */
} Line;

static void add_region_total(Line *line, const XtfRegionTotal *total, unsigned side, XtfDiffOrder by)
{
    line->known[side] = true;
    line->calls[side] += total->calls;
    line->time[side] += by == XTF_DIFF_BY_INCLUSIVE ? total->inclusive : total->exclusive;
}

/* Assignment of regions to lines. After the labelled lines follows a line for frames that began before the trace. */
typedef struct {
    const char *column; /* name of the last column */
    XtfDiffOrder by;
    const char *const *labels;
    uint64_t n;
    const uint64_t *numbers[2]; /* for each trace, by row: the number of the region's line */
    uint64_t unknown;           /* number of the line for undefined regions */
    XtfDiffGrowth *growth;      /* NULL: lines are not judged */
} Groups;

static void add_side_totals(Line *lines, const XtfDiffSide *side, unsigned i, const Groups *groups)
{
    const XtfRegions *regions = &side->regions.times.regions;

    for (uint64_t row = 0; row < side->regions.n; row++) {
        uint64_t number = row < regions->n ? groups->numbers[i][row] : row == regions->n ? groups->n : groups->unknown;
        if (xtf_region_is_listed(regions, row))
            add_region_total(&lines[number], &side->regions.all[row], i, groups->by);
    }
}

static bool set_compared_values(Line *line, const XtfDiffSide sides[2], const XtfTimeScale *common, XtfDiffOrder by,
                                GError **error)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!xtf_common_ticks(common, xtf_diff_side_scale(&sides[i]), line->time[i], &line->time[i], error))
            return false;
        line->by[i] = by == XTF_DIFF_BY_CALLS ? line->calls[i] : line->time[i];
    }
    return true;
}

static int compare_changes(const void *a, const void *b)
{
    const Line *x = a, *y = b;
    XtfWide change_x = xtf_wide_distance(x->by[0], x->by[1]), change_y = xtf_wide_distance(y->by[0], y->by[1]);
    XtfWide most_x = MAX(x->by[0], x->by[1]), most_y = MAX(y->by[0], y->by[1]);

    if (change_x != change_y)
        return change_x > change_y ? -1 : 1;
    if (most_x != most_y)
        return most_x > most_y ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Returns the lines with calls or time, sorted. */
static GArray *make_lines(const XtfDiffSide sides[2], const Groups *groups, const XtfTimeScale *common, GError **error)
{
    g_autofree Line *all = g_new0(Line, groups->n + 1);
    g_autoptr(GArray) shown = g_array_new(FALSE, FALSE, sizeof(Line));

    for (unsigned i = 0; i < 2; i++) {
        if (sides[i].has_regions)
            add_side_totals(all, &sides[i], i, groups);
    }
    for (uint64_t i = 0; i <= groups->n; i++) {
        Line *line = &all[i];
        line->number = i;
        line->label = i < groups->n ? groups->labels[i] : "(unmatched LEAVE)";
        if (!line->calls[0] && !line->calls[1] && !line->time[0] && !line->time[1])
            continue;
        if (!set_compared_values(line, sides, common, groups->by, error))
            return NULL;
        g_array_append_val(shown, *line);
    }
    g_array_sort(shown, compare_changes);
    return g_steal_pointer(&shown);
}

static void lay_out(XtfGrid *grid, const Line *lines, uint64_t n, const XtfTimeScale *common, const Groups *groups)
{
    XtfDiffOrder by = groups->by;
    size_t calls = 0, time = 0, label = 0;

    for (const Line *line = lines; line < lines + n; line++) {
        calls = MAX(calls, xtf_wide_width(MAX(line->calls[0], line->calls[1])));
        time = MAX(time, xtf_ticks_width(common, MAX(line->time[0], line->time[1])));
        label = MAX(label, xtf_text_width(line->label, false, XTF_TABLE_TEXT_MAX));
    }
    xtf_grid_add(grid, "calls_a", calls);
    xtf_grid_add(grid, "calls_b", calls);
    xtf_grid_add(grid, by == XTF_DIFF_BY_INCLUSIVE ? "inclusive_a" : "exclusive_a", time);
    xtf_grid_add(grid, by == XTF_DIFF_BY_INCLUSIVE ? "inclusive_b" : "exclusive_b", time);
    xtf_grid_add(grid, "difference", (by == XTF_DIFF_BY_CALLS ? calls : time) + 1);
    xtf_grid_add(grid, "ratio", XTF_RATIO_WIDTH);
    xtf_grid_add(grid, groups->column, label);
}

static void put_line(XtfLines *lines, const Line *line, XtfDiffOrder by)
{
    for (unsigned i = 0; i < 2; i++) {
        if (line->known[i])
            xtf_lines_signed_wide(lines, false, line->calls[i]);
        else
            xtf_lines_none(lines);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (line->known[i])
            xtf_lines_ticks(lines, line->time[i]);
        else
            xtf_lines_none(lines);
    }
    if (by == XTF_DIFF_BY_CALLS)
        xtf_lines_difference(lines, line->by[0], line->by[1]);
    else
        xtf_lines_ticks_difference(lines, line->by[0], line->by[1]);
    xtf_lines_ratio(lines, line->known[0] && line->known[1], (double)line->by[0], (double)line->by[1]);
    xtf_lines_text(lines, line->label, line->number);
}

/* Adds a table of the first `top` lines, or of all if `top` is 0. Judges all lines if `groups` has a `growth`. */
static bool add_lines_table(const XtfDiffSide sides[2], const XtfTimeScale *common, const Groups *groups, uint64_t top,
                            GString *out, GError **error)
{
    g_autoptr(GArray) all = make_lines(sides, groups, common, error);
    XtfGrid grid;
    XtfLines lines;

    if (!all)
        return false;
    const Line *first = (const Line *)(const void *)all->data;
    for (guint i = 0; groups->growth && i < all->len; i++)
        xtf_diff_judge_row(groups->growth, first[i].label, first[i].by, common, groups->by);
    uint64_t n = top ? MIN(top, (uint64_t)all->len) : all->len;
    xtf_grid_init(&grid, &xtf_table_diff_regions);
    lay_out(&grid, first, n, common, groups);
    xtf_lines_init(&lines, &grid, common, out);
    xtf_lines_header(&lines);
    for (uint64_t i = 0; i < n; i++)
        put_line(&lines, &first[i], groups->by);
    return xtf_lines_finish(&lines, error);
}

bool xtf_diff_add_regions(const XtfDiffSide sides[2], const XtfTimeScale *common, const XtfDiffOptions *options,
                          XtfDiffGrowth *growth, GString *out, GError **error)
{
    const XtfRegionTexts texts[2] = {sides[0].texts, sides[1].texts};
    g_auto(XtfRegionPairs) pairs = {0};

    xtf_region_pairs_init(&pairs, texts, 2);
    uint64_t unknown = pairs.labels->len;
    g_ptr_array_add(pairs.labels, g_strdup("?"));
    const Groups groups = {.column = "region",
                           .by = options->by,
                           .labels = (const char *const *)pairs.labels->pdata,
                           .n = pairs.labels->len,
                           .numbers = {pairs.numbers[0], pairs.numbers[1]},
                           .unknown = unknown,
                           .growth = growth};
    return add_lines_table(sides, common, &groups, options->top, out, error);
}

bool xtf_diff_add_classes(const XtfDiffSide sides[2], const XtfTimeScale *common, const XtfDiffOptions *options,
                          GString *out, GError **error)
{
    /* Inclusive times of nested regions of a class would add up to too much: they count the inner region twice. */
    Groups groups = {.column = "class",
                     .by = options->by == XTF_DIFF_BY_INCLUSIVE ? XTF_DIFF_BY_EXCLUSIVE : options->by,
                     .labels = xtf_class_names,
                     .n = XTF_N_CLASSES,
                     .unknown = XTF_CLASS_PROGRAM};
    g_autofree uint64_t *numbers = g_new(uint64_t, sides[0].regions.n + sides[1].regions.n + 1);
    uint64_t *next = numbers;

    for (unsigned i = 0; i < 2; i++) {
        const XtfRegionClasses *classes = xtf_trace_context_classes(&sides[i].directory->tree->context, error);
        if (!classes)
            return false;
        groups.numbers[i] = next;
        for (uint64_t row = 0; row < sides[i].regions.n; row++)
            *next++ = xtf_region_classes_of(classes, row);
    }
    return add_lines_table(sides, common, &groups, 0, out, error);
}

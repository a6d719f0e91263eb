/*
 * classes: the exclusive time by class of regions. There are no inclusive times: calls of one class may be nested, and
 * a sum over regions would count their time twice.
 */
#include <string.h>

#include "src/tables/totals/regions/class-times.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls that are entered"),
    XTF_COLUMN("exclusive", XTF_COLUMN_TIME, NULL, "exclusive time of its regions"),
    XTF_COLUMN("exclusive%", XTF_COLUMN_PERCENT, NULL, "exclusive time, of the time of all locations"),
    XTF_COLUMN("class", XTF_COLUMN_TEXT, NULL, "class of regions"),
};

static const char outside_name[] = "(no region)", unmatched_name[] = "(unmatched LEAVE)";

/* The sums at the end. There is none of `useful`: time in no region is useful, too (xtf_class_times_program()). */
static const char *const sums[] = {"mpi", "omp"};

/* Returns the classes that have a line: class "program", and each class of which the trace has regions. */
static XtfClassSet listed_classes(const XtfRegionClasses *classes)
{
    return classes->present | XTF_CLASS_BIT(XTF_CLASS_PROGRAM);
}

static unsigned n_sums(const XtfRegionClasses *classes)
{
    unsigned n = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(sums); i++)
        n += (classes->present & xtf_classes_by_name(sums[i])) != 0;
    return n;
}

static bool shape_classes(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) region_times = {0};
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);

    if (!classes || !xtf_region_times_init(&region_times, views->formats, selection, error))
        return false;
    size_t time = xtf_region_times_width(&region_times), name = strlen(unmatched_name);
    shape->n_lines = shape->at_once = (unsigned)__builtin_popcount(listed_classes(classes)) + 2 + n_sums(classes);
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&region_times.frames, views->context));
    xtf_grid_add(&shape->grid, "exclusive", time);
    xtf_grid_add(&shape->grid, "exclusive%", 0);
    xtf_grid_add(&shape->grid, "class", name);
    return true;
}

static void add_class_line(XtfLines *lines, const char *name, bool has_calls, uint64_t calls, unsigned __int128 ticks,
                           unsigned __int128 whole)
{
    xtf_lines_number_if(lines, has_calls, calls);
    xtf_lines_ticks(lines, ticks);
    xtf_lines_percent(lines, ticks, whole);
    xtf_lines_word(lines, name);
}

static void add_sum(XtfLines *lines, const char *name, XtfClassSet wanted, const XtfClassTimes *times)
{
    uint64_t calls = 0;

    for (unsigned class = 0; class < XTF_N_CLASSES; class ++)
        calls += wanted & XTF_CLASS_BIT(class) ? times->calls[class] : 0;
    add_class_line(lines, name, true, calls, xtf_class_times_of(times, wanted), times->whole);
}

static void add_class_lines(const XtfRegionClasses *classes, const XtfClassTimes *times, XtfLines *lines)
{
    for (unsigned class = 0; class < XTF_N_CLASSES; class ++) {
        if (listed_classes(classes) & XTF_CLASS_BIT(class))
            add_class_line(lines, xtf_class_names[class], true, times->calls[class], times->ticks[class], times->whole);
    }
    /* A selection by region/ has neither the time in no region nor the time before LEAVEs without an ENTER. */
    add_class_line(lines, outside_name, false, 0, xtf_class_times_outside(times), times->whole);
    add_class_line(lines, unmatched_name, true, 0, times->before, times->whole);
    for (unsigned i = 0; i < G_N_ELEMENTS(sums); i++) {
        if (classes->present & xtf_classes_by_name(sums[i]))
            add_sum(lines, sums[i], xtf_classes_by_name(sums[i]), times);
    }
}

static bool fill_classes(XtfViews *views, const XtfTimeBins *bins, XtfLines *lines, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);
    g_autofree XtfClassTimes *times = g_new0(XtfClassTimes, bins->n);

    if (!classes || !xtf_class_times_measure_bins(times, views->formats, bins, XTF_TIMES_OF_ALL, error))
        return false;
    for (uint64_t i = 0; i < bins->n; i++)
        add_class_lines(classes, &times[i], lines);
    return true;
}

const XtfView xtf_view_classes = {.table = XTF_TABLE("classes", "calls and time of each class of regions", columns),
                                  .by_location = true,
                                  .subject = &xtf_about_calls,
                                  .exists = xtf_region_times_exist,
                                  .shape = shape_classes,
                                  .fill_bins = fill_classes,
                                  .refused_keys = 1 << XTF_GROUP_BY_SITE};

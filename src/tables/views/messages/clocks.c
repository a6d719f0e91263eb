/*
 * clocks: the clocks of nodes, as the recorder has read them, and how many messages contradict them.
 */
#include <math.h>

#include "libxtf/trace.h"
#include "src/model/labels.h"
#include "src/model/tables.h"
#include "src/tables/clocks/clock-nodes.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

enum { POINT_WIDTH = 10, DRIFT_WIDTH = 12 };

static const XtfColumn columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL,
               "process that read the clock of another node, for all processes of its own node"),
    XTF_COLUMN("reads", XTF_COLUMN_NUMBER, NULL, "process whose clock it read"),
    XTF_COLUMN("point", XTF_COLUMN_WORD, NULL, "INIT, COLLECTIVE, PCONTROL or FINALIZE"),
    XTF_COLUMN("used", XTF_COLUMN_WORD, NULL, "yes: the clock map goes through the reading"),
    XTF_COLUMN("time", XTF_COLUMN_TIME, NULL, "time of the reading, by the clock of the first node"),
    XTF_COLUMN("offset", XTF_COLUMN_REAL, "s", "time to add to the node's clock to get that of the first node"),
    XTF_COLUMN("drift", XTF_COLUMN_REAL, "ppm", "by how much the offset grows until the next used reading"),
    XTF_COLUMN("round_trip", XTF_COLUMN_REAL, "s", "least round trip of a message"),
    XTF_COLUMN("bound", XTF_COLUMN_REAL, "s", "greatest error of the offset"),
    XTF_COLUMN("messages", XTF_COLUMN_NUMBER, NULL, "messages from or to other nodes until the next reading"),
    XTF_COLUMN("before", XTF_COLUMN_NUMBER, NULL, "of them received before they were sent, by the clocks as recorded"),
    XTF_COLUMN("after", XTF_COLUMN_NUMBER, NULL, "of them received before they were sent, by the corrected clocks"),
};

static bool clocks_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfSchema *readings = xtf_trace_find_schema(context->trace, XTF_TABLE_CLOCK_READINGS);

    return readings && readings->kind == XTF_SCHEMA_TABLE && xtf_trace_n_rows(context->trace, readings->id) > 0 &&
           selection->type == XTF_ANY_TYPE && !selection->base && !selection->procs && !selection->threads &&
           !xtf_selection_is_filtered(selection) && selection->time_from == 0 && selection->endless;
}

static uint64_t offset_of(const XtfNodeReading *reading)
{
    return reading->global > reading->local ? reading->global - reading->local : reading->local - reading->global;
}

static const XtfNodeClock *clock_at(const XtfClockNodes *clocks, guint i)
{
    return &g_array_index(clocks->nodes.clocks, XtfNodeClock, i);
}

static const XtfNodeReading *reading_at(const XtfNodeClock *clock, guint i)
{
    return &g_array_index(clock->readings, XtfNodeReading, i);
}

static bool shape_clocks(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTimeScale *scale = &views->context->scale;
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    g_auto(XtfClockNodes) clocks = {0};
    uint64_t offset = 0, round_trip = 0, bound = 0;

    if (!locations || !xtf_clock_nodes_init(&clocks, views->context->trace, error))
        return false;
    for (guint i = 0; i < clocks.nodes.clocks->len; i++)
        for (guint k = 0; k < clock_at(&clocks, i)->readings->len; k++) {
            const XtfNodeReading *reading = reading_at(clock_at(&clocks, i), k);
            offset = MAX(offset, offset_of(reading));
            round_trip = MAX(round_trip, reading->round_trip);
            bound = MAX(bound, reading->bound);
        }
    shape->n_lines = clocks.n;
    shape->at_once = MAX(clocks.n, 1);
    size_t count = xtf_count_digits(XTF_CLOCK_MESSAGES_MOST);
    xtf_grid_add(&shape->grid, "proc", xtf_count_digits(UINT32_MAX));
    xtf_grid_add(&shape->grid, "reads", xtf_count_digits(UINT32_MAX));
    xtf_grid_add(&shape->grid, "point", POINT_WIDTH);
    xtf_grid_add(&shape->grid, "used", strlen("yes"));
    xtf_grid_add(&shape->grid, "time", scale->width);
    xtf_grid_add(&shape->grid, "offset", 1 + xtf_ticks_width(scale, offset));
    xtf_grid_add(&shape->grid, "drift", DRIFT_WIDTH);
    xtf_grid_add(&shape->grid, "round_trip", xtf_ticks_width(scale, round_trip));
    xtf_grid_add(&shape->grid, "bound", xtf_ticks_width(scale, bound));
    xtf_grid_add(&shape->grid, "messages", count);
    xtf_grid_add(&shape->grid, "before", count);
    xtf_grid_add(&shape->grid, "after", count);
    return true;
}

/* Returns by how many millionths the offset grows between two readings. */
static double drift_of(const XtfNodeReading *from, const XtfNodeReading *to)
{
    double run = (double)(to->local - from->local), rise = (double)(to->global - from->global);

    return (rise - run) / run * 1e6;
}

/* Returns the next used reading of a clock; NULL: there is none. */
static const XtfNodeReading *next_used(const XtfNodeClock *clock, guint i)
{
    while (++i < clock->readings->len)
        if (reading_at(clock, i)->used)
            return reading_at(clock, i);
    return NULL;
}

static void add_reading(const XtfNodeClock *clock, guint i, const XtfClockSection *section, XtfLines *lines)
{
    const XtfNodeReading *reading = reading_at(clock, i), *next = next_used(clock, i);
    double drift = reading->used && next ? drift_of(reading, next) : NAN;

    xtf_lines_number(lines, clock->reader);
    xtf_lines_number(lines, reading->reference);
    xtf_lines_word(lines,
                   reading->point < g_strv_length((char **)xtf_clock_points) ? xtf_clock_points[reading->point] : "-");
    xtf_lines_word(lines, reading->used ? "yes" : "no");
    xtf_lines_time_if(lines, true, reading->global);
    xtf_lines_signed_ticks(lines, reading->global < reading->local, offset_of(reading));
    if (isnan(drift))
        xtf_lines_none(lines);
    else
        xtf_lines_real(lines, "%.3f", drift);
    xtf_lines_ticks(lines, reading->round_trip);
    xtf_lines_ticks(lines, reading->bound);
    xtf_lines_number(lines, section->judged);
    xtf_lines_number(lines, section->before);
    xtf_lines_number(lines, section->after);
}

static bool fill_clocks(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                        GError **error)
{
    g_auto(XtfClockNodes) clocks = {0};
    const XtfClockSection *section;

    if (!xtf_clock_nodes_init(&clocks, views->context->trace, error) ||
        !xtf_clock_nodes_count(&clocks, views->clocks, error))
        return false;
    section = clocks.sections;
    for (guint i = 0; i < clocks.nodes.clocks->len; i++)
        for (guint k = 0; k < clock_at(&clocks, i)->readings->len; k++)
            add_reading(clock_at(&clocks, i), k, section++, lines);
    return true;
}

const XtfView xtf_view_clocks = {
    .table = XTF_TABLE(
        "clocks", "clocks of the nodes, as the recorder has read them, and messages that contradict them", columns),
    .needs = "readings of clocks by the recorder",
    .exists = clocks_exist,
    .shape = shape_clocks,
    .fill = fill_clocks,
    .refused_keys = UINT32_MAX,
};

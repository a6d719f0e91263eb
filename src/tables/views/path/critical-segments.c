/*
 * critical/segments: a line for each segment of the critical path, with its location.
 */
#include "src/tables/totals/path/critical-window.h"
#include "src/tables/views/view.h"

#include "src/model/schemas.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("from", XTF_COLUMN_TIME, NULL, "when the critical path enters the location"),
    XTF_COLUMN("to", XTF_COLUMN_TIME, NULL, "when the critical path leaves the location"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the process"),
    XTF_COLUMN("next_proc", XTF_COLUMN_NUMBER, NULL, "process of the next segment"),
    XTF_COLUMN("next_thread", XTF_COLUMN_NUMBER, NULL, "thread of the next segment"),
};

enum {
    LINES_AT_ONCE = 1 << 16,
};

/* A selection's locations, and its window. */
typedef struct {
    XtfCriticalWindow window;
    XtfSelectedLocations selected;
    uint64_t from, to;
} Segments;

static void segments_finish(Segments *query)
{
    xtf_critical_window_finish(&query->window);
    xtf_selected_locations_finish(&query->selected);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Segments, segments_finish)

static bool segments_init(Segments *query, XtfViews *views, const XtfSelection *selection, GError **error)
{
    *query = (Segments){.from = selection->time_from, .to = selection->time_to};
    return xtf_critical_window_init(&query->window, views->context, error) &&
           xtf_selected_locations_init(&query->selected, views->context, selection, error);
}

/* Counts the segments that overlap the window before `to`. */
static bool count_segments(Segments *query, uint64_t to, uint64_t *n, GError **error)
{
    *n = 0;
    for (uint32_t i = 0; i < query->selected.n; i++) {
        uint64_t own;
        if (!xtf_critical_window_count(&query->window, xtf_selected_location(&query->selected, i), query->from, to,
                                       &own, error))
            return false;
        *n += own;
    }
    return true;
}

static bool shape_segments(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    g_auto(Segments) query = {0};
    const size_t time = views->context->scale.width;

    if (!locations || !segments_init(&query, views, selection, error) ||
        !count_segments(&query, query.to, &shape->n_lines, error))
        return false;
    shape->at_once = LINES_AT_ONCE;
    xtf_grid_add(&shape->grid, "from", time);
    xtf_grid_add(&shape->grid, "to", time);
    xtf_grid_add(&shape->grid, "proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "thread", locations->thread_width);
    xtf_grid_add(&shape->grid, "next_proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "next_thread", locations->thread_width);
    return true;
}

/* Finds the least time before which n segments of the window begin. */
static bool find_time(Segments *query, uint64_t n, uint64_t *time, GError **error)
{
    uint64_t high = query->to;

    *time = query->from;
    while (*time < high) {
        uint64_t middle = *time + (high - *time) / 2, before;
        if (!count_segments(query, middle, &before, error))
            return false;
        if (before < n)
            *time = middle + 1;
        else
            high = middle;
    }
    return true;
}

static int compare_segments(const void *a, const void *b)
{
    const XtfCriticalSegment *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->proc != y->proc)
        return x->proc < y->proc ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Adds the line of a segment. A segment that is cut at the end of the window is its own next segment. */
static void add_segment_line(const Segments *query, const XtfCriticalSegment *segment, XtfLines *lines)
{
    const uint64_t origin = lines->scale->origin;
    bool cut = segment->end > query->to;
    uint64_t next = cut ? segment->proc : segment->next_proc;

    xtf_lines_ticks(lines, MAX(segment->begin, query->from) - origin);
    xtf_lines_ticks(lines, MIN(segment->end, query->to) - origin);
    xtf_lines_number(lines, segment->proc);
    xtf_lines_number(lines, segment->thread);
    xtf_lines_number_if(lines, next != XTF_NONE32, next);
    xtf_lines_number_if(lines, next != XTF_NONE32, cut ? segment->thread : segment->next_thread);
}

/* Finds the part of the window that has the n segments from `first` on. Segments follow one another in time: the part
 * lasts from the begin of the first to the begin of the segment behind the last. */
static bool find_part(Segments *query, uint64_t first, uint64_t n, uint64_t *from, uint64_t *to, GError **error)
{
    *from = query->from;
    *to = query->to;
    if (first > 0) {
        if (!find_time(query, first + 1, from, error))
            return false;
        --*from;
    }
    return n < LINES_AT_ONCE || find_time(query, first + n, to, error);
}

static bool fill_segments(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                          GError **error)
{
    g_autoptr(GArray) segments = g_array_new(FALSE, FALSE, sizeof(XtfCriticalSegment));
    g_auto(Segments) query = {0};
    uint64_t from, to;

    if (!segments_init(&query, views, selection, error) || !find_part(&query, first, n, &from, &to, error))
        return false;
    for (uint32_t i = 0; i < query.selected.n; i++) {
        if (!xtf_critical_window_list(&query.window, xtf_selected_location(&query.selected, i), from, to, segments,
                                      error))
            return false;
    }
    g_array_sort(segments, compare_segments);
    for (guint i = 0; i < segments->len; i++)
        add_segment_line(&query, &g_array_index(segments, XtfCriticalSegment, i), lines);
    return true;
}

const XtfView xtf_view_critical_segments = {.table = XTF_TABLE("segments", "segments of the critical path", columns),
                                            .subject = &xtf_about_path,
                                            .exists = xtf_critical_type_is_selected,
                                            .shape = shape_segments,
                                            .fill = fill_segments};

/*
 * critical/segments: a line for each segment of the critical path, with its location.
 */
#include "src/model/schemas.h"
#include "src/tables/format/call-sites.h"
#include "src/tables/totals/path/critical-window.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("from", XTF_COLUMN_TIME, NULL, "when the critical path enters the location"),
    XTF_COLUMN("to", XTF_COLUMN_TIME, NULL, "when the critical path leaves the location"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the process"),
    XTF_COLUMN("next_proc", XTF_COLUMN_NUMBER, NULL, "process of the next segment"),
    XTF_COLUMN("next_thread", XTF_COLUMN_NUMBER, NULL, "thread of the next segment"),
    XTF_COLUMN("from_site", XTF_COLUMN_TEXT, NULL, "site of the call that is open at `from`"),
    XTF_COLUMN("to_site", XTF_COLUMN_TEXT, NULL, "site of the call with which the segment ends"),
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
    const XtfPaddedNames *sites;

    if (!locations || !xtf_padded_names_of_sites(views->formats, &sites, error) ||
        !segments_init(&query, views, selection, error) || !count_segments(&query, query.to, &shape->n_lines, error))
        return false;
    shape->at_once = LINES_AT_ONCE;
    xtf_grid_add(&shape->grid, "from", time);
    xtf_grid_add(&shape->grid, "to", time);
    xtf_grid_add(&shape->grid, "proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "thread", locations->thread_width);
    xtf_grid_add(&shape->grid, "next_proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "next_thread", locations->thread_width);
    if (sites) {
        xtf_grid_add(&shape->grid, "from_site", sites->width);
        xtf_grid_add(&shape->grid, "to_site", sites->width);
    }
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

/* Finds the site of the call that ends a segment. The path ends where its last call is entered. */
static bool find_last_site(const XtfCriticalSegment *segment, uint32_t location, XtfSiteReader *reader, uint32_t *site,
                           GError **error)
{
    return segment->next_proc == XTF_NONE32 ? xtf_site_reader_find_at(reader, location, segment->end, site, error)
                                            : xtf_site_reader_find(reader, location, segment->seq, site, error);
}

/* Adds the sites of the calls at both ends of a segment. */
static bool add_segment_sites(const Segments *query, const XtfCriticalSegment *segment, XtfSiteReader *reader,
                              const XtfPaddedNames *names, XtfLines *lines, GError **error)
{
    uint32_t location = (uint32_t)(segment->location - query->selected.locations->all), site;

    if (!xtf_site_reader_find_at(reader, location, MAX(segment->begin, query->from), &site, error))
        return false;
    xtf_lines_site(lines, names, site);
    site = XTF_NONE32;
    if (segment->end <= query->to && !find_last_site(segment, location, reader, &site, error))
        return false;
    xtf_lines_site(lines, names, site);
    return true;
}

static bool add_segment_lines(const Segments *query, const GArray *segments, XtfViews *views, XtfLines *lines,
                              GError **error)
{
    g_autoptr(XtfSiteReader) reader = NULL;
    const XtfPaddedNames *sites;

    if (!xtf_padded_names_of_sites(views->formats, &sites, error))
        return false;
    if (sites)
        reader = xtf_site_reader_new(views->context, query->selected.locations);
    for (guint i = 0; i < segments->len; i++) {
        const XtfCriticalSegment *segment = &g_array_index(segments, XtfCriticalSegment, i);
        add_segment_line(query, segment, lines);
        if (reader && !add_segment_sites(query, segment, reader, sites, lines, error))
            return false;
    }
    return true;
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
    return add_segment_lines(&query, segments, views, lines, error);
}

const XtfView xtf_view_critical_segments = {.table = XTF_TABLE("segments", "segments of the critical path", columns),
                                            .subject = &xtf_about_path,
                                            .exists = xtf_critical_type_is_selected,
                                            .shape = shape_segments,
                                            .fill = fill_segments};

/*
 * critical/segments: where the critical path went, a line a segment.
 */
#include "src/tables/totals/path/critical-window.h"
#include "src/tables/views/view.h"

#include "src/model/schemas.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("from", XTF_COLUMN_TIME, NULL, "when the path comes to the location"),
    XTF_COLUMN("to", XTF_COLUMN_TIME, NULL, "when the path goes on elsewhere"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the process"),
    XTF_COLUMN("next_proc", XTF_COLUMN_NUMBER, NULL, "process where the path goes on"),
    XTF_COLUMN("next_thread", XTF_COLUMN_NUMBER, NULL, "thread where the path goes on"),
};

enum {
    LINES_AT_ONCE = 1 << 16,
};

/* A selection's locations, and its window. */
typedef struct {
    XtfCriticalWindow window;
    XtfSelectedLocations selected;
    uint64_t from, to;
} Question;

static void question_finish(Question *question)
{
    xtf_critical_window_finish(&question->window);
    xtf_selected_locations_finish(&question->selected);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_finish)

static bool question_init(Question *question, XtfViews *views, const XtfSelection *selection, GError **error)
{
    *question = (Question){.from = selection->time_from, .to = selection->time_to};
    return xtf_critical_window_init(&question->window, views->context, error) &&
           xtf_selected_locations_init(&question->selected, views->context, selection, error);
}

/* The segments of which some part is in the window before `to`. */
static bool count(Question *question, uint64_t to, uint64_t *n, GError **error)
{
    *n = 0;
    for (uint32_t i = 0; i < question->selected.n; i++) {
        uint64_t own;
        if (!xtf_critical_window_count(&question->window, xtf_selected_location(&question->selected, i), question->from,
                                       to, &own, error))
            return false;
        *n += own;
    }
    return true;
}

static bool shape_segments(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    g_auto(Question) question = {0};
    const size_t time = views->context->scale.width;

    if (!locations || !question_init(&question, views, selection, error) ||
        !count(&question, question.to, &shape->n_lines, error))
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

/* The least time before which n segments of the window begin. */
static bool find_time(Question *question, uint64_t n, uint64_t *time, GError **error)
{
    uint64_t high = question->to;

    *time = question->from;
    while (*time < high) {
        uint64_t middle = *time + (high - *time) / 2, before;
        if (!count(question, middle, &before, error))
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

/* A segment, cut off where the window ends: it goes on there. */
static void add_line(const Question *question, const XtfCriticalSegment *segment, XtfLines *lines)
{
    const uint64_t origin = lines->scale->origin;
    bool cut = segment->end > question->to;
    uint64_t next = cut ? segment->proc : segment->next_proc;

    xtf_lines_ticks(lines, MAX(segment->begin, question->from) - origin);
    xtf_lines_ticks(lines, MIN(segment->end, question->to) - origin);
    xtf_lines_number(lines, segment->proc);
    xtf_lines_number(lines, segment->thread);
    xtf_lines_number_if(lines, next != XTF_NONE32, next);
    xtf_lines_number_if(lines, next != XTF_NONE32, cut ? segment->thread : segment->next_thread);
}

/* Segments of one path lie side by side. So the ones wanted are those in a part of the window: from where the first of
 * them begins, to where the one behind the last does. */
static bool find_part(Question *question, uint64_t first, uint64_t n, uint64_t *from, uint64_t *to, GError **error)
{
    *from = question->from;
    *to = question->to;
    if (first > 0) {
        if (!find_time(question, first + 1, from, error))
            return false;
        --*from;
    }
    return n < LINES_AT_ONCE || find_time(question, first + n, to, error);
}

static bool fill_segments(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                          GError **error)
{
    g_autoptr(GArray) segments = g_array_new(FALSE, FALSE, sizeof(XtfCriticalSegment));
    g_auto(Question) question = {0};
    uint64_t from, to;

    if (!question_init(&question, views, selection, error) || !find_part(&question, first, n, &from, &to, error))
        return false;
    for (uint32_t i = 0; i < question.selected.n; i++) {
        if (!xtf_critical_window_list(&question.window, xtf_selected_location(&question.selected, i), from, to,
                                      segments, error))
            return false;
    }
    g_array_sort(segments, compare_segments);
    for (guint i = 0; i < segments->len; i++)
        add_line(&question, &g_array_index(segments, XtfCriticalSegment, i), lines);
    return true;
}

const XtfView xtf_view_critical_segments = {
    .table = XTF_TABLE("segments", "a line for each segment of the critical path", columns),
    .subject = &xtf_about_path,
    .exists = xtf_critical_type_is_selected,
    .shape = shape_segments,
    .fill = fill_segments};

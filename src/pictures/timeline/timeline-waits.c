#include "src/pictures/timeline/timeline-waits.h"

#include <inttypes.h>
#include <math.h>

#include "libxtf/vocabulary.h"
#include "src/tables/totals/sites/main-sites.h"
#include "src/tables/totals/sites/wait-sites.h"

enum {
    WAIT_BYTES = 1 << 10, /* most bytes of a wait without its link */
};

/* ---- The legend. */

/* Draws a hatch of two lines for dark mode: a pale one is visible on dark rows, and the dark one beside it on bars. */
void xtf_timeline_waits_legend(XtfTimeline *timeline, int x, int y)
{
    const XtfPictureTarget target = {.type = XTF_DERIVED_WAITS};
    g_autofree char *link = xtf_picture_link(&timeline->links, timeline->plan.from, timeline->plan.to, &target);
    double alive = (double)timeline->total.alive;

    xtf_draw(timeline->drawing,
             "<defs><pattern id=\"xt-hatch\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
             "patternTransform=\"rotate(45)\"><rect class=\"xt-hatch\" width=\"1.4\" height=\"4\"/>"
             "<rect class=\"xt-pale\" x=\"1.4\" width=\"0.8\" height=\"4\"/></pattern></defs>");
    xtf_draw_link(timeline->drawing, link, "profile");
    xtf_draw(timeline->drawing,
             "<rect fill=\"#bcc0c5\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/>"
             "<rect class=\"xt-wait\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/>"
             "<text x=\"%d\" y=\"%d\">waiting %.1f %%</text></a>",
             x, y, x, y, x + 16, y + 11, alive > 0 ? 100.0 * (double)timeline->waited_ticks / alive : 0.0);
}

/* ---- Calls one by one. */

typedef struct {
    XtfTimeline *timeline;
    uint32_t row;
    const GArray *calls;
    int top, lane;
    uint32_t levels;
    const XtfArray *waits;
    GError *error; /* the first one; NULL: none */
} Exact;

/* Returns the level of the innermost call of the wait's region around the wait, or else of any call around it. */
static uint32_t wait_level(const Exact *exact, const XtfPictureWait *wait)
{
    const XtfRegions *regions = &exact->timeline->times.regions;
    uint32_t level = 0;
    bool found = false;

    for (guint i = 0; i < exact->calls->len; i++) {
        const XtfPictureCall *call = &g_array_index(exact->calls, XtfPictureCall, i);
        if (call->location != exact->row || call->begin > wait->begin || call->end < wait->end)
            continue;
        bool same = xtf_region_line(regions, call->line) == wait->line;
        if ((same && !found) || (same == found && call->level > level))
            level = call->level;
        found = found || same;
    }
    return level;
}

static void draw_culprit(const Exact *exact, const XtfPictureWait *wait)
{
    const XtfWaitFields *fields = &exact->timeline->waits.fields;
    XtfDrawing *drawing = exact->timeline->drawing;

    if (xtf_field_is_none(fields->culprit, wait->bytes))
        return;
    xtf_draw(drawing, "\nfor process %" PRIu64, xtf_field_get(fields->culprit, wait->bytes));
    if (!xtf_field_is_none(fields->culprit_thread, wait->bytes) &&
        xtf_field_get(fields->culprit_thread, wait->bytes) != 0)
        xtf_draw(drawing, ".%" PRIu64, xtf_field_get(fields->culprit_thread, wait->bytes));
}

/* Returns ", until it is in MPI_Isend, called by ..." for a site that ends a wait; "" for none. NULL with an error. */
static char *print_ending(const Exact *exact, uint32_t site, GError **error)
{
    XtfTimeline *timeline = exact->timeline;
    const XtfColours *colours = timeline->job->colours;
    const XtfSites *sites = xtf_trace_context_sites(timeline->times.context, error);
    g_autofree char *called = sites ? xtf_site_words(site, timeline->times.context, error) : NULL;

    if (!called || !called[0])
        return g_steal_pointer(&called);
    uint64_t line = xtf_region_line(&timeline->times.regions, xtf_sites_region(sites, site));
    return g_strdup_printf(", until it is in %s%s", colours->names[MIN(line, colours->n - 1)], called);
}

/* Finds the words for the call sites of a wait: of its own call, and of the call that ends it. */
static bool find_sites(Exact *exact, const XtfPictureWait *wait, char **called, char **ending)
{
    XtfTraceContext *context = exact->timeline->times.context;
    const XtfPictureRows *rows = &exact->timeline->rows;
    XtfWaitDraw sites;

    if (exact->error || !xtf_wait_sites_find(&sites, context, rows->selected.indices[rows->all[exact->row].first],
                                             exact->waits, wait->row, &exact->error))
        return false;
    *called = xtf_site_words(sites.waiting, context, &exact->error);
    *ending = *called ? print_ending(exact, sites.ending, &exact->error) : NULL;
    return *ending != NULL;
}

static void draw_wait_title(Exact *exact, const XtfPictureWait *wait)
{
    XtfTimeline *timeline = exact->timeline;
    g_autofree char *called = NULL, *ending = NULL;
    const XtfTimeScale *scale = &timeline->links.context->scale;
    const XtfField *event = timeline->waits.fields.event;
    uint64_t kind = xtf_field_get(event, wait->bytes);
    char window[XTF_WINDOW_TEXT_MAX], label[XTF_ROW_LABEL];
    char ticks[XTF_TIME_TEXT_MAX], *text = ticks + sizeof ticks - 1;

    if (!find_sites(exact, wait, &called, &ending))
        return;
    *text = '\0';
    text = xtf_time_scale_put(scale, wait->end - wait->begin, text);
    xtf_time_scale_print_window(scale, wait->begin, wait->end, window);
    xtf_picture_row_label(&timeline->rows.all[exact->row], label);
    xtf_draw(timeline->drawing, "<title>");
    xtf_draw_bytes(timeline->drawing, kind < event->n_labels ? event->labels[kind] : "a wait", XTF_TITLE_NAME);
    xtf_draw(timeline->drawing, ": process %s waits %s s in ", label, text);
    xtf_draw_text(timeline->drawing, timeline->job->colours->names[MIN(wait->line, timeline->job->colours->n - 1)],
                  XTF_TITLE_NAME);
    xtf_draw_text(timeline->drawing, called, SIZE_MAX);
    draw_culprit(exact, wait);
    xtf_draw_text(timeline->drawing, ending, SIZE_MAX);
    xtf_draw(timeline->drawing, "\n%s</title>", window);
}

/* Returns the directory of the wait, by process and thread. The caller frees it. */
static char *wait_link(const Exact *exact, const XtfPictureWait *wait)
{
    const XtfTimeline *timeline = exact->timeline;
    const XtfLocation *location = xtf_selected_location(&timeline->rows.selected, timeline->rows.all[exact->row].first);

    return g_strdup_printf("%sproc/%" PRIu64 "/thread/%" PRIu64 "/" XTF_DERIVED_WAITS "/num/%" PRIu64 "/",
                           timeline->links.up, location->proc, location->thread, wait->row);
}

static void draw_wait(const XtfPictureWait *wait, void *data)
{
    Exact *exact = data;
    XtfTimeline *timeline = exact->timeline;
    double x = xtf_plot_x(&timeline->plot, wait->begin), width = xtf_plot_x(&timeline->plot, wait->end) - x;

    if (xtf_drawing_left(timeline->drawing) < WAIT_BYTES)
        return;
    uint32_t level = wait_level(exact, wait);
    if (level >= exact->levels)
        return;
    g_autofree char *link = wait_link(exact, wait);
    xtf_draw_link(timeline->drawing, link, "record");
    xtf_draw(timeline->drawing, "<rect class=\"xt-wait\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\">", x,
             exact->top + (int)level * exact->lane, fmax(width, 0.5), exact->lane - 1);
    draw_wait_title(exact, wait);
    xtf_draw(timeline->drawing, "</rect></a>\n");
}

bool xtf_timeline_waits_exact(XtfTimeline *timeline, uint32_t row, const GArray *calls, int top, uint32_t levels,
                              int lane, GError **error)
{
    Exact exact = {timeline, row, calls, top, lane, levels, NULL, NULL};
    const XtfPictureRow *shown = &timeline->rows.all[row];
    const XtfLocation *location = xtf_selected_location(&timeline->rows.selected, shown->first);
    g_auto(XtfLocationArrays) arrays = {0};

    if (!timeline->waits.exist)
        return true;
    if (!xtf_location_arrays_load(&arrays, timeline->times.context, location, error))
        return false;
    const XtfArray *array = xtf_location_arrays_find(&arrays, timeline->waits.fields.schema);
    exact.waits = array;
    if (array && !xtf_row_waits_visit(&timeline->waits, array, shown->proc, timeline->plan.from, timeline->plan.to,
                                      draw_wait, &exact, error)) {
        g_clear_error(&exact.error);
        return false;
    }
    if (exact.error)
        g_propagate_error(error, exact.error);
    return !exact.error;
}

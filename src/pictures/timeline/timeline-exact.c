/* The exact timeline, for few calls. Each is a bar with its name, nested in the call around it. Messages are lines. */
#include <inttypes.h>
#include <math.h>

#include "src/pictures/drawing/text-width.h"
#include "src/pictures/timeline/rows/picture-calls.h"
#include "src/pictures/timeline/timeline-collectives.h"
#include "src/pictures/timeline/timeline-messages.h"
#include "src/pictures/timeline/timeline-private.h"
#include "src/pictures/timeline/timeline-waits.h"
#include "src/tables/totals/sites/main-sites.h"

enum {
    LANE = 14,      /* pixels a level */
    LEVELS_MAX = 8, /* most levels of a row; of deeper calls it shows the number */
    ROW_GAP = 6,
    HEIGHT_MAX = 3000, /* most pixels of rows; if rows need more, the stacked timeline shows them */
    NAME_SIZE = 11,    /* pixels of letters */
};

typedef struct {
    XtfTimeline *timeline;
    GArray *calls;
    uint32_t *levels;             /* by row */
    uint32_t *deeper;             /* by row: calls on levels that are not drawn */
    int *tops;                    /* by row; then the end of the last row */
    uint32_t n_bands, n_outlined; /* operations; operations with an outline */
} Exact;

/* ---- Places of rows. */

static void place_rows(Exact *exact)
{
    const XtfPictureRows *rows = &exact->timeline->rows;
    int top = XTF_TIMELINE_TOP;

    exact->levels = g_new0(uint32_t, rows->n + 1);
    exact->deeper = g_new0(uint32_t, rows->n + 1);
    exact->tops = g_new0(int, rows->n + 1);
    for (guint i = 0; i < exact->calls->len; i++) {
        const XtfPictureCall *call = &g_array_index(exact->calls, XtfPictureCall, i);
        if (call->level < LEVELS_MAX)
            exact->levels[call->location] = MAX(exact->levels[call->location], call->level + 1);
        else
            exact->deeper[call->location]++;
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        exact->levels[i] = MAX(exact->levels[i], 1);
        exact->tops[i] = top;
        top += (int)exact->levels[i] * LANE + ROW_GAP;
    }
    exact->tops[rows->n] = top;
}

/* ---- Bars. */

static bool draw_call_title(XtfTimeline *timeline, const XtfPictureCall *call, const char *name, GError **error)
{
    const XtfTimeScale *scale = &timeline->links.context->scale;
    const XtfPictureRow *row = &timeline->rows.all[call->location];
    g_autofree char *called = xtf_site_words(call->site, timeline->times.context, error);
    char window[XTF_WINDOW_TEXT_MAX], label[XTF_ROW_LABEL];
    char ticks[XTF_TIME_TEXT_MAX], *text = ticks + sizeof ticks - 1;

    if (!called)
        return false;

    *text = '\0';
    text = xtf_time_scale_put(scale, call->end - MIN(call->end, call->begin), text);
    xtf_time_scale_print_window(scale, call->begin, call->end, window);
    xtf_picture_row_label(row, label);
    xtf_draw(timeline->drawing, "<title>");
    xtf_draw_text(timeline->drawing, name, XTF_TITLE_NAME);
    xtf_draw_text(timeline->drawing, called, SIZE_MAX);
    xtf_draw(timeline->drawing, ", process %s\n%s: %s s</title>", label, window, text);
    return true;
}

static bool draw_bar(const Exact *exact, const XtfPictureCall *call, GError **error)
{
    XtfTimeline *timeline = exact->timeline;
    const XtfColours *colours = timeline->job->colours;
    uint64_t line = xtf_region_line(&timeline->times.regions, call->line);
    double x = xtf_plot_x(&timeline->plot, call->begin), width = xtf_plot_x(&timeline->plot, call->end) - x;
    char colour[XTF_COLOUR_TEXT], proc[24];

    if (line >= colours->n || call->level >= LEVELS_MAX || call->end < timeline->plan.from)
        return true;
    int y = exact->tops[call->location] + (int)call->level * LANE;
    g_snprintf(proc, sizeof proc, "%" PRIu64, timeline->rows.all[call->location].proc);
    g_autofree char *link = xtf_picture_link(&timeline->links, call->begin, MAX(call->end, call->begin + 1),
                                             &(XtfPictureTarget){.proc = proc});
    xtf_colour_print(colours->by_line[line], colour);
    xtf_draw_link(timeline->drawing, link, timeline->file);
    xtf_draw(timeline->drawing, "<rect class=\"xt-call\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\">",
             x, y, fmax(width, 0.5), LANE - 1, colour);
    if (!draw_call_title(timeline, call, colours->names[line], error))
        return false;
    xtf_draw(timeline->drawing, "</rect></a>\n");
    return true;
}

static void draw_name(const Exact *exact, const XtfPictureCall *call)
{
    XtfTimeline *timeline = exact->timeline;
    const XtfColours *colours = timeline->job->colours;
    uint64_t line = xtf_region_line(&timeline->times.regions, call->line);
    double x = xtf_plot_x(&timeline->plot, call->begin), width = xtf_plot_x(&timeline->plot, call->end) - x;

    if (line >= colours->n || call->level >= LEVELS_MAX || call->end < timeline->plan.from)
        return;
    g_autofree char *name = xtf_name_fitted(colours->names[line], NAME_SIZE, width - 4);
    if (!name || xtf_drawing_left(timeline->drawing) < 2 << 10)
        return;
    char colour[XTF_COLOUR_TEXT];
    xtf_colour_print(colours->by_line[line], colour);
    xtf_draw(timeline->drawing,
             "<text class=\"%s xt-name\" style=\"stroke:%s\" pointer-events=\"none\" font-size=\"%d\" x=\"%.1f\" "
             "y=\"%d\">",
             xtf_colour_is_dark(colours->by_line[line]) ? "xt-on-dark" : "xt-on-light", colour, NAME_SIZE, x + 2,
             exact->tops[call->location] + (int)call->level * LANE + LANE - 4);
    xtf_draw_text(timeline->drawing, name, SIZE_MAX);
    xtf_draw(timeline->drawing, "</text>\n");
}

/* ---- The whole picture. */

/* Draws the ground of a row, which shows time in no region, from the location's first to its last record of a run. */
static bool draw_ground(const Exact *exact, uint32_t row, GError **error)
{
    XtfTimeline *timeline = exact->timeline;
    int height = (int)exact->levels[row] * LANE, top = exact->tops[row];
    g_autoptr(GArray) lives =
        xtf_picture_row_lives(&timeline->rows.all[row], &timeline->rows, timeline->times.context, error);

    if (!lives)
        return false;
    for (guint i = 0; i < lives->len; i++) {
        const XtfPictureLife *life = &g_array_index(lives, XtfPictureLife, i);
        double x = xtf_plot_x(&timeline->plot, life->first);
        xtf_draw(timeline->drawing, "<rect class=\"xt-row\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", x, top,
                 xtf_plot_x(&timeline->plot, life->last) - x, height - 1);
    }
    xtf_timeline_label(timeline, &timeline->rows.all[row], top + height / 2);
    if (exact->deeper[row] > 0)
        xtf_draw(timeline->drawing, "<text class=\"xt-dim\" x=\"96\" y=\"%d\" text-anchor=\"end\">+%u deeper</text>\n",
                 top + height - 2, exact->deeper[row]);
    return true;
}

/* Draws the elements of the rows from back to front, as later ones cover earlier ones. */
static bool draw_contents(Exact *exact, XtfMessagesDrawn *messages, GError **error)
{
    XtfTimeline *timeline = exact->timeline;
    g_autoptr(GArray) bands = NULL;

    if (!xtf_timeline_bands(timeline, &bands, error))
        return false;
    exact->n_outlined = xtf_timeline_draw_bands(timeline, bands, exact->tops, ROW_GAP);
    for (guint i = 0; i < exact->calls->len; i++) {
        if (!draw_bar(exact, &g_array_index(exact->calls, XtfPictureCall, i), error))
            return false;
    }
    for (uint32_t i = 0; i < timeline->rows.n; i++) {
        if (!xtf_timeline_waits_exact(timeline, i, exact->calls, exact->tops[i], exact->levels[i], LANE, error))
            return false;
    }
    if (!xtf_timeline_messages(timeline, exact->tops, exact->levels, LANE, messages, error))
        return false;
    for (guint i = 0; i < exact->calls->len; i++)
        draw_name(exact, &g_array_index(exact->calls, XtfPictureCall, i));
    exact->n_bands = bands->len;
    return true;
}

/* Draws the line that explains the shapes. All explanations together fit on the line. */
static void draw_footer(const Exact *exact, const XtfMessagesDrawn *messages, bool is_cut)
{
    XtfTimeline *timeline = exact->timeline;
    bool outlines = exact->n_outlined > 0, overlaps = exact->n_bands > exact->n_outlined;
    const char *of_operations = outlines && overlaps ? " Outlines: operations of all their rows, if none overlaps."
                                : outlines           ? " Outlines: operations of all their rows."
                                : overlaps           ? " Operations that overlap have no outline."
                                                     : "";
    g_autofree char *text =
        g_strdup_printf("%s%s%s%s%s%s%s%s",
                        exact->calls->len == 0 ? "There are no calls here."
                        : is_cut               ? "Calls are nested in those around them, eight levels of them."
                                               : "Every call is drawn, nested in the one around it.",
                        messages->lines ? " Lines: messages." : "", messages->dots ? " Dots: receives." : "",
                        messages->rings ? " Rings: sends without a receive here." : "",
                        messages->brackets ? " Brackets: messages to oneself." : "",
                        messages->strips ? " Strips below rows: bytes sent." : "", of_operations,
                        timeline->waited_ticks > 0 ? " Hatched: waiting for others." : "");

    xtf_timeline_footer(timeline, exact->tops[timeline->rows.n] + 18, text);
}

static bool draw_exact(Exact *exact, GError **error)
{
    XtfTimeline *timeline = exact->timeline;
    XtfMessagesDrawn messages;
    bool is_cut = false;

    /* The legend needs one column a row. */
    timeline->plan.cells = timeline->plan.columns = timeline->plan.narrowest = 1;
    if (!xtf_timeline_measure(timeline, NULL, error))
        return false;
    xtf_timeline_begin(timeline, exact->tops[timeline->rows.n] - XTF_TIMELINE_TOP);
    for (uint32_t i = 0; i < timeline->rows.n; i++) {
        if (!draw_ground(exact, i, error))
            return false;
        is_cut = is_cut || exact->deeper[i] > 0;
    }
    if (!draw_contents(exact, &messages, error))
        return false;
    draw_footer(exact, &messages, is_cut);
    return true;
}

static void append_call(const XtfPictureCall *call, void *data)
{
    g_array_append_vals(data, call, 1);
}

/* Sets *few if calls and messages are few enough for `items` elements. */
static bool check_items(const XtfTimeline *timeline, uint64_t items, bool *few, GError **error)
{
    XtfResolver *resolver = timeline->job->views->resolver;
    g_autoptr(XtfSelection) calls = xtf_selection_in_calls(timeline->job->selection, timeline->links.context);
    uint64_t n_calls, n_messages;

    if (!xtf_resolver_count(resolver, calls, &n_calls, error) ||
        !xtf_timeline_count_messages(timeline, &n_messages, error))
        return false;
    *few = n_calls <= items && n_messages <= items - n_calls;
    return true;
}

bool xtf_timeline_exact(XtfTimeline *timeline, uint64_t items, bool *drawn, GError **error)
{
    Exact exact = {.timeline = timeline};
    bool few, good = true;

    *drawn = false;
    /* If each row is one location, a location's number is its row's. */
    for (uint32_t i = 0; i < timeline->rows.n; i++) {
        if (timeline->rows.all[i].n != 1)
            return true;
    }
    if (!check_items(timeline, items, &few, error))
        return false;
    if (!few)
        return true;
    exact.calls = g_array_new(FALSE, FALSE, sizeof(XtfPictureCall));
    if (!xtf_picture_calls(timeline->job->views->resolver, timeline->job->selection, &timeline->rows.selected,
                           append_call, exact.calls, error)) {
        g_array_unref(exact.calls);
        return false;
    }
    place_rows(&exact);
    if (exact.calls->len <= items && exact.tops[timeline->rows.n] <= HEIGHT_MAX) {
        size_t before = timeline->drawing->out->len;
        good = draw_exact(&exact, error);
        *drawn = xtf_drawing_left(timeline->drawing) > 0;
        if (!*drawn) /* names were too long for the room */
            g_string_truncate(timeline->drawing->out, before);
    }
    g_array_unref(exact.calls);
    g_free(exact.levels);
    g_free(exact.deeper);
    g_free(exact.tops);
    return good;
}

#include "src/pictures/timeline/timeline-messages.h"

#include <inttypes.h>

#include "libxtf/error.h"
#include "libxtf/records.h"
#include "src/pictures/timeline/rows/picture-calls.h"
#include "src/pictures/timeline/timeline-sent.h"
#include "src/tables/match/message-batch.h"

enum {
    MESSAGES_MAX = 400, /* more lines would be unreadable */
    ROWS_MAX = 32,
    CLEAR_MESSAGES = 60, /* if there are more lines, all are paler */
    RING = 3,            /* radius of a ring in pixels */
};

typedef struct {
    XtfTimeline *timeline;
    const int *tops;
    const uint32_t *levels;
    int lane;
    double opacity;
} Lines;

static const XtfSchema *sends_of(const XtfTimeline *timeline)
{
    const XtfMessageTypes *types = &timeline->job->views->matching->types;
    return types->missing ? NULL : types->types[XTF_MESSAGES_SENDS].schema;
}

bool xtf_timeline_count_messages(const XtfTimeline *timeline, uint64_t *n, GError **error)
{
    const XtfSchema *schema = sends_of(timeline);

    *n = 0;
    if (!schema || timeline->job->selection->by[XTF_BY_REGION])
        return true;
    g_autoptr(XtfSelection) sends = xtf_selection_in_type(timeline->job->selection, schema->id);
    return xtf_resolver_count(timeline->job->views->resolver, sends, n, error);
}

static XtfMatchedSend *match_all(XtfTimeline *timeline, uint32_t n, GError **error)
{
    g_autoptr(XtfSelection) sends = xtf_selection_in_type(timeline->job->selection, sends_of(timeline)->id);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(timeline->job->views->resolver, sends, error);
    g_autoptr(XtfRecordReader) reader = spans ? xtf_record_reader_new(spans, 0, error) : NULL;
    g_autofree XtfMessageEnd *ends = g_new(XtfMessageEnd, n);
    g_autofree XtfMatchedSend *matched = g_new(XtfMatchedSend, n);
    XtfRowRun run;

    if (!reader)
        return NULL;
    for (uint64_t done = 0; done < n; done += run.n_rows) {
        if (!xtf_record_reader_next(reader, n - done, &run, error))
            return NULL;
        if (!run.n_rows) {
            xtf_damaged(error, "the trace has fewer records than it states");
            return NULL;
        }
        for (uint64_t i = 0; i < run.n_rows; i++)
            ends[done + i] = (XtfMessageEnd){run.span->tag, run.first + i};
    }
    if (!xtf_match_sends(timeline->job->views->matching, ends, n, matched, error))
        return NULL;
    return g_steal_pointer(&matched);
}

static void draw_message_title(XtfTimeline *timeline, const XtfMatchedSend *matched)
{
    const XtfMessage *message = &matched->message;

    xtf_draw(timeline->drawing, "<title>%" PRIu64 " to ", message->group.sender);
    if (message->has_group)
        xtf_draw(timeline->drawing, "%" PRIu64, message->group.receiver);
    else
        xtf_draw(timeline->drawing, "?");
    xtf_draw(timeline->drawing, ": %" PRIu64 " B, tag %" PRIu64 ", %s</title>", message->sent_bytes, message->group.tag,
             xtf_pair_states[message->state]);
}

static int row_bottom(const Lines *lines, uint32_t row)
{
    return lines->tops[row] + (int)lines->levels[row] * lines->lane;
}

/* Draws a ring at a send whose receive is not in the picture. Draws a bracket below the row for a message to itself. */
static void draw_single_end(const Lines *lines, const XtfMatchedSend *matched, double x1, uint32_t row, bool to_oneself)
{
    XtfDrawing *drawing = lines->timeline->drawing;
    int y = row_bottom(lines, row);

    if (to_oneself) {
        const XtfPlot *plot = &lines->timeline->plot;
        bool is_in_window = matched->times.received >= plot->from && matched->times.received <= plot->to;
        xtf_draw(drawing, "<path class=\"xt-m\" stroke-opacity=\"%.2f\" d=\"M%.1f %dV%dH%.1f", lines->opacity, x1, y,
                 y + RING, xtf_plot_x(plot, matched->times.received));
        xtf_draw(drawing, is_in_window ? "V%d\">" : "\">", y); /* without its end if that is outside of the window */
    } else {
        xtf_draw(drawing, "<circle class=\"xt-open\" cx=\"%.1f\" cy=\"%d\" r=\"%d\">", x1, y, RING);
    }
    draw_message_title(lines->timeline, matched);
    xtf_draw(drawing, to_oneself ? "</path>\n" : "</circle>\n");
}

static void draw_message(const Lines *lines, const XtfMatchedSend *matched, XtfMessagesDrawn *drawn)
{
    XtfTimeline *timeline = lines->timeline;
    const XtfMessage *message = &matched->message;
    const XtfPlot *plot = &timeline->plot;
    uint32_t from = xtf_selected_number(&timeline->rows.selected, message->send.location), to = timeline->rows.n;
    double x1 = xtf_plot_x(plot, matched->times.sent);

    if (from == timeline->rows.n)
        return;
    if (message->has_receive)
        to = xtf_selected_number(&timeline->rows.selected, message->posting.location);
    if (to == timeline->rows.n || to == from) {
        draw_single_end(lines, matched, x1, from, to == from);
        *(to == from ? &drawn->brackets : &drawn->rings) = true;
        return;
    }
    int y1 = to > from ? row_bottom(lines, from) : lines->tops[from];
    double y2 = to > from ? lines->tops[to] : row_bottom(lines, to), x2 = xtf_plot_x(plot, matched->times.received);
    bool is_in_window = matched->times.received >= plot->from && matched->times.received <= plot->to;
    if (!is_in_window && matched->times.received > matched->times.sent)
        y2 = y1 + (y2 - y1) * (double)(plot->to - matched->times.sent) /
                      (double)(matched->times.received - matched->times.sent);
    xtf_draw(timeline->drawing, "<g opacity=\"%.2f\"><path class=\"xt-halo\" d=\"M%.1f %dL%.1f %.1f\"/>",
             lines->opacity, x1, y1, x2, y2);
    xtf_draw(timeline->drawing, "<path class=\"xt-m\" d=\"M%.1f %dL%.1f %.1f\">", x1, y1, x2, y2);
    draw_message_title(timeline, matched);
    xtf_draw(timeline->drawing, "</path>");
    if (is_in_window)
        xtf_draw(timeline->drawing, "<circle class=\"xt-dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>", x2, y2);
    xtf_draw(timeline->drawing, "</g>\n");
    drawn->lines = true;
    drawn->dots |= is_in_window;
}

static bool draw_strips(XtfTimeline *timeline, const int *tops, const uint32_t *levels, int lane, GError **error)
{
    g_autoptr(XtfSelection) sends = xtf_selection_in_type(timeline->job->selection, sends_of(timeline)->id);
    g_autofree int *bottoms = g_new(int, timeline->rows.n + 1);

    for (uint32_t i = 0; i < timeline->rows.n; i++)
        bottoms[i] = tops[i] + (int)levels[i] * lane;
    return xtf_timeline_sent(timeline, sends, bottoms, error);
}

bool xtf_timeline_messages(XtfTimeline *timeline, const int *tops, const uint32_t *levels, int lane,
                           XtfMessagesDrawn *drawn, GError **error)
{
    uint64_t n;

    *drawn = (XtfMessagesDrawn){0};
    if (!xtf_timeline_count_messages(timeline, &n, error))
        return false;
    if (n == 0)
        return true;
    drawn->strips = n > MESSAGES_MAX || timeline->rows.n > ROWS_MAX;
    if (drawn->strips)
        return draw_strips(timeline, tops, levels, lane, error);
    g_autofree XtfMatchedSend *matched = match_all(timeline, (uint32_t)n, error);
    if (!matched)
        return false;
    const Lines lines = {timeline, tops, levels, lane, n <= CLEAR_MESSAGES ? 1 : (double)CLEAR_MESSAGES / (double)n};
    for (uint64_t i = 0; i < n; i++)
        draw_message(&lines, &matched[i], drawn);
    return true;
}

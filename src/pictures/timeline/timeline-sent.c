#include "src/pictures/timeline/timeline-sent.h"

#include <inttypes.h>
#include <math.h>

#include "libxtf/records.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/pictures/timeline/rows/picture-calls.h"

enum {
    COLUMNS = XTF_PICTURE_PLOT / 2,
    STRIP_BYTES = 400,
    COLUMN_BYTES = 24, /* bytes of each column of a strip that is not empty */
};

typedef struct {
    uint64_t *bytes;                /* by row and column */
    uint64_t *messages, *row_bytes; /* by row: number and bytes of messages */
    uint64_t most;                  /* bytes of the fullest column */
} Sent;

static void add_message(Sent *sent, const XtfTimeline *timeline, uint32_t row, uint64_t time, uint64_t bytes)
{
    const XtfPlot *plot = &timeline->plot;

    if (time < plot->from || time >= plot->to)
        return;
    uint32_t column = (uint32_t)((unsigned __int128)(time - plot->from) * COLUMNS / (plot->to - plot->from));
    uint64_t *cell = &sent->bytes[(size_t)row * COLUMNS + column];
    *cell += bytes;
    sent->most = MAX(sent->most, *cell);
    sent->messages[row]++;
    sent->row_bytes[row] += bytes;
}

typedef struct {
    Sent *sent;
    const XtfTimeline *timeline;
    const XtfField *time, *bytes;
} MessageWalk;

static bool add_record(void *data, const XtfSpan *span, uint64_t number, const uint8_t *row, GError **error)
{
    const MessageWalk *walk = data;
    const XtfTimeline *timeline = walk->timeline;
    uint32_t at = xtf_selected_number(&timeline->rows.selected, (uint32_t)span->tag);
    uint64_t n = xtf_field_get_or(walk->bytes, row, 0);

    if (at < timeline->rows.n)
        add_message(walk->sent, timeline, at, xtf_field_get(walk->time, row), n);
    return true;
}

static bool add_messages(Sent *sent, const XtfTimeline *timeline, XtfSelection *sends, GError **error)
{
    const XtfSchema *schema = xtf_trace_schema(timeline->links.context->trace, (uint32_t)sends->type);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(timeline->job->views->resolver, sends, error);
    MessageWalk walk = {.sent = sent,
                        .timeline = timeline,
                        .time = &schema->fields[0],
                        .bytes = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES)};

    return spans && xtf_records_each(spans, add_record, &walk, error);
}

/* Draws the strip of a row. A column with any bytes is at least half a pixel high. */
static void draw_strip(const XtfTimeline *timeline, const Sent *sent, uint32_t row, int bottom)
{
    XtfDrawing *drawing = timeline->drawing;
    const uint64_t *bytes = sent->bytes + (size_t)row * COLUMNS;
    int base = bottom + 1 + XTF_SENT_HEIGHT;
    char label[XTF_ROW_LABEL];

    if (sent->messages[row] == 0 || xtf_drawing_left(drawing) < STRIP_BYTES + COLUMNS * COLUMN_BYTES)
        return;
    xtf_picture_row_label(&timeline->rows.all[row], label);
    xtf_draw(drawing, "<path class=\"xt-sent\" d=\"");
    for (uint32_t i = 0; i < COLUMNS; i++) {
        double height = sent->most > 0 ? (double)XTF_SENT_HEIGHT * (double)bytes[i] / (double)sent->most : 0;
        if (bytes[i] > 0)
            xtf_draw(drawing, "M%u %dv-%.1fh2V%dz", XTF_PICTURE_LEFT + 2 * i, base, fmax(height, 0.5), base);
    }
    xtf_draw(drawing,
             "\"><title>process %s sends %" PRIu64 " B in %" PRIu64 " message%s; a full column is %" PRIu64
             " B</title></path>\n",
             label, sent->row_bytes[row], sent->messages[row], sent->messages[row] == 1 ? "" : "s", sent->most);
}

bool xtf_timeline_sent(XtfTimeline *timeline, XtfSelection *sends, const int *bottoms, GError **error)
{
    uint32_t rows = timeline->rows.n;
    g_autofree uint64_t *bytes = g_new0(uint64_t, (size_t)rows * COLUMNS + 1);
    g_autofree uint64_t *messages = g_new0(uint64_t, rows + 1), *row_bytes = g_new0(uint64_t, rows + 1);
    Sent sent = {.bytes = bytes, .messages = messages, .row_bytes = row_bytes};

    if (!add_messages(&sent, timeline, sends, error))
        return false;
    for (uint32_t i = 0; i < rows; i++)
        draw_strip(timeline, &sent, i, bottoms[i]);
    return true;
}

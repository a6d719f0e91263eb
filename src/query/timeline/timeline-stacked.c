/* The stacked timeline: a column of a row is a bar whose colours have exactly their shares of its time. */
#include <stdlib.h>

#include "src/query/timeline/timeline-private.h"

enum {
    LAYERS_MAX = 7,    /* regions of a row; the rest of them are one layer */
    TILE_BYTES = 420,  /* of a tile with its tool tip, mostly */
    OTHERS = 0xbcc0c5, /* a colour: pale, since it may be most of a picture, and none of a class */
};

/* Layers of a row from the bottom to the top; the last is all other regions. */
typedef struct {
    uint64_t lines[LAYERS_MAX];
    uint32_t n;
    XtfPictureColumn total;
} Layers;

/* The order of a stack, from the bottom: by paint, then the region with most time in the whole picture first. */
static int compare_layers(const void *a, const void *b, void *data)
{
    const uint64_t *x = a, *y = b;
    const XtfTimeline *timeline = data;
    const uint8_t *paints = timeline->job->colours->paints;

    if (paints[*x] != paints[*y])
        return (int)paints[*x] - (int)paints[*y];
    for (uint32_t i = 0; i < timeline->total.n; i++) { /* the total is sorted */
        uint64_t line = timeline->total.shares[i].line;
        if (line == *x || line == *y)
            return line == *x ? (*x == *y ? 0 : -1) : 1;
    }
    return *x < *y ? -1 : *x > *y;
}

static void choose_layers(Layers *layers, XtfTimeline *timeline, const XtfRowColumns *columns)
{
    *layers = (Layers){.total = xtf_row_columns_sum(columns, 0, timeline->plan.cells)};
    xtf_picture_column_sort(&layers->total);
    while (layers->n < LAYERS_MAX && layers->n < layers->total.n && layers->total.shares[layers->n].ticks > 0) {
        layers->lines[layers->n] = layers->total.shares[layers->n].line;
        layers->n++;
    }
    g_qsort_with_data(layers->lines, (gint)layers->n, sizeof *layers->lines, compare_layers, timeline);
}

/* The time of the layers 0 to `top` of a column; `n` is all regions, n + 1 all of its lifetime. */
static uint64_t time_up_to(const Layers *layers, const XtfPictureColumn *column, uint32_t top)
{
    uint64_t ticks = 0;

    if (top >= layers->n)
        return top == layers->n ? column->regions : column->alive;
    for (uint32_t i = 0; i < column->n; i++) {
        for (uint32_t j = 0; j <= top; j++) {
            if (column->shares[i].line == layers->lines[j])
                ticks += column->shares[i].ticks;
        }
    }
    return ticks;
}

/* Everything up to a layer's top edge, as one polygon down to the bottom of the row: what lies below is painted over
 * it. So there are no seams between layers. */
static void draw_layer(XtfTimeline *timeline, const Layers *layers, const XtfRowColumns *columns, uint32_t layer,
                       int top, int height)
{
    XtfDrawing *drawing = timeline->drawing;
    uint32_t bottom = 2 * (uint32_t)(top + height), at = bottom;

    xtf_draw(drawing, "d=\"M%u %u", xtf_timeline_x(timeline, 0), bottom / 2);
    for (uint32_t i = 0; i < columns->n; i++) {
        const XtfPictureColumn *column = &columns->all[i];
        unsigned __int128 ticks = time_up_to(layers, column, layer);
        uint32_t halves =
            column->whole ? (uint32_t)((ticks * 4 * (unsigned)height + column->whole) / column->whole / 2) : 0;
        uint32_t y = bottom - MIN(halves, 2 * (uint32_t)height);
        if (y != at) {
            if (i > 0)
                xtf_draw(drawing, "H%u", xtf_timeline_x(timeline, column->from));
            xtf_draw(drawing, "V");
            xtf_draw_half(drawing, y);
            at = y;
        }
    }
    xtf_draw(drawing, "H%uV%uz\"/>", xtf_timeline_x(timeline, timeline->plan.cells), bottom / 2);
}

/* All layers of a row, from the highest to the lowest. */
static void draw_layers(XtfTimeline *timeline, const Layers *layers, const XtfRowColumns *columns, int top, int height)
{
    char colour[XTF_COLOUR_TEXT];

    xtf_draw(timeline->drawing, "<g class=\"xt-stack\">");
    for (uint32_t layer = layers->n + 2; layer-- > 0;) {
        if (layer == layers->n && layers->n == layers->total.n)
            continue; /* there are no other regions */
        if (layer == layers->n + 1) {
            xtf_draw(timeline->drawing, "<path class=\"xt-row\" ");
        } else {
            xtf_colour_print(layer == layers->n ? OTHERS : timeline->job->colours->by_line[layers->lines[layer]],
                             colour);
            xtf_draw(timeline->drawing, "<path fill=\"%s\" ", colour);
        }
        draw_layer(timeline, layers, columns, layer, top, height);
    }
    xtf_draw(timeline->drawing, "</g>\n");
}

/* Columns in pairs, each as one: a copy. */
static XtfRowColumns halve(const XtfRowColumns *columns)
{
    XtfRowColumns half = {.all = g_new0(XtfPictureColumn, columns->n / 2 + 1)};

    for (uint32_t i = 0; i < columns->n; i += 2) {
        XtfPictureColumn *column = &half.all[half.n++];
        column->from = columns->all[i].from;
        for (uint32_t j = i; j < i + 2 && j < columns->n; j++) {
            xtf_picture_column_join(column, &columns->all[j]);
            column->to = columns->all[j].to;
        }
    }
    return half;
}

/* A row that takes more is drawn anew with half of its columns. */
void xtf_timeline_stacked_row(XtfTimeline *timeline, uint32_t row, int top, int height, size_t room)
{
    GString *out = timeline->drawing->out;
    size_t before = out->len;
    XtfRowColumns columns = timeline->columns[row], half = {0};
    Layers layers;

    choose_layers(&layers, timeline, &columns);
    draw_layers(timeline, &layers, &columns, top, height);
    while (out->len - before > room && columns.n > 1) {
        XtfRowColumns fewer = halve(&columns);
        xtf_row_columns_finish(&half);
        half = columns = fewer;
        g_string_truncate(out, before);
        draw_layers(timeline, &layers, &columns, top, height);
    }
    xtf_row_columns_finish(&half);
    xtf_picture_column_finish(&layers.total);
    xtf_timeline_label(timeline, &timeline->rows.all[row], top + height / 2);
}

bool xtf_timeline_stacked(XtfTimeline *timeline, GError **error)
{
    int rows = (int)MAX(timeline->rows.n, 1), pitch = CLAMP(XTF_TIMELINE_ROWS / rows, 1, 64);
    int gap = pitch >= 9 ? 2 : pitch >= 4 ? 1 : 0;

    if (!xtf_timeline_measure(timeline, NULL, error))
        return false;
    xtf_timeline_begin(timeline, rows * pitch);
    size_t tiles = (size_t)timeline->tiles * TILE_BYTES * timeline->rows.n;
    for (uint32_t i = 0; i < timeline->rows.n; i++) {
        size_t left = xtf_drawing_left(timeline->drawing);
        xtf_timeline_stacked_row(timeline, i, XTF_TIMELINE_TOP + (int)i * pitch, pitch - gap,
                                 (left - MIN(left, tiles)) / (timeline->rows.n - i));
    }
    for (uint32_t i = 0; i < timeline->rows.n; i++)
        xtf_timeline_tiles(timeline, &timeline->rows.all[i], &timeline->columns[i], XTF_TIMELINE_TOP + (int)i * pitch,
                           pitch - gap);
    xtf_draw_footer(
        timeline->drawing, XTF_TIMELINE_TOP + rows * pitch + 18,
        "Each column shows what its time was spent on: areas are times, exactly. Grey: other regions; pale: "
        "in no region.");
    return true;
}

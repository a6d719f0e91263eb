/* The stacked timeline: in a column of a row, the heights of colours are exactly the shares of regions in its time. */
#include <stdlib.h>

#include "src/pictures/timeline/timeline-private.h"

enum {
    LAYERS_MAX = 7,           /* regions of a row with a layer; all others share one */
    TILE_BYTES = 420,         /* usual bytes of a tile with its tool tip */
    OTHERS_COLOUR = 0xbcc0c5, /* colour of other regions: pale, as it may cover most of a picture, and of no class */
};

/* Layers of a row from the bottom to the top. All other regions are the last layer. */
typedef struct {
    uint64_t lines[LAYERS_MAX];
    uint32_t n;
    XtfPictureColumn total;
} Layers;

/* Orders layers from the bottom: by paint, then the region with most time in the whole picture first. */
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

/* Returns the time of layers 0 to `top` in a column. Layer n ends with all regions, layer n + 1 with the lifetime. */
static uint64_t sum_layers(const Layers *layers, const XtfPictureColumn *column, uint32_t top)
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

/* Returns the half pixels from the bottom of a row up to a time in a column. */
static uint32_t half_pixels_of(const XtfPictureColumn *column, unsigned __int128 ticks, int height)
{
    uint64_t halves =
        column->whole ? (uint64_t)((ticks * 4 * (unsigned)height + column->whole) / column->whole / 2) : 0;
    return (uint32_t)MIN(halves, 2 * (uint64_t)height);
}

/* Draws all up to a layer's top edge as one polygon, down to the bottom of the row. Lower layers cover its lower part
 * later, so there are no seams between layers. */
static void draw_layer(XtfTimeline *timeline, const Layers *layers, const XtfRowColumns *columns, uint32_t layer,
                       int top, int height)
{
    XtfDrawing *drawing = timeline->drawing;
    uint32_t bottom = 2 * (uint32_t)(top + height), at = bottom;

    xtf_draw(drawing, "d=\"M%u %u", xtf_timeline_x(timeline, 0), bottom / 2);
    for (uint32_t i = 0; i < columns->n; i++) {
        const XtfPictureColumn *column = &columns->all[i];
        uint32_t y = bottom - half_pixels_of(column, sum_layers(layers, column, layer), height);
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

/* Draws all layers of a row, from the highest to the lowest. */
static void draw_layers(XtfTimeline *timeline, const Layers *layers, const XtfRowColumns *columns, int top, int height)
{
    char colour[XTF_COLOUR_TEXT];

    xtf_draw(timeline->drawing, "<g class=\"xt-stack\">");
    for (uint32_t layer = layers->n + 2; layer-- > 0;) {
        if (layer == layers->n && layers->n == layers->total.n)
            continue; /* there is no other region to draw */
        if (layer == layers->n + 1) {
            xtf_draw(timeline->drawing, "<path class=\"xt-row\" ");
        } else {
            xtf_colour_print(layer == layers->n ? OTHERS_COLOUR : timeline->job->colours->by_line[layers->lines[layer]],
                             colour);
            xtf_draw(timeline->drawing, "<path fill=\"%s\" ", colour);
        }
        draw_layer(timeline, layers, columns, layer, top, height);
    }
    xtf_draw(timeline->drawing, "</g>\n");
}

/* Returns the layer of waits in a region: its own, or that of all other regions. Waits in a region that is not shown
 * lie above all layers. */
static uint32_t wait_layer(const Layers *layers, const XtfPictureColumn *column, uint64_t line)
{
    for (uint32_t layer = 0; layer < layers->n; layer++) {
        if (layers->lines[layer] == line)
            return layer;
    }
    for (uint32_t i = 0; i < column->n; i++) {
        if (column->shares[i].line == line)
            return layers->n;
    }
    return layers->n + 1;
}

/* Draws the hatches of one column, each at the bottom of its layer, as high as the time of waiting. */
static void draw_hatches(XtfTimeline *timeline, const Layers *layers, const XtfPictureColumn *column,
                         const XtfPictureColumn *waited, uint32_t bottom, int height)
{
    uint64_t filled[LAYERS_MAX + 2] = {0};
    uint32_t x = xtf_timeline_x(timeline, column->from);

    for (uint32_t i = 0; i < waited->n; i++) {
        uint32_t layer = wait_layer(layers, column, waited->shares[i].line);
        uint64_t from = filled[layer] + (layer > 0 ? sum_layers(layers, column, layer - 1) : 0);
        filled[layer] += waited->shares[i].ticks;
        uint32_t low = half_pixels_of(column, from, height);
        uint32_t high = half_pixels_of(column, from + waited->shares[i].ticks, height);
        if (low == high)
            continue;
        xtf_draw(timeline->drawing, "M%u ", x);
        xtf_draw_half(timeline->drawing, bottom - low);
        xtf_draw(timeline->drawing, "V");
        xtf_draw_half(timeline->drawing, bottom - high);
        xtf_draw(timeline->drawing, "h%uv", xtf_timeline_x(timeline, column->to) - x);
        xtf_draw_half(timeline->drawing, high - low);
        xtf_draw(timeline->drawing, "z");
    }
}

static void draw_waits(XtfTimeline *timeline, const Layers *layers, const XtfRowColumns *columns,
                       const XtfRowColumns *waited, int top, int height)
{
    GString *out = timeline->drawing->out;
    size_t before = out->len;

    xtf_draw(timeline->drawing, "<path class=\"xt-wait\" pointer-events=\"none\" d=\"");
    size_t empty = out->len;
    for (uint32_t i = 0; i < columns->n; i++)
        draw_hatches(timeline, layers, &columns->all[i], &waited->all[i], 2 * (uint32_t)(top + height), height);
    if (out->len == empty)
        g_string_truncate(out, before);
    else
        xtf_draw(timeline->drawing, "\"/>\n");
}

/* Returns a copy with columns joined in pairs. */
static XtfRowColumns join_pairs(const XtfRowColumns *columns)
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

/* The columns of a row, and the waiting in them: all zeros if it is not shown. */
typedef struct {
    XtfRowColumns columns, waited;
} Row;

static void draw_row(XtfTimeline *timeline, const Layers *layers, const Row *row, int top, int height)
{
    draw_layers(timeline, layers, &row->columns, top, height);
    if (row->waited.n > 0)
        draw_waits(timeline, layers, &row->columns, &row->waited, top, height);
}

/* Draws a row, and draws it again with half of its columns while it takes more than `room` bytes. */
void xtf_timeline_stacked_row(XtfTimeline *timeline, uint32_t number, int top, int height, size_t room)
{
    GString *out = timeline->drawing->out;
    size_t before = out->len;
    Row row = {.columns = timeline->columns[number]}, half = {0};
    Layers layers;

    if (timeline->waited)
        row.waited = timeline->waited[number];
    choose_layers(&layers, timeline, &row.columns);
    draw_row(timeline, &layers, &row, top, height);
    while (out->len - before > room && row.columns.n > 1) {
        Row fewer = {.columns = join_pairs(&row.columns), .waited = join_pairs(&row.waited)};
        xtf_row_columns_finish(&half.columns);
        xtf_row_columns_finish(&half.waited);
        half = row = fewer;
        g_string_truncate(out, before);
        draw_row(timeline, &layers, &row, top, height);
    }
    xtf_row_columns_finish(&half.columns);
    xtf_row_columns_finish(&half.waited);
    xtf_picture_column_finish(&layers.total);
    xtf_timeline_label(timeline, &timeline->rows.all[number], top + height / 2);
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
        xtf_timeline_tiles(timeline, i, XTF_TIMELINE_TOP + (int)i * pitch, pitch - gap);
    g_autofree char *text = g_strdup_printf(
        "Each column shows what its time was spent on: areas are times, exactly.%s Grey: other regions; pale: in no "
        "region. Columns: %u pixels or more.",
        timeline->waited_ticks > 0 ? " Hatched, at the bottom of a colour: waiting for others in it." : "",
        XTF_PICTURE_PLOT * timeline->plan.narrowest / timeline->plan.cells);
    xtf_timeline_footer(timeline, XTF_TIMELINE_TOP + rows * pitch + 18, text);
    return true;
}

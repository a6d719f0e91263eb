/* Parts that all ways to draw a timeline share: measuring of rows, the frame around them, and tool tips. */
#include <inttypes.h>
#include <stdio.h>

#include "src/pictures/drawing/text-width.h"
#include "src/pictures/timeline/timeline-private.h"
#include "src/pictures/timeline/timeline-waits.h"
#include "src/trace/select/parallel.h"

enum {
    ROWS_PER_BATCH = 64, /* most rows that a thread measures at once */
    BATCHES_MIN = 16,    /* least number of such batches */
};

/* ---- Measuring. */

static void *begin_measuring(void *data)
{
    XtfTimeline *timeline = data;
    XtfRowMeter *meter = g_new0(XtfRowMeter, 1);

    xtf_row_meter_init(meter, &timeline->times, &timeline->rows, &timeline->plan);
    return meter;
}

static bool measure_row(XtfTimeline *timeline, XtfRowMeter *meter, uint32_t i, GError **error)
{
    const XtfPictureRow *row = &timeline->rows.all[i];

    return xtf_row_columns_measure(&timeline->columns[i], meter, row, error) &&
           (!timeline->waited ||
            xtf_row_waits_measure(&timeline->waits, &timeline->waited[i], &timeline->columns[i], &timeline->plan,
                                  &timeline->rows, row, &meter->times.arrays, error));
}

static bool measure_rows(void *meter, void *data, uint32_t first, uint32_t end, GError **error)
{
    XtfTimeline *timeline = data;

    for (uint32_t i = first; i < end; i++) {
        if (timeline->only && !timeline->only[i])
            continue;
        if (!measure_row(timeline, meter, i, error))
            return false;
    }
    return true;
}

static void end_measuring(void *meter, void *data)
{
    xtf_row_meter_finish(meter);
    g_free(meter);
}

void xtf_timeline_forget(XtfTimeline *timeline)
{
    for (uint32_t i = 0; i < timeline->rows.n; i++) {
        if (timeline->columns)
            xtf_row_columns_finish(&timeline->columns[i]);
        if (timeline->waited)
            xtf_row_columns_finish(&timeline->waited[i]);
    }
    g_clear_pointer(&timeline->columns, g_free);
    g_clear_pointer(&timeline->waited, g_free);
    timeline->waited_ticks = 0;
    xtf_picture_column_finish(&timeline->total);
    timeline->total = (XtfPictureColumn){0};
}

bool xtf_timeline_measure(XtfTimeline *timeline, const bool *only, GError **error)
{
    const XtfParallelWork work = {.step = CLAMP(timeline->rows.n / BATCHES_MIN, 1, ROWS_PER_BATCH),
                                  .begin = begin_measuring,
                                  .work = measure_rows,
                                  .join = end_measuring};

    xtf_timeline_forget(timeline);
    timeline->columns = g_new0(XtfRowColumns, MAX(timeline->rows.n, 1));
    if (timeline->waits.exist && timeline->rows.n <= XTF_STACKED_ROWS_MAX)
        timeline->waited = g_new0(XtfRowColumns, MAX(timeline->rows.n, 1));
    timeline->only = only;
    if (!xtf_parallel(&work, timeline, timeline->rows.n, error))
        return false;
    for (uint32_t i = 0; i < timeline->rows.n; i++) {
        if (timeline->columns[i].n > 0)
            timeline->n_edges += ((uint64_t)timeline->columns[i].n + 1) * timeline->rows.all[i].n;
        for (uint32_t j = 0; j < timeline->columns[i].n; j++)
            xtf_picture_column_join(&timeline->total, &timeline->columns[i].all[j]);
        for (uint32_t j = 0; timeline->waited && j < timeline->waited[i].n; j++)
            timeline->waited_ticks += timeline->waited[i].all[j].regions;
    }
    xtf_picture_column_sort(&timeline->total);
    return true;
}

/* ---- The frame around the rows. */

enum {
    LEGEND_Y = 34,
    LEGEND_MAX = 12,
    WAITED_WIDTH = 150,
    BASE_WIDTH = 160, /* pixels of the text that says what 100 % is */
    FOOTER_SIZE = 12,
    LABEL_PITCH = 14, /* least pixels between labels in letters of usual size */
};

/* Returns a percentage of the time of threads, from the first to the last record of each, as in tables. */
static double percent_of(uint64_t ticks, uint64_t alive)
{
    return alive ? 100.0 * (double)ticks / (double)alive : 0.0;
}

/* Draws swatches, names and shares of the regions with most time: all that fit. */
static void draw_legend(XtfTimeline *timeline)
{
    double x = 8, end = XTF_PICTURE_WIDTH - 110 - BASE_WIDTH - (timeline->waited_ticks > 0 ? WAITED_WIDTH : 0);
    const XtfPictureColumn *total = &timeline->total;
    const XtfColours *colours = timeline->job->colours;
    XtfDrawing *drawing = timeline->drawing;
    uint32_t i, n = 0;

    while (n < total->n && total->shares[n].ticks > 0)
        n++;
    for (i = 0; i < n && i < LEGEND_MAX; i++) {
        const XtfShare *share = &total->shares[i];
        g_autofree char *name = xtf_text_elided(colours->names[share->line], 24);
        char amount[24], colour[XTF_COLOUR_TEXT];
        snprintf(amount, sizeof amount, " %.1f %%", percent_of(share->ticks, total->alive));
        double width = 16 + xtf_text_pixels(name, 12) + xtf_text_pixels(amount, 12) + 20;
        if (x + width > end)
            break;
        xtf_colour_print(colours->by_line[share->line], colour);
        xtf_draw(drawing,
                 "<rect x=\"%.0f\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%.0f\" y=\"%d\">", x,
                 LEGEND_Y, colour, x + 16, LEGEND_Y + 11);
        xtf_draw_text(drawing, name, SIZE_MAX);
        /* After a name in a right-to-left script, numbers would appear on its left. */
        xtf_draw(drawing, "%s%s</text>", g_str_is_ascii(name) ? "" : "&#8206;", amount);
        x += width;
    }
    g_autofree char *more = i < n ? g_strdup_printf("and %" PRIu32 " more; ", n - i) : g_strdup("");
    xtf_draw(drawing, "<text class=\"xt-dim\" x=\"%.0f\" y=\"%d\">%s%% of the threads' time</text>", x, LEGEND_Y + 11,
             more);
    if (timeline->waited_ticks > 0)
        xtf_timeline_waits_legend(timeline, XTF_PICTURE_WIDTH - WAITED_WIDTH, LEGEND_Y);
    xtf_draw(drawing, "\n");
}

void xtf_timeline_begin(XtfTimeline *timeline, int height)
{
    g_autofree char *title = g_strdup_printf("%" PRIu32 " process%s", timeline->rows.selected.n_procs,
                                             timeline->rows.selected.n_procs == 1 ? "" : "es");
    const XtfPictureFrame frame = {.content = title,
                                   .file = timeline->file,
                                   .from = timeline->plan.from,
                                   .to = timeline->plan.to,
                                   .width = XTF_PICTURE_WIDTH,
                                   .height = XTF_TIMELINE_TOP + height + XTF_TIMELINE_FOOT,
                                   .description = "What each process did over time, by regions of code."};

    xtf_draw_frame(timeline->drawing, &frame, &timeline->links);
    draw_legend(timeline);
    xtf_draw(timeline->drawing, "<text class=\"xt-dim\" x=\"96\" y=\"62\" text-anchor=\"end\">process</text>");
    xtf_draw_time_axis(timeline->drawing, &timeline->links.context->scale, &timeline->plot, XTF_TIMELINE_TOP - 8,
                       XTF_TIMELINE_TOP + height);
}

static void print_number(uint64_t number, char text[static 24])
{
    g_snprintf(text, 24, "%" PRIu64, number);
}

void xtf_timeline_label(XtfTimeline *timeline, const XtfPictureRow *row, int middle)
{
    char label[XTF_ROW_LABEL], proc[24], thread[24];

    xtf_picture_row_label(row, label);
    print_number(row->proc, proc);
    print_number(row->thread, thread);
    const XtfPictureTarget target = {.proc = proc, .thread = row->is_thread ? thread : NULL};
    g_autofree char *link = xtf_picture_link(&timeline->links, timeline->plan.from, timeline->plan.to, &target);
    xtf_draw_link(timeline->drawing, link, timeline->file);
    bool is_tight = XTF_TIMELINE_ROWS < timeline->rows.n * LABEL_PITCH;
    xtf_draw(timeline->drawing, "<text %sx=\"96\" y=\"%d\" text-anchor=\"end\">%s</text></a>\n",
             is_tight ? "class=\"xt-small\" " : "", middle + 4, label);
}

/* Omits the last sentences if the line would be too long. */
void xtf_timeline_footer(XtfTimeline *timeline, int y, const char *text)
{
    g_autofree char *all = g_strdup_printf("%s%s", xtf_clock_remark(timeline->clocks), text);

    for (char *end;
         xtf_text_pixels(all, FOOTER_SIZE) > XTF_PICTURE_WIDTH - XTF_PICTURE_LEFT && (end = g_strrstr(all, ". "));)
        end[1] = '\0';
    xtf_draw_footer(timeline->drawing, y, all);
}

/* ---- Tool tips. */

void xtf_timeline_tip(XtfTimeline *timeline, const char *procs_text, uint64_t from, uint64_t to,
                      XtfPictureColumn *column, const XtfPictureColumn *waited)
{
    const XtfTimeScale *scale = &timeline->links.context->scale;
    char window[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(scale, from, to, window);
    xtf_picture_column_sort(column);
    xtf_draw(timeline->drawing, "<title>%s, %s", procs_text, window);
    for (uint32_t i = 0; i < column->n && i < XTF_TILE_TEXT; i++) {
        const XtfShare *share = &column->shares[i];
        char ticks[XTF_TIME_TEXT_MAX], *text = ticks + sizeof ticks - 1;
        *text = '\0';
        text = xtf_time_scale_put(scale, share->ticks, text);
        xtf_draw(timeline->drawing, "\n%s s %.1f %% ", text, percent_of(share->ticks, column->alive));
        xtf_draw_text(timeline->drawing, timeline->job->colours->names[share->line], XTF_TITLE_NAME);
        xtf_draw(timeline->drawing, ", %" PRIu64 " call%s", share->calls, share->calls == 1 ? "" : "s");
    }
    if (waited && waited->regions > 0) {
        char ticks[XTF_TIME_TEXT_MAX], *text = ticks + sizeof ticks - 1;
        *text = '\0';
        text = xtf_time_scale_put(scale, waited->regions, text);
        xtf_draw(timeline->drawing, "\nof this %s s %.1f %% was waiting for others", text,
                 percent_of(waited->regions, column->alive));
    }
    xtf_draw(timeline->drawing, "</title>");
}

void xtf_timeline_tiles(XtfTimeline *timeline, uint32_t number, int top, int height)
{
    const XtfPictureRow *row = &timeline->rows.all[number];
    char label[XTF_ROW_LABEL], proc[24], thread[24];
    g_autofree char *procs_text = NULL;

    xtf_picture_row_label(row, label);
    print_number(row->proc, proc);
    print_number(row->thread, thread);
    procs_text = g_strdup_printf("process %s", label);
    const XtfPictureTarget target = {.proc = proc, .thread = row->is_thread ? thread : NULL};
    for (uint32_t i = 0; i < timeline->tiles; i++) {
        uint32_t cells = timeline->plan.cells;
        uint32_t a = (uint32_t)((uint64_t)cells * i / timeline->tiles);
        uint32_t b = (uint32_t)((uint64_t)cells * (i + 1) / timeline->tiles);
        uint64_t from = xtf_column_time(&timeline->plan, a), to = xtf_column_time(&timeline->plan, b);
        if (from == to || xtf_drawing_left(timeline->drawing) < 2 << 10)
            continue;
        XtfPictureColumn sum = xtf_row_columns_sum(&timeline->columns[number], a, b), waited = {0};
        if (timeline->waited)
            waited = xtf_row_columns_sum(&timeline->waited[number], a, b);
        g_autofree char *link = xtf_picture_link(&timeline->links, from, to, &target);
        xtf_draw_link(timeline->drawing, link, timeline->file);
        xtf_draw(timeline->drawing, "<rect class=\"xt-t\" x=\"%u\" y=\"%d\" width=\"%u\" height=\"%d\">",
                 xtf_timeline_x(timeline, a), top, xtf_timeline_x(timeline, b) - xtf_timeline_x(timeline, a), height);
        xtf_timeline_tip(timeline, procs_text, from, to, &sum, &waited);
        xtf_draw(timeline->drawing, "</rect></a>\n");
        xtf_picture_column_finish(&sum);
        xtf_picture_column_finish(&waited);
    }
}

/*
 * The dense timeline, for rows of a few pixels. An image shows the region with most time in each column of a row, by
 * its colour. Below it, the processes that are most unlike the others appear as stacked rows.
 *
 * A row of the image is one process. If there are more than a thousand, two processes represent each group of
 * neighbours: the most typical one and the one most unlike it. Means would hide one slow process among many.
 */
#include <inttypes.h>
#include <string.h>

#include "src/pictures/drawing/picture-image.h"
#include "src/pictures/drawing/text-width.h"
#include "src/pictures/timeline/rows/row-distance.h"
#include "src/pictures/timeline/timeline-private.h"

enum {
    COLUMNS = XTF_PICTURE_PLOT / 4, /* number of columns of the image */
    GROUPS = 250,                   /* groups of neighbouring rows, if there are too many rows to show each */
    GROUP_PIXELS = 3,
    BANDS = 50,         /* bands of rows, with a tool tip each */
    NUMBER_PIXELS = 16, /* least pixels between numbers of processes */
    UNLIKE_PITCH = 26,
    CLEAR = 0, /* colour of the image: nothing recorded */
    PALE = 1,  /* colour of the image: in no region */
    NO_REGION = 0xd9dee4,
};

/* Neighbouring rows of the timeline, of which the image shows one or two. */
typedef struct {
    uint32_t first, n;        /* the rows of the group */
    uint32_t typical, unlike; /* rows; equal if all rows are alike */
} Group;

typedef struct {
    XtfTimeline *timeline;
    XtfPictureColumn *wholes; /* by row of the timeline: its whole window */
    Group *groups;
    uint32_t n_groups, pixels; /* n_groups, and height of a group in pixels */
    uint8_t *image;
    uint32_t colours[XTF_PNG_COLOURS_MAX], n_colours;
} Dense;

/* ---- Choice of rows. */

static void choose_groups(Dense *dense)
{
    uint32_t rows = dense->timeline->rows.n;
    uint64_t n_lines = xtf_regions_n_lines(&dense->timeline->times.regions);

    dense->n_groups = rows > XTF_DENSE_ROWS_MAX ? GROUPS : rows;
    dense->pixels = rows > XTF_DENSE_ROWS_MAX ? GROUP_PIXELS : rows <= COLUMNS ? 2 : 1;
    dense->groups = g_new0(Group, dense->n_groups);
    for (uint32_t i = 0; i < dense->n_groups; i++) {
        Group *group = &dense->groups[i];
        double distance;
        group->first = (uint32_t)((uint64_t)rows * i / dense->n_groups);
        group->n = (uint32_t)((uint64_t)rows * (i + 1) / dense->n_groups) - group->first;
        xtf_rows_typical(dense->wholes, group->first, group->n, n_lines, &group->typical, &group->unlike, &distance);
        if (distance <= XTF_DISTANCE_SEEN)
            group->unlike = group->typical;
    }
}

/* Measures all rows, in one column for the whole window. */
static bool measure_wholes(Dense *dense, GError **error)
{
    XtfTimeline *timeline = dense->timeline;
    const XtfColumnPlan plan = timeline->plan;

    dense->wholes = g_new0(XtfPictureColumn, timeline->rows.n);
    timeline->plan.columns = 1;
    timeline->plan.splits = 0;
    bool good = xtf_timeline_measure(timeline, NULL, error);
    timeline->plan = plan;
    for (uint32_t i = 0; good && i < timeline->rows.n; i++)
        dense->wholes[i] = xtf_row_columns_sum(&timeline->columns[i], 0, plan.cells);
    return good;
}

/* Measures the rows to show in the image or below it. */
static bool measure_shown(Dense *dense, const XtfUnlikeRow *unlike, uint32_t n_unlike, GError **error)
{
    g_autofree bool *shown = g_new0(bool, dense->timeline->rows.n);

    for (uint32_t i = 0; i < dense->n_groups; i++)
        shown[dense->groups[i].typical] = shown[dense->groups[i].unlike] = true;
    for (uint32_t i = 0; i < n_unlike; i++)
        shown[unlike[i].row] = true;
    if (!xtf_timeline_measure(dense->timeline, shown, error))
        return false;
    /* The legend counts all rows. */
    XtfPictureColumn *total = &dense->timeline->total;
    xtf_picture_column_finish(total);
    *total = (XtfPictureColumn){0};
    for (uint32_t i = 0; i < dense->timeline->rows.n; i++)
        xtf_picture_column_join(total, &dense->wholes[i]);
    xtf_picture_column_sort(total);
    return true;
}

/* ---- The image. */

static uint8_t colour_index(Dense *dense, XtfColour colour)
{
    uint32_t i = PALE;

    while (i < dense->n_colours && dense->colours[i] != colour)
        i++;
    if (i == dense->n_colours && i < XTF_PNG_COLOURS_MAX)
        dense->colours[dense->n_colours++] = colour;
    return (uint8_t)MIN(i, XTF_PNG_COLOURS_MAX - 1);
}

/* Returns the colour of the region with most time in a column, if that is more than the time in no region. */
static uint8_t dominant_colour(Dense *dense, const XtfPictureColumn *column)
{
    uint64_t dead = column->whole - MIN(column->whole, column->alive);
    uint64_t idle = column->alive - MIN(column->alive, column->regions), most = MAX(dead, idle);
    uint8_t colour = dead >= idle ? CLEAR : PALE;

    for (uint32_t i = 0; i < column->n; i++) {
        if (column->shares[i].ticks > most) {
            most = column->shares[i].ticks;
            colour = colour_index(dense, dense->timeline->job->colours->by_line[column->shares[i].line]);
        }
    }
    return colour;
}

static void paint_row(Dense *dense, uint32_t row, uint8_t *pixels)
{
    const XtfRowColumns *columns = &dense->timeline->columns[row];
    uint32_t cells = dense->timeline->plan.cells;

    for (uint32_t i = 0; i < columns->n; i++) {
        uint8_t colour = dominant_colour(dense, &columns->all[i]);
        uint32_t from = (uint32_t)((uint64_t)columns->all[i].from * COLUMNS / cells);
        uint32_t to = (uint32_t)((uint64_t)columns->all[i].to * COLUMNS / cells);
        for (uint32_t x = from; x < to; x++)
            pixels[x] = colour;
    }
}

/* Paints the image. Two of the three pixels of a group show the typical process, and one shows the most unlike. */
static void paint_image(Dense *dense)
{
    dense->image = g_new0(uint8_t, (size_t)dense->n_groups * dense->pixels * COLUMNS);
    dense->colours[PALE] = NO_REGION;
    dense->n_colours = PALE + 1;
    for (uint32_t i = 0; i < dense->n_groups; i++) {
        for (uint32_t y = 0; y < dense->pixels; y++) {
            uint32_t row = y == GROUP_PIXELS - 1 ? dense->groups[i].unlike : dense->groups[i].typical;
            paint_row(dense, row, dense->image + ((size_t)i * dense->pixels + y) * COLUMNS);
        }
    }
}

static bool draw_image(Dense *dense, GError **error)
{
    uint32_t height = dense->n_groups * dense->pixels;
    const XtfIndexedImage image = {.width = COLUMNS,
                                   .height = height,
                                   .pixels = dense->image,
                                   .colours = dense->colours,
                                   .n_colours = dense->n_colours,
                                   .first_is_clear = true};

    return xtf_draw_image(dense->timeline->drawing, &image, error,
                          "x=\"%d\" y=\"%d\" width=\"%d\" height=\"%u\" preserveAspectRatio=\"none\"", XTF_PICTURE_LEFT,
                          XTF_TIMELINE_TOP, XTF_PICTURE_PLOT, height);
}

/* ---- Labels and tool tips. */

/* Draws numbers of processes at the left, at multiples of 1, 2 or 5 times a power of ten. */
static void draw_numbers(Dense *dense)
{
    XtfTimeline *timeline = dense->timeline;
    uint32_t height = dense->n_groups * dense->pixels, rows = timeline->rows.n;
    uint32_t step = (uint32_t)xtf_round_up(MAX((double)NUMBER_PIXELS * rows / height, 1));

    for (uint32_t row = 0; row < rows; row += step) {
        uint32_t y = XTF_TIMELINE_TOP + (uint32_t)((uint64_t)height * row / rows);
        xtf_draw(timeline->drawing, "<text class=\"xt-dim\" x=\"96\" y=\"%u\" text-anchor=\"end\">%" PRIu64 "</text>",
                 y + 8, timeline->rows.all[row].proc);
    }
    xtf_draw(timeline->drawing, "\n");
}

/* Returns the processes of rows [first, end), as the name of a directory. The caller frees it. */
static char *print_row_procs(const XtfTimeline *timeline, uint32_t first, uint32_t end)
{
    const XtfNumberRange range = {timeline->rows.all[first].proc, timeline->rows.all[end - 1].proc};
    g_autoptr(XtfNumberSet) all = xtf_number_set_from_ranges(&range, 1);
    g_autoptr(XtfNumberSet) set = xtf_number_set_intersect(timeline->job->selection->procs, all);
    g_autoptr(GString) text = g_string_new(NULL);

    xtf_number_set_print(set, text);
    return g_strdup(text->str);
}

/* Draws transparent bands of rows over the whole window. Each has a tool tip with the times of its processes, and a
 * link to them. */
static void draw_bands(Dense *dense)
{
    XtfTimeline *timeline = dense->timeline;
    uint32_t n_bands = MIN(BANDS, dense->n_groups);

    for (uint32_t i = 0; i < n_bands; i++) {
        uint32_t a = dense->n_groups * i / n_bands, b = dense->n_groups * (i + 1) / n_bands;
        const Group *first = &dense->groups[a], *last = &dense->groups[b - 1];
        XtfPictureColumn sum = {0};
        uint32_t end = last->first + last->n;
        for (uint32_t row = first->first; row < end; row++)
            xtf_picture_column_join(&sum, &dense->wholes[row]);
        g_autofree char *set = print_row_procs(timeline, first->first, end);
        g_autofree char *short_set = xtf_text_elided(set, XTF_TITLE_NAME);
        g_autofree char *procs_text = g_strdup_printf("processes %s", short_set);
        g_autofree char *link = strlen(set) > XTF_DIRECTORY_NAME_MAX
                                    ? NULL
                                    : xtf_picture_link(&timeline->links, timeline->plan.from, timeline->plan.to,
                                                       &(XtfPictureTarget){.proc = set});
        xtf_draw_link(timeline->drawing, link, timeline->file);
        xtf_draw(timeline->drawing, "<rect class=\"xt-t\" x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\">",
                 XTF_PICTURE_LEFT, XTF_TIMELINE_TOP + a * dense->pixels, XTF_PICTURE_PLOT, (b - a) * dense->pixels);
        xtf_timeline_tip(timeline, procs_text, timeline->plan.from, timeline->plan.to, &sum, NULL);
        xtf_draw(timeline->drawing, "</rect></a>\n");
        xtf_picture_column_finish(&sum);
    }
}

/* Draws the most unlike processes as stacked rows, below the image. */
static void draw_unlike(Dense *dense, const XtfUnlikeRow *unlike, uint32_t n, int top)
{
    XtfTimeline *timeline = dense->timeline;

    for (uint32_t i = 0; i < n; i++) {
        int y = top + (int)i * UNLIKE_PITCH + 14;
        xtf_draw(timeline->drawing, "<text class=\"xt-dim\" x=\"%d\" y=\"%d\">%+.1f %% ", XTF_PICTURE_LEFT, y - 3,
                 100 * unlike[i].share);
        xtf_draw_text(timeline->drawing, timeline->job->colours->names[unlike[i].line], XTF_TITLE_NAME);
        if (unlike[i].more > 0)
            xtf_draw(timeline->drawing, ", and %" PRIu32 " more like it", unlike[i].more);
        xtf_draw(timeline->drawing, "</text>");
        xtf_timeline_stacked_row(timeline, unlike[i].row, y, UNLIKE_PITCH - 14,
                                 xtf_drawing_left(timeline->drawing) / (2 * (n - i)));
    }
}

/* ---- The whole picture. */

static bool draw_dense(Dense *dense, GError **error)
{
    XtfTimeline *timeline = dense->timeline;
    XtfUnlikeRow unlike[XTF_UNLIKE_MAX];

    if (!measure_wholes(dense, error))
        return false;
    choose_groups(dense);
    uint32_t n =
        xtf_rows_unlike(dense->wholes, timeline->rows.n, xtf_regions_n_lines(&timeline->times.regions), unlike);
    if (!measure_shown(dense, unlike, n, error))
        return false;
    paint_image(dense);
    int height = (int)(dense->n_groups * dense->pixels), below = n > 0 ? 24 + (int)n * UNLIKE_PITCH : 0;
    xtf_timeline_begin(timeline, height + below);
    if (!draw_image(dense, error))
        return false;
    draw_numbers(dense);
    draw_bands(dense);
    if (n > 0) {
        xtf_draw(timeline->drawing, "<text x=\"%d\" y=\"%d\">Most unlike the others:</text>\n", XTF_PICTURE_LEFT,
                 XTF_TIMELINE_TOP + height + 16);
        draw_unlike(dense, unlike, n, XTF_TIMELINE_TOP + height + 24);
    }
    xtf_timeline_footer(
        timeline, XTF_TIMELINE_TOP + height + below + 18,
        timeline->rows.n > XTF_DENSE_ROWS_MAX
            ? "Three pixels a group of neighbours: two of its most typical process, one of the most unlike "
              "it. Colour: where it was most of the column."
            : "A row is a process. Colour: where it was most of the column.");
    return true;
}

bool xtf_timeline_dense(XtfTimeline *timeline, GError **error)
{
    Dense dense = {.timeline = timeline};
    bool good = draw_dense(&dense, error);

    for (uint32_t i = 0; dense.wholes && i < timeline->rows.n; i++)
        xtf_picture_column_finish(&dense.wholes[i]);
    g_free(dense.wholes);
    g_free(dense.groups);
    g_free(dense.image);
    return good;
}

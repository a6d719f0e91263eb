#include "src/pictures/charts/histogram-picture.h"

#include <inttypes.h>
#include <math.h>

#include "libxtf/error.h"
#include "src/pictures/drawing/picture-frame.h"
#include "src/pictures/drawing/time-axis.h"

enum {
    SIZE = 256 << 10,
    BAR_BYTES = 1 << 10, /* usual bytes of a bar */
    BARE_BYTES = 200,    /* bytes of a bar without its link */
    SLICES = 100,
    PANEL = 90, /* pixels */
    PANEL_PITCH = 120,
    TOP = 84,
    PANELS_MAX = 3,
    PAGE_WIDTH = 760,
};

/* The columns of the table, a panel each, and the words above the panel. */
static const char *const columns_of_file[PANELS_MAX] = {"calls", "sent_messages", "sent_bytes"};
static const char *const names_of_file[PANELS_MAX] = {"calls", "messages sent", "bytes sent"};
static const char *const columns_of_page[] = {"count"};
static const char *const names_of_page[] = {"records"};

typedef struct {
    const char *const *columns, *const *names; /* by panel */
    unsigned n_panels, n;                      /* number of panels; slices read so far */
    double values[PANELS_MAX][SLICES];
} Slices;

static bool add_slice(const XtfRowCell *cells, void *data, GError **error)
{
    Slices *slices = data;

    if (slices->n == SLICES)
        return xtf_damaged(error, "the table histogram has more than %d rows", SLICES);
    for (unsigned i = 0; i < slices->n_panels; i++)
        slices->values[i][slices->n] = xtf_row_real(&cells[i]);
    slices->n++;
    return true;
}

static bool histogram_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    *size = SIZE;
    return true;
}

/* Returns the top of a panel: a round number not less than any of its values. */
static double panel_top(const double *values, unsigned n)
{
    double most = 0;

    for (unsigned i = 0; i < n; i++)
        most = fmax(most, values[i]);
    return most > 0 ? xtf_round_up(most) : 1;
}

typedef struct {
    const XtfPictureJob *job;
    XtfDrawing *drawing;
    const XtfPictureLinks *links;
    const Slices *slices;
    XtfPlot plot;
} Picture;

static void draw_bar(const Picture *picture, unsigned panel, unsigned i, double top)
{
    double value = picture->slices->values[panel][i];
    uint64_t a = xtf_time_bin_bound(picture->plot.from, picture->plot.to, i, SLICES);
    uint64_t b = xtf_time_bin_bound(picture->plot.from, picture->plot.to, i + 1, SLICES);
    double x = xtf_plot_x(&picture->plot, a), width = xtf_plot_x(&picture->plot, b) - x;
    double height = value > 0 ? fmax(value / top * PANEL, 1) : 0;
    int bottom = TOP + (int)panel * PANEL_PITCH + PANEL + 16;

    if (height == 0 || a == b)
        return;
    /* Omits links if only bars without links would still fit. */
    size_t n_left = (size_t)SLICES * picture->slices->n_panels - (panel * SLICES + i);
    bool bare = xtf_drawing_left(picture->drawing) < BAR_BYTES + n_left * BARE_BYTES;
    g_autofree char *link = bare ? NULL : xtf_picture_link(picture->links, a, b, NULL);
    xtf_draw_link(picture->drawing, link, picture->job->file);
    xtf_draw(picture->drawing, "<rect class=\"xt-bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", x,
             bottom - height, fmax(width - 1, 0.5), height);
    xtf_draw(picture->drawing, "<title>%.0f %s</title></rect></a>\n", value, picture->slices->names[panel]);
}

static void draw_panel(const Picture *picture, unsigned panel)
{
    const double *values = picture->slices->values[panel];
    double top = panel_top(values, picture->slices->n);
    int y = TOP + (int)panel * PANEL_PITCH + 16;

    xtf_draw(picture->drawing, "<text x=\"%d\" y=\"%d\">%s</text>", XTF_PICTURE_LEFT, y - 3,
             picture->slices->names[panel]);
    xtf_draw(picture->drawing, "<text class=\"xt-dim\" x=\"96\" y=\"%d\" text-anchor=\"end\">%.10g</text>", y + 8, top);
    xtf_draw(picture->drawing, "<text class=\"xt-dim\" x=\"96\" y=\"%d\" text-anchor=\"end\">0</text>", y + PANEL);
    xtf_draw(picture->drawing, "<path class=\"xt-grid\" d=\"M%d %dH%d\"/>\n", XTF_PICTURE_LEFT, y + PANEL,
             (int)(picture->plot.left + picture->plot.width));
    for (unsigned i = 0; i < picture->slices->n; i++)
        draw_bar(picture, panel, i, top);
}

static bool histogram_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    XtfTraceContext *context = job->views->context;
    g_autofree Slices *slices = g_new0(Slices, 1);
    int width = job->in_page ? PAGE_WIDTH : XTF_PICTURE_WIDTH;
    g_auto(XtfPictureLinks) links = {0};
    Picture picture = {.job = job, .drawing = drawing, .links = &links, .slices = slices};
    uint64_t from, to;

    slices->columns = job->in_page ? columns_of_page : columns_of_file;
    slices->names = job->in_page ? names_of_page : names_of_file;
    slices->n_panels = job->in_page ? G_N_ELEMENTS(columns_of_page) : G_N_ELEMENTS(columns_of_file);
    XtfRowPicker picker = {.names = slices->columns, .n = slices->n_panels, .visit = add_slice, .data = slices};
    int height = TOP + (int)slices->n_panels * PANEL_PITCH + 8;
    if (!xtf_view_pick(job->views, "histogram", job->selection, &picker, error))
        return false;
    xtf_picture_links_init(&links, context, job->selection, job->depth);
    xtf_selection_window(job->selection, &context->scale, &from, &to);
    picture.plot = (XtfPlot){from, to, XTF_PICTURE_LEFT, (uint32_t)(width - (XTF_PICTURE_WIDTH - XTF_PICTURE_PLOT))};
    const XtfPictureFrame frame = {.content = "calls and messages over time",
                                   .file = job->file,
                                   .from = from,
                                   .to = to,
                                   .width = width,
                                   .height = height,
                                   .is_bare = job->in_page,
                                   .description = job->in_page ? "Records in 100 slices of time."
                                                               : "Calls, messages and bytes in 100 slices of time."};
    xtf_draw_frame(drawing, &frame, &links);
    xtf_draw_time_axis(drawing, &context->scale, &picture.plot, TOP - 8, height - 8);
    for (unsigned i = 0; i < slices->n_panels; i++)
        draw_panel(&picture, i);
    return true;
}

const XtfPicture xtf_picture_histogram = {
    .name = "histogram.svg", .of = "histogram", .size = histogram_size, .draw = histogram_draw, .end = "</svg>\n"};

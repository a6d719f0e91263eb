#include "src/studies/scaling/chart.h"

#include <math.h>

#include "src/pictures/drawing/picture-frame.h"
#include "src/studies/scaling/report.h"

enum {
    SIZE = 1 << 20,
    COLUMNS = 3,
    PANELS_MAX = 12,
    TOP = 40, /* pixels */
    PITCH_X = 400,
    PITCH_Y = 290,
    PLOT_LEFT = 64, /* of a panel */
    PLOT_TOP = 36,
    PLOT_WIDTH = 310,
    PLOT_HEIGHT = 210,
    STEPS = 40, /* pieces of a curve */
    LABEL_CHARACTERS = 44,
};

typedef struct {
    double from, to;
} Range;

typedef struct {
    XtfDrawing *drawing;
    const XtfScalingStudy *study;
    int left, top; /* pixels of the plot */
    Range x, y;    /* processes; values */
} Panel;

static double x_of(const Panel *panel, double p)
{
    return panel->left + PLOT_WIDTH * log(p / panel->x.from) / log(panel->x.to / panel->x.from);
}

static double y_of(const Panel *panel, double value)
{
    double v = fmin(fmax(value, panel->y.from), panel->y.to);

    return panel->top + PLOT_HEIGHT * (1 - log(v / panel->y.from) / log(panel->y.to / panel->y.from));
}

/* Returns the number of processes at a step of a curve. */
static double processes_at(const Panel *panel, int step)
{
    return panel->x.from * pow(panel->x.to / panel->x.from, (double)step / STEPS);
}

static void widen_range(Range *range, double value)
{
    if (!(value > 0))
        return;
    range->from = range->from > 0 ? fmin(range->from, value) : value;
    range->to = fmax(range->to, value);
}

/* Widens a range to whole decades, at least one. */
static void round_range(Range *range)
{
    if (!(range->from > 0))
        *range = (Range){1, 10};
    range->from = pow(10, floor(log10(range->from)));
    range->to = pow(10, ceil(log10(range->to)));
    if (range->to <= range->from)
        range->to = 10 * range->from;
}

static void draw_axes(const Panel *panel)
{
    XtfDrawing *drawing = panel->drawing;
    const XtfScalingPoints *points = &panel->study->points;
    double before = -100;

    for (double value = panel->y.from; value <= panel->y.to * 1.01; value *= 10) {
        double y = y_of(panel, value);
        xtf_draw(drawing, "<path class=\"xt-grid\" d=\"M%d %.1fh%d\"/>", panel->left, y, PLOT_WIDTH);
        xtf_draw(drawing, "<text class=\"xt-dim\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
                 panel->left - 6, y + 4, value);
    }
    for (unsigned i = 0; i <= points->n; i++) {
        double p = i < points->n ? points->processes[i] : panel->x.to, x = x_of(panel, p);
        xtf_draw(drawing, "<path class=\"xt-grid\" d=\"M%.1f %dv%d\"/>", x, panel->top, PLOT_HEIGHT);
        if (x - before < 30)
            continue;
        before = x;
        xtf_draw(drawing, "<text class=\"xt-dim\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", x,
                 panel->top + PLOT_HEIGHT + 15, p);
    }
}

static void draw_dots(const Panel *panel, const double *values, const char *unit)
{
    const XtfScalingPoints *points = &panel->study->points;

    for (unsigned i = 0; i < points->n; i++) {
        if (values[i] > 0)
            xtf_draw(panel->drawing,
                     "<circle class=\"xt-dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>%.0f processes: %.4g%s</title>"
                     "</circle>\n",
                     x_of(panel, points->processes[i]), y_of(panel, values[i]), points->processes[i], values[i], unit);
    }
}

/* Draws a curve through the values of all steps. */
static void draw_curve(const Panel *panel, const double *values)
{
    xtf_draw(panel->drawing, "<path class=\"xt-m\" d=\"");
    for (int step = 0; step <= STEPS; step++)
        xtf_draw(panel->drawing, "%c%.1f %.1f", step ? 'L' : 'M', x_of(panel, processes_at(panel, step)),
                 y_of(panel, values[step]));
    xtf_draw(panel->drawing, "\"/>\n");
}

static void draw_band(const Panel *panel, const XtfScalingBand *bands)
{
    xtf_draw(panel->drawing, "<path class=\"xt-bar\" fill-opacity=\".35\" d=\"");
    for (int step = 0; step <= STEPS; step++)
        xtf_draw(panel->drawing, "%c%.1f %.1f", step ? 'L' : 'M', x_of(panel, processes_at(panel, step)),
                 y_of(panel, bands[step].high));
    for (int step = STEPS; step >= 0; step--)
        xtf_draw(panel->drawing, "L%.1f %.1f", x_of(panel, processes_at(panel, step)), y_of(panel, bands[step].low));
    xtf_draw(panel->drawing, "Z\"/>\n");
}

static void draw_panel_title(const Panel *panel, const char *label, const char *text)
{
    xtf_draw(panel->drawing, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">", panel->left, panel->top - 20);
    xtf_draw_bytes(panel->drawing, label, LABEL_CHARACTERS);
    xtf_draw(panel->drawing, "</text><text class=\"xt-dim\" x=\"%d\" y=\"%d\">%s</text>\n", panel->left, panel->top - 6,
             text);
}

/* Draws the whole run: its times, the sum of the models, and the limit. */
static void draw_run(Panel *panel)
{
    const XtfScalingStudy *study = panel->study;
    double curve[STEPS + 1];

    for (unsigned i = 0; i < study->points.n; i++)
        widen_range(&panel->y, study->times[i]);
    for (int step = 0; step <= STEPS; step++) {
        curve[step] = xtf_scaling_sum_at(&study->sum, processes_at(panel, step));
        widen_range(&panel->y, curve[step]);
    }
    round_range(&panel->y);
    bool shows_limit = study->fastest > 0 && study->fastest <= panel->x.to;
    g_autofree char *text =
        shows_limit ? g_strdup_printf("seconds; fastest with %.0f processes", study->fastest) : g_strdup("seconds");
    draw_panel_title(panel, "whole run", text);
    draw_axes(panel);
    if (shows_limit)
        xtf_draw(panel->drawing, "<path class=\"xt-band\" d=\"M%.1f %dv%d\"/>\n", x_of(panel, study->fastest),
                 panel->top, PLOT_HEIGHT);
    draw_curve(panel, curve);
    draw_dots(panel, study->times, " s");
}

static void draw_line(Panel *panel, const XtfScalingLine *line)
{
    const XtfScalingStudy *study = panel->study;
    g_autofree XtfScalingSamples *samples = g_new(XtfScalingSamples, 1);
    char text[XTF_SCALING_MODEL_TEXT];
    double curve[STEPS + 1];
    XtfScalingBand bands[STEPS + 1];

    xtf_scaling_line_sample(study, line, samples);
    for (unsigned i = 0; i < study->points.n; i++)
        widen_range(&panel->y, line->values[i]);
    for (int step = 0; step <= STEPS; step++) {
        curve[step] = xtf_scaling_at(&line->model, processes_at(panel, step));
        bands[step] = xtf_scaling_band(samples, processes_at(panel, step));
        widen_range(&panel->y, curve[step]);
    }
    round_range(&panel->y);
    xtf_scaling_model_print(&line->model, text);
    draw_panel_title(panel, line->label, text);
    draw_axes(panel);
    draw_band(panel, bands);
    draw_curve(panel, curve);
    draw_dots(panel, line->values, study->options.of == XTF_SCALING_CALLS ? " calls" : " s");
}

static void draw_head(XtfDrawing *drawing, const XtfScalingStudy *study, unsigned n_panels)
{
    int width = COLUMNS * PITCH_X, height = TOP + (int)((n_panels + COLUMNS - 1) / COLUMNS) * PITCH_Y;
    const char *kind = study->kind == XTF_SCALING_STRONG ? "Strong" : "Weak";

    xtf_draw(drawing,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"xt\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\">\n<title>%s scaling</title><desc>Measured values and models over the number of "
             "processes.</desc>\n%s<rect class=\"xt-ground\" width=\"%d\" height=\"%d\"/>\n",
             width, height, width, height, kind, xtf_picture_style, width, height);
    xtf_draw(drawing,
             "<text class=\"xt-title\" x=\"8\" y=\"20\">%s scaling: %s over the number of processes; dots are "
             "measured, curves are models</text>\n",
             kind, study->options.of == XTF_SCALING_CALLS ? "calls" : "seconds");
}

bool xtf_scaling_chart(const XtfScalingStudy *study, GString *out, GError **error)
{
    unsigned n = MIN(study->lines->len + 1, (guint)PANELS_MAX);
    const double *processes = study->points.processes;
    XtfDrawing drawing;

    xtf_drawing_init(&drawing, out, SIZE);
    draw_head(&drawing, study, n);
    for (unsigned i = 0; i < n; i++) {
        Panel panel = {.drawing = &drawing,
                       .study = study,
                       .left = (int)(i % COLUMNS) * PITCH_X + PLOT_LEFT,
                       .top = TOP + (int)(i / COLUMNS) * PITCH_Y + PLOT_TOP,
                       .x = {processes[0], fmax(processes[study->points.n - 1], study->options.at)}};
        if (i == 0)
            draw_run(&panel);
        else
            draw_line(&panel, xtf_scaling_line(study, i - 1));
    }
    return xtf_drawing_finish(&drawing, "</svg>\n", true, error);
}

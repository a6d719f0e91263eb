#include "src/pictures/drawing/time-axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TICK_PIXELS = 123, /* rough distance of two ticks */
    TICKS_MAX = 24,
    DIGITS_MAX = 6,  /* most digits of a label; longer labels count from a base */
    LABEL_HALF = 40, /* half the pixels of a label */
};

static const struct {
    const char *name;
    double seconds;
} units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

double xtf_plot_x(const XtfPlot *plot, uint64_t t)
{
    if (t <= plot->from || plot->to <= plot->from)
        return plot->left;
    uint64_t ticks_inside = MIN(t, plot->to) - plot->from;
    return plot->left + (double)plot->width * ((double)ticks_inside / (double)(plot->to - plot->from));
}

static unsigned choose_unit(double seconds)
{
    unsigned unit = 0;

    while (unit + 1 < G_N_ELEMENTS(units) && seconds < units[unit].seconds)
        unit++;
    return unit;
}

double xtf_round_up(double step)
{
    double power = pow(10, floor(log10(step)));

    for (unsigned i = 0; i < 3; i++) {
        double nice = power * (double[]){1, 2, 5}[i];
        if (nice >= step * 0.999999)
            return nice;
    }
    return power * 10;
}

typedef struct {
    double step, base; /* distance of two labels, and the time from which relative labels count; in seconds */
    unsigned unit;
    int decimals;
    bool relative; /* labels count from the base */
} Labels;

/* Plans the labels of an axis, all in seconds. No step is finer than `tick`, the clock's. */
static Labels plan_labels(double from, double to, double tick, uint32_t width)
{
    Labels labels = {.step = xtf_round_up(fmax((to - from) / MAX(width / TICK_PIXELS, 1), tick)),
                     .unit = choose_unit(to)};
    double step = labels.step / units[labels.unit].seconds;

    labels.decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    double greatest = to / units[labels.unit].seconds;
    if (labels.decimals + (greatest >= 1 ? (int)log10(greatest) + 1 : 1) <= DIGITS_MAX)
        return labels;
    labels.relative = true;
    labels.base = floor(from / (10 * labels.step)) * 10 * labels.step;
    labels.unit = choose_unit(to - labels.base);
    step = labels.step / units[labels.unit].seconds;
    labels.decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    return labels;
}

static void draw_label(XtfDrawing *drawing, const XtfPlot *plot, double x, int y, const char *text)
{
    const char *anchor = x < plot->left + LABEL_HALF                 ? "start"
                         : x > plot->left + plot->width - LABEL_HALF ? "end"
                                                                     : "middle";
    xtf_draw(drawing, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>", x, y, anchor, text);
}

/* Draws the base, with the digits that it needs. */
static void draw_base(XtfDrawing *drawing, const Labels *labels, int y)
{
    int decimals = (int)CLAMP(ceil(-log10(10 * labels->step) - 1e-9), 0, 12);

    xtf_draw(drawing, "<text x=\"96\" y=\"%d\" text-anchor=\"end\">%.*f s</text>", y, decimals, labels->base);
}

void xtf_draw_time_axis(XtfDrawing *drawing, const XtfTimeScale *scale, const XtfPlot *plot, int y, int bottom)
{
    double from = xtf_seconds_of(scale, plot->from - MIN(plot->from, scale->origin));
    double to = xtf_seconds_of(scale, plot->to - MIN(plot->to, scale->origin));

    if (!(to > from))
        return;
    Labels labels = plan_labels(from, to, xtf_seconds_of(scale, 1), plot->width);
    double first = ceil(from / labels.step - 1e-6);
    xtf_draw(drawing, "<g class=\"xt-axis\">");
    if (labels.relative)
        draw_base(drawing, &labels, y);
    for (unsigned i = 0; i <= TICKS_MAX; i++) {
        double t = (first + i) * labels.step, x = plot->left + plot->width * ((t - from) / (to - from));
        char text[48];
        if (t > to + labels.step * 1e-6)
            break;
        snprintf(text, sizeof text, "%s%.*f %s", labels.relative ? "+" : "", labels.decimals,
                 (t - labels.base) / units[labels.unit].seconds, units[labels.unit].name);
        xtf_draw(drawing, "<path class=\"xt-grid\" d=\"M%.1f %dV%d\"/>", x, y + 4, bottom);
        draw_label(drawing, plot, x, y, text);
    }
    xtf_draw(drawing, "</g>\n");
}

void xtf_time_in_words(const XtfTimeScale *scale, uint64_t ticks, char *text, size_t size)
{
    double seconds = xtf_seconds_of(scale, ticks);
    unsigned unit = seconds > 0 ? choose_unit(seconds) : 0;

    snprintf(text, size, "%.4g %s", seconds / units[unit].seconds, units[unit].name);
}

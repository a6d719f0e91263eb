#include "src/studies/scaling/report.h"

#include <math.h>
#include <stdio.h>

#include "src/tables/format/table.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/lines.h"

static const XtfColumn run_columns[] = {
    XTF_COLUMN("processes", XTF_COLUMN_NUMBER, NULL, "number of processes"),
    XTF_COLUMN("runs", XTF_COLUMN_NUMBER, NULL, "runs with this number; the other columns are their medians"),
    XTF_COLUMN("time", XTF_COLUMN_REAL, "s", "time of the run, or of the selected window"),
    XTF_COLUMN("model", XTF_COLUMN_REAL, "s", "time by the sum of the models of mean times"),
    XTF_COLUMN("useful", XTF_COLUMN_REAL, "s", "mean time of a process in the program itself"),
    XTF_COLUMN("speedup", XTF_COLUMN_REAL, NULL, "speedup against the run with the fewest processes"),
    XTF_COLUMN("efficiency", XTF_COLUMN_REAL, NULL, "parallel efficiency against the run with the fewest processes"),
    XTF_COLUMN("karp_flatt", XTF_COLUMN_REAL, NULL, "serial part by Karp and Flatt, of strong scaling"),
};

static const XtfColumn model_columns[] = {
    XTF_COLUMN("measured", XTF_COLUMN_REAL, NULL, "value with the most measured processes, in s or calls"),
    XTF_COLUMN("predicted", XTF_COLUMN_REAL, NULL, "value by the model for the asked number of processes"),
    XTF_COLUMN("low", XTF_COLUMN_REAL, NULL, "10th percentile of the prediction"),
    XTF_COLUMN("high", XTF_COLUMN_REAL, NULL, "90th percentile of the prediction"),
    XTF_COLUMN("share", XTF_COLUMN_REAL, "%", "part of all predicted values"),
    XTF_COLUMN("error", XTF_COLUMN_REAL, "%", "mean error of the model at points that were left out of the fit"),
    XTF_COLUMN("model", XTF_COLUMN_WORD, NULL, "value as a formula of p, the number of processes"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
    XTF_COLUMN("class", XTF_COLUMN_TEXT, NULL, "class of regions"),
};

const XtfTableDeclaration xtf_table_scaling_runs =
    XTF_TABLE("scale: runs", "a line for each number of processes", run_columns);
const XtfTableDeclaration xtf_table_scaling_models =
    XTF_TABLE("scale: models", "a line for each region or class, the greatest prediction first", model_columns);

enum {
    REAL_WIDTH = 11, /* "1.23457e-05" */
    NUMBER_WIDTH = 9,
};

static const char real_format[] = "%.6g", short_format[] = "%.4g";

void xtf_scaling_model_print(const XtfScalingModel *model, char text[static XTF_SCALING_MODEL_TEXT])
{
    char term[XTF_SCALING_TERM_TEXT];

    xtf_scaling_term_print(&model->term, term);
    if (!(model->factor > 0))
        snprintf(text, XTF_SCALING_MODEL_TEXT, "%.4g", model->constant);
    else if (model->constant > 0)
        snprintf(text, XTF_SCALING_MODEL_TEXT, "%.4g+%.4g*%s", model->constant, model->factor, term);
    else
        snprintf(text, XTF_SCALING_MODEL_TEXT, "%.4g*%s", model->factor, term);
}

/* ---- The table of runs. */

/* Returns the speedup of a point: strong against the first point's processes, weak by the grown problem. */
static double speedup_of(const XtfScalingStudy *study, unsigned point)
{
    double base = study->points.processes[0], ratio = study->times[0] / study->times[point];

    return study->kind == XTF_SCALING_STRONG ? ratio : ratio * study->points.processes[point] / base;
}

static void put_real_if(XtfLines *lines, bool known, double number)
{
    if (known && isfinite(number))
        xtf_lines_real(lines, short_format, number);
    else
        xtf_lines_none(lines);
}

static void put_run(const XtfScalingStudy *study, unsigned point, XtfLines *lines)
{
    double p = study->points.processes[point], time = study->times[point], speedup = speedup_of(study, point);
    bool timed = time > 0 && study->times[0] > 0;

    xtf_lines_number(lines, (uint64_t)p);
    xtf_lines_number(lines, study->n_runs[point]);
    xtf_lines_real(lines, real_format, time);
    xtf_lines_real(lines, real_format, xtf_scaling_sum_at(&study->sum, p));
    xtf_lines_real(lines, real_format, study->useful[point]);
    put_real_if(lines, timed, speedup);
    put_real_if(lines, timed, speedup * study->points.processes[0] / p);
    put_real_if(lines, timed && study->kind == XTF_SCALING_STRONG, xtf_karp_flatt(study->amdahl.time / time, p));
}

static bool add_runs(const XtfScalingStudy *study, GString *out, GError **error)
{
    XtfGrid grid;
    XtfLines lines;

    xtf_grid_init(&grid, &xtf_table_scaling_runs);
    xtf_grid_add(&grid, "processes", NUMBER_WIDTH);
    xtf_grid_add(&grid, "runs", 0);
    for (unsigned i = 2; i < G_N_ELEMENTS(run_columns); i++)
        xtf_grid_add(&grid, run_columns[i].name, REAL_WIDTH);
    xtf_lines_init(&lines, &grid, NULL, out);
    xtf_lines_header(&lines);
    for (unsigned point = 0; point < study->points.n; point++)
        put_run(study, point, &lines);
    return xtf_lines_finish(&lines, error);
}

/* ---- The table of models. */

static void lay_out_models(const XtfScalingStudy *study, guint n, XtfGrid *grid)
{
    size_t model = 0, label = 0;
    char text[XTF_SCALING_MODEL_TEXT];

    for (guint i = 0; i < n; i++) {
        const XtfScalingLine *line = xtf_scaling_line(study, i);
        xtf_scaling_model_print(&line->model, text);
        model = MAX(model, strlen(text));
        label = MAX(label, xtf_text_width(line->label, false, XTF_TABLE_TEXT_MAX));
    }
    xtf_grid_init(grid, &xtf_table_scaling_models);
    for (unsigned i = 0; i < 4; i++)
        xtf_grid_add(grid, model_columns[i].name, REAL_WIDTH);
    xtf_grid_add(grid, "share", 0);
    xtf_grid_add(grid, "error", 0);
    xtf_grid_add(grid, "model", model);
    xtf_grid_add(grid, study->options.by_class ? "class" : "region", label);
}

static void put_model(const XtfScalingStudy *study, const XtfScalingLine *line, double all, XtfLines *lines)
{
    XtfScalingBand band = xtf_scaling_line_band(study, line, study->options.at);
    char text[XTF_SCALING_MODEL_TEXT];

    xtf_lines_real(lines, real_format, line->values[study->points.n - 1]);
    xtf_lines_real(lines, real_format, line->predicted);
    xtf_lines_real(lines, real_format, band.low);
    xtf_lines_real(lines, real_format, band.high);
    xtf_lines_real(lines, "%.1f", all > 0 ? 100 * line->predicted / all : 0);
    xtf_lines_real(lines, "%.1f", 100 * line->model.smape);
    xtf_scaling_model_print(&line->model, text);
    xtf_lines_word(lines, text);
    xtf_lines_text(lines, line->label, line->number);
}

static bool add_models(const XtfScalingStudy *study, uint64_t top, GString *out, GError **error)
{
    guint n = top ? (guint)MIN(top, (uint64_t)study->lines->len) : study->lines->len;
    double all = 0;
    XtfGrid grid;
    XtfLines lines;

    for (guint i = 0; i < study->lines->len; i++)
        all += xtf_scaling_line(study, i)->predicted;
    lay_out_models(study, n, &grid);
    g_string_append_printf(out, "# predicted: %s for p = %.0f\n", xtf_scaling_amount_names[study->options.of],
                           study->options.at);
    xtf_lines_init(&lines, &grid, NULL, out);
    xtf_lines_header(&lines);
    for (guint i = 0; i < n; i++)
        put_model(study, xtf_scaling_line(study, i), all, &lines);
    return xtf_lines_finish(&lines, error);
}

bool xtf_scaling_report(const XtfScalingStudy *study, uint64_t top, GString *out, GError **error)
{
    if (!add_runs(study, out, error))
        return false;
    g_string_append_c(out, '\n');
    return add_models(study, top, out, error);
}

/* ---- The conclusions. */

/* Returns a line's part of the modelled time, in percent. */
static double share_at(const XtfScalingStudy *study, const XtfScalingLine *line, double p)
{
    double all = xtf_scaling_sum_at(&study->sum, p);

    return all > 0 ? 100 * xtf_scaling_at(&line->mean_model, p) / all : 0;
}

/* Returns the word for a number of processes. */
static const char *processes_word(double n)
{
    return n == 1 ? "process" : "processes";
}

static void add_scaling_kind(const XtfScalingStudy *study, GString *out)
{
    unsigned last = study->points.n - 1;

    g_string_append_printf(
        out, "# %s scaling: a process spends %.4g s in the program itself with %.0f %s, %.4g s with %.0f.\n",
        study->kind == XTF_SCALING_STRONG ? "Strong" : "Weak", study->useful[0], study->points.processes[0],
        processes_word(study->points.processes[0]), study->useful[last], study->points.processes[last]);
}

static void add_limit(const XtfScalingStudy *study, GString *out)
{
    if (study->kind == XTF_SCALING_STRONG && study->fastest > 0)
        g_string_append_printf(out, "# Limit: the run is fastest with %.0f %s (%.0f to %.0f), in %.4g s.\n",
                               study->fastest, processes_word(study->fastest), study->fastest_band.low,
                               study->fastest_band.high, xtf_scaling_sum_at(&study->sum, study->fastest));
    else if (study->kind == XTF_SCALING_STRONG)
        g_string_append_printf(out, "# Limit: none up to %.0f processes.\n", study->horizon);
    if (study->inefficient > 0)
        g_string_append_printf(out, "# Efficiency falls below %.4g %% with %.0f processes.\n",
                               100 * study->options.efficiency, study->inefficient);
    else
        g_string_append_printf(out, "# Efficiency stays above %.4g %% up to %.0f processes.\n",
                               100 * study->options.efficiency, study->horizon);
}

static void add_stopper(const XtfScalingStudy *study, GString *out)
{
    double base = study->points.processes[0];
    const XtfScalingLine *line = study->stopper;
    char text[XTF_SCALING_TERM_TEXT];

    if (!line) {
        g_string_append(out, "# No time grows with the number of processes.\n");
        return;
    }
    g_autofree char *label = xtf_text_shown(line->label, XTF_TABLE_TEXT_MAX);
    xtf_scaling_term_print(&line->mean_model.term, text);
    g_string_append_printf(out, "# %s limits the scaling first: it grows as %s, from %.1f %% of the time with %.0f %s",
                           label, text, share_at(study, line, base), base, processes_word(base));
    if (study->limit > base)
        g_string_append_printf(out, " to %.1f %% with %.0f.\n", share_at(study, line, study->limit), study->limit);
    else
        g_string_append(out, " on.\n");
}

static void add_laws(const XtfScalingStudy *study, GString *out)
{
    if (study->kind == XTF_SCALING_STRONG)
        g_string_append_printf(out, "# Amdahl: %.4g %% of the work is serial, and T(1) is %.4g s.\n",
                               100 * study->amdahl.serial, study->amdahl.time);
    else
        g_string_append_printf(out, "# Gustafson: %.4g %% of the time is serial.\n", 100 * study->gustafson);
}

/* A greater relative error of the modelled time makes the models doubtful. */
static const double doubtful = 0.1;

/* Adds reasons to doubt the models. */
static void add_doubts(const XtfScalingStudy *study, GString *out)
{
    double worst = 0, worst_at = 0;
    for (unsigned point = 0; point < study->points.n; point++) {
        double time = study->times[point], p = study->points.processes[point];
        double error = time > 0 ? fabs(xtf_scaling_sum_at(&study->sum, p) - time) / time : 0;
        worst_at = error > worst ? p : worst_at;
        worst = fmax(worst, error);
    }
    if (worst > doubtful)
        g_string_append_printf(out, "# Doubtful: the models miss the time by %.0f %% with %.0f processes.\n",
                               100 * worst, worst_at);
    if (study->points.n < XTF_SCALING_POINTS_FEW)
        g_string_append_printf(out, "# Few points: the models use %u numbers of processes; good ones need %d.\n",
                               study->points.n, XTF_SCALING_POINTS_FEW);
}

void xtf_scaling_conclusions(const XtfScalingStudy *study, GString *out)
{
    add_scaling_kind(study, out);
    add_limit(study, out);
    add_stopper(study, out);
    add_laws(study, out);
    add_doubts(study, out);
}

/*
 * efficiency: the efficiencies of a window, and of the part of it between MPI_Init and MPI_Finalize.
 */
#include <string.h>

#include "src/tables/totals/efficiency-figures.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("figure", XTF_COLUMN_TEXT, NULL, "name of the figure"),
    XTF_COLUMN("value", XTF_COLUMN_TEXT, NULL,
               "the figure in the window, or, in the line `window`, its path; CSV and JSON have it in `how`"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process with the greatest time"),
    XTF_COLUMN("focus", XTF_COLUMN_TEXT, NULL, "the figure between MPI_Init and MPI_Finalize"),
    XTF_COLUMN("focus_proc", XTF_COLUMN_NUMBER, NULL, "process with the greatest time in `focus`"),
    XTF_COLUMN("how", XTF_COLUMN_TEXT, NULL, "formula of the figure"),
};

enum {
    VALUE_WIDTH = 8, /* "0.3548"; wider if the useful time by local clocks exceeds the window */
    PATH_MAX_WIDTH = XTF_WINDOW_TEXT_MAX + 8,
};

/* The times that a figure is made of. */
typedef enum { OF_USEFUL, OF_OUTSIDE, OF_UNTRANSFERRED, OF_IDEAL } Spread;

typedef struct {
    const char *name, *formula;
    bool is_window;
    XtfEfficiencyFigure figure;
    Spread spread;
} Line;

static const Line figure_lines[] = {
    {"window", "what the figures mean", true, 0, OF_USEFUL},
    {"parallel_efficiency", "mean useful / width", false, XTF_MEAN_TO_WIDTH, OF_USEFUL},
    {"load_balance", "mean useful / max useful (of proc)", false, XTF_MEAN_TO_MAX, OF_USEFUL},
    {"communication_efficiency", "max useful (of proc) / width", false, XTF_MAX_TO_WIDTH, OF_USEFUL},
    {"serialization", "max useful / max without transfer (of proc)", false, XTF_USEFUL_TO_MAX, OF_UNTRANSFERRED},
    {"transfer", "max without transfer (of proc) / width", false, XTF_MAX_TO_WIDTH, OF_UNTRANSFERRED},
    {"serialization_ideal", "max useful / ideal run (of proc)", false, XTF_USEFUL_TO_MAX, OF_IDEAL},
    {"transfer_ideal", "ideal run (of proc) / width", false, XTF_MAX_TO_WIDTH, OF_IDEAL},
    {"mpi_unexplained", "time in MPI that is no wait / time in MPI", false, XTF_UNEXPLAINED_TO_WHOLE, OF_UNTRANSFERRED},
    {"mpi_parallel_efficiency", "mean time outside of MPI / width", false, XTF_MEAN_TO_WIDTH, OF_OUTSIDE},
    {"mpi_load_balance", "mean outside / max outside (of proc)", false, XTF_MEAN_TO_MAX, OF_OUTSIDE},
    {"mpi_communication_efficiency", "max outside (of proc) / width", false, XTF_MAX_TO_WIDTH, OF_OUTSIDE},
    {"openmp_parallel_efficiency", "parallel / MPI parallel efficiency", false, XTF_USEFUL_TO_MEAN, OF_OUTSIDE},
};

/* True if the table has the line. Lines of time outside of MPI need OpenMP; lines of communication need communication.
 */
static bool is_shown(const Line *line, const XtfRegionClasses *classes)
{
    if (line->spread == OF_OUTSIDE && !xtf_efficiency_has_omp(classes))
        return false;
    bool is_of_communication = line->spread == OF_UNTRANSFERRED || line->spread == OF_IDEAL ||
                               g_str_has_prefix(line->name, "communication") || g_str_has_prefix(line->name, "mpi");
    return !is_of_communication || xtf_efficiency_has_communication(classes);
}

static void add_ratio(XtfLines *lines, double part, double whole)
{
    if (whole > 0)
        xtf_lines_real(lines, "%.4f", part / whole);
    else
        xtf_lines_none(lines);
}

/* Prints the path of a window to `path`, of PATH_MAX_WIDTH bytes. Returns false if the window is empty. */
static bool print_window(const XtfLines *lines, const XtfEfficiency *measured, char *path)
{
    char window[XTF_WINDOW_TEXT_MAX];

    if (measured->from == measured->to)
        return false;
    xtf_time_scale_print_window(lines->scale, measured->from, measured->to, window);
    g_snprintf(path, PATH_MAX_WIDTH, "time/%s", window);
    return true;
}

/* Adds the path of a window. Rows have only numbers in the column. */
static void add_window(XtfLines *lines, const XtfEfficiency *measured)
{
    char path[PATH_MAX_WIDTH];

    if (!lines->rows && print_window(lines, measured, path))
        xtf_lines_word(lines, path);
    else
        xtf_lines_none(lines);
}

/* Adds the last cell of the line `window`, which in rows has the paths of both windows. */
static void add_both_windows(XtfLines *lines, const Line *line, const XtfEfficiency *window, const XtfEfficiency *focus)
{
    char path[PATH_MAX_WIDTH], focus_path[PATH_MAX_WIDTH];

    if (!lines->rows || !print_window(lines, window, path)) {
        xtf_lines_word(lines, line->formula);
        return;
    }
    bool has_focus = focus && print_window(lines, focus, focus_path);
    g_autofree char *paths =
        g_strconcat("value: ", path, has_focus ? ", " XTF_EFFICIENCY_FOCUS : NULL, focus_path, NULL);
    xtf_lines_word(lines, paths);
}

/* Adds the cells of the value and the process. */
static void add_cells(XtfLines *lines, const Line *line, const XtfEfficiency *measured)
{
    const XtfEfficiencySpread *const spreads[] = {[OF_USEFUL] = &measured->useful,
                                                  [OF_OUTSIDE] = &measured->outside,
                                                  [OF_UNTRANSFERRED] = &measured->untransferred,
                                                  [OF_IDEAL] = &measured->ideal};
    const XtfEfficiencySpread *spread = spreads[line->spread];
    bool of_process = !line->is_window && line->figure != XTF_MEAN_TO_WIDTH && line->figure != XTF_USEFUL_TO_MEAN &&
                      line->figure != XTF_UNEXPLAINED_TO_WHOLE;
    double part, whole;

    if (line->is_window) {
        add_window(lines, measured);
    } else {
        xtf_efficiency_ratio(measured, line->figure, spread, &part, &whole);
        add_ratio(lines, part, whole);
    }
    xtf_lines_number_if(lines, of_process && spread->max > 0, spread->max_proc);
}

static void add_figure_lines(XtfLines *lines, const XtfRegionClasses *classes, const XtfEfficiency *window,
                             const XtfEfficiency *focus)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(figure_lines); i++) {
        const Line *line = &figure_lines[i];
        if (!is_shown(line, classes))
            continue;
        xtf_lines_word(lines, line->name);
        add_cells(lines, line, window);
        if (focus) {
            add_cells(lines, line, focus);
        } else {
            xtf_lines_none(lines);
            xtf_lines_none(lines);
        }
        if (line->is_window)
            add_both_windows(lines, line, window, focus);
        else
            xtf_lines_word(lines, line->formula);
    }
}

static bool shape_efficiency(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);
    const XtfLocations *locations = classes ? xtf_trace_context_locations(views->context, error) : NULL;
    size_t name = 0, formula = 0, value = strlen("time/-") + 2 * views->context->scale.width;

    if (!locations)
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(figure_lines); i++) {
        const Line *line = &figure_lines[i];
        if (!is_shown(line, classes))
            continue;
        shape->at_once = ++shape->n_lines;
        name = MAX(name, strlen(line->name));
        formula = MAX(formula, strlen(line->formula));
    }
    xtf_grid_add(&shape->grid, "figure", name);
    xtf_grid_add(&shape->grid, "value", MAX(value, VALUE_WIDTH));
    xtf_grid_add(&shape->grid, "proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "focus", MAX(value, VALUE_WIDTH));
    xtf_grid_add(&shape->grid, "focus_proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "how", formula);
    return true;
}

static bool fill_efficiency(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                            GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(views->context, error);
    XtfEfficiency window, focus;
    bool has_focus;

    if (!classes || !xtf_efficiency_measure(views->formats, selection, &window, error) ||
        !xtf_efficiency_measure_focus(views->resolver, views->formats, selection, &has_focus, &focus, error))
        return false;
    add_figure_lines(lines, classes, &window, has_focus ? &focus : NULL);
    return true;
}

const XtfView xtf_view_efficiency = {
    .table = XTF_TABLE("efficiency", "how much of the window the processes computed, by figure", columns),
    .subject = &xtf_about_all_calls,
    .exists = xtf_efficiency_exists,
    .shape = shape_efficiency,
    .fill = fill_efficiency};

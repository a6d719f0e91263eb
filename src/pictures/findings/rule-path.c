/* The critical path, and efficiencies. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "src/pictures/findings/finding-rule.h"
#include "src/tables/totals/efficiency-figures.h"

enum {
    LINES_MAX = 1 << 20, /* most lines of the profiles of all processes together */
};

/* ---- The critical path. */

enum { ROW, AMOUNT, AMOUNT_PERCENT, IMBALANCE, REGION };
static const char *const profile_columns[] = {"row", "amount", "amount%", "imbalance", "region"};

typedef struct {
    const XtfFindingJob *job;
    double imbalance, path; /* greatest imbalance of a region, and length of the path, in seconds */
    double amount;          /* seconds on the path in that region */
    uint64_t percent, row;  /* of the region with the greatest imbalance; row UINT64_MAX: it has none */
    char *region;
    uint64_t n_lines;
    uint64_t proc; /* process with two thirds of the amount or more; XTF_NO_PROCESS: none */
} Path;

static void path_clear(Path *path)
{
    g_clear_pointer(&path->region, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Path, path_clear)

static bool add_region_line(const XtfRowCell *cells, void *data, GError **error)
{
    Path *path = data;
    double imbalance = xtf_finding_cell_seconds(path->job, &cells[IMBALANCE]);

    path->n_lines++;
    path->path += xtf_finding_cell_seconds(path->job, &cells[AMOUNT]);
    if (imbalance <= path->imbalance)
        return true;
    path_clear(path);
    path->imbalance = imbalance;
    path->amount = xtf_finding_cell_seconds(path->job, &cells[AMOUNT]);
    path->percent = xtf_row_number(&cells[AMOUNT_PERCENT]);
    path->row = cells[ROW].type == XTF_ROW_NOTHING ? UINT64_MAX : xtf_row_number(&cells[ROW]);
    path->region = xtf_finding_place(cells[REGION].text);
    return true;
}

/* The path's time in one region on one process. */
typedef struct {
    const Path *path;
    double amount;
} ProcessPart;

static bool add_process_line(const XtfRowCell *cells, void *data, GError **error)
{
    ProcessPart *part = data;
    uint64_t row = cells[ROW].type == XTF_ROW_NOTHING ? UINT64_MAX : xtf_row_number(&cells[ROW]);

    if (row == part->path->row)
        part->amount += xtf_finding_cell_seconds(part->path->job, &cells[AMOUNT]);
    return true;
}

/* Finds the process with two thirds of the path's time in its region, unless all processes together have too many
 * lines. */
static bool find_process(XtfFindingJob *job, const XtfSelection *critical, Path *path, GError **error)
{
    path->proc = XTF_NO_PROCESS;
    if (path->n_lines > LINES_MAX / job->locations.n_procs)
        return true;
    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        uint64_t proc = job->locations.procs[i].proc;
        g_autoptr(XtfSelection) own = xtf_finding_select_process(critical, proc);
        ProcessPart part = {.path = path};
        XtfRowPicker picker = XTF_ROW_PICKER(profile_columns, add_process_line, &part);
        if (!xtf_view_pick(job->views, "profile", own, &picker, error))
            return false;
        if (3 * part.amount >= 2 * path->amount)
            path->proc = proc;
    }
    return true;
}

/* Returns the words for a path in a call of MPI, not in the program: the process waits for a cause that no rule sees.
 */
static const char *reason_of(const Path *path)
{
    const XtfClassSet waiting = XTF_CLASS_BIT(XTF_CLASS_WAIT) | XTF_CLASS_BIT(XTF_CLASS_BARRIER);
    XtfRegionClass class = xtf_region_classes_of(path->job->classes, path->row);

    return XTF_CLASS_BIT(class) & waiting ? ": why is not known, as no message explains it" : "";
}

static bool report_path(XtfFindingJob *job, const XtfFindingRule *rule, const Path *path, GError **error)
{
    XtfWord percent = xtf_word_percent((double)path->percent);
    const char *reason = reason_of(path);
    g_autofree char *source = NULL;
    char process[40] = "";

    if (!xtf_finding_region_place(job, path->proc, path->row, &source, error))
        return false;
    if (path->proc != XTF_NO_PROCESS)
        g_snprintf(process, sizeof process, " on process %" PRIu64, path->proc);
    XtfFinding *finding = xtf_finding_add(
        job, rule, path->imbalance / xtf_finding_seconds(job), &(XtfFinding){.type = "critical", .table = "profile"},
        "the critical path is in %s%s%s%s for %s, %s of it, and %s longer than threads are on average%s", path->region,
        source, xtf_finding_comma(source), process, xtf_word_seconds(path->amount).text, percent.text,
        xtf_word_seconds(path->imbalance).text, reason);
    finding->region = path->row;
    /* A process that waits for an unknown cause is not a culprit. */
    if (path->proc != XTF_NO_PROCESS && !reason[0]) {
        finding->culprit = path->proc;
        finding->as_clause =
            g_strdup_printf("%s of the critical path is on it, in %s%s", percent.text, path->region, source);
    }
    finding->source = g_steal_pointer(&source);
    return true;
}

/* Reports the region in which the path is longest beyond the mean of all locations, by at least the threshold's part of
 * the path. */
bool xtf_rule_critical(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) critical = xtf_finding_select_derived(job, "critical", &failed);
    g_auto(Path) path = {.job = job};
    XtfRowPicker picker = XTF_ROW_PICKER(profile_columns, add_region_line, &path);
    bool ended;

    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    if (!critical || job->locations.n_procs < 2 || !xtf_finding_has(job, critical, "profile"))
        return true;
    if (!xtf_finding_ended_in_calls(job, &ended, error))
        return false;
    if (ended)
        return true;
    if (!xtf_view_pick(job->views, "profile", critical, &picker, error))
        return false;
    if (!path.region || path.imbalance < rule->threshold * path.path)
        return true;
    if (!find_process(job, critical, &path, error))
        return false;
    if (path.row == UINT64_MAX && path.proc == XTF_NO_PROCESS)
        return true; /* only "in the program, somewhere" could be said */
    bool unjudged;
    if (!xtf_finding_is_unjudged(job, path.row, path.region, &unjudged, error))
        return false;
    /* If waits are unjudged, the path cannot have moved to the late process. */
    return unjudged || report_path(job, rule, &path, error);
}

/* ---- Efficiencies. */

enum { FIGURE, VALUE, FOCUS, HOW };
static const char *const efficiency_columns[] = {"figure", "value", "focus", "how"};

enum { FIGURE_UNITS = 10000 }; /* a figure is rounded to 1 / FIGURE_UNITS, as in the table */
static const double LOST_MIN = 0.02;
enum { PARALLEL, BALANCE, COMMUNICATION, SERIALIZATION, TRANSFER, OF_MPI, OPENMP, N_FIGURES };

static const char *const figures[N_FIGURES] = {"parallel_efficiency",
                                               "load_balance",
                                               "communication_efficiency",
                                               "serialization",
                                               "transfer",
                                               "mpi_parallel_efficiency",
                                               "openmp_parallel_efficiency"};

/* An efficiency, rounded as table "efficiency" shows it. */
typedef struct {
    double value;
    bool is_known;
} Figure;

typedef struct {
    Figure values[N_FIGURES], focus[N_FIGURES];
    char *window; /* window of the focus, as a path */
} Efficiency;

static void efficiency_clear(Efficiency *efficiency)
{
    g_free(efficiency->window);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Efficiency, efficiency_clear)

static Figure figure_of(const XtfRowCell *cell)
{
    if (cell->type == XTF_ROW_NOTHING)
        return (Figure){0, false};
    return (Figure){round(xtf_row_real(cell) * FIGURE_UNITS) / FIGURE_UNITS, true};
}

static bool add_figure_row(const XtfRowCell *cells, void *data, GError **error)
{
    Efficiency *efficiency = data;

    if (g_str_equal(cells[FIGURE].text, "window") && !efficiency->window) {
        const char *focus = strstr(cells[HOW].text, XTF_EFFICIENCY_FOCUS);
        efficiency->window = g_strdup(focus ? focus + strlen(XTF_EFFICIENCY_FOCUS) : "");
    }
    for (unsigned i = 0; i < N_FIGURES; i++) {
        if (!g_str_equal(cells[FIGURE].text, figures[i]) || efficiency->values[i].is_known)
            continue;
        efficiency->values[i] = figure_of(&cells[VALUE]);
        efficiency->focus[i] = figure_of(&cells[FOCUS]);
    }
    return true;
}

/* Returns the part of the window that the focus takes. */
static double share_of_focus(const XtfFindingJob *job, const char *window)
{
    uint64_t from, to;

    if (!window || !g_str_has_prefix(window, "time/") ||
        !xtf_time_scale_parse_window(&job->views->context->scale, window + strlen("time/"), &from, &to, NULL))
        return 1;
    return (double)(MIN(to, job->to) - MIN(MAX(from, job->from), MIN(to, job->to))) / (double)(job->to - job->from);
}

static void add_product(GString *text, const char *name, Figure figure, const char *other_name, Figure other_figure)
{
    if (figure.is_known && other_figure.is_known)
        g_string_append_printf(text, "%s %s times %s %s", name, xtf_word_ratio(figure.value).text, other_name,
                               xtf_word_ratio(other_figure.value).text);
}

/* Reports a parallel efficiency below the threshold, if it loses at least a fiftieth of all time. The efficiency is of
 * the time between MPI's bounds, if there are any. */
bool xtf_rule_efficiency(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Efficiency) efficiency = {0};
    XtfRowPicker picker = XTF_ROW_PICKER(efficiency_columns, add_figure_row, &efficiency);
    g_autoptr(GString) more = g_string_new(NULL);

    if (job->locations.n_procs < 2 || !xtf_finding_has(job, job->selection, "efficiency"))
        return true;
    if (!xtf_view_pick(job->views, "efficiency", job->selection, &picker, error))
        return false;
    bool of_focus = efficiency.focus[PARALLEL].is_known;
    const Figure *values = of_focus ? efficiency.focus : efficiency.values;
    if (!values[PARALLEL].is_known || values[PARALLEL].value >= rule->threshold)
        return true;
    double lost = (1 - values[PARALLEL].value) * (of_focus ? share_of_focus(job, efficiency.window) : 1);
    if (lost < LOST_MIN)
        return true;
    bool is_hybrid = values[OPENMP].is_known && values[OF_MPI].is_known;
    if (is_hybrid)
        add_product(more, ": MPI's", values[OF_MPI], "OpenMP's", values[OPENMP]);
    add_product(more, is_hybrid ? "; load balance" : ": load balance", values[BALANCE], "communication",
                values[COMMUNICATION]);
    add_product(more, ", which is serialization", values[SERIALIZATION], "transfer", values[TRANSFER]);
    bool ended;
    if (!xtf_finding_ended_in_calls(job, &ended, error))
        return false;
    const char *between = ended ? " from MPI_Init on" : " between MPI_Init and MPI_Finalize";
    xtf_finding_add(job, rule, lost, &(XtfFinding){.table = "efficiency"}, "the parallel efficiency%s is %s%s",
                    of_focus ? between : "", xtf_word_ratio(values[PARALLEL].value).text, more->str);
    return true;
}

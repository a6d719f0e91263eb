/* The critical path, and efficiencies. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "src/pictures/findings/finding-rule.h"

enum {
    LINES_MOST = 1 << 20, /* of the profiles of all processes together that are looked at */
};

/* ---- The critical path. */

enum { ROW, AMOUNT, AMOUNT_PERCENT, IMBALANCE, REGION };
static const char *const profile_columns[] = {"row", "amount", "amount%", "imbalance", "region"};

typedef struct {
    const XtfFindingJob *job;
    double imbalance, path; /* seconds; the greatest, and the path's length */
    double amount;          /* seconds, in the region of the greatest */
    uint64_t percent, row;  /* of the same; UINT64_MAX: it has no row */
    char *region;
    uint64_t n_lines;
    uint64_t proc; /* that has most of the amount; XTF_NO_PROCESS: none stands out */
} Path;

static void path_clear(Path *path)
{
    g_clear_pointer(&path->region, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Path, path_clear)

static bool take_region(const XtfRowCell *cells, void *data, GError **error)
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

/* The time in one region on one process. */
typedef struct {
    const Path *path;
    double amount;
} Part;

static bool take_part(const XtfRowCell *cells, void *data, GError **error)
{
    Part *part = data;
    uint64_t row = cells[ROW].type == XTF_ROW_NOTHING ? UINT64_MAX : xtf_row_number(&cells[ROW]);

    if (row == part->path->row)
        part->amount += xtf_finding_cell_seconds(part->path->job, &cells[AMOUNT]);
    return true;
}

/* Finds the process that has two thirds of the path's time in its region, unless all processes have too many lines. */
static bool find_process(XtfFindingJob *job, const XtfSelection *critical, Path *path, GError **error)
{
    path->proc = XTF_NO_PROCESS;
    if (path->n_lines > LINES_MOST / job->locations.n_procs)
        return true;
    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        uint64_t proc = job->locations.procs[i].proc;
        g_autoptr(XtfSelection) own = xtf_finding_select_process(critical, proc);
        Part part = {.path = path};
        XtfRowPicker picker = XTF_ROW_PICKER(profile_columns, take_part, &part);
        if (!xtf_view_pick(job->views, "profile", own, &picker, error))
            return false;
        if (3 * part.amount >= 2 * path->amount)
            path->proc = proc;
    }
    return true;
}

/* Where nothing of the program is on the path: in calls of MPI, in which a process waits for what no rule sees. */
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

    if (!xtf_finding_source(job, path->row, &source, error))
        return false;
    if (path->proc != XTF_NO_PROCESS)
        g_snprintf(process, sizeof process, " on process %" PRIu64, path->proc);
    XtfFinding *finding = xtf_finding_add(
        job, rule, path->imbalance / xtf_finding_seconds(job), &(XtfFinding){.type = "critical", .table = "profile"},
        "the critical path is in %s%s%s for %s, %s of it, and %s longer than threads are on average%s", path->region,
        source, process, xtf_word_seconds(path->amount).text, percent.text, xtf_word_seconds(path->imbalance).text,
        reason);
    finding->region = path->row;
    /* A process that waits for what nobody knows is no cause. */
    if (path->proc != XTF_NO_PROCESS && !reason[0]) {
        finding->culprit = path->proc;
        finding->as_clause =
            g_strdup_printf("%s of the critical path is on it, in %s%s", percent.text, path->region, source);
    }
    finding->source = g_steal_pointer(&source);
    return true;
}

/* The region in which the path is longest beyond the mean of all locations: at least the threshold's part of the path.
 */
bool xtf_rule_critical(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) critical = xtf_finding_select_derived(job, "critical", &failed);
    g_auto(Path) path = {.job = job};
    XtfRowPicker picker = XTF_ROW_PICKER(profile_columns, take_region, &path);

    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    if (!critical || job->locations.n_procs < 2 || xtf_finding_ended_in_calls(job) ||
        !xtf_finding_has(job, critical, "profile"))
        return true;
    if (!xtf_view_pick(job->views, "profile", critical, &picker, error))
        return false;
    if (!path.region || path.imbalance < rule->threshold * path.path)
        return true;
    if (!find_process(job, critical, &path, error))
        return false;
    if (path.row == UINT64_MAX && path.proc == XTF_NO_PROCESS)
        return true; /* "in the program, somewhere" */
    bool unjudged;
    if (!xtf_finding_is_unjudged(job, path.row, path.region, &unjudged, error))
        return false;
    /* Else the path cannot have moved to who was late. */
    return unjudged || report_path(job, rule, &path, error);
}

/* ---- Efficiencies. */

enum { FIGURE, VALUE, FOCUS };
static const char *const efficiency_columns[] = {"figure", "value", "focus"};

enum { SHOWN = 10000 }; /* figures are rounded to this part, as the table shows them */
static const double LEAST_LOST = 0.02;
enum { PARALLEL, BALANCE, COMMUNICATION, SERIALIZATION, TRANSFER, OF_MPI, OPENMP, N_FIGURES };

static const char *const figures[N_FIGURES] = {"parallel_efficiency",
                                               "load_balance",
                                               "communication_efficiency",
                                               "serialization",
                                               "transfer",
                                               "mpi_parallel_efficiency",
                                               "openmp_parallel_efficiency"};

/* A figure as the table has it. */
typedef struct {
    double value;
    bool is_known;
} Figure;

typedef struct {
    Figure values[N_FIGURES], focus[N_FIGURES];
    char *window; /* of the focus: a path */
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
    return (Figure){round(xtf_row_real(cell) * SHOWN) / SHOWN, true};
}

static bool take_figure(const XtfRowCell *cells, void *data, GError **error)
{
    Efficiency *efficiency = data;

    if (g_str_equal(cells[FIGURE].text, "window") && !efficiency->window)
        efficiency->window = g_strdup(cells[FOCUS].text);
    for (unsigned i = 0; i < N_FIGURES; i++) {
        if (!g_str_equal(cells[FIGURE].text, figures[i]) || efficiency->values[i].is_known)
            continue;
        efficiency->values[i] = figure_of(&cells[VALUE]);
        efficiency->focus[i] = figure_of(&cells[FOCUS]);
    }
    return true;
}

/* The part of the window that the figures are of. */
static double share_of_focus(const XtfFindingJob *job, const char *window)
{
    uint64_t from, to;

    if (!window || !g_str_has_prefix(window, "time/") ||
        !xtf_time_scale_parse_window(&job->views->context->scale, window + strlen("time/"), &from, &to, NULL))
        return 1;
    return (double)(MIN(to, job->to) - MIN(MAX(from, job->from), MIN(to, job->to))) / (double)(job->to - job->from);
}

static void add_product(GString *text, const char *name, Figure figure, const char *other_name, Figure other)
{
    if (figure.is_known && other.is_known)
        g_string_append_printf(text, "%s %s times %s %s", name, xtf_word_ratio(figure.value).text, other_name,
                               xtf_word_ratio(other.value).text);
}

/* The parallel efficiency, of what is between MPI's bounds if there are such, is less than the threshold. What it loses
 * is at least a fiftieth of all time. */
bool xtf_rule_efficiency(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Efficiency) efficiency = {0};
    XtfRowPicker picker = XTF_ROW_PICKER(efficiency_columns, take_figure, &efficiency);
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
    if (lost < LEAST_LOST)
        return true;
    bool is_hybrid = values[OPENMP].is_known && values[OF_MPI].is_known;
    if (is_hybrid)
        add_product(more, ": MPI's", values[OF_MPI], "OpenMP's", values[OPENMP]);
    add_product(more, is_hybrid ? "; load balance" : ": load balance", values[BALANCE], "communication",
                values[COMMUNICATION]);
    add_product(more, ", which is serialization", values[SERIALIZATION], "transfer", values[TRANSFER]);
    const char *between = xtf_finding_ended_in_calls(job) ? " from MPI_Init on" : " between MPI_Init and MPI_Finalize";
    xtf_finding_add(job, rule, lost, &(XtfFinding){.table = "efficiency"}, "the parallel efficiency%s is %s%s",
                    of_focus ? between : "", xtf_word_ratio(values[PARALLEL].value).text, more->str);
    return true;
}

/* The critical path, and efficiencies. */
#include <math.h>
#include <string.h>

#include "src/pictures/findings/finding-rule.h"

/* ---- The critical path. */

enum { AMOUNT, AMOUNT_PERCENT, IMBALANCE, REGION };
static const char *const profile_columns[] = {"amount", "amount%", "imbalance", "region"};

typedef struct {
    const XtfFindingJob *job;
    double imbalance, path; /* seconds; the greatest, and the path's length */
    char *amount, *percent, *more, *region;
} Path;

static void path_clear(Path *path)
{
    g_clear_pointer(&path->amount, g_free);
    g_clear_pointer(&path->percent, g_free);
    g_clear_pointer(&path->more, g_free);
    g_clear_pointer(&path->region, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Path, path_clear)

static bool take_region(const XtfRowCell *cells, void *data, GError **error)
{
    Path *path = data;
    double imbalance = xtf_finding_cell_seconds(path->job, &cells[IMBALANCE]);

    path->path += xtf_finding_cell_seconds(path->job, &cells[AMOUNT]);
    if (imbalance <= path->imbalance)
        return true;
    path_clear(path);
    path->imbalance = imbalance;
    path->amount = g_strdup(cells[AMOUNT].text);
    path->percent = g_strdup(cells[AMOUNT_PERCENT].text);
    path->more = g_strdup(cells[IMBALANCE].text);
    path->region = xtf_finding_name(cells[REGION].text);
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
    if (!critical || job->locations.n_procs < 2 || !xtf_finding_has(job, critical, "profile"))
        return true;
    if (!xtf_view_pick(job->views, "profile", critical, &picker, error))
        return false;
    if (!path.region || path.imbalance < rule->threshold * path.path)
        return true;
    xtf_finding_add(job, rule, path.imbalance / xtf_finding_seconds(job),
                    &(XtfFinding){.type = "critical", .table = "profile"},
                    "the critical path is in %s for %s s, %s %% of it: %s s more than the mean of all threads",
                    path.region, path.amount, path.percent, path.more);
    return true;
}

/* ---- Efficiencies. */

enum { FIGURE, VALUE, FOCUS };
static const char *const efficiency_columns[] = {"figure", "value", "focus"};

enum { SHOWN = 10000 }; /* figures are rounded to this part, as the table shows them */
enum { PARALLEL, BALANCE, COMMUNICATION, SERIALIZATION, TRANSFER, N_FIGURES };

static const char *const figures[N_FIGURES] = {"parallel_efficiency", "load_balance", "communication_efficiency",
                                               "serialization", "transfer"};

/* A figure as the table has it; NULL: it is not known. */
typedef struct {
    double value;
    char *text;
} Figure;

typedef struct {
    Figure values[N_FIGURES], focus[N_FIGURES];
    char *window; /* of the focus: a path */
} Efficiency;

static void efficiency_clear(Efficiency *efficiency)
{
    for (unsigned i = 0; i < N_FIGURES; i++) {
        g_free(efficiency->values[i].text);
        g_free(efficiency->focus[i].text);
    }
    g_free(efficiency->window);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Efficiency, efficiency_clear)

static Figure figure_of(const XtfRowCell *cell)
{
    if (cell->type == XTF_ROW_NOTHING)
        return (Figure){0, NULL};
    return (Figure){round(xtf_row_real(cell) * SHOWN) / SHOWN, g_strdup(cell->text)};
}

static bool take_figure(const XtfRowCell *cells, void *data, GError **error)
{
    Efficiency *efficiency = data;

    if (g_str_equal(cells[FIGURE].text, "window") && !efficiency->window)
        efficiency->window = g_strdup(cells[FOCUS].text);
    for (unsigned i = 0; i < N_FIGURES; i++) {
        if (!g_str_equal(cells[FIGURE].text, figures[i]) || efficiency->values[i].text)
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

/* The parallel efficiency, of what is between MPI's bounds if there are such, is less than the threshold. */
bool xtf_rule_efficiency(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Efficiency) efficiency = {0};
    XtfRowPicker picker = XTF_ROW_PICKER(efficiency_columns, take_figure, &efficiency);
    g_autoptr(GString) more = g_string_new(NULL);

    if (job->locations.n_procs < 2 || !xtf_finding_has(job, job->selection, "efficiency"))
        return true;
    if (!xtf_view_pick(job->views, "efficiency", job->selection, &picker, error))
        return false;
    bool of_focus = efficiency.focus[PARALLEL].text != NULL;
    const Figure *values = of_focus ? efficiency.focus : efficiency.values;
    if (!values[PARALLEL].text || values[PARALLEL].value >= rule->threshold)
        return true;
    if (values[BALANCE].text && values[COMMUNICATION].text)
        g_string_printf(more, ": load balance %s times communication %s", values[BALANCE].text,
                        values[COMMUNICATION].text);
    if (values[SERIALIZATION].text && values[TRANSFER].text)
        g_string_append_printf(more, ", which is serialization %s times transfer %s", values[SERIALIZATION].text,
                               values[TRANSFER].text);
    xtf_finding_add(job, rule, (1 - values[PARALLEL].value) * (of_focus ? share_of_focus(job, efficiency.window) : 1),
                    &(XtfFinding){.table = "efficiency"}, "the parallel efficiency%s is %s%s",
                    of_focus ? " between the ends of MPI" : "", values[PARALLEL].text, more->str);
    return true;
}

/* The critical path, and efficiencies. */
#include <string.h>

#include "libxtf/error.h"
#include "src/pictures/findings/finding-rule.h"

/* ---- The critical path. */

enum { ROW, AMOUNT, AMOUNT_PERCENT, IMBALANCE, REGION, N_COLUMNS };

typedef struct {
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

static bool take_region(const char *const *cells, unsigned n, void *data, GError **error)
{
    Path *path = data;

    if (n < N_COLUMNS)
        return xtf_damaged(error, "a profile of the critical path has other lines than were expected");
    path->path += xtf_finding_number(cells[AMOUNT]);
    if (xtf_finding_number(cells[IMBALANCE]) <= path->imbalance)
        return true;
    path_clear(path);
    path->imbalance = xtf_finding_number(cells[IMBALANCE]);
    path->amount = g_strdup(cells[AMOUNT]);
    path->percent = g_strdup(cells[AMOUNT_PERCENT]);
    path->more = g_strdup(cells[IMBALANCE]);
    path->region = xtf_finding_name(cells[REGION]);
    return true;
}

/* The region in which the path is longest beyond the mean of all locations: at least the threshold's part of the path.
 */
bool xtf_rule_critical(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) critical = xtf_finding_select_derived(job, "critical", &failed);
    g_auto(Path) path = {0};

    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    if (!critical || job->locations.n_procs < 2 || !xtf_finding_has(job, critical, "profile"))
        return true;
    if (!xtf_picture_table_read(job->views, "profile", critical, take_region, &path, error))
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

enum { FIGURE, VALUE, PROC, FOCUS, FOCUS_PROC, N_FIGURE_COLUMNS };
enum { PARALLEL, BALANCE, COMMUNICATION, SERIALIZATION, TRANSFER, N_FIGURES };

static const char *const figures[N_FIGURES] = {"parallel_efficiency", "load_balance", "communication_efficiency",
                                               "serialization", "transfer"};

typedef struct {
    char *values[N_FIGURES], *focus[N_FIGURES]; /* as in the table */
    char *window;                               /* of the focus: a path */
} Efficiency;

static void efficiency_clear(Efficiency *efficiency)
{
    for (unsigned i = 0; i < N_FIGURES; i++) {
        g_free(efficiency->values[i]);
        g_free(efficiency->focus[i]);
    }
    g_free(efficiency->window);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Efficiency, efficiency_clear)

static bool take_figure(const char *const *cells, unsigned n, void *data, GError **error)
{
    Efficiency *efficiency = data;

    if (n < N_FIGURE_COLUMNS)
        return xtf_damaged(error, "the table efficiency has other lines than were expected");
    if (g_str_equal(cells[FIGURE], "window") && !efficiency->window)
        efficiency->window = g_strdup(cells[FOCUS]);
    for (unsigned i = 0; i < N_FIGURES; i++) {
        if (!g_str_equal(cells[FIGURE], figures[i]) || efficiency->values[i])
            continue;
        efficiency->values[i] = g_strdup(cells[VALUE]);
        efficiency->focus[i] = g_strdup(cells[FOCUS]);
    }
    return true;
}

static bool is_known(const char *cell)
{
    return cell && !g_str_equal(cell, "-");
}

/* The part of the window that the figures are of. */
static double share_of_focus(const XtfFindingJob *job, const char *window)
{
    uint64_t from, to;

    if (!is_known(window) || !g_str_has_prefix(window, "time/") ||
        !xtf_time_scale_parse_window(&job->views->context->scale, window + strlen("time/"), &from, &to, NULL))
        return 1;
    return (double)(MIN(to, job->to) - MIN(MAX(from, job->from), MIN(to, job->to))) / (double)(job->to - job->from);
}

/* The parallel efficiency, of what is between MPI's bounds if there are such, is less than the threshold. */
bool xtf_rule_efficiency(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Efficiency) efficiency = {0};
    g_autoptr(GString) more = g_string_new(NULL);

    if (job->locations.n_procs < 2 || !xtf_finding_has(job, job->selection, "efficiency"))
        return true;
    if (!xtf_picture_table_read(job->views, "efficiency", job->selection, take_figure, &efficiency, error))
        return false;
    bool of_focus = is_known(efficiency.focus[PARALLEL]);
    char **values = of_focus ? efficiency.focus : efficiency.values;
    if (!is_known(values[PARALLEL]) || xtf_finding_number(values[PARALLEL]) >= rule->threshold)
        return true;
    if (is_known(values[BALANCE]) && is_known(values[COMMUNICATION]))
        g_string_printf(more, ": load balance %s times communication %s", values[BALANCE], values[COMMUNICATION]);
    if (is_known(values[SERIALIZATION]) && is_known(values[TRANSFER]))
        g_string_append_printf(more, ", which is serialization %s times transfer %s", values[SERIALIZATION],
                               values[TRANSFER]);
    xtf_finding_add(
        job, rule, (1 - xtf_finding_number(values[PARALLEL])) * (of_focus ? share_of_focus(job, efficiency.window) : 1),
        &(XtfFinding){.table = "efficiency"}, "the parallel efficiency%s is %s%s",
        of_focus ? " between the ends of MPI" : "", values[PARALLEL], more->str);
    return true;
}

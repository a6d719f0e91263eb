/* The process that makes others wait: what it costs them, and where in the program it is late. */
#include <inttypes.h>
#include <math.h>

#include "libxtf/vocabulary.h"
#include "src/pictures/findings/finding-rule.h"

enum {
    PROCESSES_MOST = 4096,
};

typedef unsigned __int128 Wide;

enum { KIND, TOTAL, CALLPATH };
static const char *const columns[] = {"kind", "total", "callpath"};

/* Delays of one process, in units of the last digit that the table shows. */
typedef struct {
    const XtfFindingJob *job;
    Wide sum, most; /* of the costliest line */
    char *kind, *callpath;
} Delays;

static void delays_clear(Delays *delays)
{
    g_clear_pointer(&delays->kind, g_free);
    g_clear_pointer(&delays->callpath, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Delays, delays_clear)

static bool take_line(const XtfRowCell *cells, void *data, GError **error)
{
    Delays *delays = data;
    Wide total = xtf_finding_cell_units(delays->job, &cells[TOTAL]);

    delays->sum += total;
    if (total <= delays->most)
        return true;
    delays_clear(delays);
    delays->most = total;
    delays->kind = g_strdup(cells[KIND].text);
    delays->callpath = g_strdup(cells[CALLPATH].text);
    return true;
}

static bool read_delays(XtfFindingJob *job, const XtfSelection *all, uint64_t proc, Delays *delays, GError **error)
{
    g_autoptr(XtfSelection) own = xtf_finding_select_process(all, proc);
    XtfRowPicker picker = XTF_ROW_PICKER(columns, take_line, delays);

    *delays = (Delays){.job = job};
    return xtf_view_pick(job->views, "callpaths", own, &picker, error);
}

/* `share` is the part of the process in `all`, the cost of all delays. */
static void report(XtfFindingJob *job, const XtfFindingRule *rule, uint64_t proc, const Delays *worst, double share,
                   double waiting)
{
    char number[24];

    if (share * waiting < rule->threshold || share * job->locations.n_procs < 1.5)
        return;
    g_snprintf(number, sizeof number, "%" PRIu64, proc);
    double seconds = (double)worst->sum / pow(10, job->views->context->scale.digits);
    g_autofree char *words = xtf_finding_wait_words(worst->kind);
    g_autofree char *place = xtf_finding_place(worst->callpath);
    XtfFinding *finding = xtf_finding_add(
        job, rule, share * waiting, &(XtfFinding){.type = XTF_DERIVED_DELAYS, .table = "callpaths", .proc = number},
        "process %s causes %s of waiting, %s of all, mostly by %s: %s", number, xtf_word_seconds(seconds).text,
        xtf_word_percent(share * XTF_HUNDREDTHS).text, place, words);
    finding->culprit = proc;
}

enum { AMOUNT_PERCENT };
static const char *const waits_columns[] = {"amount%"};

static bool add_percent(const XtfRowCell *cells, void *data, GError **error)
{
    uint64_t *sum = data;

    *sum += xtf_row_number(&cells[AMOUNT_PERCENT]);
    return true;
}

/* The part of all time that is waited. */
static bool read_waiting(XtfFindingJob *job, double *waiting, GError **error)
{
    g_autoptr(XtfSelection) waits = xtf_finding_select_derived(job, XTF_DERIVED_WAITS, error);
    uint64_t sum = 0;
    XtfRowPicker picker = XTF_ROW_PICKER(waits_columns, add_percent, &sum);

    if (waits && xtf_finding_has(job, waits, "profile") && !xtf_view_pick(job->views, "profile", waits, &picker, error))
        return false;
    *waiting = (double)sum / XTF_HUNDREDTHS;
    return !error || !*error;
}

/* The process whose delays cost most waiting: at least the threshold's part of all time, and half as much again as each
 * would if all were equal. What waits of others led to is counted where it began, as in Scalasca's analysis of delays
 * (Boehme et al., "Identifying the Root Causes of Wait States in Large-Scale Parallel Applications", 2016). */
bool xtf_rule_culprit(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) all = xtf_finding_select_derived(job, XTF_DERIVED_DELAYS, &failed);
    g_auto(Delays) worst = {0};
    uint64_t culprit = 0;
    double waiting;
    Wide sum = 0;

    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    if (!all || job->locations.n_procs < 2 || !xtf_finding_has(job, all, "callpaths"))
        return true;
    if (job->locations.n_procs > PROCESSES_MOST) {
        xtf_finding_leave_out(job, "culprits", job->locations.n_procs, "processes");
        return true;
    }
    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        g_auto(Delays) own = {0};
        if (!read_delays(job, all, job->locations.procs[i].proc, &own, error))
            return false;
        sum += own.sum;
        if (own.sum <= worst.sum)
            continue;
        culprit = job->locations.procs[i].proc;
        Delays other = worst;
        worst = own;
        own = other;
    }
    if (!sum)
        return true;
    if (!read_waiting(job, &waiting, error))
        return false;
    report(job, rule, culprit, &worst, (double)worst.sum / (double)sum, waiting);
    return true;
}

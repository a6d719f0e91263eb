/* The process that makes others wait: what it costs them, and in which call path it is late. */
#include <inttypes.h>
#include <math.h>

#include "libxtf/vocabulary.h"
#include "src/pictures/findings/finding-rule.h"

enum {
    BYTES_MAX = 64 << 20, /* most bytes of the tables of all processes together, and of the table of call paths */
};

typedef unsigned __int128 Wide;

enum { KIND, TOTAL, PLACE, CALLPATH };
static const char *const by_region[] = {"kind", "total", "region", "call_path"};
static const char *const by_callpath[] = {"kind", "total", "callpath", "call_path"};

/* Delays of one process. Times are in units of the last digit that the table shows. */
typedef struct {
    const XtfFindingJob *job;
    Wide sum, most; /* cost of all lines, and of the costliest line */
    char *kind, *place;
    uint64_t callpath; /* call path of the costliest line; UINT64_MAX: the table has none */
} Delays;

static void delays_clear(Delays *delays)
{
    g_clear_pointer(&delays->kind, g_free);
    g_clear_pointer(&delays->place, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Delays, delays_clear)

static bool add_delay(const XtfRowCell *cells, void *data, GError **error)
{
    Delays *delays = data;
    Wide total = xtf_finding_cell_units(delays->job, &cells[TOTAL]);

    delays->sum += total;
    if (total <= delays->most)
        return true;
    delays_clear(delays);
    delays->most = total;
    delays->kind = g_strdup(cells[KIND].text);
    delays->place = g_strdup(cells[PLACE].text);
    delays->callpath = cells[CALLPATH].type == XTF_ROW_NUMBER ? xtf_row_number(&cells[CALLPATH]) : UINT64_MAX;
    return true;
}

/* Reads a table of the delays of a process, whose lines are by region or by call path. */
static bool read_delays(XtfFindingJob *job, XtfSelection *own, const char *table, Delays *delays, GError **error)
{
    XtfRowPicker of_regions = XTF_ROW_PICKER(by_region, add_delay, delays);
    XtfRowPicker of_callpaths = XTF_ROW_PICKER(by_callpath, add_delay, delays);
    bool is_by_region = g_str_equal(table, "profile");

    of_regions.n_optional = 1;
    *delays = (Delays){.job = job};
    return xtf_view_pick(job->views, table, own, is_by_region ? &of_regions : &of_callpaths, error);
}

static bool measure_table(XtfFindingJob *job, const XtfSelection *selection, const char *name, uint64_t *bytes,
                          GError **error)
{
    const XtfShownTable table = {.view = xtf_view_by_name(job->views, name, selection),
                                 .selection = (XtfSelection *)selection};
    return xtf_view_size(job->views, &table, bytes, error);
}

/* Reads where the process is late: its call paths, or its regions if there are too many. *table: the one that was read.
 */
static bool read_place(XtfFindingJob *job, const XtfSelection *all, uint64_t proc, Delays *delays, const char **table,
                       GError **error)
{
    g_autoptr(XtfSelection) own = xtf_finding_select_process(all, proc);
    uint64_t bytes;

    if (!measure_table(job, own, "callpaths", &bytes, error))
        return false;
    *table = bytes <= BYTES_MAX ? "callpaths" : "profile";
    return read_delays(job, own, *table, delays, error);
}

/* Sets *words to the site of most waits for the process, and to the site of its calls that end them. They are ", in
 * MPI_Waitall, called by exchange (stencil.c:12), until process 3 is in MPI_Isend, called by ...". */
static bool find_wait_sites(XtfFindingJob *job, uint64_t proc, const Delays *worst, char **words, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) waits = xtf_finding_select_derived(job, XTF_DERIVED_WAITS, &failed);
    g_autofree char *waiting = NULL, *until = NULL, *before = NULL;

    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    *words = g_strdup("");
    g_autoptr(XtfSelection) of_kind = waits ? xtf_finding_select_waits(waits, worst->kind, proc) : NULL;
    if (!of_kind)
        return true;
    if (!xtf_finding_wait_sites(job, of_kind, NULL, &waiting, &until, &before, error))
        return false;
    g_free(*words);
    /* A function of the program, if known, says more than the calls around it. */
    bool shows_before = worst->callpath == UINT64_MAX && until[0];
    *words = waiting[0] ? g_strdup_printf(", in %s%s%s", waiting, until, shows_before ? before : "") : g_strdup("");
    return true;
}

/* Adds the finding. `share` is the process's part of the cost of all delays. */
static bool report_culprit(XtfFindingJob *job, const XtfFindingRule *rule, uint64_t proc, const Delays *worst,
                           const char *table, double share, double score, GError **error)
{
    g_autofree char *source = NULL, *sites = NULL;
    char number[24];

    if (!xtf_finding_callpath_source(job, worst->callpath, &source, error) ||
        !find_wait_sites(job, proc, worst, &sites, error))
        return false;
    g_snprintf(number, sizeof number, "%" PRIu64, proc);
    double seconds = (double)worst->sum / pow(10, job->views->context->scale.digits);
    g_autofree char *words = xtf_finding_wait_words(worst->kind);
    g_autofree char *place = xtf_finding_place(worst->place);
    XtfFinding *finding = xtf_finding_add(
        job, rule, score, &(XtfFinding){.type = XTF_DERIVED_DELAYS, .table = table, .proc = number},
        "process %s causes %s of waiting, %s of all with a known cause, mostly by %s%s: %s%s", number,
        xtf_word_seconds(seconds).text, xtf_word_percent(share * XTF_HUNDREDTHS).text, place, source, words, sites);
    finding->culprit = proc;
    return true;
}

enum { AMOUNT, AMOUNT_PERCENT };
static const char *const waits_columns[] = {"amount", "amount%"};

/* Time of all waits, with or without a known cause: in units of the last digit, and in hundredths of a percent. */
typedef struct {
    const XtfFindingJob *job;
    Wide amount;
    uint64_t percent;
} Waiting;

static bool add_wait_time(const XtfRowCell *cells, void *data, GError **error)
{
    Waiting *waiting = data;

    waiting->amount += xtf_finding_cell_units(waiting->job, &cells[AMOUNT]);
    waiting->percent += xtf_row_number(&cells[AMOUNT_PERCENT]);
    return true;
}

/* Computes the part of all time that is waiting with a known cause. `costs` is the cost of the delays of all processes.
 */
static bool read_waiting(XtfFindingJob *job, Wide costs, double *explained, GError **error)
{
    g_autoptr(XtfSelection) waits = xtf_finding_select_derived(job, XTF_DERIVED_WAITS, error);
    Waiting waiting = {.job = job};
    XtfRowPicker picker = XTF_ROW_PICKER(waits_columns, add_wait_time, &waiting);

    if (waits && xtf_finding_has(job, waits, "profile") && !xtf_view_pick(job->views, "profile", waits, &picker, error))
        return false;
    double part = waiting.amount ? (double)MIN(costs, waiting.amount) / (double)waiting.amount : 0;
    *explained = part * (double)xtf_finding_of_threads(job, waiting.percent) / XTF_HUNDREDTHS;
    return !error || !*error;
}

/* Sets *short_enough if the tables of all processes are small together. Each is as long as the table of all processes.
 */
static bool check_table_size(XtfFindingJob *job, const XtfSelection *all, bool *short_enough, GError **error)
{
    uint64_t bytes = 0;
    bool good = measure_table(job, all, "profile", &bytes, error);

    *short_enough = bytes <= BYTES_MAX / job->locations.n_procs;
    return good;
}

/* Finds the process whose delays cost most. *part: its part of the cost of all delays, or 0; *costs: that of all. */
static bool find_worst_process(XtfFindingJob *job, const XtfSelection *all, uint64_t *proc, double *part, Wide *costs,
                               GError **error)
{
    Wide sum = 0, most = 0;

    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        g_autoptr(XtfSelection) of_process = xtf_finding_select_process(all, job->locations.procs[i].proc);
        g_auto(Delays) own = {0};
        if (!read_delays(job, of_process, "profile", &own, error))
            return false;
        sum += own.sum;
        if (own.sum <= most)
            continue;
        *proc = job->locations.procs[i].proc;
        most = own.sum;
    }
    *part = sum ? (double)most / (double)sum : 0;
    *costs = sum;
    return true;
}

/* Reports the process whose delays cost most waiting. The cost is at least the threshold's part of all time. It is also
 * half as much again as if all processes had equal costs. Waiting that follows from waits of other processes counts
 * where it began, as in Scalasca's delay analysis. See Boehme et al., "Identifying the Root Causes of Wait States in
 * Large-Scale Parallel Applications", 2016. */
bool xtf_rule_culprit(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    GError *failed = NULL;
    g_autoptr(XtfSelection) all = xtf_finding_select_derived(job, XTF_DERIVED_DELAYS, &failed);
    g_auto(Delays) worst = {0};
    const char *table;
    uint64_t proc = 0;
    Wide costs;
    double waiting, share;
    bool short_enough;

    if (failed) {
        g_propagate_error(error, failed);
        return false;
    }
    if (!all || job->locations.n_procs < 2 || !xtf_finding_has(job, all, "callpaths"))
        return true;
    if (!check_table_size(job, all, &short_enough, error))
        return false;
    if (!short_enough) {
        xtf_finding_add_skipped(job, "culprits", job->locations.n_procs, "processes");
        return true;
    }
    if (!find_worst_process(job, all, &proc, &share, &costs, error) || !read_waiting(job, costs, &waiting, error))
        return false;
    if (share * waiting < rule->threshold || share * job->locations.n_procs < 1.5)
        return true;
    if (!read_place(job, all, proc, &worst, &table, error))
        return false;
    return !worst.place || report_culprit(job, rule, proc, &worst, table, share, share * waiting, error);
}

/* A few processes that spend their time otherwise than the rest. */
#include <stdlib.h>

#include "src/pictures/findings/finding-rule.h"
#include "src/tables/totals/regions/region-times.h"

enum {
    CELLS_MOST = 8 << 20,
    MEMBERS_TEXT = 40, /* characters */
};

/* Shares of exclusive time, in hundredths of a percent, as the profile of each process prints them. */
typedef struct {
    const XtfFindingJob *job;
    uint32_t n;       /* lines of the selection's profile; one more is the time in no region */
    uint32_t *place;  /* by line of XtfRegions: index in the profile, or n */
    uint32_t *shares; /* by process */
    uint32_t *all;    /* of all together, as job->profile has them */
    double *whole;    /* by process: ticks in the window; 0: it has no calls */
} Kinds;

static void kinds_clear(Kinds *kinds)
{
    g_clear_pointer(&kinds->place, g_free);
    g_clear_pointer(&kinds->shares, g_free);
    g_clear_pointer(&kinds->all, g_free);
    g_clear_pointer(&kinds->whole, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kinds, kinds_clear)

static void kinds_init(Kinds *kinds, const XtfFindingJob *job, uint64_t n_lines)
{
    uint32_t outside = XTF_HUNDREDTHS;

    *kinds = (Kinds){.job = job, .n = job->profile->len};
    kinds->place = g_new(uint32_t, n_lines + 1);
    kinds->all = g_new0(uint32_t, kinds->n + 1);
    kinds->whole = g_new0(double, job->locations.n_procs);
    kinds->shares = g_new0(uint32_t, (size_t)job->locations.n_procs * (kinds->n + 1));
    for (uint64_t line = 0; line <= n_lines; line++)
        kinds->place[line] = kinds->n;
    for (uint32_t i = 0; i < kinds->n; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        kinds->place[MIN(line->line, n_lines)] = i;
        kinds->all[i] = (uint32_t)line->percent;
        outside -= MIN(outside, kinds->all[i]);
    }
    kinds->all[kinds->n] = outside;
}

static bool measure_process(Kinds *kinds, XtfRegionTimes *times, uint32_t i, GError **error)
{
    const XtfSelectedProcess *proc = &kinds->job->locations.procs[i];
    g_autofree unsigned __int128 *spent = g_new0(unsigned __int128, kinds->n + 1);
    uint32_t *shares = kinds->shares + (size_t)i * (kinds->n + 1), outside = XTF_HUNDREDTHS;
    uint64_t n_lines = xtf_regions_n_lines(&times->regions), ticks;
    unsigned __int128 whole = 0;

    for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
        if (!xtf_region_times_measure(times, xtf_selected_location(&kinds->job->locations, j), &ticks, error))
            return false;
        whole += ticks;
        for (uint32_t k = 0; k < xtf_group_totals_n(times->groups); k++) {
            uint64_t line = xtf_region_line(&times->regions, *xtf_group_totals_key(times->groups, k));
            if (line < n_lines)
                spent[kinds->place[line]] += xtf_group_totals_cells(times->groups, k)[XTF_FRAMES_EXCLUSIVE];
        }
    }
    for (uint32_t k = 0; k < kinds->n; k++) {
        shares[k] = xtf_finding_hundredths(spent[k], whole);
        outside -= MIN(outside, shares[k]);
    }
    shares[kinds->n] = outside;
    kinds->whole[i] = (double)whole;
    return true;
}

/* How much more, or less, of its time a process spends in a line than all together, in hundredths of a percent. */
static int64_t difference_at(const Kinds *kinds, uint32_t process, uint32_t i)
{
    return (int64_t)kinds->shares[(size_t)process * (kinds->n + 1) + i] - kinds->all[i];
}

/* How far a process is from all together, in hundredths of a percent, twice. */
static uint64_t distance_of(const Kinds *kinds, uint32_t process)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i <= kinds->n; i++)
        sum += (uint64_t)llabs(difference_at(kinds, process, i));
    return sum;
}

static bool is_of_program(const Kinds *kinds, uint32_t i)
{
    const XtfProfileLine *line = &g_array_index(kinds->job->profile, XtfProfileLine, i);

    return i == kinds->n || (line->class < XTF_N_CLASSES && XTF_CLASS_BIT(line->class) & XTF_CLASSES_USEFUL);
}

/* The line in which a process is farthest from all together. What it computes more explains what it does less: so that
 * line is taken if it is half as far or more. */
static uint32_t find_farthest(const Kinds *kinds, uint32_t process)
{
    uint32_t most = 0, own = UINT32_MAX;

    for (uint32_t i = 0; i <= kinds->n; i++) {
        int64_t difference = difference_at(kinds, process, i);
        if (llabs(difference) > llabs(difference_at(kinds, process, most)))
            most = i;
        if (difference > 0 && is_of_program(kinds, i) &&
            (own == UINT32_MAX || difference > difference_at(kinds, process, own)))
            own = i;
    }
    return own != UINT32_MAX && 2 * difference_at(kinds, process, own) >= llabs(difference_at(kinds, process, most))
               ? own
               : most;
}

/* The processes that differ there in the same direction, by at least half as much. */
static XtfNumberSet *find_members(const Kinds *kinds, int64_t difference, uint32_t at, uint32_t *n)
{
    const XtfSelectedLocations *locations = &kinds->job->locations;
    g_autofree XtfNumberRange *ranges = g_new(XtfNumberRange, locations->n_procs);

    *n = 0;
    for (uint32_t i = 0; i < locations->n_procs; i++) {
        int64_t own = difference_at(kinds, i, at);
        if (kinds->whole[i] > 0 && (own < 0) == (difference < 0) && 2 * llabs(own) >= llabs(difference))
            ranges[(*n)++] = (XtfNumberRange){locations->procs[i].proc, locations->procs[i].proc};
    }
    return xtf_number_set_from_ranges(ranges, *n);
}

/* The share of the processes that are no members, in hundredths of a percent: `n` of them are. */
static double share_of_others(const Kinds *kinds, const XtfNumberSet *members, uint32_t at)
{
    const XtfSelectedLocations *locations = &kinds->job->locations;
    double spent = 0, whole = 0;

    for (uint32_t i = 0; i < locations->n_procs; i++) {
        if (xtf_number_set_contains(members, locations->procs[i].proc))
            continue;
        spent += kinds->whole[i] * kinds->shares[(size_t)i * (kinds->n + 1) + at];
        whole += kinds->whole[i];
    }
    return whole > 0 ? spent / whole : 0;
}

/* "is in MPI_Recv for 74 % of its time, the others for 3 %"; "waits in" of what is nothing but waiting. */
static char *words_of(const Kinds *kinds, uint32_t at, double own, double others, const char *source)
{
    const XtfClassSet waiting =
        XTF_CLASS_BIT(XTF_CLASS_WAIT) | XTF_CLASS_BIT(XTF_CLASS_BARRIER) | XTF_CLASS_BIT(XTF_CLASS_OMP_SYNC);
    const XtfFindingJob *job = kinds->job;
    XtfWord own_text = xtf_word_percent(own), others_text = xtf_word_percent(others);

    if (at == kinds->n)
        return g_strdup_printf("computes %s of its time, the others %s", own_text.text, others_text.text);
    const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, at);
    bool waits = line->class < XTF_N_CLASSES && XTF_CLASS_BIT(line->class) & waiting;
    return g_strdup_printf("%s in %s%s for %s of its time, the others for %s", waits ? "waits" : "is", line->name,
                           source, own_text.text, others_text.text);
}

/* Where a line of the program is in its source. */
static bool find_source(const Kinds *kinds, uint32_t at, char **source, GError **error)
{
    const XtfProfileLine *line = at < kinds->n ? &g_array_index(kinds->job->profile, XtfProfileLine, at) : NULL;

    return xtf_finding_source(kinds->job, line ? line->row : UINT64_MAX, source, error);
}

static bool report(XtfFindingJob *job, const XtfFindingRule *rule, const Kinds *kinds, uint32_t process, uint32_t at,
                   GError **error)
{
    uint32_t own = kinds->shares[(size_t)process * (kinds->n + 1) + at], n;
    int64_t difference = difference_at(kinds, process, at);
    g_autoptr(XtfNumberSet) members = find_members(kinds, difference, at, &n);
    g_autoptr(GString) list = g_string_new(NULL);
    bool computes = is_of_program(kinds, at);
    g_autofree char *source = NULL;
    char proc[24];

    if (2 * (uint64_t)n > job->locations.n_procs)
        return true;
    if (!find_source(kinds, at, &source, error))
        return false;
    if (n > 1) {
        g_string_append_printf(list, "%u of %u processes are unlike the others", n, job->locations.n_procs);
        gsize end = list->len;
        g_string_append(list, ", ");
        xtf_number_set_print(members, list);
        g_string_truncate(list, list->len - end > MEMBERS_TEXT ? end : list->len);
        g_string_append(list, ": ");
    }
    double others = share_of_others(kinds, members, at);
    g_autofree char *words = words_of(kinds, at, own, others, source);
    g_snprintf(proc, sizeof proc, "%" PRIu64, job->locations.procs[process].proc);
    /* While some compute longer, the others wait. */
    double part = (double)n / job->locations.n_procs;
    double score = computes && own > others ? (own - others) / XTF_HUNDREDTHS * (1 - part)
                                            : (double)llabs(difference) / XTF_HUNDREDTHS * part;
    XtfFinding *finding = xtf_finding_add(job, rule, score, &(XtfFinding){.table = "profile", .proc = proc},
                                          "%sprocess %s %s", list->str, proc, words);
    finding->culprit = job->locations.procs[process].proc;
    finding->source = g_steal_pointer(&source);
    if (n == 1 && computes && difference > 0)
        finding->as_clause = g_strdup_printf("it %s", words);
    return true;
}

/* The process that is farthest from all together spends at least the threshold's part of its time otherwise, and at
 * most half of the processes differ like it. */
bool xtf_rule_kinds(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(XtfRegionTimes) times = {0};
    g_auto(Kinds) kinds = {0};
    uint32_t farthest = 0;
    uint64_t distance = 0;

    if (job->profile->len == 0 || job->locations.n_procs < 3)
        return true;
    if ((uint64_t)job->locations.n_procs * (job->profile->len + 1) > CELLS_MOST) {
        xtf_finding_leave_out(job, "processes unlike the others", job->locations.n_procs * (uint64_t)job->profile->len,
                              "regions of all processes");
        return true;
    }
    if (!xtf_region_times_init(&times, job->views->formats, job->selection, error))
        return false;
    kinds_init(&kinds, job, xtf_regions_n_lines(&times.regions));
    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        if (!measure_process(&kinds, &times, i, error))
            return false;
        uint64_t own = distance_of(&kinds, i);
        if (kinds.whole[i] > 0 && own > distance) {
            distance = own;
            farthest = i;
        }
    }
    return (double)distance < 2 * rule->threshold * XTF_HUNDREDTHS ||
           report(job, rule, &kinds, farthest, find_farthest(&kinds, farthest), error);
}

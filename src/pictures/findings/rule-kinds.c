/* A few processes that spend their time differently from the others. */
#include <stdlib.h>

#include "src/pictures/findings/finding-rule.h"
#include "src/tables/totals/regions/region-times.h"

enum {
    CELLS_MAX = 8 << 20,
    MEMBERS_TEXT = 40, /* characters */
};

/* Shares of exclusive time, in hundredths of a percent, as the profile of each process prints them. */
typedef struct {
    const XtfFindingJob *job;
    uint32_t n;       /* lines of the selection's profile; line n is the time in no region */
    uint32_t *place;  /* by line of XtfRegions: index in the profile, or n */
    uint32_t *shares; /* by process and line */
    uint32_t *all;    /* of all processes together, as in job->profile */
    double *whole;    /* by process: ticks in the window, summed over its locations with calls */
} Profiles;

static void profiles_clear(Profiles *profiles)
{
    g_clear_pointer(&profiles->place, g_free);
    g_clear_pointer(&profiles->shares, g_free);
    g_clear_pointer(&profiles->all, g_free);
    g_clear_pointer(&profiles->whole, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Profiles, profiles_clear)

static void profiles_init(Profiles *profiles, const XtfFindingJob *job, uint64_t n_lines)
{
    uint32_t outside = XTF_HUNDREDTHS;

    *profiles = (Profiles){.job = job, .n = job->profile->len};
    profiles->place = g_new(uint32_t, n_lines + 1);
    profiles->all = g_new0(uint32_t, profiles->n + 1);
    profiles->whole = g_new0(double, job->locations.n_procs);
    profiles->shares = g_new0(uint32_t, (size_t)job->locations.n_procs * (profiles->n + 1));
    for (uint64_t line = 0; line <= n_lines; line++)
        profiles->place[line] = profiles->n;
    for (uint32_t i = 0; i < profiles->n; i++) {
        const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, i);
        profiles->place[MIN(line->line, n_lines)] = i;
        profiles->all[i] = (uint32_t)line->percent;
        outside -= MIN(outside, profiles->all[i]);
    }
    profiles->all[profiles->n] = outside;
}

static bool measure_process(Profiles *profiles, XtfRegionTimes *times, uint32_t i, GError **error)
{
    const XtfSelectedProcess *proc = &profiles->job->locations.procs[i];
    g_autofree unsigned __int128 *spent = g_new0(unsigned __int128, profiles->n + 1);
    uint32_t *shares = profiles->shares + (size_t)i * (profiles->n + 1), outside = XTF_HUNDREDTHS;
    uint64_t n_lines = xtf_regions_n_lines(&times->regions), ticks;
    unsigned __int128 whole = 0;

    for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
        if (!xtf_region_times_measure(times, xtf_selected_location(&profiles->job->locations, j), &ticks, error))
            return false;
        whole += ticks;
        for (uint32_t k = 0; k < xtf_group_totals_n(times->groups); k++) {
            uint64_t line = xtf_region_line(&times->regions, *xtf_group_totals_key(times->groups, k));
            if (line < n_lines)
                spent[profiles->place[line]] += xtf_group_totals_cells(times->groups, k)[XTF_FRAMES_EXCLUSIVE];
        }
    }
    for (uint32_t k = 0; k < profiles->n; k++) {
        shares[k] = xtf_finding_hundredths(spent[k], whole);
        outside -= MIN(outside, shares[k]);
    }
    shares[profiles->n] = outside;
    profiles->whole[i] = (double)whole;
    return true;
}

/* Returns how much more of its time a process spends in a line than all processes together, in hundredths of a percent.
 */
static int64_t difference_at(const Profiles *profiles, uint32_t process, uint32_t i)
{
    return (int64_t)profiles->shares[(size_t)process * (profiles->n + 1) + i] - profiles->all[i];
}

/* Returns twice the distance of a process from all processes together, in hundredths of a percent. */
static uint64_t distance_of(const Profiles *profiles, uint32_t process)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i <= profiles->n; i++)
        sum += (uint64_t)llabs(difference_at(profiles, process, i));
    return sum;
}

static bool is_of_program(const Profiles *profiles, uint32_t i)
{
    const XtfProfileLine *line = &g_array_index(profiles->job->profile, XtfProfileLine, i);

    return i == profiles->n || (line->class < XTF_N_CLASSES && XTF_CLASS_BIT(line->class) & XTF_CLASSES_USEFUL);
}

/* Returns the line in which a process differs most from all processes together. More computation explains less time in
 * other lines, so a line of the program with at least half of the greatest difference has precedence. */
static uint32_t find_farthest_line(const Profiles *profiles, uint32_t process)
{
    uint32_t most = 0, own_line = UINT32_MAX;

    for (uint32_t i = 0; i <= profiles->n; i++) {
        int64_t difference = difference_at(profiles, process, i);
        if (llabs(difference) > llabs(difference_at(profiles, process, most)))
            most = i;
        if (difference > 0 && is_of_program(profiles, i) &&
            (own_line == UINT32_MAX || difference > difference_at(profiles, process, own_line)))
            own_line = i;
    }
    return own_line != UINT32_MAX &&
                   2 * difference_at(profiles, process, own_line) >= llabs(difference_at(profiles, process, most))
               ? own_line
               : most;
}

/* Returns the processes that differ in a line in the same direction, by at least half as much, and their number *n. */
static XtfNumberSet *find_similar(const Profiles *profiles, int64_t difference, uint32_t at, uint32_t *n)
{
    const XtfSelectedLocations *locations = &profiles->job->locations;
    g_autofree XtfNumberRange *ranges = g_new(XtfNumberRange, locations->n_procs);

    *n = 0;
    for (uint32_t i = 0; i < locations->n_procs; i++) {
        int64_t own_difference = difference_at(profiles, i, at);
        if (profiles->whole[i] > 0 && (own_difference < 0) == (difference < 0) &&
            2 * llabs(own_difference) >= llabs(difference))
            ranges[(*n)++] = (XtfNumberRange){locations->procs[i].proc, locations->procs[i].proc};
    }
    return xtf_number_set_from_ranges(ranges, *n);
}

/* Returns the mean share of a line over the processes that are no members, in hundredths of a percent. */
static double mean_share_of_others(const Profiles *profiles, const XtfNumberSet *members, uint32_t at)
{
    const XtfSelectedLocations *locations = &profiles->job->locations;
    double spent = 0, whole = 0;

    for (uint32_t i = 0; i < locations->n_procs; i++) {
        if (xtf_number_set_contains(members, locations->procs[i].proc))
            continue;
        spent += profiles->whole[i] * profiles->shares[(size_t)i * (profiles->n + 1) + at];
        whole += profiles->whole[i];
    }
    return whole > 0 ? spent / whole : 0;
}

/* Returns "is in MPI_Recv for 74 % of its time, the others for 3 %", or "waits in" if the region only waits. The caller
 * frees it. */
static char *words_of(const Profiles *profiles, uint32_t at, double own_share, double others_share, const char *source)
{
    const XtfClassSet waiting =
        XTF_CLASS_BIT(XTF_CLASS_WAIT) | XTF_CLASS_BIT(XTF_CLASS_BARRIER) | XTF_CLASS_BIT(XTF_CLASS_OMP_SYNC);
    const XtfFindingJob *job = profiles->job;
    XtfWord own_text = xtf_word_percent(own_share), others_text = xtf_word_percent(others_share);

    if (at == profiles->n)
        return g_strdup_printf("computes %s of its time, the others %s", own_text.text, others_text.text);
    const XtfProfileLine *line = &g_array_index(job->profile, XtfProfileLine, at);
    bool waits = line->class < XTF_N_CLASSES && XTF_CLASS_BIT(line->class) & waiting;
    return g_strdup_printf("%s in %s%s%s for %s of its time, the others for %s", waits ? "waits" : "is", line->name,
                           source, xtf_finding_comma(source), own_text.text, others_text.text);
}

/* Sets *source to the place of a line in the program's source, or to the site from which a process calls it. */
static bool find_line_source(XtfFindingJob *job, uint64_t proc, uint32_t at, char **source, GError **error)
{
    const XtfProfileLine *line = at < job->profile->len ? &g_array_index(job->profile, XtfProfileLine, at) : NULL;

    return xtf_finding_region_place(job, proc, line ? line->row : UINT64_MAX, source, error);
}

static bool report_process(XtfFindingJob *job, const XtfFindingRule *rule, const Profiles *profiles, uint32_t process,
                           uint32_t at, GError **error)
{
    uint32_t own_share = profiles->shares[(size_t)process * (profiles->n + 1) + at], n;
    int64_t difference = difference_at(profiles, process, at);
    g_autoptr(XtfNumberSet) members = find_similar(profiles, difference, at, &n);
    g_autoptr(GString) list = g_string_new(NULL);
    bool computes = is_of_program(profiles, at);
    g_autofree char *source = NULL;
    char proc[24];

    if (2 * (uint64_t)n > job->locations.n_procs)
        return true;
    if (!find_line_source(job, job->locations.procs[process].proc, at, &source, error))
        return false;
    if (n > 1) {
        g_string_append_printf(list, "%u of %u processes are unlike the others", n, job->locations.n_procs);
        gsize end = list->len;
        g_string_append(list, ", ");
        xtf_number_set_print(members, list);
        g_string_truncate(list, list->len - end > MEMBERS_TEXT ? end : list->len);
        g_string_append(list, ": ");
    }
    double others_share = mean_share_of_others(profiles, members, at);
    g_autofree char *words = words_of(profiles, at, own_share, others_share, source);
    g_snprintf(proc, sizeof proc, "%" PRIu64, job->locations.procs[process].proc);
    /* While some processes compute longer, the others wait. */
    double part = (double)n / job->locations.n_procs;
    double score = computes && own_share > others_share ? (own_share - others_share) / XTF_HUNDREDTHS * (1 - part)
                                                        : (double)llabs(difference) / XTF_HUNDREDTHS * part;
    XtfFinding *finding = xtf_finding_add(job, rule, score, &(XtfFinding){.table = "profile", .proc = proc},
                                          "%sprocess %s %s", list->str, proc, words);
    finding->culprit = job->locations.procs[process].proc;
    finding->source = g_steal_pointer(&source);
    if (n == 1 && computes && difference > 0)
        finding->as_clause = g_strdup_printf("it %s", words);
    return true;
}

/* Reports the process that differs most from all processes together, if at least the threshold's part of its time is
 * spent differently. At most half of the processes may differ like it. */
bool xtf_rule_kinds(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(XtfRegionTimes) times = {0};
    g_auto(Profiles) profiles = {0};
    uint32_t farthest = 0;
    uint64_t distance = 0;

    if (job->profile->len == 0 || job->locations.n_procs < 3)
        return true;
    if ((uint64_t)job->locations.n_procs * (job->profile->len + 1) > CELLS_MAX) {
        xtf_finding_add_skipped(job, "processes unlike the others",
                                job->locations.n_procs * (uint64_t)job->profile->len, "regions of all processes");
        return true;
    }
    if (!xtf_region_times_init(&times, job->views->formats, job->selection, error))
        return false;
    profiles_init(&profiles, job, xtf_regions_n_lines(&times.regions));
    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        if (!measure_process(&profiles, &times, i, error))
            return false;
        uint64_t own_distance = distance_of(&profiles, i);
        if (profiles.whole[i] > 0 && own_distance > distance) {
            distance = own_distance;
            farthest = i;
        }
    }
    return (double)distance < 2 * rule->threshold * XTF_HUNDREDTHS ||
           report_process(job, rule, &profiles, farthest, find_farthest_line(&profiles, farthest), error);
}

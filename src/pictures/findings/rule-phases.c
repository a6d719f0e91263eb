/* A part of the window in which much more of the time is lost than in the other parts. */
#include <math.h>
#include <string.h>

#include "src/pictures/findings/finding-rule.h"
#include "src/tables/totals/regions/region-totals.h"
#include "src/trace/select/grouping.h"

enum {
    SLICES = 100,
    TENTH = 10, /* slices */
    PARTS_MAX = 5,
    PROCESSES_MAX = 64,
    LOCATIONS_MAX = 512, /* most locations of these processes together */
    LINES_MAX = 20000,   /* most lines of a profile */
};

/* Shares of exclusive time in slices, in hundredths of a percent, as profiles of the slices print them. */
typedef struct {
    uint64_t n_lines;              /* lines of XtfRegions; line n_lines is the time in no region */
    uint32_t *before;              /* by slice and line: sum of the shares of all earlier slices */
    unsigned edges[SLICES + 1], n; /* n parts: part i is slices [edges[i], edges[i + 1]) */
} Phases;

static void phases_clear(Phases *phases)
{
    g_clear_pointer(&phases->before, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Phases, phases_clear)

/* ---- Shares. */

/* Returns the mean share of a line in slices [from, to), in hundredths of a percent. */
static double share_of(const Phases *phases, unsigned from, unsigned to, uint64_t line)
{
    const uint32_t *before = phases->before;
    uint64_t stride = phases->n_lines + 1;

    return (double)(before[to * stride + line] - before[from * stride + line]) / (to - from);
}

/* Returns half the sum of the differences of shares: the part of the time that is spent differently. */
static double distance_of(const Phases *phases, unsigned a, unsigned a_end, unsigned b, unsigned b_end)
{
    double sum = 0;

    for (uint64_t line = 0; line <= phases->n_lines; line++)
        sum += fabs(share_of(phases, a, a_end, line) - share_of(phases, b, b_end, line));
    return sum / 2 / XTF_HUNDREDTHS;
}

static void add_slice(Phases *phases, unsigned slice, const XtfRegionTotals *totals)
{
    const uint32_t *before = phases->before + slice * (phases->n_lines + 1);
    uint32_t *after = phases->before + (slice + 1) * (phases->n_lines + 1), outside = XTF_HUNDREDTHS;

    for (uint64_t line = 0; line < phases->n_lines; line++) {
        bool is_listed = xtf_region_is_listed(&totals->times.regions, line);
        uint32_t share = is_listed ? xtf_finding_hundredths(totals->all[line].exclusive, totals->whole) : 0;
        after[line] = before[line] + share;
        outside -= MIN(share, outside);
    }
    after[phases->n_lines] = before[phases->n_lines] + outside;
}

static bool measure_slices(Phases *phases, XtfFindingJob *job, const XtfSelection *selection, GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(job->views->context, selection, SLICES);
    g_auto(XtfTimeBins) bins = {0};
    XtfRegionTotals totals[SLICES];

    xtf_time_bins_init(&bins, selection, &slices->values, 0, SLICES);
    bool good = xtf_region_totals_load_bins(totals, job->views->formats, &bins, error);
    if (good) {
        phases->n_lines = totals->n;
        phases->before = g_new0(uint32_t, (SLICES + 1) * (totals->n + 1));
    }
    for (unsigned i = 0; i < SLICES; i++) {
        if (good)
            add_slice(phases, i, &totals[i]);
        xtf_region_totals_finish(&totals[i]);
    }
    return good;
}

/* ---- Parts. */

/* Returns the edge, in two tenths that differ, at which the slices before differ most from the slices after. */
static unsigned find_edge(const Phases *phases, unsigned from)
{
    unsigned edge = from + TENTH;
    double most = -1;

    for (unsigned i = from + 1; i < from + 2 * TENTH; i++) {
        double distance = distance_of(phases, from, i, i, from + 2 * TENTH);
        if (distance > most) {
            most = distance;
            edge = i;
        }
    }
    return edge;
}

/* Finds the edges of parts. Removes the weakest edges until all parts differ from their neighbours, and are few. */
static void find_parts(Phases *phases, double threshold)
{
    unsigned n = 0, *edges = phases->edges;
    bool is_edge[SLICES] = {true};

    for (unsigned i = 0; i + 2 * TENTH <= SLICES; i += TENTH) {
        if (distance_of(phases, i, i + TENTH, i + TENTH, i + 2 * TENTH) > threshold)
            is_edge[find_edge(phases, i)] = true;
    }
    for (unsigned i = 0; i < SLICES; i++) {
        if (is_edge[i])
            edges[n++] = i;
    }
    edges[n] = SLICES;
    while (n > 1) {
        unsigned weakest = 1;
        double least = 2;
        for (unsigned i = 1; i < n; i++) {
            double distance = distance_of(phases, edges[i - 1], edges[i], edges[i], edges[i + 1]);
            if (distance < least) {
                least = distance;
                weakest = i;
            }
        }
        if (least > threshold && n <= PARTS_MAX)
            break;
        memmove(&edges[weakest], &edges[weakest + 1], (n - weakest) * sizeof *edges);
        n--;
    }
    phases->n = n;
}

/* ---- Words. */

/* Returns the mean share of the lines of some classes. Sets *most to the line with most of it. */
static double share_of_classes(const XtfFindingJob *job, const Phases *phases, unsigned from, unsigned to,
                               XtfClassSet classes, uint64_t *most)
{
    double sum = 0, greatest = -1;

    /* The lines after the regions' are calls from before the trace and time in no region. */
    for (uint64_t line = 0; line < MIN(phases->n_lines, job->classes->n); line++) {
        if (!(XTF_CLASS_BIT(xtf_region_classes_of(job->classes, line)) & classes))
            continue;
        double share = share_of(phases, from, to, line);
        sum += share;
        if (share > greatest) {
            greatest = share;
            *most = line;
        }
    }
    return sum;
}

/* A part, and how much of its time is outside of the program's own code. */
typedef struct {
    unsigned from, to; /* slices */
    double lost;       /* share of the part's time that is lost, in hundredths of a percent */
    uint64_t most;     /* line of the region with most of the lost time */
} Part;

/* Finds the part that loses most. Sets *others_lost to the share that the other parts lose. Excludes the parts in which
 * MPI starts and ends. False if fewer than two parts remain. */
static bool find_worst_part(const XtfFindingJob *job, const Phases *phases, Part *worst, double *others_lost)
{
    const XtfClassSet lost =
        ~(XTF_CLASSES_USEFUL | XTF_CLASS_BIT(XTF_CLASS_OFFLOAD) | XTF_CLASS_BIT(XTF_CLASS_MPI_INIT) |
          XTF_CLASS_BIT(XTF_CLASS_MEASUREMENT) | XTF_CLASS_BIT(XTF_CLASS_UNRECORDED));
    double sum = 0;
    unsigned n = 0, slices = 0;

    for (unsigned i = 0; i < phases->n; i++) {
        Part part = {.from = phases->edges[i], .to = phases->edges[i + 1]};
        uint64_t line;
        if (share_of_classes(job, phases, part.from, part.to, XTF_CLASS_BIT(XTF_CLASS_MPI_INIT), &line) >=
            XTF_HUNDREDTHS / 2.0)
            continue;
        part.lost = share_of_classes(job, phases, part.from, part.to, lost, &part.most);
        sum += part.lost * (part.to - part.from);
        slices += part.to - part.from;
        if (n++ == 0 || part.lost > worst->lost)
            *worst = part;
    }
    if (n < 2)
        return false;
    unsigned own = worst->to - worst->from;
    *others_lost = (sum - worst->lost * own) / (slices - own);
    return true;
}

/* Returns the name of a line of profiles. The caller frees it. */
static char *line_name(const XtfFindingJob *job, uint64_t line)
{
    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *shown = &g_array_index(job->profile, XtfProfileLine, i);
        if (shown->line == line)
            return g_strdup(shown->name);
    }
    return g_strdup("regions without a name");
}

/* Returns the selection, or that of a limited number of its processes, evenly chosen. */
static XtfSelection *choose_processes(const XtfFindingJob *job, uint32_t *chosen)
{
    const XtfSelectedLocations *all = &job->locations;
    uint64_t most = MIN(PROCESSES_MAX, MAX((uint64_t)LOCATIONS_MAX * all->n_procs / MAX(all->n, 1), 1));

    *chosen = (uint32_t)MIN(all->n_procs, most);
    if (*chosen == all->n_procs)
        return xtf_selection_ref(job->selection);
    g_autofree XtfNumberRange *ranges = g_new(XtfNumberRange, *chosen);
    for (uint64_t i = 0; i < *chosen; i++) {
        uint64_t proc = all->procs[i * all->n_procs / *chosen].proc;
        ranges[i] = (XtfNumberRange){proc, proc};
    }
    g_autoptr(XtfNumberSet) set = xtf_number_set_from_ranges(ranges, *chosen);
    return xtf_selection_in_procs(job->selection, set);
}

/* Sets *called to the site of most calls of a line in a part. */
static bool find_called(XtfFindingJob *job, uint64_t line, const XtfFinding *place, char **called, GError **error)
{
    g_autoptr(XtfSelection) window = xtf_selection_in_window(job->selection, place->from, place->to);

    return xtf_finding_called(job, window, line < job->classes->n ? line : UINT64_MAX, called, error);
}

static bool report_part(XtfFindingJob *job, const XtfFindingRule *rule, const Part *part, double others_lost,
                        uint32_t chosen, GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(job->views->context, job->selection, SLICES);
    XtfFinding place = {.table = "profile",
                        .is_window = true,
                        .from = xtf_key_bound(&slices->values, part->from),
                        .to = xtf_key_bound(&slices->values, part->to)};
    g_autoptr(GString) some = g_string_new(NULL);
    g_autofree char *name = line_name(job, part->most), *called = NULL;

    if (!find_called(job, part->most, &place, &called, error))
        return false;
    if (chosen < job->locations.n_procs)
        g_string_printf(some, ", by %u of %u processes", chosen, job->locations.n_procs);
    xtf_finding_add(
        job, rule, (part->lost - others_lost) / XTF_HUNDREDTHS * (part->to - part->from) / SLICES, &place,
        "between %u %% and %u %% of %s, %s of the time is not the program's own, most of it in %s%s; in the "
        "rest %s%s",
        part->from, part->to, job->window_words, xtf_word_percent(part->lost).text, name, called,
        xtf_word_percent(others_lost).text, some->str);
    return true;
}

/* Reports a part of the window that loses more of its time than the others, by the threshold. Adjacent tenths are in
 * different parts if their profiles differ by more than the threshold. */
bool xtf_rule_phases(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Phases) phases = {0};
    double others_lost;
    uint32_t chosen;
    Part worst;

    if (job->profile->len == 0 || job->to - job->from < SLICES)
        return true;
    if (job->classes->n > LINES_MAX) {
        xtf_finding_add_skipped(job, "parts of the run", job->classes->n, "regions");
        return true;
    }
    g_autoptr(XtfSelection) selection = choose_processes(job, &chosen);
    if (!measure_slices(&phases, job, selection, error))
        return false;
    find_parts(&phases, rule->threshold);
    return !find_worst_part(job, &phases, &worst, &others_lost) ||
           worst.lost - others_lost < rule->threshold * XTF_HUNDREDTHS ||
           report_part(job, rule, &worst, others_lost, chosen, error);
}

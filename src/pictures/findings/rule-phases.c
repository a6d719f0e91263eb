/* A part of the window in which much more of the time is lost than in the rest. */
#include <math.h>
#include <string.h>

#include "src/pictures/findings/finding-rule.h"
#include "src/tables/totals/regions/region-totals.h"
#include "src/trace/select/grouping.h"

enum {
    SLICES = 100,
    TENTH = 10, /* slices */
    PARTS_MOST = 5,
    PROCESSES_MOST = 64,
    LOCATIONS_MOST = 512, /* of these processes together */
    LINES_MOST = 20000,   /* of a profile */
};

/* Shares of exclusive time in slices, in hundredths of a percent, as profiles of the slices print them. */
typedef struct {
    uint64_t n_lines;              /* of XtfRegions; one more is the time in no region */
    uint32_t *before;              /* by slice and line: the shares of all slices before, added up */
    unsigned edges[SLICES + 1], n; /* the parts: part i is slices [edges[i], edges[i + 1]) */
} Phases;

static void phases_clear(Phases *phases)
{
    g_clear_pointer(&phases->before, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Phases, phases_clear)

/* ---- Shares. */

/* The mean share of a line in slices [from, to). */
static double share_of(const Phases *phases, unsigned from, unsigned to, uint64_t line)
{
    const uint32_t *before = phases->before;
    uint64_t stride = phases->n_lines + 1;

    return (double)(before[to * stride + line] - before[from * stride + line]) / (to - from);
}

/* Half the sum of the differences of shares: the part of the time that is spent otherwise. */
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

/* False with an error, or if profiles have too many lines: then phases->before is NULL. */
static bool measure(Phases *phases, XtfFindingJob *job, const XtfSelection *selection, GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(job->views->context, selection, SLICES);

    for (unsigned i = 0; i < SLICES; i++) {
        g_autoptr(XtfSelection) slice = xtf_key_slices(&slices->values, selection, i, 1);
        g_auto(XtfRegionTotals) totals = {0};
        if (!xtf_region_totals_load(&totals, job->views->formats, slice, error))
            return false;
        if (i == 0) {
            phases->n_lines = totals.n;
            phases->before = g_new0(uint32_t, (SLICES + 1) * (totals.n + 1));
        }
        add_slice(phases, i, &totals);
    }
    return true;
}

/* ---- Parts. */

/* Where, around the edge of two tenths that differ, what is before differs most from what is after. */
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

/* Edges are taken away again until all parts differ from their neighbours, and are few. */
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
        if (least > threshold && n <= PARTS_MOST)
            break;
        memmove(&edges[weakest], &edges[weakest + 1], (n - weakest) * sizeof *edges);
        n--;
    }
    phases->n = n;
}

/* ---- Words. */

/* The mean share of lines of some classes; `most` is the line with most of it. */
static double share_of_classes(const XtfFindingJob *job, const Phases *phases, unsigned from, unsigned to,
                               XtfClassSet classes, uint64_t *most)
{
    double sum = 0, greatest = -1;

    /* What began before the trace, and what is in no region, are lines behind those of regions. */
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

/* A part, and how much of its time is not the program's own. */
typedef struct {
    unsigned from, to; /* slices */
    double lost;       /* hundredths of a percent */
    uint64_t most;     /* line of the region with most of it */
} Part;

/* The part that loses most, and *rest, what the others lose. The start and the end of MPI are no parts. False if there
 * are fewer than two. */
static bool find_worst(const XtfFindingJob *job, const Phases *phases, Part *worst, double *rest)
{
    const XtfClassSet lost = ~(XTF_CLASSES_USEFUL | XTF_CLASS_BIT(XTF_CLASS_OFFLOAD) |
                               XTF_CLASS_BIT(XTF_CLASS_MPI_INIT) | XTF_CLASS_BIT(XTF_CLASS_MEASUREMENT));
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
    *rest = (sum - worst->lost * own) / (slices - own);
    return true;
}

/* The name of a line of profiles. The caller frees it. */
static char *name_of(const XtfFindingJob *job, uint64_t line)
{
    for (guint i = 0; i < job->profile->len; i++) {
        const XtfProfileLine *shown = &g_array_index(job->profile, XtfProfileLine, i);
        if (shown->line == line)
            return g_strdup(shown->name);
    }
    return g_strdup("regions without a name");
}

/* At most so many processes, evenly chosen. */
static XtfSelection *choose_processes(const XtfFindingJob *job, uint32_t *chosen)
{
    const XtfSelectedLocations *all = &job->locations;
    uint64_t most = MIN(PROCESSES_MOST, MAX((uint64_t)LOCATIONS_MOST * all->n_procs / MAX(all->n, 1), 1));

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

static void report(XtfFindingJob *job, const XtfFindingRule *rule, const Part *part, double rest, uint32_t chosen)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(job->views->context, job->selection, SLICES);
    XtfFinding place = {.table = "profile",
                        .is_window = true,
                        .from = xtf_key_bound(&slices->values, part->from),
                        .to = xtf_key_bound(&slices->values, part->to)};
    g_autoptr(GString) some = g_string_new(NULL);
    g_autofree char *name = name_of(job, part->most);

    if (chosen < job->locations.n_procs)
        g_string_printf(some, ", by %u of %u processes", chosen, job->locations.n_procs);
    xtf_finding_add(job, rule, (part->lost - rest) / XTF_HUNDREDTHS * (part->to - part->from) / SLICES, &place,
                    "between %u %% and %u %% of %s, %s of the time is not the program's own, most of it in %s; in the "
                    "rest %s%s",
                    part->from, part->to, job->what, xtf_word_percent(part->lost).text, name,
                    xtf_word_percent(rest).text, some->str);
}

/* Neighbouring tenths of the window whose profiles differ by more than the threshold are different parts. One of them
 * loses more of its time than the others, by the threshold. */
bool xtf_rule_phases(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Phases) phases = {0};
    double rest;
    uint32_t chosen;
    Part worst;

    if (job->profile->len == 0 || job->to - job->from < SLICES)
        return true;
    if (job->classes->n > LINES_MOST) {
        xtf_finding_leave_out(job, "parts of the run", job->classes->n, "regions");
        return true;
    }
    g_autoptr(XtfSelection) selection = choose_processes(job, &chosen);
    if (!measure(&phases, job, selection, error))
        return false;
    find_parts(&phases, rule->threshold);
    if (find_worst(job, &phases, &worst, &rest) && worst.lost - rest >= rule->threshold * XTF_HUNDREDTHS)
        report(job, rule, &worst, rest, chosen);
    return true;
}

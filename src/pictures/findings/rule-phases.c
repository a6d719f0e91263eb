/* Parts of the window in which the program does something else. */
#include <math.h>
#include <string.h>

#include "src/pictures/drawing/text-width.h"
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
    PART_NAME = 24,       /* bytes of ASCII, at most... */
    PART_WORDS = 28,      /* ...and these of a part beside it, */
    HEAD_WORDS = 60,      /* ...and before all parts */
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

/* The name of a line of profiles. The caller frees it. */
static char *name_of(const XtfFindingJob *job, const Phases *phases, uint64_t line)
{
    unsigned most = (XTF_FINDING_SENTENCE - HEAD_WORDS) / phases->n - PART_WORDS;

    for (guint i = 0; line < phases->n_lines && i < job->profile->len; i++) {
        const XtfProfileLine *shown = &g_array_index(job->profile, XtfProfileLine, i);
        if (shown->line == line)
            return xtf_text_elided(shown->name, MIN(most, PART_NAME));
    }
    return g_strdup("no region");
}

static void add_part(const XtfFindingJob *job, const Phases *phases, unsigned part, GString *words)
{
    unsigned from = phases->edges[part], to = phases->edges[part + 1];
    uint64_t most = 0;

    for (uint64_t line = 1; line <= phases->n_lines; line++) {
        if (share_of(phases, from, to, line) > share_of(phases, from, to, most))
            most = line;
    }
    g_autofree char *name = name_of(job, phases, most);
    double percent = share_of(phases, from, to, most) / 100;
    g_string_append_printf(words, "%s to %u %% %s %s (%.2f %%)", part ? "," : "", to,
                           percent >= 50 ? "mostly" : "most in", name, percent);
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

/* Neighbouring tenths of the window whose profiles differ by more than the threshold. */
bool xtf_rule_phases(XtfFindingJob *job, const XtfFindingRule *rule, GError **error)
{
    g_auto(Phases) phases = {0};
    g_autoptr(GString) head = g_string_new(NULL), words = g_string_new(NULL);
    double score = 0;
    uint32_t chosen;

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
    if (phases.n < 2)
        return true;
    for (unsigned i = 0; i < phases.n; i++) {
        unsigned from = phases.edges[i], to = phases.edges[i + 1];
        add_part(job, &phases, i, words);
        score += distance_of(&phases, from, to, 0, SLICES) * (to - from) / SLICES;
    }
    if (chosen < job->locations.n_procs)
        g_string_append_printf(head, ", by %u of %u processes", chosen, job->locations.n_procs);
    xtf_finding_add(job, rule, score, &(XtfFinding){.table = "by/time:100/profile"}, "%s has %u parts%s:%s", job->what,
                    phases.n, head->str, words->str);
    return true;
}

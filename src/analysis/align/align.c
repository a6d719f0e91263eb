#include "src/analysis/align/align.h"

#include <math.h>

#include "libxtf/array.h"
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/align/estimate.h"
#include "src/analysis/align/logical-clock.h"
#include "src/model/schemas.h"

enum {
    TOLERANCE_NS = 50,
    ROUNDS_MAX = 16, /* most rounds of the logical clock; the second one usually finds no violation */
};

typedef struct {
    XtfAlignment *alignment;
    const XtfAlignOptions *options;
    unsigned step;
    uint64_t tolerance;
} Align;

static void report_align_progress(uint64_t done, uint64_t total, void *data)
{
    const Align *align = data;

    if (align->options->progress)
        align->options->progress(align->step, done, total, align->options->progress_data);
}

/* ---- Choice of the clocks. */

static uint64_t ticks_of(const XtfTrace *trace, uint64_t ns)
{
    const XtfClock *clock = xtf_trace_clock(trace);
    unsigned __int128 ticks = (unsigned __int128)ns * clock->resolution_num / clock->resolution_den / 1000000000;
    return (uint64_t)MIN(ticks, UINT32_MAX);
}

/* Lists the processes that exchange no message with others. */
static void list_unconnected(XtfAlignment *alignment, const XtfProcessClocks *estimate)
{
    for (uint32_t i = 0; i < estimate->n; i++) {
        const XtfReplayProcess *process = xtf_replay_process(alignment->replay, i);
        if (estimate->maps[i].n_knots == 0)
            g_array_append_val(alignment->report.unconnected, process->proc);
    }
}

static bool choose_clocks(Align *align, GError **error)
{
    XtfAlignment *alignment = align->alignment;
    XtfAlignReport *report = &alignment->report;
    g_auto(XtfProcessClocks) estimate = {0};
    XtfViolations remaining;
    XtfReplayCounts counts;

    align->step++;
    if (!xtf_estimate_clocks(alignment->replay, &estimate, &report->n_pairs, error))
        return false;
    list_unconnected(alignment, &estimate);
    if (report->n_pairs == 0)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "there is nothing to align clocks by: no message or collective operation between processes is "
                        "known at both ends");
    report->nothing_to_do = xtf_violations_all(&report->before) == 0 && !align->options->always;
    if (report->nothing_to_do || report->readings || align->options->keep_offsets)
        return true;
    align->step++;
    if (!xtf_violations_count(alignment->replay, &estimate, &remaining, &counts, error))
        return false;
    report->estimated = align->options->always || remaining.total < report->before.total;
    if (report->estimated) {
        XtfProcessClocks kept = alignment->clocks;
        alignment->clocks = estimate;
        estimate = kept;
    }
    return true;
}

/* ---- Repair of violations. */

/* Repairs the violations. The first round amortises its jumps. Later rounds repair violations that rounding, or several
 * events at one tick, left. */
static bool repair_clocks(Align *align, GError **error)
{
    XtfAlignment *alignment = align->alignment;
    XtfAlignReport *report = &alignment->report;
    XtfLogicalClockOptions logical = {
        .tolerance = align->tolerance, .latency = align->options->latency, .amortise = true};
    XtfReplayCounts counts;

    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        uint64_t jumps;
        align->step++;
        if (!xtf_logical_clock(alignment->replay, &alignment->clocks, &logical, &jumps, error))
            return false;
        report->n_jumps += jumps;
        align->step++;
        if (!xtf_violations_count(alignment->replay, &alignment->clocks, &report->after, &counts, error))
            return false;
        if (xtf_violations_all(&report->after) == 0)
            return true;
        logical = (XtfLogicalClockOptions){.amortise = false};
    }
    return true;
}

/* ---- The report. */

typedef struct {
    int64_t least, most; /* least and greatest global time minus local time, in ticks */
} Shifts;

static void widen_shifts(Shifts *shifts, uint64_t local, uint64_t global)
{
    int64_t shift = (int64_t)(global - local);
    shifts->least = MIN(shifts->least, shift);
    shifts->most = MAX(shifts->most, shift);
}

/* Adds a process to the report. The line is straight between knots, so its extremes are at knots or at the first and
 * last record. Rounding down changes the time between two records by up to a tick. */
static void report_process(XtfAlignReport *report, const XtfReplayProcess *process, const XtfClockMap *map)
{
    uint64_t begin = xtf_clock_map_to_global(map, process->first);
    Shifts shifts = {.least = (int64_t)(begin - process->first), .most = (int64_t)(begin - process->first)};

    widen_shifts(&shifts, process->last, xtf_clock_map_to_global(map, process->last));
    for (uint32_t i = 0; i < map->n_knots; i++)
        if (map->knots[i].local >= process->first && map->knots[i].local <= process->last)
            widen_shifts(&shifts, map->knots[i].local, map->knots[i].global);
    uint64_t shift = (uint64_t)MAX(ABS(shifts.least), ABS(shifts.most));
    uint64_t change = (uint64_t)(shifts.most - shifts.least);
    change += change > 0;
    report->n_knots += map->n_knots;
    if (shift > report->largest_shift) {
        report->largest_shift = shift;
        report->shifted_proc = process->proc;
    }
    if (change > report->largest_change) {
        report->largest_change = change;
        report->changed_proc = process->proc;
    }
}

static void report_drifts(XtfAlignment *alignment)
{
    for (uint32_t i = 0; i < alignment->clocks.n; i++) {
        const XtfClockMap *map = &alignment->clocks.maps[i];
        if (map->n_knots != 2)
            continue;
        double run = (double)(map->knots[1].local - map->knots[0].local);
        double rise = (double)(map->knots[1].global - map->knots[0].global);
        alignment->report.largest_drift = MAX(alignment->report.largest_drift, fabs(rise - run) / run);
    }
}

static void make_report(XtfAlignment *alignment)
{
    for (uint32_t i = 0; i < alignment->clocks.n; i++) {
        const XtfReplayProcess *process = xtf_replay_process(alignment->replay, i);
        if (alignment->clocks.maps[i].n_knots > 0 && process->first <= process->last)
            report_process(&alignment->report, process, &alignment->clocks.maps[i]);
    }
}

/* ---- */

static bool align_all(Align *align, GError **error)
{
    XtfAlignment *alignment = align->alignment;
    XtfAlignReport *report = &alignment->report;

    align->step++;
    if (!xtf_violations_count(alignment->replay, &alignment->clocks, &report->before, &report->counts, error) ||
        !choose_clocks(align, error))
        return false;
    if (report->nothing_to_do)
        return true;
    if (report->estimated)
        report_drifts(alignment);
    if (!repair_clocks(align, error))
        return false;
    if (xtf_violations_all(&report->after) > 0)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "%" PRIu64
                        " messages and collective operations contradict one another: no clocks satisfy all of them",
                        xtf_violations_all(&report->after));
    make_report(alignment);
    if (report->n_knots > XTF_CLOCK_KNOTS_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "the clock maps would have %" PRIu64 " knots, more than %d: a "
                        "greater tolerance makes them fewer",
                        report->n_knots, XTF_CLOCK_KNOTS_MAX);
    return true;
}

/* ---- The trace's clocks. */

/* Gives a process the clock map that its locations had before the trace was aligned. */
static bool use_earlier_clock(XtfAlignment *alignment, uint32_t number, GError **error)
{
    const XtfReplayProcess *process = xtf_replay_process(alignment->replay, number);
    const XtfClockMap *map = xtf_earlier_clocks_of(&alignment->earlier, process->locations[0]);

    for (uint32_t i = 1; i < process->n_locations; i++)
        if (!xtf_clock_map_equal(map, xtf_earlier_clocks_of(&alignment->earlier, process->locations[i])))
            return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                            "cannot align process %" PRIu64 ": its locations have different clocks", process->proc);
    if (!map)
        return true;
    GArray *knots = g_array_new(FALSE, FALSE, sizeof(XtfClockKnot));
    g_array_append_vals(knots, map->knots, map->n_knots);
    xtf_process_clocks_set(&alignment->clocks, number, knots);
    alignment->report.readings = true;
    return true;
}

static bool use_earlier_clocks(XtfAlignment *alignment, GError **error)
{
    uint32_t n = xtf_replay_n_processes(alignment->replay);

    alignment->report.n_processes = n;
    xtf_process_clocks_init(&alignment->clocks, n);
    for (uint32_t i = 0; i < n; i++)
        if (!use_earlier_clock(alignment, i, error))
            return false;
    return true;
}

/* Computes the digest of the clocks that the trace will have. */
static bool digest_of(const XtfAlignment *alignment, uint64_t *digest, GError **error)
{
    g_autoptr(GHashTable) maps = g_hash_table_new(g_int64_hash, g_int64_equal);
    uint64_t h = 0, last = 0;
    bool any = false;

    for (uint32_t i = 0; i < alignment->clocks.n; i++) {
        const XtfReplayProcess *process = xtf_replay_process(alignment->replay, i);
        for (uint32_t l = 0; l < process->n_locations; l++)
            g_hash_table_insert(maps, (gpointer)&process->locations[l], &alignment->clocks.maps[i]);
    }
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(alignment->trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(alignment->trace, rank, 1, &array, error))
            return false;
        if (array.schema->kind != XTF_SCHEMA_RECORD || (any && array.location == last))
            continue;
        h = xtf_clock_map_digest(h, array.location, g_hash_table_lookup(maps, &array.location));
        last = array.location;
        any = true;
    }
    *digest = h;
    return true;
}

XtfAlignment *xtf_align(XtfTrace *trace, const XtfAlignOptions *options, GError **error)
{
    g_autoptr(XtfAlignment) alignment = g_new0(XtfAlignment, 1);
    Align align = {
        .alignment = alignment,
        .options = options,
        .tolerance = options->tolerance == UINT64_MAX ? ticks_of(trace, TOLERANCE_NS) : options->tolerance,
    };
    const XtfReplayOptions replay = {
        .local = true, .cancel = options->cancel, .progress = report_align_progress, .progress_data = &align};

    alignment->trace = trace;
    alignment->report.unconnected = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    alignment->replay = xtf_replay_new(trace, &replay, error);
    if (!alignment->replay)
        return NULL;
    if (!xtf_earlier_clocks_load(&alignment->earlier, trace, error) || !use_earlier_clocks(alignment, error))
        return NULL;
    return align_all(&align, error) ? g_steal_pointer(&alignment) : NULL;
}

void xtf_alignment_free(XtfAlignment *alignment)
{
    if (!alignment)
        return;
    xtf_replay_free(alignment->replay);
    xtf_process_clocks_finish(&alignment->clocks);
    xtf_earlier_clocks_finish(&alignment->earlier);
    g_clear_pointer(&alignment->report.unconnected, g_array_unref);
    g_free(alignment);
}

static bool append_report(const XtfAlignment *alignment, XtfWriter *writer, const char *tool, GError **error)
{
    const XtfAlignReport *report = &alignment->report;
    XtfClockAlignmentRow row = {
        .messages = report->counts.messages,
        .collectives = report->counts.collectives,
        .violations_before = xtf_violations_all(&report->before),
        .violations_after = xtf_violations_all(&report->after),
        .largest_shift = report->largest_shift,
        .largest_change = report->largest_change,
        .earlier_origin = alignment->earlier.origin,
    };
    uint32_t id, name;
    uint64_t clocks;

    if (!digest_of(alignment, &clocks, error) || !xtf_writer_add_string(writer, tool, &name, error) ||
        !xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_CLOCK_ALIGNMENTS), &id, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(writer, id, error);
    if (!table)
        return false;
    row.clocks = clocks;
    row.tool = name;
    xtf_table_writer_clear(table);
    return xtf_table_writer_append(table, &row, NULL, error);
}

/* Sets the origin so that the time from it to the first record stays the same. */
static bool set_origin(const XtfAlignment *alignment, XtfWriter *writer, GError **error)
{
    uint64_t before = UINT64_MAX, first = UINT64_MAX, origin = alignment->earlier.origin;

    for (uint32_t i = 0; i < alignment->clocks.n; i++) {
        const XtfReplayProcess *process = xtf_replay_process(alignment->replay, i);
        const XtfClockMap *map = xtf_earlier_clocks_of(&alignment->earlier, process->locations[0]);
        if (process->first > process->last)
            continue;
        before = MIN(before, xtf_clock_map_to_global(map, process->first));
        first = MIN(first, xtf_process_clocks_global(&alignment->clocks, i, process->first));
    }
    uint64_t gap = origin < before ? before - origin : 0;
    return xtf_writer_set_origin(writer, origin == UINT64_MAX ? UINT64_MAX : first - MIN(gap, first), error);
}

bool xtf_alignment_store(const XtfAlignment *alignment, XtfWriter *writer, const char *tool, GError **error)
{
    for (uint32_t i = 0; i < alignment->clocks.n; i++) {
        const XtfReplayProcess *process = xtf_replay_process(alignment->replay, i);
        const XtfClockMap *map = &alignment->clocks.maps[i];
        uint32_t number = 0;
        if (map->n_knots > 0 && !xtf_writer_add_clock_map(writer, map, &number, error))
            return false;
        for (uint32_t l = 0; l < process->n_locations; l++)
            if (!xtf_writer_set_clock_map(writer, process->locations[l], number, error))
                return false;
    }
    return set_origin(alignment, writer, error) && xtf_earlier_clocks_store(&alignment->earlier, writer, error) &&
           append_report(alignment, writer, tool, error);
}

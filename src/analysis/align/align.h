/*
 * Aligning the clocks of a trace: maps for all processes, so that no message is received before it is sent.
 *
 * Offsets and drifts are estimated (estimate.h), unless the clocks as they are contradict messages by no more ticks,
 * all together, than the estimate does: then they are kept, since somebody has corrected them before. What is left is
 * mended by a controlled logical clock (logical-clock.h), again until no violation is left in the maps as they are
 * stored, rounded.
 *
 * Of a trace with clock maps that its recorder made nothing is estimated; the maps are mended in the same way.
 *
 * Locations of a process share a clock. Processes that exchange no message with others keep theirs.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/writer.h"
#include "src/analysis/align/earlier-clocks.h"
#include "src/analysis/align/process-clocks.h"
#include "src/analysis/align/violations.h"

typedef struct {
    uint64_t latency;   /* ticks that a message takes at least; 0: not known */
    uint64_t tolerance; /* ticks that a map may be simplified by; UINT64_MAX: 50 ns */
    bool keep_offsets;  /* do not estimate */
    bool always;        /* align also where nothing is violated */
    atomic_bool *cancel;
    /* `step` of `steps` is at `done` of `total`. */
    void (*progress)(unsigned step, uint64_t done, uint64_t total, void *data);
    void *progress_data;
} XtfAlignOptions;

typedef struct {
    XtfReplayCounts counts;
    uint32_t n_processes;
    uint64_t n_pairs; /* of processes that exchange messages */
    bool readings;    /* the trace has clock maps that no alignment made: they are mended, nothing is estimated */
    XtfViolations before, after;
    bool nothing_to_do; /* nothing is violated: the clocks are kept */
    bool estimated;     /* the estimate was taken */
    uint64_t n_jumps, n_knots;
    uint64_t largest_shift; /* ticks between local and global time of a record, and whose */
    uint64_t shifted_proc;
    double largest_drift;    /* of the estimate: ticks in one */
    uint64_t largest_change; /* ticks at most, of the time between any two records of a location, and whose */
    uint64_t changed_proc;
    GArray *alone; /* uint64_t: numbers of processes that exchange no message with others */
} XtfAlignReport;

typedef struct {
    XtfTrace *trace;
    XtfReplay *replay;
    XtfEarlierClocks earlier;
    XtfProcessClocks clocks;
    XtfAlignReport report;
} XtfAlignment;

/* Borrows the trace. Of one that was aligned before, the clocks are aligned that it had before that.
 * XTF_ERROR_NOT_FOUND if there is nothing to align by; XTF_ERROR_INVALID if no clocks go with what was matched. */
XtfAlignment *xtf_align(XtfTrace *trace, const XtfAlignOptions *options, GError **error);
void xtf_alignment_free(XtfAlignment *alignment); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfAlignment, xtf_alignment_free)

/* Gives the locations in a writer of the trace, or of a copy, their maps, and says so in the tables `clock_alignments`
 * and `earlier_clocks`. Nothing is committed. `tool` says who did it. */
bool xtf_alignment_store(const XtfAlignment *alignment, XtfWriter *writer, const char *tool, GError **error);

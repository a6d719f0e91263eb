/*
 * Alignment of the clocks of a trace: finds maps for all processes, so that no process receives a message before its
 * send.
 *
 * The alignment estimates offsets and drifts (estimate.h). The estimate replaces the present clocks only if it has a
 * smaller sum of violations, in ticks. Otherwise the present clocks were corrected before. A controlled logical clock
 * (logical-clock.h) repairs the remaining violations. It repeats until the stored, rounded maps have no violation.
 *
 * If the trace's recorder made clock maps, there is no estimate, only the repair.
 *
 * The locations of a process share a clock. Processes that exchange no message with others keep their clocks.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/writer.h"
#include "src/analysis/align/earlier-clocks.h"
#include "src/analysis/align/process-clocks.h"
#include "src/analysis/align/violations.h"

typedef struct {
    uint64_t latency;   /* least latency of a message in ticks; 0: not known */
    uint64_t tolerance; /* ticks by which a simplified map may be off; UINT64_MAX: 50 ns */
    bool keep_offsets;  /* make no estimate */
    bool always;        /* align even if there is no violation */
    atomic_bool *cancel;
    /* Reports the progress of a step; steps count from 1. */
    void (*progress)(unsigned step, uint64_t done, uint64_t total, void *data);
    void *progress_data;
} XtfAlignOptions;

typedef struct {
    XtfReplayCounts counts;
    uint32_t n_processes;
    uint64_t n_pairs; /* pairs of processes that exchange messages */
    bool readings;    /* the trace has clock maps from its recorder: they are repaired, without an estimate */
    XtfViolations before, after;
    bool nothing_to_do; /* no violation: the clocks stay the same */
    bool estimated;     /* the alignment uses the estimate */
    uint64_t n_jumps, n_knots;
    uint64_t largest_shift; /* greatest difference between local and global time of a record, in ticks */
    uint64_t shifted_proc;
    double largest_drift;    /* greatest drift in the estimate, as a part of the local clock's rate */
    uint64_t largest_change; /* in ticks: upper bound of the change in time between any two records of a location */
    uint64_t changed_proc;
    GArray *unconnected; /* uint64_t: numbers of processes that exchange no message with others */
} XtfAlignReport;

typedef struct {
    XtfTrace *trace;
    XtfReplay *replay;
    XtfEarlierClocks earlier;
    XtfProcessClocks clocks;
    XtfAlignReport report;
} XtfAlignment;

/* Aligns the clocks of a trace, which it borrows. If the trace was aligned before, it starts from the clocks before
 * that alignment. XTF_ERROR_NOT_FOUND: of no message or operation between processes are both sides recorded.
 * XTF_ERROR_INVALID: no clocks satisfy all matched messages. */
XtfAlignment *xtf_align(XtfTrace *trace, const XtfAlignOptions *options, GError **error);
void xtf_alignment_free(XtfAlignment *alignment); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfAlignment, xtf_alignment_free)

/* Sets the clock maps of the locations in a writer of the trace, or of a copy. Records the alignment in the tables
 * `clock_alignments` and `earlier_clocks`. Commits nothing. `tool` names the aligning program. */
bool xtf_alignment_store(const XtfAlignment *alignment, XtfWriter *writer, const char *tool, GError **error);

/*
 * Reports on the calls that are open at the end of a trace: sentences and JSON, from the table `waiting`.
 *
 * `xtf deadlock` prints a report, and `xtf watch` shows the same words.
 */
#pragma once

#include "src/cli/play/value-table.h"

/* The most serious verdict of a trace, in this order. */
typedef enum {
    XTF_WAITS_UNKNOWN,  /* the trace has no records of open calls */
    XTF_WAITS_NONE,     /* no call is open */
    XTF_WAITS_OPEN,     /* calls are open, and each waits for a process that can continue */
    XTF_WAITS_POSSIBLE, /* a deadlock is possible */
    XTF_WAITS_ENDED,    /* a thread waits for a process that has ended */
    XTF_WAITS_MISMATCH, /* members of a communicator are in different collective operations */
    XTF_WAITS_DEADLOCK,
    XTF_N_WAITS_VERDICTS,
} XtfWaitsVerdict;

extern const char *const xtf_waits_verdict_words[XTF_N_WAITS_VERDICTS]; /* "unknown", "none", ... */

typedef struct {
    XtfValueTable *table;   /* owned; NULL: the trace has no open calls */
    XtfValueTable *monitor; /* owned: the table `monitor`; NULL: no call is open */
    XtfWaitsVerdict verdict;
    bool grows; /* the run has not ended */
} XtfWaitsReport;

/* Reads the open calls of a trace. */
bool xtf_waits_report_init(XtfWaitsReport *report, XtfTree *tree, GError **error);
void xtf_waits_report_finish(XtfWaitsReport *report); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitsReport, xtf_waits_report_finish)

/* Returns a sentence for the verdict, without a newline: "deadlock: processes 0 -> 3 -> 0 wait for each other". The
 * caller frees it. */
char *xtf_waits_report_headline(const XtfWaitsReport *report);
/* Appends the headlines and a line for each open call, at most `most` of each verdict. */
void xtf_waits_report_text(const XtfWaitsReport *report, guint most, GString *out);
/* Appends a JSON object: the verdict, the cycles, the longest chain of waits, and the rows of the table. Also
 * appends the rows of `monitor` for awaited processes that do not wait. */
void xtf_waits_report_json(const XtfWaitsReport *report, GString *out);
/* Returns the longest chain of waits that ends at a process that does not wait: processes, as uint64_t. Empty if there
 * is none. The caller unrefs it. */
GArray *xtf_waits_report_chain(const XtfWaitsReport *report);

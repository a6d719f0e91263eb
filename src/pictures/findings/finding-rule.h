/*
 * Rules of findings: each is a row of the table in findings.c.
 */
#pragma once

#include "src/pictures/findings/findings.h"
#include "src/tables/totals/regions/class-times.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tables/views/registry.h"
#include "src/trace/text/number-words.h"

/* A line of the selection's profile. */
typedef struct {
    uint64_t row;  /* in definitions/regions; UINT64_MAX: it has none */
    uint64_t line; /* of XtfRegions (region-lines.h) */
    XtfRegionClass class;
    uint64_t calls, percent; /* in hundredths of a percent, of exclusive time */
    double exclusive;        /* seconds */
    char *name;              /* xtf_finding_name() */
} XtfProfileLine;

/* What rules look at. */
typedef struct {
    XtfViews *views;         /* borrowed */
    XtfSelection *selection; /* borrowed */
    uint64_t from, to;       /* its window, cut off at the ends of the trace; not empty */
    bool is_whole_run;       /* the window has no ends */
    bool goes_on;            /* the trace grows: what it lacks may come */
    const char *what;        /* the window, in words: "the run", "the window" */
    XtfSelectedLocations locations;
    const XtfRegionClasses *classes; /* borrowed */
    GArray *profile;                 /* of XtfProfileLine, as sorted in the table; empty: there is none */
    XtfClassTimes threads, devices;  /* measured where both have time; else all zeros: all time is the threads' */
    GArray *found;                   /* of XtfFinding */
    GString *left_out;               /* what would take too long, in words */
} XtfFindingJob;

typedef struct XtfFindingRule XtfFindingRule;
struct XtfFindingRule {
    const char *name;
    XtfFindingRank rank;
    double threshold; /* of what, says `find` */
    /* Adds what it finds to job->found. */
    bool (*find)(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
    XtfClassSet classes; /* of rules about time in classes of regions */
    const char *words;   /* what a program does there */
    bool compares_times; /* of different processes: where their clocks contradict each other, the rule says nothing */
};

enum {
    XTF_FINDING_NAME = 40,      /* characters of a name in a sentence, at most */
    XTF_FINDING_PLACE = 76,     /* ...and of a call path: with a colon behind it, it fits in a line of the file */
    XTF_HUNDREDTHS = 100 * 100, /* of a percent, in a whole */
};

/* Adds a finding with this sentence, about a table. `place` says where the table is. The finding is returned, to be
 * told what process or region it is about; the next one that is added moves it. */
XtfFinding *xtf_finding_add(XtfFindingJob *job, const XtfFindingRule *rule, double score, const XtfFinding *place,
                            const char *format, ...) G_GNUC_PRINTF(5, 6);

/* By rank, then by score, the highest first. */
int xtf_finding_compare(const void *a, const void *b, void *data);
/* Makes one finding of those with the same cause, and sorts them (finding-order.c). */
void xtf_findings_merge(GArray *found);

/* Whether a selection has a table. */
bool xtf_finding_has(const XtfFindingJob *job, const XtfSelection *selection, const char *table);

/* A part of a time in hundredths of a percent, as tables round it; 0 of nothing. */
uint32_t xtf_finding_hundredths(unsigned __int128 part, unsigned __int128 whole);
/* A cell that is a time, or a number of seconds, in units of the last digit that tables show, rounded down as there: so
 * that sums and differences in sentences are those of the numbers that a reader sees. 0 of nothing. */
unsigned __int128 xtf_finding_cell_units(const XtfFindingJob *job, const XtfRowCell *cell);
double xtf_finding_cell_seconds(const XtfFindingJob *job, const XtfRowCell *cell);
/* A name of the trace from a cell, with its middle left out if it is long. The caller frees it. */
char *xtf_finding_name(const char *name);

/* A call path or region from a cell, likewise; "the program itself" for what is in none. The caller frees it. */
char *xtf_finding_place(const char *callpath);
/* Sets *source to the place of a region of the program in its source, " (stencil.c:41)", by the file and the line of
 * its definition; to "" of other regions, and where one of them is missing. The caller frees it. */
bool xtf_finding_source(const XtfFindingJob *job, uint64_t region, char **source, GError **error);
/* The same of the innermost region of the program on a call path, a row of definitions/contexts: " (stencil.c:41)", or
 * where the path goes on from there " (exchange at stencil.c:15)". */
bool xtf_finding_callpath_source(const XtfFindingJob *job, uint64_t callpath, char **source, GError **error);
/* Whether waits in calls of a region are not found, as any process may send to any other: MPI_Alltoallv and
 * MPI_Alltoallw, unless in the window each operation says that all exchange data with all. */
bool xtf_finding_is_unjudged(const XtfFindingJob *job, uint64_t row, const char *region, bool *unjudged,
                             GError **error);
/* "waiting for a message that is sent late (late_sender)". The caller frees it. */
char *xtf_finding_wait_words(const char *kind);

/* Measures the times of threads and of devices. */
bool xtf_finding_measure(XtfFindingJob *job, GError **error);
/* What parts are of: "all time", or where there are devices, "the threads' time". */
const char *xtf_finding_whole(const XtfFindingJob *job);
/* A part of the time of all locations, in hundredths of a percent, as a part of that of the threads. */
uint64_t xtf_finding_of_threads(const XtfFindingJob *job, uint64_t percent);
/* The part of the threads' time in classes, in hundredths of a percent. */
uint64_t xtf_finding_in_classes(const XtfFindingJob *job, XtfClassSet classes);

/* The length of the window. */
double xtf_finding_seconds(const XtfFindingJob *job);
/* Whether the selection has all records of some processes, threads and times. */
bool xtf_finding_is_of_processes(const XtfFindingJob *job);
/* Whether it has so many locations, or regions in them, that rules which need many tables leave some out, with
 * xtf_finding_leave_out_large(). */
bool xtf_finding_is_large(const XtfFindingJob *job);
/* What is left out, and of how many of what it would take too long: "culprits", 70000, "pairs of processes". */
void xtf_finding_leave_out(XtfFindingJob *job, const char *what, uint64_t n, const char *of);
void xtf_finding_leave_out_large(XtfFindingJob *job, const char *what);
/* The selection's derived rows of a type, new; NULL: there are none to be shown, or with an error. */
XtfSelection *xtf_finding_select_derived(const XtfFindingJob *job, const char *type, GError **error);

/* What of a selection is of one process, new. */
XtfSelection *xtf_finding_select_process(const XtfSelection *selection, uint64_t proc);

/* Whether processes ended in calls of MPI: then the run has no critical path. */
bool xtf_finding_ended_in_calls(const XtfFindingJob *job);

/* Rules, by file: crash, ... */
bool xtf_rule_crash(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...doubt, ... */
bool xtf_rule_early(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_clocks(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...mismatch, ... */
bool xtf_rule_mismatch(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...missing, ... */
bool xtf_rule_missing(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...classes, ... */
bool xtf_rule_classes(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_before(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_recording(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...unjudged, ... */
bool xtf_rule_unjudged(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...imbalance, ... */
bool xtf_rule_imbalance(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...histogram, ... */
bool xtf_rule_concentration(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...phases, ... */
bool xtf_rule_phases(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...ends, ... */
bool xtf_rule_ends(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...messages, ... */
bool xtf_rule_bytes(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_unmatched(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_unfinished(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...kinds, ... */
bool xtf_rule_kinds(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...waits, ... */
bool xtf_rule_waits(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...culprit, ... */
bool xtf_rule_culprit(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
/* ...path. */
bool xtf_rule_critical(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_efficiency(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);

/*
 * Rules of findings: each is a row of the table in findings.c.
 */
#pragma once

#include "src/pictures/findings/findings.h"
#include "src/tables/totals/regions/class-times.h"
#include "src/tables/totals/regions/recorded-procs.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tables/totals/sites/main-sites.h"
#include "src/tables/views/registry.h"
#include "src/trace/text/number-words.h"

/* A line of the selection's profile. */
typedef struct {
    uint64_t row;  /* row of definitions/regions; UINT64_MAX: none */
    uint64_t line; /* line of XtfRegions (region-lines.h) */
    XtfRegionClass class;
    uint64_t calls, percent; /* `percent`: part of all exclusive time, in hundredths of a percent */
    double exclusive;        /* seconds */
    char *name;              /* xtf_finding_name() */
} XtfProfileLine;

/* The input of rules, and the findings that they add. */
typedef struct {
    XtfViews *views;          /* borrowed */
    XtfSelection *selection;  /* borrowed; without processes that were recorded less than the others */
    uint64_t from, to;        /* window of the selection, clipped to the trace; not empty */
    bool is_whole_run;        /* the window has no bounds */
    bool is_growing;          /* the trace grows: records that are missing may follow */
    const char *window_words; /* "the run" or "the window" */
    XtfSelectedLocations locations;
    XtfRecordedProcs recorded;
    XtfSelection *all; /* borrowed; the selection with all processes, even if recorded less than others */
    XtfSelectedLocations all_locations;
    const XtfRegionClasses *classes; /* borrowed */
    GArray *profile;                 /* XtfProfileLine, in the table's order; empty: there is no profile */
    XtfClassTimes threads, devices;  /* all zeros unless both have time: then all time is the threads' */
    GArray *findings;                /* XtfFinding */
    GString *skipped;                /* parts of rules that would take too long, in words */
    XtfSiteTotals sites;             /* of the selection; all zeros: not needed so far, or none exist */
} XtfFindingJob;

typedef struct XtfFindingRule XtfFindingRule;
struct XtfFindingRule {
    const char *name;
    XtfFindingRank rank;
    double threshold; /* least value to report, of a quantity that `find` defines */
    /* Adds findings to job->findings. */
    bool (*find)(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
    XtfClassSet classes; /* for rules about the time in classes of regions */
    const char *words;   /* what a program does in these classes */
    bool compares_times; /* the rule compares times of processes: skipped if their clocks contradict each other */
    bool is_of_all;      /* about all processes: job->selection and job->locations have all */
};

enum {
    XTF_FINDING_NAME = 40,      /* most characters of a name in a sentence */
    XTF_FINDING_PLACE = 76,     /* most characters of a call path: with a colon, it fits in a line of the file */
    XTF_HUNDREDTHS = 100 * 100, /* hundredths of a percent in a whole */
};

/* Adds a finding with this sentence. `place` names the table. The caller may set the process or region of the finding
 * that is returned. The next call moves it. */
XtfFinding *xtf_finding_add(XtfFindingJob *job, const XtfFindingRule *rule, double score, const XtfFinding *place,
                            const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Compares by rank, then by score, the highest first. */
int xtf_finding_compare(const void *a, const void *b, void *data);
/* Merges findings with the same cause, and sorts all (finding-order.c). */
void xtf_findings_merge(GArray *findings);

/* True if a selection has a table. */
bool xtf_finding_has(const XtfFindingJob *job, const XtfSelection *selection, const char *table);

/* Returns a part of a time in hundredths of a percent, as tables round it; 0 if `whole` is 0. */
uint32_t xtf_finding_hundredths(unsigned __int128 part, unsigned __int128 whole);
/* Returns a cell, a time or a number of seconds, in units of the last digit that tables show. Rounds down as tables do,
 * so that sums and differences in sentences agree with the numbers that a reader sees. Returns 0 for nothing. */
unsigned __int128 xtf_finding_cell_units(const XtfFindingJob *job, const XtfRowCell *cell);
double xtf_finding_cell_seconds(const XtfFindingJob *job, const XtfRowCell *cell);
/* Returns a name from a cell, with its middle left out if it is long. The caller frees it. */
char *xtf_finding_name(const char *name);

/* Returns a call path or region from a cell; "the program itself" if the cell names none. If it is long, its middle is
 * left out. The caller frees it. */
char *xtf_finding_place(const char *callpath);
/* Sets *source to the file and line of a region of the program, " (stencil.c:41)", from its definition. Sets it to ""
 * for other regions, and if file or line is missing. The caller frees it. */
bool xtf_finding_source(const XtfFindingJob *job, uint64_t region, char **source, GError **error);
/* Sets *source to the file and line of the innermost region of the program on a call path, a row of
 * definitions/contexts. If the path continues below that region, the region is named: " (exchange at stencil.c:15)".
 * The caller frees it. */
bool xtf_finding_callpath_source(const XtfFindingJob *job, uint64_t callpath, char **source, GError **error);
/* Sets *words to the main site of a region's calls in a selection by their time: ", called by main (stencil.c:12)".
 * Sets it to "" without sites. The caller frees it. */
bool xtf_finding_called(XtfFindingJob *job, const XtfSelection *selection, uint64_t region, char **words,
                        GError **error);
/* Sets *source to the place of a region of the program, like xtf_finding_source(). Sets it to the main site of other
 * regions' calls by a process, or by any (XTF_NO_PROCESS). */
bool xtf_finding_region_place(XtfFindingJob *job, uint64_t proc, uint64_t region, char **source, GError **error);
/* Returns the comma between such a place and the rest of a sentence: "," behind a site, else "". */
static inline const char *xtf_finding_comma(const char *source)
{
    return source[0] == ',' ? "," : "";
}
/* Sets *words to where a selection of waits is spent: "MPI_Waitall, called by exchange (stencil.c:142)". Sets *until to
 * where other processes end these waits: ", until process 3 is in MPI_Isend, called by exchange (stencil.c:131)". Sets
 * *before to where this process then computes: "; before that, it computes after MPI_Recv, called by ...". A `region`,
 * or NULL, is the name of the region of the waits. Each is "" if it is unknown. The caller frees all. */
bool xtf_finding_wait_sites(const XtfFindingJob *job, const XtfSelection *waits, const char *region, char **words,
                            char **until, char **before, GError **error);
/* Sets *unjudged if waits in calls of a region cannot be found, as any process may send to any other. The regions are
 * MPI_Alltoallv and MPI_Alltoallw, unless every operation in the window says that all exchange data with all. */
bool xtf_finding_is_unjudged(const XtfFindingJob *job, uint64_t row, const char *region, bool *unjudged,
                             GError **error);
/* Returns "waiting for a message that is sent late (late_sender)". The caller frees it. */
char *xtf_finding_wait_words(const char *kind);

/* Measures the times of threads and of devices. */
bool xtf_finding_measure(XtfFindingJob *job, GError **error);
/* Returns the words for the whole of percentages: "all time", or where there are devices, "the threads' time". */
const char *xtf_finding_whole(const XtfFindingJob *job);
/* Converts hundredths of a percent of the time of all locations to hundredths of a percent of the threads' time. */
uint64_t xtf_finding_of_threads(const XtfFindingJob *job, uint64_t percent);
/* Returns the part of the threads' time in classes, in hundredths of a percent. */
uint64_t xtf_finding_in_classes(const XtfFindingJob *job, XtfClassSet classes);

/* Returns the length of the window. */
double xtf_finding_seconds(const XtfFindingJob *job);
/* True if the selection has all records of some processes, threads and times. */
bool xtf_finding_is_of_processes(const XtfFindingJob *job);
/* True if there are too many locations, or regions in them, for rules that need many tables. These rules skip some, and
 * call xtf_finding_add_skipped_large(). */
bool xtf_finding_is_large(const XtfFindingJob *job);
/* Notes a part of a rule that is skipped, and how many items make it too long: "culprits", 70000, "processes". */
void xtf_finding_add_skipped(XtfFindingJob *job, const char *skipped, uint64_t n, const char *items);
void xtf_finding_add_skipped_large(XtfFindingJob *job, const char *skipped);
/* Returns a new selection of the selection's derived rows of a type. NULL: there are none to show, or an error. */
XtfSelection *xtf_finding_select_derived(const XtfFindingJob *job, const char *type, GError **error);
/* Returns a new selection of the waits of a kind, for one process or for any (XTF_NO_PROCESS). */
XtfSelection *xtf_finding_select_waits(const XtfSelection *waits, const char *kind, uint64_t culprit);

/* Returns a new selection of the rows of one process. */
XtfSelection *xtf_finding_select_process(const XtfSelection *selection, uint64_t proc);

/* Sets *ended if processes ended in calls of MPI: then the run has no critical path. */
bool xtf_finding_ended_in_calls(const XtfFindingJob *job, bool *ended, GError **error);

/* Runs a rule, and adds its findings. The rule NAME is in rule-NAME.c, unless a comment names another file. */
bool xtf_rule_crash(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_early(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);  /* rule-doubt.c */
bool xtf_rule_clocks(XtfFindingJob *job, const XtfFindingRule *rule, GError **error); /* rule-doubt.c */
bool xtf_rule_cpus(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);   /* rule-doubt.c */
bool xtf_rule_mismatch(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_missing(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_classes(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_unrecorded(XtfFindingJob *job, const XtfFindingRule *rule, GError **error); /* rule-classes.c */
bool xtf_rule_before(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);     /* rule-classes.c */
bool xtf_rule_recording(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);  /* rule-classes.c */
bool xtf_rule_unjudged(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_imbalance(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_concentration(XtfFindingJob *job, const XtfFindingRule *rule, GError **error); /* rule-over-time.c */
bool xtf_rule_phases(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_iteration(XtfFindingJob *job, const XtfFindingRule *rule, GError **error); /* rule-over-time.c */
bool xtf_rule_ends(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_bytes(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);     /* rule-messages.c */
bool xtf_rule_unmatched(XtfFindingJob *job, const XtfFindingRule *rule, GError **error); /* rule-messages.c */
/* Reports calls that are never left. */
bool xtf_rule_not_left(XtfFindingJob *job, const XtfFindingRule *rule, GError **error); /* rule-messages.c */
bool xtf_rule_kinds(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_waits(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_culprit(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);
bool xtf_rule_critical(XtfFindingJob *job, const XtfFindingRule *rule, GError **error);   /* rule-path.c */
bool xtf_rule_efficiency(XtfFindingJob *job, const XtfFindingRule *rule, GError **error); /* rule-path.c */

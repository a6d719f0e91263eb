/*
 * The context of queries of a trace beyond its rows: processes, threads, communicators, names.
 *
 * Tables and fields are found by the names of libxtf/vocabulary.h and loaded when first needed. Any may be missing:
 * without a table of locations, each location is a separate process with one thread.
 *
 * Any thread may call any function.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/array.h"
#include "libxtf/handles.h"
#include "libxtf/schema.h"
#include "src/trace/context/member-ranges.h"
#include "src/trace/context/name-index.h"
#include "src/trace/context/number-set.h"
#include "src/trace/context/ranks.h"
#include "src/trace/context/region-classes.h"
#include "src/trace/context/run-gaps.h"
#include "src/trace/context/sites.h"
#include "src/trace/text/time-scale.h"

typedef struct {
    uint64_t id;           /* the location's key in the P index */
    uint64_t proc, thread; /* numbers of its process and thread in the tree */
    uint64_t first_array;  /* rank in the P index */
    uint64_t n_arrays;     /* number of the location's arrays, including side arrays */
    bool is_cpu_thread;    /* false: an accelerator's stream, or only metrics */
    bool grows;            /* the trace grows, and the process has not ended: its open calls last until now */
} XtfLocation;

enum {
    XTF_GROWING_NUMBER_WIDTH = 10, /* digits of a process or thread number in a growing trace */
};

/* Arrays that this version cannot read (xtf_array_is_supported()). No selection has their rows. */
typedef struct {
    uint64_t n_arrays, n_rows;
    char *reason; /* reason of the first such array; NULL: there is none */
} XtfRefused;

typedef struct {
    XtfLocation *all; /* ascending by (proc, thread, id) */
    uint32_t n;
    uint64_t *procs;   /* numbers of all processes: distinct, ascending */
    uint64_t *threads; /* numbers of all threads: distinct, ascending */
    uint32_t n_procs, n_threads;
    unsigned proc_width, thread_width; /* digits that the largest number needs */
    XtfRefused refused;
} XtfLocations;

typedef struct {
    XtfTrace *trace; /* borrowed */
    char *name;      /* of the trace, ready to print; NULL: none */
    bool growing; /* later commits add to the trace: columns have their greatest width, and tables end at scale.end */
    XtfTimeScale scale;
    GHashTable *properties; /* src/model/properties.h */
    char **type_names;      /* by schema: name in the tree, which is the schema's name if usable there */
    int64_t enters_leaves;  /* record type of the call stack; -1: none */
    XtfRunGaps gaps;        /* between the runs that the trace joins */

    GMutex lock; /* held while a member below is loaded */
    XtfLocations locations;
    gint locations_loaded; /* atomic */
    XtfRanks ranks;
    gint ranks_loaded;   /* atomic */
    gint members_sorted; /* atomic: the members in `ranks` */
    XtfMemberRanges member_ranges;
    gint member_ranges_loaded; /* atomic */
    XtfNameIndex regions, comms;
    gint name_indexes_loaded; /* atomic */
    XtfRegionClasses classes;
    gint classes_loaded; /* atomic */
    XtfSites sites;
    gint sites_loaded;    /* atomic */
    bool *outdated;       /* by schema: true for hidden derived types; NULL: none is hidden */
    gint outdated_loaded; /* atomic */
} XtfTraceContext;

/* Reads the properties of the trace, which say whether the clock counts bytes, and its runs. `is_reserved` is true for
 * types whose name a directory uses already; they get another name in the tree. The caller finishes the context, also
 * after an error. */
bool xtf_trace_context_init(XtfTraceContext *context, XtfTrace *trace, bool growing,
                            bool (*is_reserved)(const XtfSchema *schema), GError **error);
void xtf_trace_context_finish(XtfTraceContext *context);

/* Return the trace's locations, ranks, names ..., which the first call of each function loads. NULL with an error. */
const XtfLocations *xtf_trace_context_locations(XtfTraceContext *context, GError **error);
const XtfRanks *xtf_trace_context_ranks(XtfTraceContext *context, GError **error);
/* Returns the ranks, prepared for xtf_ranks_rank(). */
const XtfRanks *xtf_trace_context_sorted_ranks(XtfTraceContext *context, GError **error);
const XtfMemberRanges *xtf_trace_context_member_ranges(XtfTraceContext *context, GError **error);
const XtfNameIndex *xtf_trace_context_regions(XtfTraceContext *context, GError **error);
const XtfNameIndex *xtf_trace_context_comms(XtfTraceContext *context, GError **error);
const XtfRegionClasses *xtf_trace_context_classes(XtfTraceContext *context, GError **error);
const XtfSites *xtf_trace_context_sites(XtfTraceContext *context, GError **error);

/* True if a type of derived rows was made with other clocks than the trace has (analyses.h). Views hide such types. */
bool xtf_trace_context_is_outdated(XtfTraceContext *context, const XtfSchema *schema, bool *outdated, GError **error);

/* Returns the index in `all` of the first location of process `proc` or a later one. */
uint32_t xtf_locations_of_proc(const XtfLocations *locations, uint64_t proc);
/* Finds the index in `all` of a thread of a process. False if the process has no such thread. */
bool xtf_locations_find(const XtfLocations *locations, uint64_t proc, uint64_t thread, uint32_t *index);

/* Returns the time before which no record changes: 0 if any may, UINT64_MAX if the trace does not grow. */
uint64_t xtf_trace_context_final(const XtfTraceContext *context);

/* Returns the most ticks that a call, or the records of a location, can last. In a growing trace open calls last until
 * the complete time. */
uint64_t xtf_trace_context_longest(const XtfTraceContext *context);
/* Finds the schema of a kind by its name in the tree; NULL if the trace has none. */
const XtfSchema *xtf_trace_context_schema(XtfTraceContext *context, const char *name, XtfSchemaKind kind);

bool xtf_trace_context_is_record(const XtfTraceContext *context, uint32_t schema);

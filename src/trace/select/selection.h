/*
 * Selections: the sets of records that directories of the tree represent.
 *
 * A selection is a short immutable description; narrowing makes a new one and reads no records. To count or read its
 * records, a resolver finds its spans: the selected rows of each array. A window costs two descents per array, a
 * filter two more. A selection's records are the rows of its spans, in (T, location, seq) order.
 *
 * Any thread may call any function.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/spans.h"
#include "src/trace/context/number-set.h"
#include "src/trace/context/trace-context.h"
#include "src/trace/select/keeper.h"
#include "src/trace/select/location-windows.h"

enum {
    XTF_ANY_TYPE = -1, /* records of all types, but no derived rows */
    XTF_NO_TYPE = -2,  /* no records: narrowed to two types at once */
};

/* Roles of fields whose values narrow a selection. A record type that has no such field has no records then. */
typedef enum {
    XTF_BY_REGION, /* values are rows of definitions/regions */
    XTF_BY_COMM,   /* values are rows of definitions/communicators */
    XTF_BY_TAG,
    XTF_BY_PEER,    /* values are numbers of processes */
    XTF_BY_KIND,    /* labels of events, of a type of derived rows */
    XTF_BY_CULPRIT, /* values are numbers of processes */
    XTF_BY_SITE,    /* values are rows of definitions/sites */
    XTF_N_FACETS,
} XtfFacet;

typedef struct XtfSelection XtfSelection;
struct XtfSelection {
    gatomicrefcount references;
    XtfSelection *base; /* selection whose records [rank_from, rank_to) this one has; NULL: the trace */
    uint64_t rank_from, rank_to;
    /* Conditions on the records. With a base they begin as the base's. */
    XtfNumberSet *procs, *threads;  /* NULL: all */
    XtfNumberSet *by[XTF_N_FACETS]; /* NULL: all; see matcher.h */
    int64_t type;                   /* a schema's id, XTF_ANY_TYPE or XTF_NO_TYPE */
    bool calls;                     /* only the ENTERs of `enters_leaves`, the type: a record for each call */
    uint64_t time_from, time_to;    /* [from, to) */
    XtfLocationWindows *windows;    /* parts of [from, to), by location; NULL: each location has all of it */
    bool endless; /* to the end of the trace: no window ends before. In a growing trace `time_to` is then the complete
                     time */
};

/* Makes the selection of the whole trace. */
XtfSelection *xtf_selection_new(const XtfTraceContext *context);
XtfSelection *xtf_selection_ref(XtfSelection *selection);
void xtf_selection_unref(XtfSelection *selection); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSelection, xtf_selection_unref)

/* Narrow or widen a selection, and return the result as a new selection. */
XtfSelection *xtf_selection_in_procs(const XtfSelection *selection, XtfNumberSet *procs);
XtfSelection *xtf_selection_in_threads(const XtfSelection *selection, XtfNumberSet *threads);
XtfSelection *xtf_selection_by(const XtfSelection *selection, XtfFacet facet, XtfNumberSet *values);
/* Selects the calls from some rows of definitions/sites. They are also calls of the regions that these sites call. */
XtfSelection *xtf_selection_in_sites(const XtfSelection *selection, const XtfSites *sites, XtfNumberSet *rows);
XtfSelection *xtf_selection_in_type(const XtfSelection *selection, uint32_t schema);
/* Selects all types of the same processes, threads and window. */
XtfSelection *xtf_selection_of_any_type(const XtfSelection *selection);
/* Removes the narrowing by a field's values. */
XtfSelection *xtf_selection_without(const XtfSelection *selection, XtfFacet facet);
/* Selects the calls of the selection. Calls exist if the trace keeps aggregates of frames. */
XtfSelection *xtf_selection_in_calls(const XtfSelection *selection, const XtfTraceContext *context);
XtfSelection *xtf_selection_in_window(const XtfSelection *selection, uint64_t from, uint64_t to);
/* Narrows the window of each location. Borrows `windows`. */
XtfSelection *xtf_selection_in_location_windows(const XtfSelection *selection, XtfLocationWindows *windows);
XtfSelection *xtf_selection_in_numbers(XtfSelection *selection, uint64_t from, uint64_t to);

/* True if no later commit adds a record to the selection. */
bool xtf_selection_is_final(const XtfSelection *selection, const XtfTraceContext *context);

/* True if rows of a schema are records of the selection. A selection has all types of records, or one named type,
 * derived or not. */
bool xtf_selection_has_type(const XtfSelection *selection, const XtfSchema *schema);

/* True if the selection is narrowed by the values of fields. */
bool xtf_selection_has_facets(const XtfSelection *selection);

/* True if the selection excludes rows of an array for reasons other than their times. */
static inline bool xtf_selection_is_filtered(const XtfSelection *selection)
{
    return selection->calls || xtf_selection_has_facets(selection);
}

/* Returns the selection's window in a location, one of its context's. */
void xtf_selection_location_window(const XtfSelection *selection, const XtfLocation *location, uint64_t *from,
                                   uint64_t *to);

/* Returns the selection's window, cut off at the ends of the trace. It contains the windows of all locations. */
void xtf_selection_window(const XtfSelection *selection, const XtfTimeScale *scale, uint64_t *from, uint64_t *to);

/* Returns the indices of the locations that a selection may have records of, ascending: by (proc, thread). */
GArray *xtf_selection_locations(const XtfSelection *selection, const XtfLocations *locations);

/* A finder of the spans of selections, with a cache. */
typedef struct {
    XtfTraceContext *context; /* borrowed */
    XtfKeeper kept;
} XtfResolver;

void xtf_resolver_init(XtfResolver *resolver, XtfTraceContext *context);
void xtf_resolver_finish(XtfResolver *resolver);

/* Finds the spans of a selection. Returns a new reference; NULL with an error. A span's tag is the index of its
 * location in XtfLocations. */
XtfSpans *xtf_resolver_spans(XtfResolver *resolver, XtfSelection *selection, GError **error);
/* Counts the records. Reads only the catalog if the catalog suffices. */
bool xtf_resolver_count(XtfResolver *resolver, XtfSelection *selection, uint64_t *count, GError **error);

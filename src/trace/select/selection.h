/*
 * Selections: what a directory of the tree stands for, and where its records are.
 *
 * A selection is a short immutable description; narrowing makes a new one and costs nothing. Only when its records are
 * counted or read is it resolved to spans, of each array the rows that belong to it. A window costs two descents an
 * array, a filter two more. The records of a selection are those of its spans, in (T, location, seq) order.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/spans.h"
#include "src/trace/context/number-set.h"
#include "src/trace/context/trace-context.h"
#include "src/trace/select/keeper.h"

enum {
    XTF_ANY_TYPE = -1, /* records of all types; none that is derived */
    XTF_NO_TYPE = -2,  /* narrowed to two types at once */
};

/* Roles of fields whose values narrow a selection. A record type that has no such field has no records then. */
typedef enum {
    XTF_BY_REGION, /* rows of definitions/regions */
    XTF_BY_COMM,   /* rows of definitions/communicators */
    XTF_BY_TAG,
    XTF_BY_PEER,    /* processes */
    XTF_BY_KIND,    /* labels of events, of a type of derived rows */
    XTF_BY_CULPRIT, /* processes */
    XTF_N_FACETS,
} XtfFacet;

typedef struct XtfSelection XtfSelection;
struct XtfSelection {
    gatomicrefcount references;
    XtfSelection *base; /* the records [rank_from, rank_to) of this one, counted in order; NULL: of the trace */
    uint64_t rank_from, rank_to;
    /* These hold for all records of the selection. With a base they begin as the base's. */
    XtfNumberSet *procs, *threads;  /* NULL: all */
    XtfNumberSet *by[XTF_N_FACETS]; /* NULL: all; see matcher.h */
    int64_t type;                   /* a schema's id, or one of the above */
    bool calls;                     /* of `enters_leaves`, the type, only the ENTERs: as calls, a line each */
    uint64_t time_from, time_to;    /* [from, to) */
    bool endless; /* to the end of the trace, wherever that is: no window has an end. Of a growing trace `time_to` is
                     where it is complete */
};

/* All of the trace. */
XtfSelection *xtf_selection_new(const XtfTraceContext *context);
XtfSelection *xtf_selection_ref(XtfSelection *selection);
void xtf_selection_unref(XtfSelection *selection); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSelection, xtf_selection_unref)

/* New selections. */
XtfSelection *xtf_selection_in_procs(const XtfSelection *selection, XtfNumberSet *procs);
XtfSelection *xtf_selection_in_threads(const XtfSelection *selection, XtfNumberSet *threads);
XtfSelection *xtf_selection_by(const XtfSelection *selection, XtfFacet facet, XtfNumberSet *values);
XtfSelection *xtf_selection_in_type(const XtfSelection *selection, uint32_t schema);
/* The same processes, threads and window, of all types. */
XtfSelection *xtf_selection_of_any_type(const XtfSelection *selection);
/* The same without the narrowing by a field's values. */
XtfSelection *xtf_selection_without(const XtfSelection *selection, XtfFacet facet);
/* The calls of the selection. They exist if the trace keeps aggregates of frames. */
XtfSelection *xtf_selection_in_calls(const XtfSelection *selection, const XtfTraceContext *context);
XtfSelection *xtf_selection_in_window(const XtfSelection *selection, uint64_t from, uint64_t to);
XtfSelection *xtf_selection_in_numbers(XtfSelection *selection, uint64_t from, uint64_t to);

/* Whether no later commit adds a record to it. */
bool xtf_selection_is_final(const XtfSelection *selection, const XtfTraceContext *context);

/* Whether a selection takes rows of a schema as its records: all types of records, or the one type, derived or not,
 * that the selection names. */
bool xtf_selection_has_type(const XtfSelection *selection, const XtfSchema *schema);

/* Whether anything narrows by the values of fields. */
bool xtf_selection_has_facets(const XtfSelection *selection);

/* Whether it has some rows of an array and not others, whatever their times. */
static inline bool xtf_selection_is_filtered(const XtfSelection *selection)
{
    return selection->calls || xtf_selection_has_facets(selection);
}

/* Its window, cut off at the ends of the trace. */
void xtf_selection_window(const XtfSelection *selection, const XtfTimeScale *scale, uint64_t *from, uint64_t *to);

/* The indices in `locations` of those that a selection may have records of, ascending: by (proc, thread). */
GArray *xtf_selection_locations(const XtfSelection *selection, const XtfLocations *locations);

/* Finds the spans of selections, and keeps them. */
typedef struct {
    XtfTraceContext *context; /* borrowed */
    XtfKeeper kept;
} XtfResolver;

void xtf_resolver_init(XtfResolver *resolver, XtfTraceContext *context);
void xtf_resolver_finish(XtfResolver *resolver);

/* A new reference; NULL with an error. A span's tag is the index of its location in XtfLocations. */
XtfSpans *xtf_resolver_spans(XtfResolver *resolver, XtfSelection *selection, GError **error);
/* The number of records: by the catalog alone where that knows it. */
bool xtf_resolver_count(XtfResolver *resolver, XtfSelection *selection, uint64_t *count, GError **error);

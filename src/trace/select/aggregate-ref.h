/*
 * References to the aggregates that views show. A reference names an aggregate of a record type, and its keys and
 * cells. The functions find them by the aggregate's kind and by the roles of fields.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/aggregates.h"
#include "src/trace/context/trace-context.h"
#include "src/trace/select/selection.h"

enum {
    XTF_KEY_NONE = XTF_AGGREGATE_KEYS_MAX, /* the index of a missing key */
};

typedef struct {
    const XtfSchema *schema;       /* NULL: the trace has no such aggregate */
    const XtfAggregate *aggregate; /* schema->aggregates[number] */
    unsigned number;
    unsigned event, region, comm, peer, metric, value_type; /* indices of keys */
    unsigned bytes, received;                               /* indices of cells; 0: missing */
} XtfAggregateRef;

/* Finds the aggregate of frames of `enters_leaves`, by region. */
bool xtf_aggregate_ref_frames(XtfAggregateRef *ref, const XtfTraceContext *context);
/* Finds the aggregate of frames of `enters_leaves`, by call site. Traces without sites have none. */
bool xtf_aggregate_ref_frames_by_site(XtfAggregateRef *ref, const XtfTraceContext *context);
/* Finds the aggregate of frames, by region or by site, whose groups decide which calls are in a selection. */
bool xtf_aggregate_ref_frames_of(XtfAggregateRef *ref, const XtfTraceContext *context, const XtfSelection *selection);
/* Finds the first aggregate of groups of a record type. */
bool xtf_aggregate_ref_groups(XtfAggregateRef *ref, const XtfTraceContext *context, const char *type);

/* Finds the aggregate of the growth of counters, by metric, value type and region. */
bool xtf_aggregate_ref_growth(XtfAggregateRef *ref, const XtfTraceContext *context);

/* Refers to the aggregate of groups with a number. */
void xtf_aggregate_ref_numbered(XtfAggregateRef *ref, const XtfSchema *schema, unsigned number);
/* Returns the cell of the sum of a field's values; 0 if the aggregate does not sum the field. */
unsigned xtf_aggregate_ref_cell(const XtfAggregateRef *ref, const char *field);

/* Returns how many digits the number of all rows, or the largest sum of a cell in the trace, may have. */
size_t xtf_aggregate_ref_rows_width(const XtfAggregateRef *ref, const XtfTraceContext *context);
size_t xtf_aggregate_ref_sum_width(const XtfAggregateRef *ref, const XtfTraceContext *context, unsigned cell);

/* Returns the field of a key, or the field that a cell sums. */
const XtfField *xtf_aggregate_ref_key(const XtfAggregateRef *ref, unsigned key);
const XtfField *xtf_aggregate_ref_value(const XtfAggregateRef *ref, unsigned cell);

/* True if the selection's type admits records of this schema. True for side rows, which accompany their records. */
bool xtf_selection_may_have(const XtfSelection *selection, const XtfSchema *schema);

/* True if a value of a field, as stored in keys, means "none". */
static inline bool xtf_key_is_none(const XtfField *field, uint64_t value)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * field->width);
    return (field->flags & XTF_FIELD_OPTIONAL) && (value & mask) == mask;
}

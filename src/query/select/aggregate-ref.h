/*
 * Measures: which of a record type's sums tell what a view shows, found by what they are and by the roles of their
 * fields, and what of them a selection leaves.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/aggregates.h"
#include "src/query/select/selection.h"
#include "src/query/select/trace-context.h"

enum {
    XTF_KEY_NONE = XTF_AGGREGATE_KEYS_MAX, /* the place of a key that there is not */
};

typedef struct {
    const XtfSchema *schema;       /* NULL: the trace has no such sums */
    const XtfAggregate *aggregate; /* schema->sums[number] */
    unsigned number;
    unsigned event, region, comm, peer, metric, value_type; /* places of keys */
    unsigned bytes, received;                               /* cells; 0: none */
} XtfAggregateRef;

/* Sums of frames of the record type of the call stack. */
bool xtf_aggregate_ref_frames(XtfAggregateRef *measure, const XtfTraceContext *context);
/* Sums of groups of a type: the rows, and what they hold, by what the keys tell. */
bool xtf_aggregate_ref_groups(XtfAggregateRef *measure, const XtfTraceContext *context, const char *type);

/* Digits of the most rows that there can be, and of the most that a cell can add up to over the whole trace. */
size_t xtf_aggregate_ref_rows_width(const XtfAggregateRef *measure, const XtfTraceContext *context);
size_t xtf_aggregate_ref_sum_width(const XtfAggregateRef *measure, const XtfTraceContext *context, unsigned cell);

/* The fields that a key, and a cell that is a sum, are of. */
const XtfField *xtf_aggregate_ref_key(const XtfAggregateRef *measure, unsigned key);
const XtfField *xtf_aggregate_ref_value(const XtfAggregateRef *measure, unsigned cell);

/* Whether the selection's type leaves records of this schema. Of side rows it says nothing: they go with their records.
 */
bool xtf_selection_may_have(const XtfSelection *selection, const XtfSchema *schema);

/* Whether a value of a field, as keys have it, means none. */
static inline bool xtf_key_is_none(const XtfField *field, uint64_t value)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * field->width);
    return (field->flags & XTF_FIELD_OPTIONAL) && (value & mask) == mask;
}

/*
 * References to the aggregates that views show: which of a record type's aggregates, and which of its keys and cells,
 * found by kind and by the roles of fields.
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

/* The aggregate of frames of the record type of the call stack. */
bool xtf_aggregate_ref_frames(XtfAggregateRef *ref, const XtfTraceContext *context);
/* The aggregate of groups of a record type. */
bool xtf_aggregate_ref_groups(XtfAggregateRef *ref, const XtfTraceContext *context, const char *type);

/* Of the values of counters, that of their growth by metric, value type and region. */
bool xtf_aggregate_ref_growth(XtfAggregateRef *ref, const XtfTraceContext *context);

/* An aggregate of groups by its number. */
void xtf_aggregate_ref_numbered(XtfAggregateRef *ref, const XtfSchema *schema, unsigned number);
/* The cell of the sum of a field's values; 0: the aggregate does not add it up. */
unsigned xtf_aggregate_ref_cell(const XtfAggregateRef *ref, const char *field);

/* Digits of the largest number of rows, and of the largest sum that a cell can have over the whole trace. */
size_t xtf_aggregate_ref_rows_width(const XtfAggregateRef *ref, const XtfTraceContext *context);
size_t xtf_aggregate_ref_sum_width(const XtfAggregateRef *ref, const XtfTraceContext *context, unsigned cell);

/* The field of a key; the field that a cell is the sum of. */
const XtfField *xtf_aggregate_ref_key(const XtfAggregateRef *ref, unsigned key);
const XtfField *xtf_aggregate_ref_value(const XtfAggregateRef *ref, unsigned cell);

/* Whether the selection's type leaves records of this schema. True for side rows: they go with their records. */
bool xtf_selection_may_have(const XtfSelection *selection, const XtfSchema *schema);

/* Whether a value of a field, as keys have it, means none. */
static inline bool xtf_key_is_none(const XtfField *field, uint64_t value)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * field->width);
    return (field->flags & XTF_FIELD_OPTIONAL) && (value & mask) == mask;
}

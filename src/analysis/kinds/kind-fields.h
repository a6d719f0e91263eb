/*
 * The fields of the trace's schemas, and the meanings of their labels.
 */
#pragma once

#include "src/analysis/kinds/kind-rows.h"

enum {
    XTF_KIND_TYPE_CALLS,
    XTF_KIND_TYPE_THREADS,
    XTF_N_KIND_TYPES = 8,
    XTF_N_KIND_FIELDS = 16,
};

/* The fields of one record type; all zeros if the trace does not have it. */
typedef struct {
    const XtfSchema *schema;
    const XtfField *event, *seq, *depth;
    const XtfField *fields[XTF_N_KIND_FIELDS];
    uint8_t *row_event; /* XtfKindRowEvent, by label */
    int aggregate;      /* aggregate of groups whose key `event_key` is the event; -1: none */
    unsigned event_key;
} XtfKindType;

struct XtfKindFields {
    XtfKindType types[XTF_N_KIND_TYPES];
    uint64_t row_events; /* bits by XtfKindRowEvent: rows that cause waits */
    bool has_pthread;
    uint32_t pthread; /* `model` of POSIX threads in `locks` */
};

/* Sets *matter if the array has rows of an event in `row_events`, by the totals of the whole array. */
bool xtf_kind_fields_matter(const XtfKindType *type, const XtfArray *array, uint64_t row_events, bool *matter,
                            GError **error);
/* Reads row n of an array of the type. */
void xtf_kind_fields_read(const XtfKindType *type, const uint8_t *from, uint64_t n, XtfKindRow *row);

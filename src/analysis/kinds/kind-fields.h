/*
 * Where the fields lie in the trace's schemas, and what their labels mean.
 */
#pragma once

#include "src/analysis/kinds/kind-rows.h"

enum {
    XTF_KIND_TYPE_CALLS,
    XTF_KIND_TYPE_THREADS,
    XTF_N_KIND_TYPES = 8,
    XTF_N_KIND_FIELDS = 15,
};

/* Of one record type; all zeros if the trace does not have it. */
typedef struct {
    const XtfSchema *schema;
    const XtfField *event, *seq, *depth;
    const XtfField *fields[XTF_N_KIND_FIELDS];
    uint8_t *what; /* XtfKindRowWhat, by label */
    int aggregate; /* of groups by event, which is its key `event_key`; -1: there is none */
    unsigned event_key;
} XtfKindType;

struct XtfKindFields {
    XtfKindType types[XTF_N_KIND_TYPES];
    uint64_t whats; /* rows that waits follow from: bits by XtfKindRowWhat */
    bool has_pthread;
    uint32_t pthread; /* `model` of POSIX threads in `locks` */
};

/* Whether the array has rows that are among `whats`, by the totals of the whole array. */
bool xtf_kind_fields_matter(const XtfKindType *type, const XtfArray *array, uint64_t whats, bool *matter,
                            GError **error);
/* Row n of an array of the type. */
void xtf_kind_fields_read(const XtfKindType *type, const uint8_t *from, uint64_t n, XtfKindRow *row);

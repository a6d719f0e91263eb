/*
 * A walk over the records of one location, with the time between them less the costs of the probes.
 *
 * The cost of a record follows its time. A *section* is the time from a record to the next one with a later time. In
 * the program without probes it is shorter by the costs of the records at its begin. A section shorter than these costs
 * becomes 0, and counts as clamped. The *local* time of a record is the time of the location's first record plus the
 * sections up to it. Recorded waits count as sections.
 *
 * Records of one time share a probe's reading of the clock: their costs together shorten the next section. Fractions of
 * a tick pass on to later sections.
 */
#pragma once

#include "src/analysis/compensate/probes.h"
#include "src/analysis/steps/steps.h"

typedef struct {
    uint64_t time, local; /* of the last record */
    uint64_t debt;        /* costs that no section has paid, in parts of a tick */
    uint64_t removed;     /* ticks that sections have paid */
    uint64_t n_sections, n_clamped;
    bool any;
} XtfSections;

typedef struct {
    const XtfSchema *schema;
    const uint8_t *row;
    uint64_t number; /* of the row in its array */
    uint64_t seq, time;
    uint64_t local;
    uint64_t begin; /* recorded time at which the section that ends here began, after the probes */
    uint64_t debt;  /* whole ticks that the probes up to this one have cost since `time` */
} XtfWalkedRecord;

typedef bool (*XtfWalkVisit)(void *data, const XtfWalkedRecord *record, GError **error);

/* Visits all records of a location, in order. `sections` gets the sums. Counts each record for the current step.
 * XTF_ERROR_UNSUPPORTED for a type without numbers of records. */
bool xtf_walk(const XtfProbes *probes, const XtfLocation *location, XtfSections *sections, XtfWalkVisit visit,
              void *data, XtfSteps *steps, GError **error);

/*
 * The costs of a recorder's probes: what writing a record took in the recorded program.
 *
 * A text states costs: "ENTER=120ns,LEAVE=90ns,MPI=300ns,METRIC=40ns,solve*=2us". Items are separated by commas. An
 * item is NAME=TIME, and applies to all processes, or SET:NAME=TIME for the processes of a set: "0-3:ENTER=2us". A name
 * is a class of records:
 * - ENTER, LEAVE: the records of calls;
 * - MPI: messages, requests, collective operations, communicators, windows;
 * - METRIC: counters;
 * - OTHER: all other records that a probe writes.
 * Any other name is a pattern of names of regions. It gives the cost of each ENTER and each LEAVE of these regions, in
 * place of ENTER and LEAVE. The last item for a record counts. A time has a unit (ns, us, ms, s) and
 * up to three decimals of a nanosecond; 0 needs no unit.
 *
 * A BUFFER_FLUSH states its own length, which is added to its cost.
 *
 * Costs are in parts of a tick, XTF_PROBE_PARTS to a tick. Any thread may read costs.
 */
#pragma once

#include "libxtf/field-load.h"
#include "src/trace/context/trace-context.h"

enum { XTF_PROBE_PARTS = 1024 };

typedef enum {
    XTF_PROBE_ENTER,
    XTF_PROBE_LEAVE,
    XTF_PROBE_MPI,
    XTF_PROBE_METRIC,
    XTF_PROBE_OTHER,
    XTF_PROBE_FREE, /* no probe wrote the record */
    XTF_N_PROBES = XTF_PROBE_FREE,
} XtfProbeClass;

/* By schema: how to find the cost of a row. */
typedef struct {
    uint8_t class; /* XtfProbeClass; ENTER: ENTER or LEAVE, by `event` */
    bool has_seq, has_stop;
    XtfFieldLoad seq, event, region, stop;
    uint64_t flush; /* value of `event` of a BUFFER_FLUSH, if has_stop */
} XtfProbeSchema;

typedef struct {
    XtfTraceContext *context; /* borrowed */
    GArray *items;            /* private */
    XtfProbeSchema *schemas;  /* by schema */
    uint64_t n_regions;
    GString *text; /* all that was added, for a user */
    bool flushes;  /* true: BUFFER_FLUSH costs its length */
} XtfProbes;

/* The costs of the records of one process. */
typedef struct {
    uint64_t classes[XTF_N_PROBES + 1];
    uint64_t *regions; /* by region; UINT64_MAX: none of its own. NULL: no region has one. Owned */
} XtfProbeCosts;

/* Makes probes that cost nothing. Borrows the context. NULL with an error. */
XtfProbes *xtf_probes_new(XtfTraceContext *context, GError **error);
void xtf_probes_free(XtfProbes *probes); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfProbes, xtf_probes_free)

/* Adds the costs that a text states. XTF_ERROR_INVALID if it cannot be read, or a pattern matches no region. */
bool xtf_probes_add(XtfProbes *probes, const char *text, GError **error);
/* Adds the costs that the recorder measured, as properties of the trace's processes state them. Sets *any if there are
 * some. */
bool xtf_probes_add_recorded(XtfProbes *probes, bool *any, GError **error);
/* True if any cost is not 0. */
bool xtf_probes_cost_something(const XtfProbes *probes);

/* Finds the costs of a process, by its number. The caller finishes them. */
void xtf_probes_of(const XtfProbes *probes, uint64_t proc, XtfProbeCosts *costs);
void xtf_probe_costs_finish(XtfProbeCosts *costs); /* accepts zeros */

/* Returns the cost of a row, in parts of a tick. */
static inline uint64_t xtf_probe_cost(const XtfProbes *probes, const XtfProbeCosts *costs, const XtfProbeSchema *schema,
                                      const uint8_t *row)
{
    if (schema->class == XTF_PROBE_ENTER) {
        uint64_t cost = UINT64_MAX;
        if (G_UNLIKELY(costs->regions != NULL)) {
            uint64_t region = xtf_load_bits(&schema->region, row);
            cost = region < probes->n_regions ? costs->regions[region] : UINT64_MAX;
        }
        return cost != UINT64_MAX ? cost : costs->classes[xtf_load_bits(&schema->event, row) == 0 ? 0 : 1];
    }
    uint64_t cost = costs->classes[schema->class];
    if (G_UNLIKELY(schema->has_stop) && probes->flushes && xtf_load_bits(&schema->event, row) == schema->flush) {
        uint64_t time, stop = xtf_load_bits(&schema->stop, row);
        memcpy(&time, row, sizeof time);
        time = GUINT64_FROM_LE(time);
        if (stop != UINT64_MAX && stop > time)
            cost += MIN(stop - time, UINT64_MAX / XTF_PROBE_PARTS / 2) * XTF_PROBE_PARTS;
    }
    return cost;
}

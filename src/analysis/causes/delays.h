/*
 * What call paths are charged with: rows of `delays`, which come backward at each location, and are read forward.
 *
 * They lie in a file that has no name; memory is some 8 MiB. Belongs to one thread.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/causes/costs.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/points.h"

/* What a call path of a location is charged with at one point. */
typedef struct {
    uint64_t seq, time;             /* of the point at which the location was late */
    uint64_t short_term, long_term; /* ticks */
    uint32_t callpath;              /* UINT32_MAX: outside of all calls */
    uint8_t cost;                   /* XtfCostKind: of the waits in which the costs end */
    uint8_t unused[3];
} XtfDelay;

typedef struct XtfDelays XtfDelays;

XtfDelays *xtf_delays_new(uint32_t n_locations, GError **error);
void xtf_delays_free(XtfDelays *delays); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfDelays, xtf_delays_free)

/* In the order of `seq`, backward. */
bool xtf_delays_add(XtfDelays *delays, uint32_t location, const XtfDelay *delay, GError **error);
/* In the order of `seq`. */
uint64_t xtf_delays_n(const XtfDelays *delays, uint32_t location);
bool xtf_delays_get(XtfDelays *delays, uint32_t location, uint64_t i, XtfDelay *delay, GError **error);

/* Writes the rows of `delays` of all locations. One step. */
bool xtf_delays_write(const XtfPoints *points, XtfDelays *delays, XtfWriter *writer, XtfSteps *steps, GError **error);

/*
 * Delays: the charges of call paths, which are rows of `delays`. The backward pass adds them in reverse order at each
 * location. Readers get them in forward order. Most are in an unnamed temporary file, some 8 MiB in memory. Threads
 * may add delays of different locations at once. One thread reads.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/causes/costs.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/points.h"

/* The charge of a call path of a location at one point. */
typedef struct {
    uint64_t seq, time;             /* of the point at which the location was late */
    uint64_t short_term, long_term; /* ticks */
    uint32_t callpath;              /* UINT32_MAX: outside of all calls */
    uint8_t cost;                   /* XtfCostKind: the kind of the waits in which the costs end */
    uint8_t unused[3];
} XtfDelay;

typedef struct XtfDelays XtfDelays;

XtfDelays *xtf_delays_new(uint32_t n_locations, GError **error);
void xtf_delays_free(XtfDelays *delays); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfDelays, xtf_delays_free)

/* Adds a delay. To be called in descending order of `seq`. */
bool xtf_delays_add(XtfDelays *delays, uint32_t location, const XtfDelay *delay, GError **error);
/* Returns the number of a location's delays. */
uint64_t xtf_delays_n(const XtfDelays *delays, uint32_t location);
/* Reads delay `i` of a location, in ascending order of `seq`. */
bool xtf_delays_get(XtfDelays *delays, uint32_t location, uint64_t i, XtfDelay *delay, GError **error);

/* Writes the rows of `delays` of all locations. Takes one step of `steps`. */
bool xtf_delays_write(const XtfPoints *points, XtfDelays *delays, XtfWriter *writer, XtfSteps *steps, GError **error);

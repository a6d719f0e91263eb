/*
 * Counters that a program sampled, as OpenTS does: by how much they grew in a window.
 *
 * The property `values` says what a sample holds. If it is "cumulative", a counter has grown by its last sample in the
 * window less the last one before it, and not at all if it fell; a sample that lacks the value tells nothing. Otherwise
 * samples count anew, and what is in the window is added up. Either way it costs descents, whatever the window's
 * length.
 */
#pragma once

#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/location-arrays.h"

enum { XTF_SAMPLE_COUNTERS_MAX = 4 };

/* One record type of samples. A counter is told from others of the type by the key of its group. */
typedef struct {
    XtfAggregateRef ref; /* schema NULL: the trace has none */
    unsigned n_counters;
    unsigned cells[XTF_SAMPLE_COUNTERS_MAX]; /* of the counters; 0: the trace has no such counter */
    bool cumulative;
} XtfSamples;

/* The counters of a type by their fields, NULL at the end. Returns whether the trace has any such record. */
bool xtf_samples_init(XtfSamples *samples, const XtfTraceContext *context, const char *type,
                      const char *const *counters);

/* Called for each group with samples in the window: its key, and the growth of each counter. */
typedef void (*XtfSampleGroup)(const uint64_t *key, const uint64_t *growth, void *data);
/* What a location's counters grew by in [from, to). Any thread. */
bool xtf_samples_growth(const XtfSamples *samples, const XtfLocationArrays *arrays, uint64_t from, uint64_t to,
                        XtfSampleGroup group, void *data, GError **error);

/* The last sample before `to` of the group with a key, or of any group if it is NULL: a row of XTF_ROW_MAX bytes. */
bool xtf_samples_last(const XtfSamples *samples, const XtfLocationArrays *arrays, const uint64_t *key, uint64_t to,
                      uint8_t *row, bool *found, GError **error);

/* The greatest sum that a counter, by its number, can have over the trace: for widths of columns. */
uint64_t xtf_samples_most(const XtfSamples *samples, const XtfTraceContext *context, unsigned counter);

/*
 * Growth in a window of counters that a program sampled, as OpenTS does.
 *
 * The property `values` says what a sample holds. If it is "cumulative", the growth is the last sample in the window
 * less the last sample before the window. It is 0 if the counter fell, or one of these samples lacks the value.
 * Otherwise each sample counts from 0, and the growth is the sum of the samples in the window. Both ways cost some
 * descents, independent of the window's length.
 */
#pragma once

#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/location-arrays.h"

enum { XTF_SAMPLE_COUNTERS_MAX = 4 };

/* A record type of samples. The key of a group identifies a counter among others of the type. */
typedef struct {
    XtfAggregateRef ref; /* schema NULL: the trace has none */
    unsigned n_counters;
    unsigned cells[XTF_SAMPLE_COUNTERS_MAX]; /* cells of the counters; 0: the trace has no such counter */
    bool cumulative;
} XtfSamples;

/* Finds the counters of a type by their fields; `counters` ends with NULL. Returns true if the trace has such records.
 * */
bool xtf_samples_init(XtfSamples *samples, const XtfTraceContext *context, const char *type,
                      const char *const *counters);

/* A callback for each group with samples in the window: its key, and the growth of each counter. */
typedef void (*XtfSampleGroup)(const uint64_t *key, const uint64_t *growth, void *data);
/* Calls `group` with the growth of a location's counters in [from, to). May be called from any thread. */
bool xtf_samples_growth(const XtfSamples *samples, const XtfLocationArrays *arrays, uint64_t from, uint64_t to,
                        XtfSampleGroup group, void *data, GError **error);

/* Finds the last sample before `to` of the group with `key`, or of any group if it is NULL. `row` has XTF_ROW_MAX
 * bytes. */
bool xtf_samples_last(const XtfSamples *samples, const XtfLocationArrays *arrays, const uint64_t *key, uint64_t to,
                      uint8_t *row, bool *found, GError **error);

/* Returns the greatest possible sum of a counter over the trace, for widths of columns. */
uint64_t xtf_samples_most(const XtfSamples *samples, const XtfTraceContext *context, unsigned counter);

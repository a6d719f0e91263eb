/*
 * What calls each location was in between its points: time by call path, for any two points.
 *
 * Time is charged to the call path in which a location was, at the record that ends it: the ENTER of an inner call, or
 * the LEAVE. So the whole time of the call around a point is charged behind the point, as in Scalasca
 * (src/scout/TmapCacheHandler.cpp).
 *
 * It is kept in a file that no folder lists; memory is some 20 MiB. Belongs to one thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct XtfCallTimes XtfCallTimes;

XtfCallTimes *xtf_call_times_new(const char *folder, GError **error);
void xtf_call_times_free(XtfCallTimes *times); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfCallTimes, xtf_call_times_free)

/* In the order of the locations' numbers, from 0, and in each in the order of its records. */
bool xtf_call_times_begin(XtfCallTimes *times, GError **error); /* the next location */
uint32_t xtf_call_times_n_locations(const XtfCallTimes *times); /* that were begun */
void xtf_call_times_charge(XtfCallTimes *times, uint32_t context, uint64_t ticks);
bool xtf_call_times_point(XtfCallTimes *times, GError **error); /* the location's next point is here */

/* Time by call path. Ticks are signed, as one may take off more than was put in. */
typedef struct {
    uint32_t n_contexts;
    int64_t *ticks;    /* by context */
    uint32_t *touched; /* contexts whose ticks are not 0, or were not */
    uint32_t n_touched;
    bool *is_touched;
} XtfContextTimes;

void xtf_context_times_init(XtfContextTimes *times, uint32_t n_contexts);
void xtf_context_times_finish(XtfContextTimes *times);
void xtf_context_times_clear(XtfContextTimes *times);
/* A context that is none of them is left out. */
void xtf_context_times_add(XtfContextTimes *times, uint32_t context, int64_t ticks);

/* Adds what a location did between its points `from` and `to`, by index; from its beginning if `from` is UINT64_MAX. */
bool xtf_call_times_sum(XtfCallTimes *times, uint32_t location, uint64_t from, uint64_t to, XtfContextTimes *sum,
                        GError **error);

/*
 * Time by call path.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Ticks are signed, as one may take off more than was put in. */
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
bool xtf_context_times_has(const XtfContextTimes *times, uint32_t context); /* something was added to it */
/* Makes a context's ticks 0 if they are less; those of all. */
void xtf_context_times_not_negative(XtfContextTimes *times, uint32_t context);
void xtf_context_times_none_negative(XtfContextTimes *times);

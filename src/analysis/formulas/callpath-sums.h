/*
 * Time by call path.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Ticks are signed, as one may take off more than was put in. */
typedef struct {
    uint32_t n_callpaths;
    int64_t *ticks;    /* by call path */
    uint32_t *touched; /* call paths whose ticks are not 0, or were not */
    uint32_t n_touched;
    bool *is_touched;
} XtfCallpathSums;

void xtf_callpath_sums_init(XtfCallpathSums *sums, uint32_t n_callpaths);
/* Makes room for n call paths at least. */
void xtf_callpath_sums_reserve(XtfCallpathSums *sums, uint32_t n);
void xtf_callpath_sums_finish(XtfCallpathSums *sums);
void xtf_callpath_sums_clear(XtfCallpathSums *sums);
/* A call path that is none of them is left out. */
void xtf_callpath_sums_add(XtfCallpathSums *sums, uint32_t callpath, int64_t ticks);
bool xtf_callpath_sums_has(const XtfCallpathSums *sums, uint32_t callpath); /* something was added to it */
/* Makes a call path's ticks 0 if they are less; those of all. */
void xtf_callpath_sums_not_negative(XtfCallpathSums *sums, uint32_t callpath);
void xtf_callpath_sums_none_negative(XtfCallpathSums *sums);

/*
 * Sums of ticks by call path.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Sums by call path. Ticks are signed, as a caller may subtract more than it added. */
typedef struct {
    uint32_t n_callpaths;
    int64_t *ticks;    /* by call path */
    uint32_t *touched; /* call paths whose ticks are, or once were, not 0 */
    uint32_t n_touched;
    bool *is_touched;
} XtfCallpathSums;

void xtf_callpath_sums_init(XtfCallpathSums *sums, uint32_t n_callpaths);
/* Allocates room for at least n call paths. */
void xtf_callpath_sums_reserve(XtfCallpathSums *sums, uint32_t n);
void xtf_callpath_sums_finish(XtfCallpathSums *sums);
void xtf_callpath_sums_clear(XtfCallpathSums *sums);
/* Adds ticks; ignores call paths from n_callpaths on. */
void xtf_callpath_sums_add(XtfCallpathSums *sums, uint32_t callpath, int64_t ticks);
bool xtf_callpath_sums_has(const XtfCallpathSums *sums, uint32_t callpath); /* true if ticks were added to it */
/* Raises negative ticks of a call path, or of all call paths, to 0. */
void xtf_callpath_sums_not_negative(XtfCallpathSums *sums, uint32_t callpath);
void xtf_callpath_sums_none_negative(XtfCallpathSums *sums);

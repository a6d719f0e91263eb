/*
 * Sweeps: many arrays, one after the other, each read once.
 *
 * Of very many small arrays the reads, the places in the trace's page cache and the memory that is touched for the
 * first time cost more than the rows. A sweep has a cache of its own, so small that it stays in the processor's, and
 * reads what lies side by side in the file in one go. What it reads pushes nothing out of the trace's cache, and does
 * not stay.
 *
 * A sweep belongs to one thread at a time, and is freed before its trace.
 */
#pragma once

#include "libxtf/array.h"

XTF_BEGIN_DECLS

typedef struct XtfSweep XtfSweep;

XtfSweep *xtf_sweep_new(XtfTrace *trace); /* borrows the trace */
/* Nothing of an array that it took may be in use: no cursor, no copy that is still asked. NULL is fine. */
void xtf_sweep_free(XtfSweep *sweep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSweep, xtf_sweep_free)

/* What is read of the array, of this value of it and its copies, is read by the sweep from now on; or, with a sweep of
 * NULL, through the trace's cache again. */
void xtf_sweep_take(XtfSweep *sweep, XtfArray *array);

XTF_END_DECLS

/*
 * Sweeps: reading many arrays, one after the other, each once.
 *
 * For very many small arrays the system calls, the entries in the trace's page cache and newly touched memory cost more
 * than the rows. A sweep has its own cache, small enough for the processor's cache, and reads adjacent bytes of the
 * file together. Its reads evict nothing from the trace's cache, and are not kept there.
 *
 * Only one thread at a time may use a sweep. It is freed before its trace.
 */
#pragma once

#include "libxtf/array.h"

XTF_BEGIN_DECLS

typedef struct XtfSweep XtfSweep;

XtfSweep *xtf_sweep_new(XtfTrace *trace); /* borrows the trace */
/* Frees the sweep. No array, copy or cursor that reads through it may be in use. NULL is allowed. */
void xtf_sweep_free(XtfSweep *sweep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSweep, xtf_sweep_free)

/* Makes this XtfArray value, and copies made of it, read through the sweep; or, if `sweep` is NULL, through the trace's
 * cache again. */
void xtf_sweep_take(XtfSweep *sweep, XtfArray *array);

XTF_END_DECLS

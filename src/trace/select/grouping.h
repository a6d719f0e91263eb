/*
 * Groupings: a selection cut up by the values of a key, for tables side by side (by/KEY/). Each value makes a
 * selection, by the same function as the directory that names the value: by/proc/ has those of proc/0, proc/1 and so
 * on. A grouping inside another one has each of its values in each block of the outer one.
 *
 * Which values there are follows from definitions and from the selection alone, whatever records there are. A grouping
 * is immutable: any thread may use it.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef enum {
    XTF_GROUP_BY_PROC,
    XTF_GROUP_BY_THREAD, /* of a process: a value is both */
    XTF_GROUP_BY_REGION, /* rows of definitions/regions */
    XTF_GROUP_BY_CLASS,  /* XtfRegionClass */
    XTF_GROUP_BY_COMM,   /* rows of definitions/communicators */
    XTF_GROUP_BY_PEER,   /* processes */
    XTF_GROUP_BY_TAG,
    XTF_GROUP_BY_TIME, /* equal slices of the window */
    XTF_GROUP_N_KEYS,
} XtfGroupKey;

enum {
    XTF_SLICES_MAX = 1000000, /* of by/time:N */
};

typedef struct {
    XtfGroupKey key;
    uint64_t n;        /* values */
    uint64_t *numbers; /* by value: process, row, class or tag; of THREAD an index in XtfLocations. NULL: the value's
                          own number. Of TIME: NULL */
    uint64_t from, to; /* of TIME: the window, which xtf_time_bin_bound() divides */
} XtfKeyValues;

typedef struct XtfGrouping XtfGrouping;
struct XtfGrouping {
    gatomicrefcount references;
    XtfTraceContext *context; /* borrowed */
    XtfGrouping *outer;       /* NULL: none */
    XtfSelection *selection;  /* that is cut up; the same in all groupings around */
    XtfKeyValues values;
    uint64_t n_blocks; /* of this and the outer groupings: block i has value i % values.n of outer block i / values.n */
};

/* The keys, as they are written: for listings. `i` is less than XTF_GROUP_N_KEYS. */
const char *xtf_grouping_key_name(unsigned i);

/* By a key, "proc" or "time:100", of a selection, inside of the blocks of `outer` if there is one. NULL with
 * XTF_ERROR_NOT_FOUND, which says what keys there are, or why this one cannot be. */
XtfGrouping *xtf_grouping_new(XtfTraceContext *context, XtfSelection *selection, XtfGrouping *outer, const char *key,
                              GError **error);
/* By equal slices of the window, as "time:N". */
XtfGrouping *xtf_grouping_new_slices(XtfTraceContext *context, const XtfSelection *selection, uint64_t n);
XtfGrouping *xtf_grouping_ref(XtfGrouping *grouping); /* NULL is fine */
void xtf_grouping_unref(XtfGrouping *grouping);       /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGrouping, xtf_grouping_unref)

/* The selection of a block, new. Without blocks, one without records, of the same kind. */
XtfSelection *xtf_grouping_selection(const XtfGrouping *grouping, uint64_t block);

/* Of TIME: the selection of slices `first` to first + n - 1 together, new. The first slice has the selection's
 * beginning, and the last its end, open or not: all slices together are the selection. */
XtfSelection *xtf_key_slices(const XtfKeyValues *values, const XtfSelection *selection, uint64_t first, uint64_t n);

/* The number of a value; not of TIME. */
static inline uint64_t xtf_key_number(const XtfKeyValues *values, uint64_t i)
{
    return values->numbers ? values->numbers[i] : i;
}

/* The i-th of the n + 1 bounds of the slices of TIME. */
static inline uint64_t xtf_key_bound(const XtfKeyValues *values, uint64_t i)
{
    return xtf_time_bin_bound(values->from, values->to, i, values->n);
}

/*
 * Groupings: a selection divided by the values of a key, for tables side by side (by/KEY/). Each value makes a
 * selection, by the same function as the value's directory: by/proc/ has the selections of proc/0, proc/1 and so on. A
 * grouping inside another one has each of its values in each block of the outer one.
 *
 * The values depend on definitions and on the selection alone, not on records. A grouping is immutable: any thread may
 * use it.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef enum {
    XTF_GROUP_BY_PROC,
    XTF_GROUP_BY_THREAD, /* threads of all processes: a value is a process and a thread */
    XTF_GROUP_BY_REGION, /* a value is a row of definitions/regions */
    XTF_GROUP_BY_CLASS,  /* a value is an XtfRegionClass */
    XTF_GROUP_BY_COMM,   /* a value is a row of definitions/communicators */
    XTF_GROUP_BY_PEER,   /* a value is the number of a process */
    XTF_GROUP_BY_TAG,
    XTF_GROUP_BY_SITE, /* a value is a row of definitions/sites */
    XTF_GROUP_BY_TIME, /* equal slices of the window */
    XTF_GROUP_N_KEYS,
} XtfGroupKey;

enum {
    XTF_SLICES_MAX = 1000000, /* most slices of by/time:N */
};

typedef struct {
    XtfGroupKey key;
    uint64_t n;        /* number of values */
    uint64_t *numbers; /* by value: process, row, class or tag; of THREAD an index in XtfLocations. NULL: the value's
                          own number. NULL for TIME */
    uint64_t from, to; /* for TIME: the window, which xtf_time_bin_bound() divides */
} XtfKeyValues;

typedef struct XtfGrouping XtfGrouping;
struct XtfGrouping {
    gatomicrefcount references;
    XtfTraceContext *context; /* borrowed */
    XtfGrouping *outer;       /* NULL: none */
    XtfSelection *selection;  /* the divided selection; the same in all outer groupings */
    XtfKeyValues values;
    uint64_t n_blocks; /* of this and the outer groupings: block i has value i % values.n of outer block i / values.n */
};

/* Returns the text of a key, for listings. `i` is less than XTF_GROUP_N_KEYS. */
const char *xtf_grouping_key_name(unsigned i);

/* Divides a selection by a key, "proc" or "time:100", inside the blocks of `outer` unless NULL. Returns NULL with
 * XTF_ERROR_NOT_FOUND for a wrong key; the message lists the keys, or says what is wrong with this one. */
XtfGrouping *xtf_grouping_new(XtfTraceContext *context, XtfSelection *selection, XtfGrouping *outer, const char *key,
                              GError **error);
/* Divides a selection by n equal slices of its window, as "time:N" does. */
XtfGrouping *xtf_grouping_new_slices(XtfTraceContext *context, const XtfSelection *selection, uint64_t n);
XtfGrouping *xtf_grouping_ref(XtfGrouping *grouping); /* accepts NULL */
void xtf_grouping_unref(XtfGrouping *grouping);       /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGrouping, xtf_grouping_unref)

/* Returns a new selection: the block's. If the grouping has no blocks, returns an empty selection of the same kind. */
XtfSelection *xtf_grouping_selection(const XtfGrouping *grouping, uint64_t block);

/* Returns a new selection of slices `first` to first + n - 1 of TIME together. The first slice begins where the
 * selection begins. The last one ends where the selection ends, open or not. All slices together are the selection. */
XtfSelection *xtf_key_slices(const XtfKeyValues *values, const XtfSelection *selection, uint64_t first, uint64_t n);

/* Returns the number of a value; not for TIME. */
static inline uint64_t xtf_key_number(const XtfKeyValues *values, uint64_t i)
{
    return values->numbers ? values->numbers[i] : i;
}

/* Returns the i-th of the n + 1 bounds of the slices of TIME. */
static inline uint64_t xtf_key_bound(const XtfKeyValues *values, uint64_t i)
{
    return xtf_time_bin_bound(values->from, values->to, i, values->n);
}

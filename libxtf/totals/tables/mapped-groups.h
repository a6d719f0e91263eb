/*
 * Passes the groups of stored totals to child totals. In a merged file it maps their keys to the numbers of the whole
 * file (schema/row-map.h); in other files they stay unchanged.
 */
#pragma once

#include "libxtf/schema/row-map.h"
#include "libxtf/totals/child-totals.h"

typedef struct {
    XtfChildTotalsBuilder *builder; /* borrowed */
    const XtfAggregate *aggregate;
    const XtfNumberMap *keys[XTF_AGGREGATE_KEYS_MAX]; /* NULL: the key does not change */
    bool any;                                         /* true if some key has a map */
    /* Private: groups of the current child that may get the same keys. Only groups may whose keys are numbers of no
     * row. */
    XtfGroupTotals *joining; /* NULL: the current child has no such group yet */
    unsigned depth;          /* depth of the groups in `joining` */
} XtfMappedGroups;

bool xtf_mapped_groups_init(XtfMappedGroups *groups, const XtfArray *array, unsigned index,
                            XtfChildTotalsBuilder *builder, GError **error);
void xtf_mapped_groups_finish(XtfMappedGroups *groups); /* an all-zero struct is allowed */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMappedGroups, xtf_mapped_groups_finish)

/* Begins a child, as xtf_child_totals_builder_next(). */
void xtf_mapped_groups_next(XtfMappedGroups *groups);
/* Adds a group, as xtf_child_totals_builder_add(). All groups of a child have the same depth. */
void xtf_mapped_groups_add(XtfMappedGroups *groups, const uint64_t *key, unsigned depth, const uint64_t *cells);
/* Adds the last groups to the builder. Called at the end. */
void xtf_mapped_groups_flush(XtfMappedGroups *groups);

/* Returns the whole file's number for a value of key k; the value itself if the key does not change. */
static inline uint64_t xtf_mapped_groups_key(const XtfMappedGroups *groups, unsigned k, uint64_t value)
{
    return groups->keys[k] ? xtf_number_map(groups->keys[k], value) : value;
}

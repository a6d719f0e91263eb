/*
 * The groups of stored totals on their way into child totals: in a merged file their keys are mapped to the numbers of
 * the whole file (schema/row-map.h), in any other they go straight through.
 */
#pragma once

#include "libxtf/schema/row-map.h"
#include "libxtf/totals/child-totals.h"

typedef struct {
    XtfChildTotalsBuilder *builder; /* borrowed */
    const XtfAggregate *aggregate;
    const XtfNumberMap *keys[XTF_AGGREGATE_KEYS_MAX]; /* NULL: the key stays */
    bool any;                                         /* some key does not stay */
    /* Private: groups of the child begun last that may become one. No group may but for those of numbers without rows.
     */
    XtfGroupTotals *joining; /* NULL: there were none yet */
    unsigned depth;          /* of these */
} XtfMappedGroups;

bool xtf_mapped_groups_init(XtfMappedGroups *groups, const XtfArray *array, unsigned index,
                            XtfChildTotalsBuilder *builder, GError **error);
void xtf_mapped_groups_finish(XtfMappedGroups *groups); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMappedGroups, xtf_mapped_groups_finish)

/* As the functions of the builder. The depth is the same for all groups of a child. */
void xtf_mapped_groups_next(XtfMappedGroups *groups);
void xtf_mapped_groups_add(XtfMappedGroups *groups, const uint64_t *key, unsigned depth, const uint64_t *cells);
/* The builder has all groups only after this. */
void xtf_mapped_groups_flush(XtfMappedGroups *groups);

/* A value of key field k. */
static inline uint64_t xtf_mapped_groups_key(const XtfMappedGroups *groups, unsigned k, uint64_t value)
{
    return groups->keys[k] ? xtf_number_map(groups->keys[k], value) : value;
}

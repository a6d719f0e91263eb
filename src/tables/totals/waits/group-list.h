/*
 * The groups that have rows anywhere in a trace, by the first keys of an aggregate: the lines of views that have a line
 * a group. They come from the totals that the index keeps of whole arrays, once; after that they are kept.
 */
#pragma once

#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/keeper.h"

typedef struct {
    XtfKept kept;
    const XtfSchema *schema;
    unsigned number, depth; /* of the aggregate; of the keys */
    bool loaded;
    uint32_t n;
    uint64_t *keys; /* `depth` numbers a group, ascending */
} XtfGroupList;

void xtf_group_lists_init(XtfKeeper *lists);

/* The list is the keeper's: put it back. NULL with an error. `depth` is at least 1. */
XtfGroupList *xtf_group_lists_take(XtfKeeper *lists, XtfTraceContext *context, const XtfAggregateRef *ref,
                                   unsigned depth, GError **error);
void xtf_group_lists_put(XtfKeeper *lists, XtfGroupList *list);

static inline const uint64_t *xtf_group_list_key(const XtfGroupList *list, uint32_t i)
{
    return list->keys + (size_t)i * list->depth;
}

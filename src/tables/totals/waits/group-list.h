/*
 * The groups that have rows anywhere in a trace, by the first keys of an aggregate: the lines of views with one line
 * per group. They are read once from the index's totals of whole arrays, and cached.
 */
#pragma once

#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/keeper.h"

typedef struct {
    XtfKept kept;
    const XtfSchema *schema;
    unsigned number, depth; /* number of the aggregate; number of leading keys */
    bool loaded;
    uint32_t n;
    uint64_t *keys; /* `depth` numbers per group, ascending */
} XtfGroupList;

void xtf_group_lists_init(XtfKeeper *lists);

/* Takes a list from the keeper; xtf_group_lists_put() returns it. NULL with an error. `depth` is at least 1. */
XtfGroupList *xtf_group_lists_take(XtfKeeper *lists, XtfTraceContext *context, const XtfAggregateRef *ref,
                                   unsigned depth, GError **error);
void xtf_group_lists_put(XtfKeeper *lists, XtfGroupList *list);

static inline const uint64_t *xtf_group_list_key(const XtfGroupList *list, uint32_t i)
{
    return list->keys + (size_t)i * list->depth;
}

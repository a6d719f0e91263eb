#include "src/tables/totals/waits/group-list.h"

#include <string.h>

#include "src/trace/select/parallel.h"

enum {
    KEPT_BYTES = 8 << 20,
    KEPT_LISTS = 16,
    LOCATIONS_AT_ONCE = 64,
};

static void list_free(void *data)
{
    XtfGroupList *list = data;
    g_free(list->keys);
    g_free(list);
}

static gboolean list_equal(const void *item, const void *wanted)
{
    const XtfGroupList *a = item, *b = wanted;
    return a->schema == b->schema && a->number == b->number && a->depth == b->depth;
}

void xtf_group_lists_init(XtfKeeper *lists)
{
    static const XtfKeeperMethods methods = {.equal = list_equal, .free = list_free};
    xtf_keeper_init(lists, &methods, KEPT_BYTES, KEPT_LISTS);
}

/* ---- Loading, on all cores. */

typedef struct {
    XtfTraceContext *context;
    const XtfLocations *locations;
    const XtfAggregateRef *ref;
    XtfGroupTotals *totals; /* result: totals of all locations */
    unsigned depth;
} Request;

static void *new_thread_totals(void *data)
{
    const Request *request = data;
    return xtf_group_totals_new(request->ref->aggregate, request->depth);
}

static bool add_location_groups(void *thread_totals, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Request *request = data;

    for (uint32_t i = first; i < end; i++) {
        XtfArray array;
        bool found;
        if (!xtf_trace_find_array(request->context->trace, request->locations->all[i].id, request->ref->schema->id,
                                  &array, &found, error) ||
            (found && !xtf_array_totals(&array, request->ref->number, NULL, 0, UINT64_MAX, thread_totals, error)))
            return false;
    }
    return true;
}

static void add_thread_totals(void *thread_totals, void *data)
{
    xtf_group_totals_add_all(((const Request *)data)->totals, thread_totals);
    xtf_group_totals_free(thread_totals);
}

static bool load_keys(XtfGroupList *list, XtfTraceContext *context, const XtfAggregateRef *ref, GError **error)
{
    const XtfParallelWork work = {
        .step = LOCATIONS_AT_ONCE, .begin = new_thread_totals, .work = add_location_groups, .join = add_thread_totals};
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(ref->aggregate, list->depth);
    Request request = {.context = context, .ref = ref, .totals = totals, .depth = list->depth};

    if (!(request.locations = xtf_trace_context_locations(context, error)) ||
        !xtf_parallel(&work, &request, request.locations->n, error))
        return false;
    xtf_group_totals_sort(totals);
    list->n = xtf_group_totals_n(totals);
    list->keys = g_new(uint64_t, (size_t)list->n * list->depth + 1);
    for (uint32_t i = 0; i < list->n; i++)
        memcpy(list->keys + (size_t)i * list->depth, xtf_group_totals_key(totals, i), list->depth * sizeof *list->keys);
    return list->loaded = true;
}

XtfGroupList *xtf_group_lists_take(XtfKeeper *lists, XtfTraceContext *context, const XtfAggregateRef *ref,
                                   unsigned depth, GError **error)
{
    XtfGroupList *wanted = g_new0(XtfGroupList, 1);

    wanted->schema = ref->schema;
    wanted->number = ref->number;
    wanted->depth = depth;
    XtfGroupList *list = xtf_keeper_take(lists, wanted);
    if (list->loaded || load_keys(list, context, ref, error))
        return list;
    xtf_keeper_put(lists, list, 0, false);
    return NULL;
}

void xtf_group_lists_put(XtfKeeper *lists, XtfGroupList *list)
{
    xtf_keeper_put(lists, list, sizeof *list + (size_t)list->n * list->depth * sizeof *list->keys, true);
}

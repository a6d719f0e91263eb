#include "src/tables/collectives/collective-process.h"

#include <stdlib.h>

enum {
    KEPT_BYTES = 8 << 20,
    KEPT_PROCESSES = 16384,
};

static void process_free(void *data)
{
    XtfCollectiveProcess *process = data;
    g_free(process->locations);
    g_free(process);
}

static gboolean process_equal(const void *item, const void *wanted)
{
    const XtfCollectiveProcess *a = item, *b = wanted;
    return a->proc == b->proc;
}

static guint process_hash(const void *item)
{
    const XtfCollectiveProcess *process = item;
    return (guint)(process->proc ^ process->proc >> 32);
}

void xtf_collective_processes_init(XtfKeeper *processes)
{
    static const XtfKeeperMethods methods = {.equal = process_equal, .hash = process_hash, .free = process_free};
    xtf_keeper_init(processes, &methods, KEPT_BYTES, KEPT_PROCESSES);
}

static int compare_location_ids(const void *a, const void *b)
{
    const XtfCollectiveLocation *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool find_locations(XtfCollectiveProcess *process, const XtfCollectiveTypes *types, XtfTraceContext *context,
                           GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfCollectiveLocation));

    if (!locations)
        return false;
    for (uint32_t i = xtf_locations_of_proc(locations, process->proc);
         i < locations->n && locations->all[i].proc == process->proc; i++) {
        XtfCollectiveLocation location = {.location = i, .id = locations->all[i].id};
        bool has;
        if (!xtf_trace_find_array(context->trace, location.id, types->schema->id, &location.array, &has, error))
            return false;
        if (has)
            g_array_append_val(found, location);
    }
    process->n = found->len;
    process->locations = g_new0(XtfCollectiveLocation, found->len + 1);
    for (uint32_t i = 0; i < process->n; i++)
        process->locations[i] = g_array_index(found, XtfCollectiveLocation, i);
    if (process->n > 1)
        qsort(process->locations, process->n, sizeof *process->locations, compare_location_ids);
    return true;
}

XtfCollectiveProcess *xtf_collective_process_take(XtfKeeper *processes, const XtfCollectiveTypes *types,
                                                  XtfTraceContext *context, uint64_t proc, GError **error)
{
    XtfCollectiveProcess *wanted = g_new0(XtfCollectiveProcess, 1);

    wanted->proc = proc;
    XtfCollectiveProcess *process = xtf_keeper_take(processes, wanted);
    if (process->locations || find_locations(process, types, context, error))
        return process;
    xtf_keeper_put(processes, process, 0, false);
    return NULL;
}

void xtf_collective_process_put(XtfKeeper *processes, XtfCollectiveProcess *process)
{
    if (process)
        xtf_keeper_put(processes, process, sizeof *process + process->n * sizeof *process->locations, true);
}

#include "src/tables/match/order/message-process.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"

enum {
    KEPT_BYTES = 8 << 20,
    KEPT_PROCESSES = 8192,
};

static void process_free(void *data)
{
    XtfMessageProcess *process = data;
    for (uint32_t i = 0; i < process->n; i++) {
        XtfMessageLocation *location = &process->locations[i];
        g_clear_pointer(&location->unposted, g_hash_table_unref);
        for (unsigned kind = 0; kind < XTF_MESSAGES_N_KINDS; kind++)
            xtf_message_index_free(&location->indexes[kind], process->bounds);
    }
    g_free(process->locations);
    g_free(process);
}

static gboolean process_equal(const void *item, const void *wanted)
{
    const XtfMessageProcess *a = item, *b = wanted;
    return a->proc == b->proc;
}

static guint process_hash(const void *item)
{
    const XtfMessageProcess *process = item;
    return (guint)(process->proc ^ process->proc >> 32);
}

void xtf_message_processes_init(XtfMessageProcesses *processes)
{
    static const XtfKeeperMethods methods = {.equal = process_equal, .hash = process_hash, .free = process_free};
    xtf_keeper_init(&processes->kept, &methods, KEPT_BYTES, KEPT_PROCESSES);
    xtf_message_index_bounds_init(&processes->bounds);
}

void xtf_message_processes_finish(XtfMessageProcesses *processes)
{
    xtf_keeper_finish(&processes->kept);
}

/* ---- Loading. */

static bool find_array(XtfTraceContext *context, const XtfSchema *schema, uint64_t location, XtfArray *array,
                       bool *found, GError **error)
{
    *found = false;
    return !schema || xtf_trace_find_array(context->trace, location, schema->id, array, found, error);
}

static bool load_location(XtfMessageLocation *location, const XtfMessageTypes *types, XtfTraceContext *context,
                          GError **error)
{
    for (unsigned kind = 0; kind < XTF_MESSAGES_N_KINDS; kind++)
        if (!find_array(context, types->types[kind].schema, location->id, &location->arrays[kind], &location->has[kind],
                        error))
            return false;
    if (!location->has[XTF_MESSAGES_SENDS] && !location->has[XTF_MESSAGES_POSTINGS])
        return true;
    return find_array(context, types->recvs, location->id, &location->recvs, &location->has_recvs, error) &&
           find_array(context, types->calls, location->id, &location->calls, &location->has_calls, error);
}

static const XtfClockMap *clock_of(const XtfMessageLocation *location)
{
    return location->arrays[location->has[XTF_MESSAGES_SENDS] ? XTF_MESSAGES_SENDS : XTF_MESSAGES_POSTINGS].clock;
}

static void set_order(XtfMessageProcess *process)
{
    bool local = true;

    for (uint32_t i = 1; i < process->n && local; i++)
        local = xtf_clock_map_equal(clock_of(&process->locations[0]), clock_of(&process->locations[i]));
    for (uint32_t i = 0; i < process->n; i++) {
        XtfMessageLocation *location = &process->locations[i];
        for (unsigned kind = 0; kind < XTF_MESSAGES_N_KINDS; kind++)
            if (location->has[kind])
                location->ordered[kind] = local ? xtf_array_local(&location->arrays[kind]) : location->arrays[kind];
    }
}

static int compare_message_locations(const void *a, const void *b)
{
    const XtfMessageLocation *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool load_process(XtfMessageProcess *process, const XtfMessageTypes *types, XtfTraceContext *context,
                         GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfMessageLocation));

    if (!locations)
        return false;
    for (uint32_t i = xtf_locations_of_proc(locations, process->proc);
         i < locations->n && locations->all[i].proc == process->proc; i++) {
        XtfMessageLocation location = {.index = i, .id = locations->all[i].id};
        if (!load_location(&location, types, context, error))
            return false;
        if (location.has[XTF_MESSAGES_SENDS] || location.has[XTF_MESSAGES_POSTINGS])
            g_array_append_val(found, location);
    }
    process->n = found->len;
    process->locations = g_new0(XtfMessageLocation, MAX(found->len, 1)); /* not NULL, so that a process without
                                                                          * locations counts as loaded */
    if (found->len > 0)
        memcpy(process->locations, found->data, found->len * sizeof(XtfMessageLocation));
    if (process->n > 1)
        qsort(process->locations, process->n, sizeof *process->locations, compare_message_locations);
    set_order(process);
    return true;
}

/* ---- Cache of processes. */

static size_t bytes_of(const XtfMessageProcess *process)
{
    return sizeof *process + process->n * sizeof *process->locations;
}

/* Takes a process, and loads it if necessary. A process is locked while one thread loads it. A thread that holds a
 * locked process and waits for another could deadlock. So a loaded process is put back, and taken again as a shared
 * one. */
XtfMessageProcess *xtf_message_process_take(XtfMessageProcesses *processes, const XtfMessageTypes *types,
                                            XtfTraceContext *context, uint64_t proc, GError **error)
{
    for (;;) {
        XtfMessageProcess *wanted = g_new0(XtfMessageProcess, 1);
        wanted->proc = proc;
        wanted->bounds = &processes->bounds;
        XtfMessageProcess *process = xtf_keeper_take(&processes->kept, wanted);
        if (process->locations)
            return process;
        bool good = load_process(process, types, context, error);
        xtf_keeper_put(&processes->kept, process, good ? bytes_of(process) : 0, good);
        if (!good)
            return NULL;
    }
}

void xtf_message_process_put(XtfMessageProcesses *processes, XtfMessageProcess *process)
{
    if (process)
        xtf_keeper_put(&processes->kept, process, bytes_of(process), true);
}

bool xtf_message_process_take_location(XtfMessageProcesses *processes, const XtfMessageTypes *types,
                                       XtfTraceContext *context, uint32_t index, XtfMessageProcess **process,
                                       const XtfMessageLocation **location, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    XtfMessageProcess *taken =
        locations ? xtf_message_process_take(processes, types, context, locations->all[index].proc, error) : NULL;

    if (!taken)
        return false;
    uint32_t at = xtf_message_process_find(taken, index);
    if (at == taken->n) {
        xtf_message_process_put(processes, taken);
        return xtf_damaged(error, "a location has no messages, but a message names it");
    }
    *process = taken;
    *location = &taken->locations[at];
    return true;
}

uint32_t xtf_message_process_find(const XtfMessageProcess *process, uint32_t index)
{
    uint32_t i = 0;

    while (i < process->n && process->locations[i].index != index)
        i++;
    return i;
}

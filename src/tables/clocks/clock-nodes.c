#include "src/tables/clocks/clock-nodes.h"

#include <inttypes.h>

#include "libxtf/array.h"
#include "libxtf/trace.h"
#include "src/tables/clocks/clock-counts.h"

typedef struct {
    XtfClockNodes *clocks;
    GHashTable *maps; /* number of a process -> its clock map in the trace; no entry: none */
} Counting;

bool xtf_clock_nodes_init(XtfClockNodes *clocks, XtfTrace *trace, GError **error)
{
    *clocks = (XtfClockNodes){0};
    if (!xtf_node_clocks_load(&clocks->nodes, trace, error))
        return false;
    for (guint i = 0; i < clocks->nodes.clocks->len; i++)
        clocks->n += g_array_index(clocks->nodes.clocks, XtfNodeClock, i).readings->len;
    clocks->sections = g_new0(XtfClockSection, clocks->n + 1);
    return true;
}

void xtf_clock_nodes_finish(XtfClockNodes *clocks)
{
    xtf_node_clocks_finish(&clocks->nodes);
    g_clear_pointer(&clocks->sections, g_free);
}

/* Finds the clock maps that the trace has now: it may have been aligned. */
static bool find_maps(XtfTrace *trace, GHashTable *maps, GError **error)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, error))
            return false;
        if (array.clock)
            g_hash_table_insert(maps, GUINT_TO_POINTER((guint)(array.location >> 32)), (gpointer)array.clock);
    }
    return true;
}

static uint64_t local_time(const Counting *counting, uint64_t proc, uint64_t time)
{
    return xtf_clock_map_to_local(g_hash_table_lookup(counting->maps, GUINT_TO_POINTER((guint)proc)), time);
}

/* Returns the section of a local time of a node's clock; NULL: the clock has no reading. */
static XtfClockSection *find_section(const XtfClockNodes *clocks, const XtfNodeClock *clock, uint64_t local)
{
    XtfClockSection *section = clocks->sections;
    guint low = 0, high = clock->readings->len;

    for (const XtfNodeClock *at = (const XtfNodeClock *)(void *)clocks->nodes.clocks->data; at < clock; at++)
        section += at->readings->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(clock->readings, XtfNodeReading, middle).local <= local)
            low = middle + 1;
        else
            high = middle;
    }
    return clock->readings->len > 0 ? section + (low > 0 ? low - 1 : 0) : NULL;
}

static void add_to_section(const XtfMessage *message, uint64_t sent, uint64_t received, void *data)
{
    Counting *counting = data;
    XtfClockNodes *clocks = counting->clocks;
    uint64_t sender = message->group.sender, receiver = message->group.receiver;
    const XtfNodeClock *from = xtf_node_clock_of(&clocks->nodes, (uint32_t)sender);
    const XtfNodeClock *to = xtf_node_clock_of(&clocks->nodes, (uint32_t)receiver);

    if (from == to)
        return;
    uint64_t local_sent = local_time(counting, sender, sent), local_received = local_time(counting, receiver, received);
    XtfClockSection *section = to ? find_section(clocks, to, local_received) : find_section(clocks, from, local_sent);
    if (!section)
        return;
    section->judged++;
    section->before += local_received < local_sent;
    section->after += received < sent;
}

bool xtf_clock_nodes_count(XtfClockNodes *clocks, XtfClockCheck *check, GError **error)
{
    g_autoptr(GHashTable) maps = g_hash_table_new(NULL, NULL);
    Counting counting = {clocks, maps};
    bool sampled;

    return find_maps(check->resolver->context->trace, maps, error) &&
           xtf_clock_sample_messages(check, add_to_section, &counting, &sampled, error);
}

/* Returns the fault of the first clock that has one; NULL: none has. The caller frees it. */
static char *find_fault(const XtfNodeClocks *nodes)
{
    char *fault = NULL;

    for (guint i = 0; !fault && i < nodes->clocks->len; i++)
        fault = xtf_node_clock_fault(&g_array_index(nodes->clocks, XtfNodeClock, i));
    return fault;
}

char *xtf_clock_nodes_sentence(XtfClockCheck *check)
{
    g_auto(XtfClockNodes) clocks = {0};
    XtfClockSection all = {0};

    if (!xtf_clock_nodes_init(&clocks, check->resolver->context->trace, NULL) || clocks.n == 0 ||
        !xtf_clock_nodes_count(&clocks, check, NULL))
        return NULL;
    g_autofree char *fault = find_fault(&clocks.nodes);
    for (uint64_t i = 0; i < clocks.n; i++) {
        all.judged += clocks.sections[i].judged;
        all.before += clocks.sections[i].before;
        all.after += clocks.sections[i].after;
    }
    return g_strdup_printf("%u nodes, exact to %.3f us; of %" PRIu64 " messages between nodes %" PRIu64
                           " contradicted the clocks as recorded, %" PRIu64 " contradict those of the trace%s%s",
                           clocks.nodes.clocks->len + 1, (double)xtf_node_clocks_bound(&clocks.nodes) * 1e-3,
                           all.judged, all.before, all.after, fault ? "; " : "", fault ? fault : "");
}

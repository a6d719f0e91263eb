#include "src/cli/predict/predict-placement.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/print.h"
#include "src/studies/place/traffic.h"
#include "src/tree/paths/tree.h"

/* Returns the bytes between nodes by a rule. */
static uint64_t remote_of(XtfPlaceRule rule, const GArray *traffic, uint32_t n, uint32_t n_nodes)
{
    g_autofree uint32_t *nodes = g_new(uint32_t, (gsize)n + 1);

    rule(n, n_nodes, nodes);
    return xtf_place_remote((const XtfPlaceTraffic *)(const void *)traffic->data, traffic->len, nodes);
}

static void print_map(const XtfLocations *locations, const GArray *traffic, uint32_t n_nodes)
{
    const uint32_t n = locations->n_procs;
    g_autofree uint32_t *nodes = g_new(uint32_t, (gsize)n + 1);
    uint64_t bytes = xtf_place((const XtfPlaceTraffic *)(const void *)traffic->data, traffic->len, n, n_nodes, nodes);

    xtf_print_line(stdout, "# bytes between %" PRIu32 " nodes: %" PRIu64 "; by blocks %" PRIu64 ", by turns %" PRIu64,
                   n_nodes, bytes, remote_of(xtf_place_blocks, traffic, n, n_nodes),
                   remote_of(xtf_place_turns, traffic, n, n_nodes));
    xtf_print_line(stdout, "# process node");
    for (uint32_t i = 0; i < n; i++)
        xtf_print_line(stdout, "%" PRIu64 " %" PRIu32, locations->procs[i], nodes[i]);
}

bool xtf_predict_print_placement(const char *source, uint32_t n_nodes, bool incomplete, GError **error)
{
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(source, incomplete, error);
    const XtfLocations *locations = tree ? xtf_trace_context_locations(&tree->context, error) : NULL;

    if (!locations)
        return false;
    g_autoptr(XtfSelection) all = xtf_selection_new(&tree->context);
    g_autoptr(GArray) traffic = xtf_place_read_traffic(tree, all, error);
    if (!traffic)
        return false;
    print_map(locations, traffic, n_nodes);
    return true;
}

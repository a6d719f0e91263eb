#include "src/cli/trace/correct-clocks.h"

#include "libxtf/trace.h"

void xtf_cli_read_clocks(const char *const *paths, size_t n, XtfNodeClocks *clocks)
{
    xtf_node_clocks_init(clocks);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(XtfTrace) part = xtf_trace_open(paths[i], NULL, NULL);
        if (part)
            xtf_node_clocks_add(clocks, part, NULL);
    }
    xtf_node_clocks_make(clocks);
}

const XtfClockMap *xtf_cli_clock_of(uint64_t location, void *merge)
{
    const XtfClockedMerge *clocked = merge;

    return xtf_node_clocks_map(&clocked->clocks, location);
}

GPtrArray *xtf_cli_sum_up_clocks(const XtfNodeClocks *clocks)
{
    GPtrArray *sentences = g_ptr_array_new_with_free_func(g_free);

    if (!clocks->clocks || clocks->clocks->len == 0)
        return sentences;
    for (guint i = 0; i < clocks->clocks->len; i++) {
        const XtfNodeClock *clock = &g_array_index(clocks->clocks, XtfNodeClock, i);
        char *fault = xtf_node_clock_fault(clock);
        if (fault)
            g_ptr_array_add(sentences, fault);
    }
    g_ptr_array_add(sentences, g_strdup_printf("the clocks of %u nodes are corrected by readings, exact to %.3f us",
                                               clocks->clocks->len + 1, (double)xtf_node_clocks_bound(clocks) * 1e-3));
    return sentences;
}

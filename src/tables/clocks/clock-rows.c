#include "src/tables/clocks/clock-rows.h"

static void find_widest(XtfClockRows *rows, const XtfLocations *locations)
{
    uint32_t width = 0;

    rows->widest = 1;
    for (uint32_t i = 0; i < rows->spans->n; i++) {
        const XtfSpan *spans = rows->spans->spans;
        bool same = i > 0 && locations->all[spans[i].tag].proc == locations->all[spans[i - 1].tag].proc;
        width = same ? width + 1 : 1;
        rows->widest = MAX(rows->widest, width);
    }
}

bool xtf_clock_rows_init(XtfClockRows *rows, XtfResolver *resolver, const XtfSchema *schema, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(resolver->context, error);
    g_autoptr(XtfSelection) whole = xtf_selection_new(resolver->context);

    *rows = (XtfClockRows){.widest = 1};
    if (!locations)
        return false;
    if (!schema)
        return true;
    g_autoptr(XtfSelection) selection = xtf_selection_in_type(whole, schema->id);
    rows->spans = xtf_resolver_spans(resolver, selection, error);
    if (!rows->spans)
        return false;
    rows->before = g_new(uint64_t, (gsize)rows->spans->n + 1);
    for (uint32_t i = 0; i < rows->spans->n; i++) {
        rows->before[i] = rows->n;
        rows->n += rows->spans->spans[i].hi - rows->spans->spans[i].lo;
    }
    find_widest(rows, locations);
    return true;
}

void xtf_clock_rows_finish(XtfClockRows *rows)
{
    g_clear_pointer(&rows->spans, xtf_spans_unref);
    g_clear_pointer(&rows->before, g_free);
}

const XtfSpan *xtf_clock_rows_at(const XtfClockRows *rows, uint64_t i, uint64_t *row)
{
    uint32_t low = 0, high = rows->spans->n;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->before[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    const XtfSpan *span = &rows->spans->spans[low];
    *row = span->lo + (i - rows->before[low]);
    return span;
}

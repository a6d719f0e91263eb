#include "libxtf/tree/clocks.h"

/* Widens the limits of an instant field. The catalog has them in local ticks; the result covers the values with every
 * map and with none. */
static void widen_limits(const XtfTrace *trace, XtfLimits *limits)
{
    const XtfLimits local = *limits;

    for (uint32_t i = 0; local.min <= local.max && i < trace->n_clocks; i++) {
        limits->min = MIN(limits->min, xtf_clock_map_to_global(trace->clocks[i], local.min));
        limits->max = MAX(limits->max, xtf_clock_map_to_global(trace->clocks[i], local.max));
    }
}

static void make_global_limits(XtfTrace *trace)
{
    const XtfCatalog *catalog = &trace->catalog;

    trace->limits = g_new0(XtfLimits *, catalog->n_schemas + 1);
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        const XtfSchema *schema = catalog->schemas[i];
        trace->limits[i] = g_memdup2(catalog->limits[i], schema->n_fields * sizeof(XtfLimits));
        for (uint32_t f = 0; f < schema->n_fields && schema->kind != XTF_SCHEMA_TABLE; f++)
            if (f == 0 || schema->fields[f].flags & XTF_FIELD_INSTANT)
                widen_limits(trace, &trace->limits[i][f]);
    }
}

void xtf_trace_take_clocks(XtfTrace *trace)
{
    const XtfClockMaps *maps = &trace->clock_maps;

    if (maps->n == 0)
        return;
    trace->clocks = g_new(const XtfClockMap *, maps->n);
    for (; trace->n_clocks < maps->n; trace->n_clocks++)
        trace->clocks[trace->n_clocks] = xtf_clock_set_add(trace->file->clocks, &maps->maps[trace->n_clocks]);
    xtf_clock_maps_finish(&trace->clock_maps);
    make_global_limits(trace);
}

void xtf_trace_drop_clocks(XtfTrace *trace)
{
    for (uint32_t i = 0; trace->limits && i < trace->catalog.n_schemas; i++)
        g_free(trace->limits[i]);
    g_free(trace->limits);
    g_free(trace->clocks);
    xtf_clock_maps_finish(&trace->clock_maps);
}

uint32_t xtf_trace_n_clock_maps(const XtfTrace *trace)
{
    return trace->n_clocks;
}

const XtfClockMap *xtf_trace_clock_map(const XtfTrace *trace, uint32_t number)
{
    return number > 0 && number <= trace->n_clocks ? trace->clocks[number - 1] : NULL;
}

uint64_t xtf_trace_longest(const XtfTrace *trace)
{
    const XtfCatalog *catalog = &trace->catalog;
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        if (catalog->schemas[i]->kind != XTF_SCHEMA_RECORD || catalog->n_rows[i] == 0)
            continue;
        first = MIN(first, catalog->limits[i][0].min);
        last = MAX(last, catalog->limits[i][0].max);
    }
    return last - MIN(first, last);
}

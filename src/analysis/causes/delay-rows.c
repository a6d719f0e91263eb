#include "src/analysis/causes/delay-rows.h"

#include "src/model/schemas.h"

static bool write_location(const XtfPoints *points, uint32_t number, XtfSortedFile *delays, XtfArrayWriter *array,
                           GError **error)
{
    const XtfClockMap *clock = xtf_points_location(points, number)->calls.clock;
    uint64_t n = xtf_sorted_file_n(delays, number);
    uint32_t n_contexts = xtf_points_n_contexts(points);
    XtfDelay delay;

    for (uint64_t i = 0; i < n; i++) {
        if (!xtf_sorted_file_get(delays, number, i, &delay, error))
            return false;
        bool outside = delay.context >= n_contexts;
        const XtfDelaysRow row = {
            .time = clock ? xtf_clock_map_to_local(clock, delay.time) : delay.time,
            .seq = delay.key.seq,
            .region = outside ? XTF_NONE32 : xtf_points_context_region(points, delay.context),
            .event = xtf_cost_label(delay.cost),
            .context = outside ? XTF_NONE32 : delay.context,
            .short_term = delay.short_term,
            .long_term = delay.long_term,
        };
        if (!xtf_array_writer_append(array, &row, error))
            return false;
    }
    return xtf_array_writer_close(array, error);
}

bool xtf_delays_write(const XtfPoints *points, XtfSortedFile *delays, XtfWriter *writer, GError **error)
{
    uint32_t schema;

    if (!xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_DELAYS), &schema, error))
        return false;
    for (uint32_t i = 0; i < xtf_points_n_locations(points); i++) {
        if (xtf_sorted_file_n(delays, i) == 0)
            continue;
        XtfArrayWriter *array = xtf_writer_array(writer, xtf_points_location(points, i)->id, schema, error);
        if (!array || !write_location(points, i, delays, array, error))
            return false;
    }
    return true;
}

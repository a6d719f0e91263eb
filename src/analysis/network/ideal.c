#include "src/analysis/network/ideal.h"

#include "libxtf/array.h"
#include "src/analysis/network/network.h"
#include "src/model/schemas.h"

typedef struct {
    XtfWriter *writer;
    uint32_t schema;
    XtfArrayWriter **arrays; /* by location; NULL: it has no row yet */
    const XtfLocations *locations;
    const XtfClockMap **clocks; /* by location; NULL: local times are global */
} Ideal;

static bool take(void *data, uint32_t location, const XtfNetworkWait *wait, GError **error)
{
    Ideal *ideal = data;
    if (!ideal->arrays[location])
        ideal->arrays[location] =
            xtf_writer_array(ideal->writer, ideal->locations->all[location].id, ideal->schema, error);
    if (!ideal->arrays[location])
        return false;
    const XtfIdealRow row = {
        .time = xtf_clock_map_to_local(ideal->clocks[location], wait->time),
        .seq = wait->seq,
        .region = wait->region,
        .waited = wait->waited,
        .ideal = wait->clock,
    };
    return xtf_array_writer_append(ideal->arrays[location], &row, error);
}

static void find_clocks(XtfReplay *replay, Ideal *ideal)
{
    uint32_t at = 0;

    for (uint32_t p = 0; p < xtf_replay_n_processes(replay); p++)
        for (uint32_t l = 0; l < xtf_replay_process(replay, p)->n_locations; l++) {
            XtfReplayBounds bounds;
            xtf_replay_bounds(replay, p, l, &bounds);
            ideal->clocks[at++] = bounds.clock;
        }
}

bool xtf_ideal_write(XtfReplay *replay, XtfWriter *writer, uint64_t *end, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(xtf_replay_context(replay), error);
    Ideal ideal = {.writer = writer, .locations = locations};
    const XtfNetworkConsumer consumer = {.data = &ideal, .wait = take};

    if (!locations || !xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_IDEAL), &ideal.schema, error))
        return false;
    g_autofree XtfArrayWriter **arrays = g_new0(XtfArrayWriter *, locations->n + 1);
    g_autofree const XtfClockMap **clocks = g_new0(const XtfClockMap *, locations->n + 1);
    ideal.arrays = arrays;
    ideal.clocks = clocks;
    find_clocks(replay, &ideal);
    return xtf_network_run(replay, &xtf_ideal_network, &consumer, end, error);
}

#include "src/analysis/network/ideal.h"

#include "src/analysis/network/network.h"
#include "src/analysis/waits/row-sorter.h"
#include "src/model/schemas.h"

typedef struct {
    XtfRowSorter *rows;
    const XtfLocations *locations;
    const XtfClockMap **clocks; /* by location; NULL: local times are global */
} Ideal;

static bool take(void *data, uint32_t location, const XtfNetworkWait *wait, GError **error)
{
    const Ideal *ideal = data;
    const XtfIdealRow row = {
        .time = xtf_clock_map_to_local(ideal->clocks[location], wait->time),
        .seq = wait->seq,
        .region = wait->region,
        .waited = wait->waited,
        .ideal = wait->clock,
    };
    return xtf_row_sorter_add(ideal->rows, location, &row, error);
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

static uint64_t id_of(const void *data, uint32_t location)
{
    return ((const XtfLocations *)data)->all[location].id;
}

bool xtf_ideal_write(XtfReplay *replay, XtfWriter *writer, XtfSteps *steps, uint64_t *end, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(xtf_replay_context(replay), error);
    g_auto(XtfRowSorter) rows = {.spool = XTF_SPOOL_NONE};
    Ideal ideal = {.rows = &rows, .locations = locations};
    const XtfNetworkConsumer consumer = {.data = &ideal, .wait = take};
    uint32_t schema;

    if (!locations || !xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_IDEAL), &schema, error) ||
        !xtf_row_sorter_init(&rows, locations->n, sizeof(XtfIdealRow), error))
        return false;
    g_autofree const XtfClockMap **clocks = g_new0(const XtfClockMap *, locations->n + 1);
    ideal.clocks = clocks;
    find_clocks(replay, &ideal);
    xtf_steps_begin(steps, "ideal network", 0);
    if (!xtf_network_run(replay, &xtf_ideal_network, &consumer, end, error))
        return false;
    xtf_steps_begin(steps, "writing the ideal run", rows.n_rows);
    return xtf_row_sorter_write(&rows, writer, schema, id_of, locations, steps, error);
}

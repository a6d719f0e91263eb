#include "src/analysis/ideal/ideal.h"

#include "src/analysis/ideal/network.h"
#include "src/analysis/rows/row-sorter.h"
#include "src/model/schemas.h"

struct XtfIdeal {
    XtfRowSorter rows;
    const XtfLocations *locations;
    const XtfClockMap **clocks; /* by location; NULL: local times are global */
    XtfNetworkConsumer consumer;
    XtfNetworkRun *run;
    uint64_t latest; /* in rank 0 of a job: the end of the run in all ranks */
};

static bool add_ideal_row(void *data, uint32_t location, const XtfNetworkWait *wait, GError **error)
{
    XtfIdeal *ideal = data;
    const XtfIdealRow row = {
        .time = xtf_clock_map_to_local(ideal->clocks[location], wait->time),
        .seq = wait->seq,
        .region = wait->region,
        .waited = wait->waited,
        .ideal = wait->clock,
    };
    return xtf_row_sorter_add(&ideal->rows, location, &row, error);
}

static void find_clocks(XtfReplay *replay, XtfIdeal *ideal)
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

/* Returns the first location of each share, and behind the last one the number of locations. */
static uint32_t *first_locations(const XtfReplay *replay, const uint32_t *borders, uint32_t n_shares)
{
    g_autofree uint32_t *by_process = xtf_replay_first_locations(replay);
    uint32_t *first = g_new(uint32_t, n_shares + 1);

    for (uint32_t share = 0; share <= n_shares; share++)
        first[share] = by_process[borders[share]];
    return first;
}

XtfIdeal *xtf_ideal_new(XtfReplay *replay, const uint32_t *borders, uint32_t n_shares, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(xtf_replay_context(replay), error);
    g_autoptr(XtfIdeal) ideal = g_new0(XtfIdeal, 1);

    ideal->rows.spool = XTF_SPOOL_NONE;
    ideal->locations = locations;
    if (!locations)
        return NULL;
    g_autofree uint32_t *first = first_locations(replay, borders, n_shares);
    if (!xtf_row_sorter_init(&ideal->rows, first, n_shares, sizeof(XtfIdealRow), error))
        return NULL;
    ideal->clocks = g_new0(const XtfClockMap *, locations->n + 1);
    find_clocks(replay, ideal);
    ideal->consumer = (XtfNetworkConsumer){.data = ideal, .wait = add_ideal_row};
    ideal->run = xtf_network_run_new(replay, &xtf_ideal_network, &ideal->consumer);
    return g_steal_pointer(&ideal);
}

void xtf_ideal_free(XtfIdeal *ideal)
{
    if (!ideal)
        return;
    xtf_network_run_free(ideal->run);
    xtf_row_sorter_finish(&ideal->rows);
    g_free(ideal->clocks);
    g_free(ideal);
}

const XtfReplayConsumer *xtf_ideal_consumer(const XtfIdeal *ideal)
{
    return xtf_network_run_consumer(ideal->run);
}

bool xtf_ideal_join_ends(XtfIdeal *ideal, XtfWorld *world, GError **error)
{
    GError *own = NULL;
    uint64_t end = 0;

    xtf_network_run_end(ideal->run, &end, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    g_autoptr(GBytes) packed = g_bytes_new(&end, sizeof end);
    g_autoptr(GPtrArray) ends = xtf_world_gather(world, packed);
    for (guint i = 0; ends && i < ends->len; i++)
        ideal->latest = MAX(ideal->latest, *(const uint64_t *)g_bytes_get_data(ends->pdata[i], NULL));
    return true;
}

bool xtf_ideal_write(XtfIdeal *ideal, XtfWriter *writer, XtfSteps *steps, uint64_t *end, GError **error)
{
    uint32_t schema;

    if (!xtf_network_run_end(ideal->run, end, error) ||
        !xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_IDEAL), &schema, error))
        return false;
    *end = MAX(*end, ideal->latest);
    xtf_steps_begin(steps, "writing the ideal run", xtf_row_sorter_n(&ideal->rows));
    return xtf_row_sorter_write(&ideal->rows, writer, schema, id_of, ideal->locations, steps, error);
}

#include "src/analysis/ideal/ideal.h"

#include <string.h>

#include "src/analysis/ideal/network.h"
#include "src/analysis/rows/row-sorter.h"
#include "src/model/schemas.h"
#include "src/world/stream.h"

struct XtfIdeal {
    XtfRowSorter rows;
    const XtfLocations *locations;
    const XtfClockMap **clocks; /* by location; NULL: local times are global */
    XtfNetworkConsumer consumer;
    XtfNetworkRun *run;
    uint64_t latest; /* in a job: the end of the run in the other ranks */
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

/* ---- Ranks. */

typedef enum {
    IDEAL_ROW, /* RowItem */
    IDEAL_END, /* uint64_t: when the run ends */
} Item;

typedef struct {
    uint64_t location;
    XtfIdealRow row;
} RowItem;

static bool send_ideal_row(void *data, uint32_t location, const void *row, GError **error)
{
    RowItem *item = xtf_world_stream_put(data, 0, IDEAL_ROW, sizeof *item);

    item->location = location;
    memcpy(&item->row, row, sizeof item->row);
    return true;
}

static bool send_ideal_rows(XtfIdeal *ideal, XtfWorldStream *stream, GError **error)
{
    uint64_t end;

    if (!xtf_network_run_end(ideal->run, &end, error) ||
        !xtf_row_sorter_read(&ideal->rows, send_ideal_row, stream, error))
        return false;
    *(uint64_t *)xtf_world_stream_put(stream, 0, IDEAL_END, sizeof end) = end;
    return true;
}

static bool read_item(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    XtfIdeal *ideal = data;
    const RowItem *item = bytes;

    if (kind == IDEAL_ROW)
        return xtf_row_sorter_add(&ideal->rows, (uint32_t)item->location, &item->row, error);
    ideal->latest = MAX(ideal->latest, *(const uint64_t *)bytes);
    return true;
}

bool xtf_ideal_gather(XtfIdeal *ideal, XtfWorld *world, GError **error)
{
    g_autoptr(XtfWorldStream) stream = xtf_world_stream_new(world);
    GError *own = NULL;

    if (xtf_world_rank(world) == 0 || send_ideal_rows(ideal, stream, &own))
        xtf_world_stream_end(stream, read_item, ideal, &own);
    return xtf_world_have_succeeded(world, own, error);
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

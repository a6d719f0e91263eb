#include "src/analysis/waits/rows.h"

#include "src/analysis/waits/shares.h"
#include "src/model/wait-kinds.h"
#include "src/trace/select/parallel.h"

enum {
    AT_ONCE = 256,
    RESULTS_PER_RELEASE = 1 << 14, /* results that are read before their pages are released */
};

typedef struct {
    const XtfPoints *points;
    XtfRowSink *sink;
    XtfSteps *steps;
    XtfFound *found;
} Rows;

typedef struct {
    XtfFound found;
    uint64_t n_read;
    XtfPoint points[AT_ONCE];
    XtfPointResult results[AT_ONCE];
} Worker;

bool xtf_waits_write_callpaths(const XtfPoints *points, XtfWriter *writer, GError **error)
{
    uint32_t id;

    if (!xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_CONTEXTS), &id, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(writer, id, error);
    if (!table)
        return false;
    xtf_table_writer_clear(table);
    for (uint32_t i = 0; i < xtf_points_n_callpaths(points); i++) {
        const XtfContextRow row = {.parent = xtf_points_callpath_parent(points, i),
                                   .region = xtf_points_callpath_region(points, i)};
        if (!xtf_table_writer_append(table, &row, NULL, error))
            return false;
    }
    return true;
}

static XtfWaitsRow row_for(const XtfPoints *points, const XtfPointLocation *location, const XtfPoint *point,
                           uint64_t end)
{
    const XtfPointLocation *culprit = point->partner == UINT32_MAX ? NULL : xtf_points_location(points, point->partner);

    return (XtfWaitsRow){
        .time = xtf_clock_map_to_local(location->clock, end),
        .seq = point->seq,
        .region = point->region,
        .event = point->kind,
        .part_kind = UINT8_MAX,
        .culprit = culprit ? (uint32_t)culprit->proc : XTF_NONE32,
        .culprit_thread = culprit ? (uint32_t)culprit->thread : XTF_NONE32,
        .context = point->callpath,
        .comm = point->comm,
        .tag = point->tag,
        .bytes = point->bytes,
        .match = XTF_NONE64,
        .cause = XTF_NONE64,
        .met = XTF_NONE64,
        .culprit_met = XTF_NONE64,
    };
}

/* Rounds the indirect part of a wait. The waits of a location are rounded in their order. */
static uint64_t round_indirect(XtfRemainders *remainders, const XtfPoint *point, const XtfPointResult *result)
{
    if (result->indirect <= 0)
        return 0;
    return xtf_share_round(remainders, xtf_share_key(point->callpath, point->kind), result->indirect, point->wait);
}

static bool append_point(const Rows *rows, XtfRemainders *remainders, const XtfPointLocation *location,
                         const XtfPoint *point, const XtfPointResult *result, GError **error)
{
    unsigned completion = xtf_found_completion(point);

    if (point->wait > 0) {
        XtfWaitsRow row = row_for(rows->points, location, point, point->end);
        row.amount = point->wait;
        row.completion = (uint64_t)MAX(point->completion, 0);
        row.part = point->part;
        row.part_kind = point->part > 0 ? point->part_kind : UINT8_MAX;
        row.indirect = round_indirect(remainders, point, result);
        row.propagating = MIN(result->propagating, point->wait);
        row.passed = result->passed;
        row.match = point->match;
        row.cause = result->cause;
        row.met = result->met.back;
        row.met_idle = result->met.idle;
        row.culprit_met = result->culprit_met.back;
        row.culprit_met_idle = result->culprit_met.idle;
        if (!xtf_row_sink_append(rows->sink, location->id, &row, error))
            return false;
    }
    if (completion == XTF_N_WAIT_KINDS)
        return true;
    XtfWaitsRow row = row_for(rows->points, location, point, point->time);
    row.event = (uint8_t)completion;
    row.amount = (uint64_t)point->completion;
    row.culprit = row.culprit_thread = XTF_NONE32; /* a completion has no culprit */
    return xtf_row_sink_append(rows->sink, location->id, &row, error);
}

static bool write_location(const Rows *rows, Worker *worker, const XtfPointLocation *location, GError **error)
{
    g_auto(XtfRemainders) remainders = {0};

    for (uint64_t i = 0; i < location->n; i += AT_ONCE) {
        uint64_t n = MIN(location->n - i, (uint64_t)AT_ONCE);
        if (!xtf_steps_advance(rows->steps, n, error) ||
            !xtf_points_read(rows->points, location->first + i, n, worker->points, error))
            return false;
        xtf_points_results(rows->points, location->first + i, n, worker->results);
        if ((worker->n_read += n) >= RESULTS_PER_RELEASE) {
            worker->n_read = 0;
            xtf_points_page_out_results(rows->points);
        }
        for (uint64_t k = 0; k < n; k++) {
            if (worker->points[k].side == XTF_POINT_END || xtf_is_awaited(&worker->points[k]))
                continue;
            xtf_found_count(&worker->found, &worker->points[k]);
            if (!append_point(rows, &remainders, location, &worker->points[k], &worker->results[k], error))
                return false;
        }
    }
    return true;
}

static void *create_counts(void *data)
{
    return g_new0(Worker, 1);
}

static bool write_locations(void *worker, void *data, uint32_t first, uint32_t end, GError **error)
{
    Rows *rows = data;

    for (uint32_t i = first; i < end; i++) {
        if (xtf_points_location(rows->points, i)->n > 0 &&
            !write_location(rows, worker, xtf_points_location(rows->points, i), error))
            return false;
        xtf_points_page_out_sometimes(rows->points, i);
    }
    return true;
}

static void merge_counts(void *data, void *to)
{
    Worker *worker = data;
    Rows *rows = to;

    for (unsigned i = 0; i < XTF_N_WAIT_KINDS; i++) {
        rows->found->waits[i] += worker->found.waits[i];
        rows->found->amounts[i] += worker->found.amounts[i];
    }
    g_free(worker);
}

void xtf_waits_join(XtfWorld *world, XtfFound *found)
{
    xtf_world_sum(world, found->waits, XTF_N_WAIT_KINDS);
    xtf_world_sum(world, found->amounts, XTF_N_WAIT_KINDS);
}

static bool write_waits(void *data, XtfRowSink *sink, GError **error)
{
    const XtfParallelWork work = {.step = 1, .begin = create_counts, .work = write_locations, .join = merge_counts};
    Rows *rows = data;

    rows->sink = sink;
    return xtf_in_order(&work, rows, xtf_points_n_locations(rows->points), error);
}

bool xtf_waits_write(const XtfPoints *points, XtfWriter *writer, XtfSteps *steps, XtfFound *found, GError **error)
{
    Rows rows = {.points = points, .steps = steps, .found = found};

    xtf_steps_begin(steps, "writing waits", xtf_points_n(points));
    return xtf_row_sink_write(writer, XTF_MODEL_WAITS, write_waits, &rows, error);
}

/*
 * matrix: messages and bytes by sender and receiver, each pair a line.
 *
 * Those who count are the selection's: the senders; under `recvs` the receivers. The lines go by them, so that a part
 * of the text asks as few of them as it shows.
 */
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/query/views/location-totals.h"
#include "src/query/views/view.h"

enum {
    PART_BYTES = 1 << 19, /* of text, about, unless one process's lines are more */
};

typedef struct {
    XtfAggregateRef measure;
    bool at_receivers;
} Side;

/* False if the view makes no sense here. */
static bool find_side(Side *side, const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfAggregateRef *measure = &side->measure;
    const XtfSchema *recvs = xtf_trace_find_schema(context->trace, XTF_RECORD_RECVS);

    side->at_receivers = recvs && selection->type == recvs->id;
    return !selection->base &&
           xtf_aggregate_ref_groups(&side->measure, context,
                                    side->at_receivers ? XTF_RECORD_RECVS : XTF_RECORD_SENDS) &&
           xtf_selection_may_have(selection, measure->schema) && measure->peer != XTF_KEY_NONE && measure->bytes &&
           (measure->comm != XTF_KEY_NONE || !xtf_schema_field_by_role(measure->schema, XTF_ROLE_COMM));
}

static bool matrix_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    Side side;
    return find_side(&side, context, selection);
}

/* Those on the other side: all that there are, or those that peer/ leaves. */
static GArray *find_peers(const XtfLocations *locations, const XtfSelection *selection)
{
    GArray *peers = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (uint32_t i = 0; i < locations->n_procs; i++) {
        if (xtf_number_set_contains(selection->by[XTF_BY_PEER], locations->procs[i]))
            g_array_append_val(peers, locations->procs[i]);
    }
    return peers;
}

/* How many find_peers() would find: for sizes, which are asked for everywhere. */
static uint64_t count_peers(const XtfLocations *locations, const XtfSelection *selection)
{
    if (!selection->by[XTF_BY_PEER])
        return locations->n_procs;
    g_autoptr(GArray) peers = find_peers(locations, selection);
    return peers->len;
}

static int compare_procs(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool shape_matrix(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfSelectedLocations) roster = {0};
    Side side;

    find_side(&side, views->context, selection);
    if (!xtf_selected_locations_init(&roster, views->context, selection, error))
        return false;
    const XtfLocations *locations = roster.locations;
    uint64_t n_peers = count_peers(locations, selection);
    size_t proc = xtf_procs_width(locations);
    xtf_grid_add(&shape->grid, "sender", proc);
    xtf_grid_add(&shape->grid, "receiver", proc);
    xtf_grid_add(&shape->grid, "messages", xtf_aggregate_ref_rows_width(&side.measure, views->context));
    xtf_grid_add(&shape->grid, "bytes", xtf_aggregate_ref_sum_width(&side.measure, views->context, side.measure.bytes));
    shape->n_lines = roster.n_procs * n_peers;
    shape->at_once = (PART_BYTES / MAX(shape->grid.line * n_peers, 1) + 1) * n_peers;
    return true;
}

/* Counting for one process after the other. */
typedef struct {
    const XtfAggregateRef *measure;
    const XtfRanks *ranks;
    const XtfSelectedLocations *roster;
    const GArray *peers;
    XtfLocationTotals tally;
    XtfLocationArrays holding;
    struct {
        uint64_t messages, bytes;
    } * cells; /* by peer */
} Count;

static void count_clear(Count *count)
{
    xtf_location_totals_finish(&count->tally);
    xtf_location_arrays_finish(&count->holding);
    g_free(count->cells);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Count, count_clear)

static bool count_init(Count *count, XtfTraceContext *context, const XtfSelection *selection,
                       const XtfAggregateRef *measure, const XtfSelectedLocations *roster, const GArray *peers,
                       GError **error)
{
    unsigned peer = measure->peer + 1, comm = measure->comm == XTF_KEY_NONE ? 0 : measure->comm + 1;

    count->measure = measure;
    count->roster = roster;
    count->peers = peers;
    count->cells = g_malloc0_n(peers->len, sizeof *count->cells);
    count->ranks = xtf_trace_context_ranks(context, error);
    return count->ranks && xtf_location_totals_init(&count->tally, context, selection, measure, MAX(peer, comm), error);
}

static void add_to_peer(Count *count, uint64_t proc, const uint64_t *totals)
{
    unsigned at;

    if (g_array_binary_search((GArray *)count->peers, &proc, compare_procs, &at)) {
        count->cells[at].messages += totals[XTF_GROUP_ROWS];
        count->cells[at].bytes += totals[count->measure->bytes];
    }
}

/* The process that a group's peer is, seen from `proc`; without communicators ranks are taken for processes. */
static bool find_peer(const Count *count, const uint64_t *key, uint64_t from, uint64_t *proc)
{
    const XtfAggregateRef *measure = count->measure;
    uint64_t rank = key[measure->peer];

    if (xtf_key_is_none(xtf_aggregate_ref_key(measure, measure->peer), rank))
        return false;
    if (measure->comm == XTF_KEY_NONE || !count->ranks->comms) {
        *proc = rank;
        return true;
    }
    return !xtf_key_is_none(xtf_aggregate_ref_key(measure, measure->comm), key[measure->comm]) &&
           xtf_ranks_proc(count->ranks, key[measure->comm], rank, from, proc);
}

static bool count_process(Count *count, XtfTraceContext *context, const XtfSelectedProcess *proc, GError **error)
{
    const XtfSelectedLocations *roster = count->roster;
    XtfGroupTotals *totals = count->tally.totals;
    uint64_t peer;

    memset(count->cells, 0, count->peers->len * sizeof *count->cells);
    xtf_group_totals_clear(totals);
    for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
        if (!xtf_location_arrays_load(&count->holding, context, &roster->locations->all[roster->places[i]], error) ||
            !xtf_location_totals_add_window(&count->tally, &count->holding, error))
            return false;
    }
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        if (find_peer(count, xtf_group_totals_key(totals, i), proc->proc, &peer))
            add_to_peer(count, peer, xtf_group_totals_cells(totals, i));
    }
    return true;
}

static bool fill_matrix(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                        GError **error)
{
    g_auto(XtfSelectedLocations) roster = {0};
    g_auto(Count) count = {0};
    Side side;

    find_side(&side, views->context, selection);
    if (!xtf_selected_locations_init(&roster, views->context, selection, error))
        return false;
    g_autoptr(GArray) peers = find_peers(roster.locations, selection);
    if (!count_init(&count, views->context, selection, &side.measure, &roster, peers, error))
        return false;
    for (uint64_t line = first; line < first + n; line += peers->len) {
        const XtfSelectedProcess *proc = &roster.procs[line / peers->len];
        if (!count_process(&count, views->context, proc, error))
            return false;
        for (unsigned i = 0; i < peers->len; i++) {
            uint64_t peer = g_array_index(peers, uint64_t, i);
            xtf_lines_number(lines, side.at_receivers ? peer : proc->proc);
            xtf_lines_number(lines, side.at_receivers ? proc->proc : peer);
            xtf_lines_number(lines, count.cells[i].messages);
            xtf_lines_number(lines, count.cells[i].bytes);
        }
    }
    return true;
}

const XtfView xtf_view_matrix = {.name = "matrix", .exists = matrix_exists, .shape = shape_matrix, .fill = fill_matrix};

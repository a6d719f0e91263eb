/*
 * matrix: messages and bytes of each pair of sender and receiver, a line a pair.
 *
 * The selection's processes are the side that recorded the messages: the senders, under recvs/ the receivers. Lines are
 * ordered by that side, so that a part of the text needs the totals of few processes.
 */
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/query/views/location-totals.h"
#include "src/query/views/view.h"

enum {
    PART_BYTES = 1 << 19, /* of text, about: whole processes */
};

typedef struct {
    XtfAggregateRef ref;
    bool at_receivers;
} Side;

/* False if the selection has no matrix. */
static bool find_side(Side *side, const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfAggregateRef *ref = &side->ref;
    const XtfSchema *recvs = xtf_trace_find_schema(context->trace, XTF_RECORD_RECVS);

    side->at_receivers = recvs && selection->type == recvs->id;
    return !selection->base &&
           xtf_aggregate_ref_groups(&side->ref, context, side->at_receivers ? XTF_RECORD_RECVS : XTF_RECORD_SENDS) &&
           xtf_selection_may_have(selection, ref->schema) && ref->peer != XTF_KEY_NONE && ref->bytes &&
           (ref->comm != XTF_KEY_NONE || !xtf_schema_field_by_role(ref->schema, XTF_ROLE_COMM));
}

static bool matrix_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    Side side;
    return find_side(&side, context, selection);
}

/* The processes of the other side: all of the trace, or those that peer/ selects. */
static GArray *find_peers(const XtfLocations *locations, const XtfSelection *selection)
{
    GArray *peers = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (uint32_t i = 0; i < locations->n_procs; i++) {
        if (xtf_number_set_contains(selection->by[XTF_BY_PEER], locations->procs[i]))
            g_array_append_val(peers, locations->procs[i]);
    }
    return peers;
}

/* The number that find_peers() finds. Sizes are asked for often, so the common case is fast. */
static uint64_t count_peers(const XtfLocations *locations, const XtfSelection *selection)
{
    if (!selection->by[XTF_BY_PEER])
        return locations->n_procs;
    g_autoptr(GArray) peers = find_peers(locations, selection);
    return peers->len;
}

static bool shape_matrix(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};
    Side side;

    find_side(&side, views->context, selection);
    if (!xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    const XtfLocations *locations = selected.locations;
    uint64_t n_peers = count_peers(locations, selection);
    size_t proc = locations->proc_width;
    xtf_grid_add(&shape->grid, "sender", proc);
    xtf_grid_add(&shape->grid, "receiver", proc);
    xtf_grid_add(&shape->grid, "messages", xtf_aggregate_ref_rows_width(&side.ref, views->context));
    xtf_grid_add(&shape->grid, "bytes", xtf_aggregate_ref_sum_width(&side.ref, views->context, side.ref.bytes));
    shape->n_lines = selected.n_procs * n_peers;
    shape->at_once = (PART_BYTES / MAX(shape->grid.line * n_peers, 1) + 1) * n_peers;
    return true;
}

/* Adds up one process after the other. */
typedef struct {
    const XtfAggregateRef *ref;
    const XtfRanks *ranks;
    const XtfSelectedLocations *selected;
    const GArray *peers;
    XtfLocationTotals totals;
    XtfLocationArrays arrays;
    struct {
        uint64_t messages, bytes;
    } * cells; /* by peer */
} Count;

static void count_clear(Count *count)
{
    xtf_location_totals_finish(&count->totals);
    xtf_location_arrays_finish(&count->arrays);
    g_free(count->cells);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Count, count_clear)

static bool count_init(Count *count, XtfTraceContext *context, const XtfSelection *selection,
                       const XtfAggregateRef *ref, const XtfSelectedLocations *selected, const GArray *peers,
                       GError **error)
{
    unsigned peer = ref->peer + 1, comm = ref->comm == XTF_KEY_NONE ? 0 : ref->comm + 1;

    count->ref = ref;
    count->selected = selected;
    count->peers = peers;
    count->cells = g_malloc0_n(peers->len, sizeof *count->cells);
    count->ranks = xtf_trace_context_ranks(context, error);
    return count->ranks && xtf_location_totals_init(&count->totals, context, selection, ref, MAX(peer, comm), error);
}

static void add_to_peer(Count *count, uint64_t proc, const uint64_t *group)
{
    unsigned at;

    if (g_array_binary_search((GArray *)count->peers, &proc, xtf_compare_numbers, &at)) {
        count->cells[at].messages += group[XTF_GROUP_ROWS];
        count->cells[at].bytes += group[count->ref->bytes];
    }
}

/* The process that is the peer in a group of process `from`; false if unknown. Without communicators ranks are
 * processes. */
static bool find_peer(const Count *count, const uint64_t *key, uint64_t from, uint64_t *proc)
{
    const XtfAggregateRef *ref = count->ref;
    uint64_t rank = key[ref->peer];

    if (xtf_key_is_none(xtf_aggregate_ref_key(ref, ref->peer), rank))
        return false;
    if (ref->comm == XTF_KEY_NONE || !count->ranks->comms) {
        *proc = rank;
        return true;
    }
    return !xtf_key_is_none(xtf_aggregate_ref_key(ref, ref->comm), key[ref->comm]) &&
           xtf_ranks_proc(count->ranks, key[ref->comm], rank, from, proc);
}

static bool count_process(Count *count, XtfTraceContext *context, const XtfSelectedProcess *proc, GError **error)
{
    const XtfSelectedLocations *selected = count->selected;
    XtfGroupTotals *groups = count->totals.groups;
    uint64_t peer;

    memset(count->cells, 0, count->peers->len * sizeof *count->cells);
    xtf_group_totals_clear(groups);
    for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
        if (!xtf_location_arrays_load(&count->arrays, context, xtf_selected_location(selected, i), error) ||
            !xtf_location_totals_add_window(&count->totals, &count->arrays, error))
            return false;
    }
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        if (find_peer(count, xtf_group_totals_key(groups, i), proc->proc, &peer))
            add_to_peer(count, peer, xtf_group_totals_cells(groups, i));
    }
    return true;
}

static bool fill_matrix(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                        GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(Count) count = {0};
    Side side;

    find_side(&side, views->context, selection);
    if (!xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    g_autoptr(GArray) peers = find_peers(selected.locations, selection);
    if (!count_init(&count, views->context, selection, &side.ref, &selected, peers, error))
        return false;
    for (uint64_t line = first; line < first + n; line += peers->len) {
        const XtfSelectedProcess *proc = &selected.procs[line / peers->len];
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

const XtfView xtf_view_matrix = {.name = "matrix",
                                 .lasting = true,
                                 .exists = matrix_exists,
                                 .shape = shape_matrix,
                                 .fill = fill_matrix,
                                 .not_by = 1 << XTF_GROUP_BY_PROC | 1 << XTF_GROUP_BY_THREAD | 1 << XTF_GROUP_BY_PEER};

/*
 * matrix: messages and bytes of each pair of sender and receiver that exchange messages anywhere in the trace.
 *
 * The selection's processes are the side that recorded the messages: the senders; below recvs/ the receivers. Lines are
 * ordered by this side, so that a part of the text needs the totals of few processes.
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/location-totals.h"
#include "src/tables/views/pair-lines.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("sender", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("receiver", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    XTF_COLUMN("messages", XTF_COLUMN_NUMBER, NULL, "number of messages"),
    XTF_COLUMN("bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages"),
};

typedef struct {
    XtfAggregateRef ref;
    bool at_receivers;
} Side;

/* Finds the aggregate by which messages count: of receives below recvs/, else of sends. False if the selection has no
 * matrix. */
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

static bool pairs_init(XtfPairLines *pairs, Side *side, XtfViews *views, const XtfSelection *selection, GError **error)
{
    find_side(side, views->context, selection);
    return xtf_pair_lines_init(pairs, views, selection, &side->ref, selection->by[XTF_BY_PEER], error);
}

static bool shape_matrix(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfPairLines) pairs = {0};
    Side side;

    if (!pairs_init(&pairs, &side, views, selection, error))
        return false;
    const XtfAggregateRef *ref = &side.ref;
    size_t proc = pairs.selected.locations->proc_width;
    xtf_grid_add(&shape->grid, "sender", proc);
    xtf_grid_add(&shape->grid, "receiver", proc);
    xtf_grid_add(&shape->grid, "messages", xtf_aggregate_ref_rows_width(ref, views->context));
    xtf_grid_add(&shape->grid, "bytes", xtf_aggregate_ref_sum_width(ref, views->context, ref->bytes));
    xtf_pair_lines_shape(&pairs, shape);
    return true;
}

/* Sums of the messages of one process, which is replaced by the next. */
typedef struct {
    Side side;
    XtfPairLines pairs;
    XtfTraceContext *context;
    XtfLines *lines;
    XtfLocationTotals totals;
    XtfLocationArrays arrays;
    GArray *peers; /* numbers of the processes that are peers of `proc` */
    struct {
        uint64_t messages, bytes;
    } * cells; /* by index in `peers` */
} Count;

static void count_clear(Count *count)
{
    xtf_pair_lines_finish(&count->pairs);
    xtf_location_totals_finish(&count->totals);
    xtf_location_arrays_finish(&count->arrays);
    g_clear_pointer(&count->peers, g_array_unref);
    g_clear_pointer(&count->cells, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Count, count_clear)

static void add_message_group(Count *count, uint64_t proc, const uint64_t *key, const uint64_t *cells)
{
    uint64_t peer;
    guint at;

    if (xtf_pair_finder_peer(&count->pairs.finder, key, proc, &peer) &&
        g_array_binary_search(count->peers, &peer, xtf_compare_numbers, &at)) {
        count->cells[at].messages += cells[XTF_GROUP_ROWS];
        count->cells[at].bytes += cells[count->side.ref.bytes];
    }
}

static bool count_process(Count *count, const XtfSelectedProcess *proc, GError **error)
{
    XtfGroupTotals *groups = count->totals.groups;

    g_clear_pointer(&count->peers, g_array_unref);
    if (!(count->peers = xtf_pair_finder_find(&count->pairs.finder, proc->proc, error)))
        return false;
    g_free(count->cells);
    count->cells = g_malloc0_n(count->peers->len, sizeof *count->cells);
    xtf_group_totals_clear(groups);
    for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
        const XtfLocation *location = xtf_selected_location(&count->pairs.selected, i);
        if (!xtf_location_arrays_load(&count->arrays, count->context, location, error) ||
            !xtf_location_totals_add_window(&count->totals, &count->arrays, error))
            return false;
    }
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++)
        add_message_group(count, proc->proc, xtf_group_totals_key(groups, i), xtf_group_totals_cells(groups, i));
    return true;
}

static bool add_message_matrix_lines(void *data, const XtfSelectedProcess *proc, uint64_t from, uint64_t to,
                                     GError **error)
{
    Count *count = data;
    bool at_receivers = count->side.at_receivers;

    if (!count_process(count, proc, error))
        return false;
    for (uint64_t i = from; i < MIN(to, count->peers->len); i++) {
        uint64_t peer = g_array_index(count->peers, uint64_t, i);
        xtf_lines_number(count->lines, at_receivers ? peer : proc->proc);
        xtf_lines_number(count->lines, at_receivers ? proc->proc : peer);
        xtf_lines_number(count->lines, count->cells[i].messages);
        xtf_lines_number(count->lines, count->cells[i].bytes);
    }
    return true;
}

static bool fill_matrix(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                        GError **error)
{
    g_auto(Count) count = {.context = views->context, .lines = lines};

    return pairs_init(&count.pairs, &count.side, views, selection, error) &&
           xtf_location_totals_init(&count.totals, views->context, selection, &count.side.ref,
                                    xtf_pair_finder_depth(&count.pairs.finder), error) &&
           xtf_pair_lines_fill(&count.pairs, first, n, add_message_matrix_lines, &count, error);
}

const XtfView xtf_view_matrix = {.table = XTF_TABLE("matrix", "messages of each pair of processes", columns),
                                 .final_in_window = true,
                                 .subject = &xtf_about_messages,
                                 .exists = matrix_exists,
                                 .shape = shape_matrix,
                                 .fill = fill_matrix,
                                 .refused_keys =
                                     1 << XTF_GROUP_BY_PROC | 1 << XTF_GROUP_BY_THREAD | 1 << XTF_GROUP_BY_PEER};

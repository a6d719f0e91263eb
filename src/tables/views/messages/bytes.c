/*
 * bytes: the bytes that each process sent and received, in messages and in collective operations.
 */
#include "src/tables/totals/message-totals.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("messages_sent", XTF_COLUMN_NUMBER, NULL, "messages sent"),
    XTF_COLUMN("bytes_sent", XTF_COLUMN_NUMBER, "B", "bytes of the messages sent"),
    XTF_COLUMN("messages_received", XTF_COLUMN_NUMBER, NULL, "messages received"),
    XTF_COLUMN("bytes_received", XTF_COLUMN_NUMBER, "B", "bytes of the messages received"),
    XTF_COLUMN("collectives", XTF_COLUMN_NUMBER, NULL, "collective operations"),
    XTF_COLUMN("collective_sent", XTF_COLUMN_NUMBER, "B", "bytes sent in collective operations"),
    XTF_COLUMN("collective_received", XTF_COLUMN_NUMBER, "B", "bytes received in collective operations"),
};

enum {
    PART_LINES = 1024,
};

static bool shape_bytes(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    g_auto(XtfSelectedLocations) selected = {0};
    XtfAggregateRef m[XTF_N_MOVED];

    if (!xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    xtf_message_totals_find(context, m);
    shape->n_lines = selected.n_procs;
    shape->at_once = PART_LINES;
    xtf_grid_add(&shape->grid, "proc", selected.locations->proc_width);
    xtf_grid_add(&shape->grid, "messages_sent", xtf_aggregate_ref_rows_width(&m[XTF_MOVED_SENDS], context));
    xtf_grid_add(&shape->grid, "bytes_sent",
                 xtf_aggregate_ref_sum_width(&m[XTF_MOVED_SENDS], context, m[XTF_MOVED_SENDS].bytes));
    xtf_grid_add(&shape->grid, "messages_received", xtf_aggregate_ref_rows_width(&m[XTF_MOVED_RECVS], context));
    xtf_grid_add(&shape->grid, "bytes_received",
                 xtf_aggregate_ref_sum_width(&m[XTF_MOVED_RECVS], context, m[XTF_MOVED_RECVS].bytes));
    xtf_grid_add(&shape->grid, "collectives", xtf_aggregate_ref_rows_width(&m[XTF_MOVED_COLLECTIVES], context));
    xtf_grid_add(&shape->grid, "collective_sent",
                 xtf_aggregate_ref_sum_width(&m[XTF_MOVED_COLLECTIVES], context, m[XTF_MOVED_COLLECTIVES].bytes));
    xtf_grid_add(&shape->grid, "collective_received",
                 xtf_aggregate_ref_sum_width(&m[XTF_MOVED_COLLECTIVES], context, m[XTF_MOVED_COLLECTIVES].received));
    return true;
}

static bool fill_bytes(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                       GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(XtfMessageTotals) messages = {0};
    XtfMoved moved[XTF_N_MOVED];

    if (!xtf_selected_locations_init(&selected, views->context, selection, error) ||
        !xtf_message_totals_init(&messages, views->context, selection, error))
        return false;
    for (uint64_t i = first; i < first + n; i++) {
        if (!xtf_message_totals_of(&messages, &selected, &selected.procs[i], moved, error))
            return false;
        xtf_lines_number(lines, selected.procs[i].proc);
        for (unsigned j = 0; j < XTF_N_MOVED; j++) {
            xtf_lines_number(lines, moved[j].rows);
            xtf_lines_number(lines, moved[j].bytes);
        }
        xtf_lines_number(lines, moved[XTF_MOVED_COLLECTIVES].received);
    }
    return true;
}

const XtfView xtf_view_bytes = {.table = XTF_TABLE("bytes", "messages and bytes of each process", columns),
                                .final_in_window = true,
                                .subject = &xtf_about_bytes,
                                .exists = xtf_message_totals_exist,
                                .shape = shape_bytes,
                                .fill = fill_bytes};

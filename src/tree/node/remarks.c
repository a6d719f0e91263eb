/* Remarks for the user on paths that exist. */
#include "libxtf/trace.h"
#include "src/tree/node/node-class.h"

/* True if the selection begins after the trace's end. An instant may be the trace's end.
 * No window ends before the trace begins, because times are counted from there. */
static bool begins_after_trace(const XtfSelection *selection, const XtfTimeScale *scale)
{
    return selection->time_from > scale->end ||
           (selection->time_from == scale->end && selection->time_from > scale->origin &&
            selection->time_to > selection->time_from);
}

/* Names the rows that no file has because this version cannot read their arrays; NULL: there are none. */
static char *describe_refused(XtfTraceContext *context)
{
    const XtfLocations *locations =
        xtf_trace_is_supported(context->trace, NULL) ? NULL : xtf_trace_context_locations(context, NULL);
    const XtfRefused *refused = locations && locations->refused.n_arrays > 0 ? &locations->refused : NULL;

    return refused ? g_strdup_printf("%" PRIu64 " rows of %" PRIu64 " arrays are left out: %s", refused->n_rows,
                                     refused->n_arrays, refused->reason)
                   : NULL;
}

char *xtf_node_remark(const XtfNode *node)
{
    const XtfTimeScale *scale = &node->tree->context.scale;
    const XtfSelection *selection = node->selection;
    const char *unit = xtf_time_scale_unit(scale);
    char begin[XTF_TIME_TEXT_MAX], end[XTF_TIME_TEXT_MAX];

    if (!selection || !begins_after_trace(selection, scale))
        return describe_refused(&node->tree->context);
    xtf_time_scale_print_instant(scale, selection->time_from, begin);
    xtf_time_scale_print_instant(scale, scale->end, end);
    return g_strdup_printf("the trace ends at %s %s, before this selection begins at %s %s", end, unit, begin, unit);
}

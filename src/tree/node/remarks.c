/* Remarks for the user on paths that exist. */
#include "src/tree/node/node-class.h"

/* True if the selection begins after the trace's end. An instant may be the trace's end.
 * No window ends before the trace begins, because times are counted from there. */
static bool is_beyond_the_end(const XtfSelection *selection, const XtfTimeScale *scale)
{
    return selection->time_from > scale->end ||
           (selection->time_from == scale->end && selection->time_from > scale->origin &&
            selection->time_to > selection->time_from);
}

char *xtf_node_remark(const XtfNode *node)
{
    const XtfTimeScale *scale = &node->tree->context.scale;
    const XtfSelection *selection = node->selection;
    const char *unit = xtf_time_scale_unit(scale);
    char begin[XTF_TIME_TEXT_MAX], end[XTF_TIME_TEXT_MAX];

    if (!selection || !is_beyond_the_end(selection, scale))
        return NULL;
    xtf_time_scale_print_instant(scale, selection->time_from, begin);
    xtf_time_scale_print_instant(scale, scale->end, end);
    return g_strdup_printf("the trace ends at %s %s, and this begins at %s %s", end, unit, begin, unit);
}

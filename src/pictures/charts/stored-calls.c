#include "src/pictures/charts/stored-calls.h"

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/analysis/replay/logs/callpath-log.h"
#include "src/trace/context/analyses.h"

/* True if an aggregate is by region and call path, and its first sum is the time. */
static bool has_callpath_times(const XtfSchema *schema, const XtfAggregate *aggregate)
{
    const XtfField *fields = schema->fields;

    return aggregate->kind == XTF_AGGREGATE_GROUPS && !aggregate->extremes && aggregate->n_keys == 2 &&
           g_str_equal(fields[aggregate->keys[1]].name, "context") && fields[aggregate->keys[1]].type == XTF_TYPE_U32 &&
           aggregate->n_values > 0 && g_str_equal(fields[aggregate->values[0]].name, "total") &&
           fields[aggregate->values[0]].type == XTF_TYPE_U64;
}

bool xtf_stored_calls_find(XtfStoredCalls *stored, XtfTraceContext *context, GError **error)
{
    const XtfSchema *schema = xtf_trace_context_schema(context, XTF_DERIVED_ACTIVITY, XTF_SCHEMA_DERIVED);
    const char *tool;
    bool outdated;

    *stored = (XtfStoredCalls){.context = context};
    if (!schema)
        return true;
    if (!xtf_trace_context_is_outdated(context, schema, &outdated, error) ||
        !xtf_analyses_find_tool(context->trace, XTF_DERIVED_ACTIVITY, &tool, error) ||
        !xtf_callpaths_load(&stored->callpaths, context, error))
        return false;
    if (outdated || stored->callpaths.n == 0 || stored->callpaths.n >= XTF_CALLPATHS_MAX ||
        (tool && xtf_analyses_is_cut(tool)))
        return true;
    for (unsigned i = 0; i < schema->n_aggregates && !stored->schema; i++) {
        if (has_callpath_times(schema, &schema->aggregates[i])) {
            stored->schema = schema;
            stored->aggregate = i;
        }
    }
    return true;
}

/* Returns the node of each call path, or of the call around it if the path is not selected. The caller frees the array.
 * Parents precede their children. */
static uint32_t *make_nodes(const XtfStoredCalls *stored, XtfCallTree *tree, const XtfNumberSet *only,
                            const XtfRegions *regions)
{
    const XtfCallpaths *callpaths = &stored->callpaths;
    uint32_t *nodes = g_new0(uint32_t, callpaths->n);

    for (uint32_t i = 0; i < callpaths->n; i++) {
        uint32_t parent = callpaths->rows[i].parent, region = callpaths->rows[i].region;
        nodes[i] = parent < i ? nodes[parent] : 0;
        if (region != XTF_NONE32 && xtf_number_set_contains(only, region))
            nodes[i] = xtf_call_tree_child(tree, nodes[i], xtf_region_line(regions, region));
    }
    return nodes;
}

static bool add_location_activity(const XtfStoredCalls *stored, const XtfArray *array, XtfCallTree *tree,
                                  const uint32_t *nodes, GError **error)
{
    g_autoptr(XtfGroupTotals) groups = xtf_group_totals_new(&stored->schema->aggregates[stored->aggregate], 2);

    if (!xtf_array_totals(array, stored->aggregate, NULL, 0, array->n_rows, groups, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t callpath = xtf_group_totals_key(groups, i)[1];
        if (callpath == XTF_NONE32)
            continue; /* time outside of all calls */
        if (callpath >= stored->callpaths.n)
            return xtf_damaged(error,
                               "location %" PRIu64 ": a row of %s names call path %" PRIu64 ", which does not exist",
                               array->location, stored->schema->name, callpath);
        if (nodes[callpath] != 0)
            xtf_call_node(tree, nodes[callpath])->amount += xtf_group_totals_cells(groups, i)[1];
    }
    return true;
}

bool xtf_stored_calls_add(const XtfStoredCalls *stored, XtfCallTree *tree, const XtfSelection *selection,
                          const XtfSelectedLocations *selected, const XtfRegions *regions, GError **error)
{
    g_autofree uint32_t *nodes = make_nodes(stored, tree, selection->by[XTF_BY_REGION], regions);
    g_auto(XtfLocationArrays) arrays = {0};

    for (uint32_t i = 0; i < selected->n; i++) {
        if (!xtf_location_arrays_load(&arrays, stored->context, xtf_selected_location(selected, i), error))
            return false;
        const XtfArray *array = xtf_location_arrays_find(&arrays, stored->schema);
        if (array && !add_location_activity(stored, array, tree, nodes, error))
            return false;
    }
    /* Time on a path is time on all paths that it continues. */
    for (uint32_t i = tree->nodes->len; i-- > 1;) {
        const XtfCallNode *node = xtf_call_node(tree, i);
        if (node->parent != 0)
            xtf_call_node(tree, node->parent)->amount += node->amount;
    }
    return true;
}

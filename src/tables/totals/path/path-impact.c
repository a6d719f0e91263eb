#include "src/tables/totals/path/path-impact.h"

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/model/schemas.h"
#include "src/tables/totals/selected-locations.h"

/* ---- Totals by call path. */

/* An aggregate by region and call path. */
typedef struct {
    const XtfSchema *schema;
    unsigned number;
} ByCallpath;

static bool is_named(const XtfSchema *schema, uint8_t field, const char *name, XtfType type)
{
    return g_str_equal(schema->fields[field].name, name) && schema->fields[field].type == type;
}

/* Finds an aggregate by region and call path whose cells 1 and 2 are the sums of fields `value` and `second`. */
static bool find_callpath_aggregate(ByCallpath *found, XtfTraceContext *context, const char *type, const char *value,
                                    const char *second)
{
    const XtfSchema *schema = xtf_trace_context_schema(context, type, XTF_SCHEMA_DERIVED);

    for (unsigned i = 0; schema && i < schema->n_aggregates; i++) {
        const XtfAggregate *aggregate = &schema->aggregates[i];
        if (aggregate->kind == XTF_AGGREGATE_GROUPS && !aggregate->extremes && aggregate->n_keys == 2 &&
            is_named(schema, aggregate->keys[1], "context", XTF_TYPE_U32) && aggregate->n_values == 2 &&
            is_named(schema, aggregate->values[0], value, XTF_TYPE_U64) &&
            g_str_equal(schema->fields[aggregate->values[1]].name, second) && !aggregate->real_values) {
            *found = (ByCallpath){schema, i};
            return true;
        }
    }
    return false;
}

static bool find_aggregates(XtfTraceContext *context, ByCallpath *path, ByCallpath *activity)
{
    return find_callpath_aggregate(path, context, "critical", "amount", "segments") &&
           find_callpath_aggregate(activity, context, XTF_DERIVED_ACTIVITY, "total", "waited");
}

bool xtf_path_impact_exists(XtfTraceContext *context)
{
    ByCallpath path, activity;

    return find_aggregates(context, &path, &activity);
}

typedef void (*TakeCells)(XtfPathValues *values, const uint64_t *cells);

static void take_path(XtfPathValues *values, const uint64_t *cells)
{
    values->path += cells[1];
}

static void take_activity(XtfPathValues *values, const uint64_t *cells)
{
    values->active += cells[1] - MIN(cells[1], cells[2]);
}

static bool add_totals(const XtfPathImpact *impact, const XtfLocationArrays *arrays, const ByCallpath *by,
                       TakeCells take, XtfPathValues *values, GError **error)
{
    const XtfArray *array = xtf_location_arrays_find(arrays, by->schema);
    const XtfAggregate *aggregate = &by->schema->aggregates[by->number];

    if (!array)
        return true;
    g_autoptr(XtfGroupTotals) groups = xtf_group_totals_new(aggregate, 2);
    if (!xtf_array_totals(array, by->number, NULL, 0, array->n_rows, groups, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t callpath = xtf_group_totals_key(groups, i)[1];
        if (callpath == XTF_NONE32)
            callpath = impact->n - 1;
        else if (callpath >= impact->n - 1)
            return xtf_damaged(error,
                               "location %" PRIu64 ": a row of %s names call path %" PRIu64 ", which does not exist",
                               array->location, by->schema->name, callpath);
        take(&values[callpath], xtf_group_totals_cells(groups, i));
    }
    return true;
}

/* Measures p_l and t_l of all call paths on a location. *any is true if the location has an activity. */
static bool measure_location(const XtfPathImpact *impact, XtfLocationArrays *arrays, const XtfLocation *location,
                             XtfPathValues *values, bool *any, GError **error)
{
    ByCallpath path, activity;

    memset(values, 0, impact->n * sizeof *values);
    if (!find_aggregates(impact->context, &path, &activity))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has no critical path");
    if (!xtf_location_arrays_load(arrays, impact->context, location, error))
        return false;
    *any = xtf_location_arrays_find(arrays, activity.schema);
    return add_totals(impact, arrays, &path, take_path, values, error) &&
           add_totals(impact, arrays, &activity, take_activity, values, error);
}

/* ---- Costs. */

bool xtf_path_impact_counts(const XtfPathImpact *impact, uint32_t callpath)
{
    return callpath < impact->n - 1 || impact->has_outside;
}

static long double excess(unsigned __int128 a, uint64_t b)
{
    return a > b ? (long double)(a - b) : 0;
}

/* Adds a location's waits to the costs of the call paths of which it has less than the path. */
static void distribute_waits(XtfPathImpact *impact, const XtfPathValues *values)
{
    long double waited = (long double)impact->length, between = waited, lacks = 0, missing = 0;

    for (uint32_t i = 0; i < impact->n; i++) {
        if (!xtf_path_impact_counts(impact, i))
            continue;
        unsigned __int128 path = impact->sums[i].path;
        waited -= (long double)values[i].active;
        lacks += excess(path, values[i].active);
        between -= values[i].active ? (long double)MAX(path, values[i].active) : 0;
        missing += values[i].active ? 0 : (long double)path;
    }
    for (uint32_t i = 0; i < impact->n; i++) {
        XtfPathSum *sum = &impact->sums[i];
        if (!xtf_path_impact_counts(impact, i))
            continue;
        if (lacks > 0)
            sum->cost += excess(sum->path, values[i].active) * waited / lacks;
        if (missing > 0 && !values[i].active)
            sum->cost_between += (long double)sum->path * between / missing;
    }
}

static void add_sums(XtfPathImpact *impact, const XtfPathValues *values)
{
    for (uint32_t i = 0; i < impact->n; i++) {
        impact->sums[i].path += values[i].path;
        impact->sums[i].active += values[i].active;
        impact->length += xtf_path_impact_counts(impact, i) ? values[i].path : 0;
    }
}

/* Reads the values of all locations, and adds them to the sums, or with `costs` to the costs, which need the sums. */
static bool add_impact_locations(XtfPathImpact *impact, bool costs, GError **error)
{
    g_autofree XtfPathValues *values = g_new0(XtfPathValues, impact->n);
    g_auto(XtfLocationArrays) arrays = {0};

    for (uint32_t i = 0; i < impact->locations->n; i++) {
        bool any;
        if (!measure_location(impact, &arrays, &impact->locations->all[i], values, &any, error))
            return false;
        impact->n_locations += any && !costs;
        if (!costs)
            add_sums(impact, values);
        else if (any)
            distribute_waits(impact, values);
    }
    return true;
}

/* ---- Loading. */

bool xtf_path_impact_load(XtfPathImpact *impact, XtfTraceContext *context, GError **error)
{
    const XtfSchema *programs = xtf_trace_context_schema(context, "programs", XTF_SCHEMA_RECORD);

    *impact = (XtfPathImpact){.context = context, .locations = xtf_trace_context_locations(context, error)};
    if (!impact->locations || !xtf_callpaths_load(&impact->callpaths, context, error))
        return false;
    impact->n = impact->callpaths.n + 1;
    impact->has_outside = programs && xtf_trace_n_rows(context->trace, programs->id) > 0;
    impact->sums = g_new0(XtfPathSum, impact->n);
    return add_impact_locations(impact, false, error) && add_impact_locations(impact, true, error);
}

void xtf_path_impact_finish(XtfPathImpact *impact)
{
    g_clear_pointer(&impact->sums, g_free);
}

bool xtf_path_impact_values(const XtfPathImpact *impact, const XtfLocation *location, XtfPathValues *values,
                            GError **error)
{
    g_auto(XtfLocationArrays) arrays = {0};
    bool any;

    if (!measure_location(impact, &arrays, location, values, &any, error))
        return false;
    for (uint32_t i = 0; i < impact->n; i++) {
        const XtfPathSum *sum = &impact->sums[i];
        XtfPathValues *value = &values[i];
        value->activity = sum->path ? (uint64_t)MIN(sum->path, value->active) : 0;
        value->non_critical = value->active > sum->path ? value->active - (uint64_t)sum->path : 0;
        if (!sum->path || !xtf_path_impact_counts(impact, i))
            continue;
        long double part = (long double)value->path / (long double)sum->path;
        value->impact = (double)(part * MAX(sum->cost, 0));
        value->between = (double)(part * MAX(sum->cost_between, 0));
    }
    return true;
}

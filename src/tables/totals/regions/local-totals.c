#include "src/tables/totals/regions/local-totals.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/model/properties.h"
#include "src/tables/totals/location-totals.h"

/* Counts of the records of a type by region. */
typedef struct {
    XtfAggregateRef ref;
    XtfLocationTotals totals;
    XtfProbeClass class;
} Counted;

typedef struct {
    XtfLocalTotals *totals;
    XtfTraceContext *context;
    XtfProbes *probes;
    XtfProbeCosts costs; /* of process `proc` */
    uint64_t proc;
    bool has_costs;
    GArray *types; /* Counted */
} Load;

static void clear_counted(gpointer data)
{
    xtf_location_totals_finish(&((Counted *)data)->totals);
}

static XtfProbes *read_probes(XtfTraceContext *context, GError **error)
{
    g_autoptr(XtfProbes) probes = xtf_probes_new(context, error);
    const char *stated = xtf_property(context->properties, XTF_PROPERTY_PROBES);
    bool any = true;

    if (!probes || xtf_property(context->properties, XTF_PROPERTY_COMPENSATED))
        return g_steal_pointer(&probes);
    if (stated ? !xtf_probes_add(probes, stated, error) : !xtf_probes_add_recorded(probes, &any, error))
        return NULL;
    if (!any)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "the trace does not say what its probes cost: xtf cat --probe ENTER=120ns,LEAVE=90ns does"),
               NULL;
    return g_steal_pointer(&probes);
}

/* Finds the types of records, beside calls, that are counted by region. */
static bool find_types(Load *load, const XtfSelection *selection, GError **error)
{
    XtfTrace *trace = load->context->trace;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        const XtfSchema *schema = xtf_trace_schema(trace, i);
        XtfProbeClass class = (XtfProbeClass)load->probes->schemas[i].class;
        XtfAggregateRef ref;
        if (schema->kind != XTF_SCHEMA_RECORD || class == XTF_PROBE_ENTER || class == XTF_PROBE_FREE ||
            !xtf_aggregate_ref_groups(&ref, load->context, schema->name) || ref.region == XTF_KEY_NONE)
            continue;
        const Counted counted = {.ref = ref, .class = class};
        g_array_append_val(load->types, counted);
    }
    for (guint i = 0; i < load->types->len; i++) {
        Counted *counted = &g_array_index(load->types, Counted, i);
        if (!xtf_location_totals_init(&counted->totals, load->context, selection, &counted->ref,
                                      counted->ref.region + 1, error))
            return false;
    }
    return true;
}

static uint64_t cost_of_call(const Load *load, uint64_t region, XtfProbeClass class)
{
    uint64_t cost = load->costs.regions && region < load->probes->n_regions ? load->costs.regions[region] : UINT64_MAX;

    return cost != UINT64_MAX ? cost : load->costs.classes[class];
}

static void add_call_costs(Load *load)
{
    XtfLocalTotals *totals = load->totals;
    const XtfGroupTotals *groups = totals->times.groups;

    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t region = *xtf_group_totals_key(groups, i), line = xtf_region_line(&totals->times.regions, region);
        const uint64_t *cells = xtf_group_totals_cells(groups, i);
        if (line >= totals->n)
            continue;
        XtfLocalTotal *total = &totals->all[line];
        bool begun = line != totals->times.regions.n; /* else frames from before the trace */
        total->exclusive += cells[XTF_FRAMES_EXCLUSIVE];
        total->calls += begun ? cells[XTF_FRAMES_BEGUN] : 0;
        if (begun)
            total->probes += (unsigned __int128)cells[XTF_FRAMES_BEGUN] * cost_of_call(load, region, XTF_PROBE_ENTER);
        if (!xtf_region_is_listed(&totals->times.regions, line))
            continue;
        uint64_t leaves = begun ? cells[XTF_FRAMES_ENDED] : cells[XTF_FRAMES_BEGUN];
        totals->leaves += leaves;
        totals->leave_cost += (unsigned __int128)leaves * cost_of_call(load, region, XTF_PROBE_LEAVE);
    }
}

static bool add_type_costs(Load *load, Counted *counted, GError **error)
{
    XtfLocalTotals *totals = load->totals;

    if (!counted->totals.groups)
        return true;
    xtf_group_totals_clear(counted->totals.groups);
    if (!xtf_location_totals_add_window(&counted->totals, &totals->times.arrays, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(counted->totals.groups); i++) {
        uint64_t region = xtf_group_totals_key(counted->totals.groups, i)[counted->ref.region];
        uint64_t line = xtf_region_line(&totals->times.regions, region);
        uint64_t rows = xtf_group_totals_cells(counted->totals.groups, i)[XTF_GROUP_ROWS];
        if (line < totals->n)
            totals->all[line].probes += (unsigned __int128)rows * load->costs.classes[counted->class];
    }
    return true;
}

static bool add_location_costs(Load *load, const XtfLocation *location, GError **error)
{
    uint64_t ticks;

    if (!load->has_costs || load->proc != location->proc) {
        xtf_probe_costs_finish(&load->costs);
        xtf_probes_of(load->probes, location->proc, &load->costs);
        load->proc = location->proc;
        load->has_costs = true;
    }
    if (!xtf_region_times_measure(&load->totals->times, location, &ticks, error))
        return false;
    load->totals->whole += ticks;
    add_call_costs(load);
    for (guint i = 0; i < load->types->len; i++)
        if (!add_type_costs(load, &g_array_index(load->types, Counted, i), error))
            return false;
    return true;
}

static bool add_locations(Load *load, const XtfSelection *selection, GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};

    if (!xtf_selected_locations_init(&selected, load->context, selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n; i++)
        if (!add_location_costs(load, xtf_selected_location(&selected, i), error))
            return false;
    return true;
}

/* Turns parts of a tick into ticks. */
static void round_costs(XtfLocalTotals *totals)
{
    for (uint64_t line = 0; line < totals->n; line++)
        totals->all[line].probes /= XTF_PROBE_PARTS;
    totals->leave_cost /= XTF_PROBE_PARTS;
}

bool xtf_local_totals_load(XtfLocalTotals *totals, XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    Load load = {.totals = totals, .context = formats->context};

    *totals = (XtfLocalTotals){0};
    g_autoptr(XtfProbes) probes = load.probes = read_probes(formats->context, error);
    if (!probes || !xtf_region_times_init(&totals->times, formats, selection, error))
        return false;
    totals->n = xtf_regions_n_lines(&totals->times.regions);
    totals->all = g_new0(XtfLocalTotal, totals->n);
    for (uint64_t line = 0; line < totals->n; line++)
        totals->all[line].line = line;
    load.types = g_array_new(FALSE, FALSE, sizeof(Counted));
    g_array_set_clear_func(load.types, clear_counted);
    bool good = find_types(&load, selection, error) && add_locations(&load, selection, error);
    g_array_unref(load.types);
    xtf_probe_costs_finish(&load.costs);
    round_costs(totals);
    return good;
}

void xtf_local_totals_finish(XtfLocalTotals *totals)
{
    xtf_region_times_finish(&totals->times);
    g_clear_pointer(&totals->all, g_free);
}

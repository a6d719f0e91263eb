#include "src/analysis/compensate/probes.h"

#include <fnmatch.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/process-properties.h"
#include "src/trace/context/name-index.h"

#define PICO_PER_NS  1000
#define COST_MAX_NS  UINT64_C(1000000000000) /* 1000 s */
#define BUFFER_FLUSH "BUFFER_FLUSH"

/* A cost of a class of records, or of the regions of a pattern. */
typedef struct {
    uint64_t first, last; /* numbers of processes */
    int class;            /* XtfProbeClass; -1: `pattern` */
    char *pattern;
    uint64_t cost;
} Item;

static const char *const class_names[XTF_N_PROBES] = {"ENTER", "LEAVE", "MPI", "METRIC", "OTHER"};

/* Types of records of MPI's probes. Names that begin with "rma_" are further ones. */
static const char *const mpi_types[] = {XTF_RECORD_SENDS,       XTF_RECORD_RECVS, XTF_RECORD_REQUESTS,
                                        XTF_RECORD_COLLECTIVES, "comms",          NULL};
/* Types of records that no probe writes: the collector does, or a tool. */
static const char *const free_types[] = {"pending", "programs", XTF_RECORD_LINKS, NULL};

/* ---- Types of records. */

static XtfProbeClass class_of_schema(const XtfSchema *schema)
{
    if (schema->kind != XTF_SCHEMA_RECORD || g_strv_contains(free_types, schema->name))
        return XTF_PROBE_FREE;
    if (g_str_equal(schema->name, XTF_RECORD_ENTERS_LEAVES))
        return XTF_PROBE_ENTER;
    if (g_strv_contains(mpi_types, schema->name) || g_str_has_prefix(schema->name, "rma_"))
        return XTF_PROBE_MPI;
    return g_str_equal(schema->name, XTF_RECORD_COUNTERS) ? XTF_PROBE_METRIC : XTF_PROBE_OTHER;
}

static void find_probe_fields(XtfProbeSchema *probe, const XtfSchema *schema)
{
    const XtfField *seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    const XtfField *event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    const XtfField *region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION);
    const XtfField *stop = xtf_schema_field(schema, "stop");
    uint64_t flush = xtf_label_value(event, BUFFER_FLUSH);

    probe->class = (uint8_t)class_of_schema(schema);
    probe->has_seq = seq != NULL;
    if (seq)
        probe->seq = xtf_field_load(seq);
    if (event)
        probe->event = xtf_field_load(event);
    if (region)
        probe->region = xtf_field_load(region);
    if (probe->class == XTF_PROBE_ENTER && (!event || !region))
        probe->class = XTF_PROBE_OTHER;
    if (stop && flush != UINT64_MAX && stop->width == 8) {
        probe->has_stop = true;
        probe->stop = xtf_field_load(stop);
        probe->flush = flush;
    }
}

static void clear_item(gpointer data)
{
    g_free(((Item *)data)->pattern);
}

XtfProbes *xtf_probes_new(XtfTraceContext *context, GError **error)
{
    XtfTrace *trace = context->trace;
    uint32_t n = xtf_trace_n_schemas(trace);
    const XtfTable *regions;

    if (!xtf_trace_table(trace, XTF_TABLE_REGIONS, &regions, error))
        return NULL;
    XtfProbes *probes = g_new0(XtfProbes, 1);
    probes->context = context;
    probes->items = g_array_new(FALSE, FALSE, sizeof(Item));
    g_array_set_clear_func(probes->items, clear_item);
    probes->schemas = g_new0(XtfProbeSchema, n + 1);
    probes->n_regions = regions ? regions->n_rows : 0;
    probes->text = g_string_new(NULL);
    probes->flushes = true;
    for (uint32_t i = 0; i < n; i++)
        find_probe_fields(&probes->schemas[i], xtf_trace_schema(trace, i));
    return probes;
}

void xtf_probes_free(XtfProbes *probes)
{
    if (!probes)
        return;
    g_array_unref(probes->items);
    g_free(probes->schemas);
    g_string_free(probes->text, TRUE);
    g_free(probes);
}

/* ---- Texts. */

/* Parses a time to picoseconds: "120ns", "1.5us", "0". */
static bool parse_picoseconds(const char *text, uint64_t *picoseconds)
{
    static const struct {
        const char *unit;
        uint64_t picoseconds;
        int digits; /* of a fraction, at most */
    } units[] = {{"ns", 1000, 3}, {"us", 1000000, 6}, {"ms", 1000000000, 9}, {"s", 1000000000000, 12}};
    uint64_t whole = 0, fraction = 0, scale = 1;
    const char *at = text;
    int digits = 0;

    for (; g_ascii_isdigit(*at); at++)
        if ((whole = 10 * whole + (uint64_t)(*at - '0')) > COST_MAX_NS)
            return false;
    bool any = at > text;
    if (any && *at == '.')
        for (at++; g_ascii_isdigit(*at) && digits < 12; at++, digits++, scale *= 10)
            fraction = 10 * fraction + (uint64_t)(*at - '0');
    if (!any)
        return false;
    if (whole == 0 && fraction == 0 && *at == 0) {
        *picoseconds = 0;
        return true;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(units); i++)
        if (g_str_equal(at, units[i].unit) && digits <= units[i].digits) {
            unsigned __int128 sum = (unsigned __int128)whole * units[i].picoseconds +
                                    (unsigned __int128)fraction * (units[i].picoseconds / scale);
            *picoseconds = (uint64_t)sum;
            return sum <= COST_MAX_NS * PICO_PER_NS;
        }
    return false;
}

/* Converts a time to parts of a tick, rounded. */
static uint64_t parts_of(const XtfTrace *trace, uint64_t picoseconds)
{
    const XtfClock *clock = xtf_trace_clock(trace);
    unsigned __int128 divisor = (unsigned __int128)clock->resolution_den * UINT64_C(1000000000000);
    unsigned __int128 parts = (unsigned __int128)picoseconds * XTF_PROBE_PARTS;

    if (parts > ((unsigned __int128)1 << 64))
        parts = (parts + divisor / 2) / divisor * clock->resolution_num;
    else
        parts = (parts * clock->resolution_num + divisor / 2) / divisor;
    return (uint64_t)MIN(parts, (unsigned __int128)UINT64_MAX / 4);
}

/* Parses "3:" or "0-7:" before an item. Without it, the item is for all processes. */
static const char *parse_processes(const char *text, uint64_t *first, uint64_t *last)
{
    char *end;

    *first = 0;
    *last = UINT64_MAX;
    if (!g_ascii_isdigit(*text))
        return text;
    uint64_t from = g_ascii_strtoull(text, &end, 10), to = from;
    if (*end == '-' && g_ascii_isdigit(end[1]))
        to = g_ascii_strtoull(end + 1, &end, 10);
    if (*end != ':' || end[1] == ':' || from > to)
        return text;
    *first = from;
    *last = to;
    return end + 1;
}

static bool has_region(const XtfProbes *probes, const char *pattern, bool *has, GError **error)
{
    g_autofree const char **names = NULL;
    uint64_t n = 0;

    *has = false;
    if (!xtf_table_names(probes->context->trace, XTF_TABLE_REGIONS, &names, &n, error))
        return false;
    for (uint64_t i = 0; names && i < n && !*has; i++)
        *has = fnmatch(pattern, names[i], 0) == 0;
    return true;
}

static bool add_item(XtfProbes *probes, const char *text, uint64_t proc, GError **error)
{
    Item item = {.class = -1};
    uint64_t picoseconds;
    bool has;

    const char *name = parse_processes(text, &item.first, &item.last), *equals = strrchr(name, '=');
    if (!equals || equals == name || !parse_picoseconds(equals + 1, &picoseconds))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "'%s' is not the cost of a probe: it has the form ENTER=120ns, region=2us or 0-3:MPI=300ns",
                        text);
    if (proc != UINT64_MAX)
        item.first = item.last = proc;
    item.cost = parts_of(probes->context->trace, picoseconds);
    g_autofree char *pattern = g_strndup(name, (gsize)(equals - name));
    for (int i = 0; i < XTF_N_PROBES; i++)
        if (g_str_equal(pattern, class_names[i]))
            item.class = i;
    if (item.class < 0 && !has_region(probes, pattern, &has, error))
        return false;
    if (item.class < 0 && !has)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "the trace has no region '%s', and costs of records are those of ENTER, LEAVE, MPI, METRIC and "
                        "OTHER",
                        pattern);
    item.pattern = item.class < 0 ? g_steal_pointer(&pattern) : NULL;
    g_array_append_val(probes->items, item);
    return true;
}

/* Adds the items of a text. `proc`: the only process to which they apply; UINT64_MAX: as the items say. */
static bool add_text(XtfProbes *probes, const char *text, uint64_t proc, GError **error)
{
    g_auto(GStrv) items = g_strsplit(text, ",", -1);

    for (char **item = items; *item; item++)
        if (!add_item(probes, g_strstrip(*item), proc, error))
            return false;
    return true;
}

static void note_text(XtfProbes *probes, const char *prefix, const char *text)
{
    g_string_append_printf(probes->text, "%s%s%s", probes->text->len > 0 ? "," : "", prefix, text);
}

bool xtf_probes_add(XtfProbes *probes, const char *text, GError **error)
{
    if (*text == '\0')
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "the costs of probes are an empty text: ENTER=120ns,MPI=300ns is one");
    if (!add_text(probes, text, UINT64_MAX, error))
        return false;
    note_text(probes, "", text);
    return true;
}

bool xtf_probes_add_recorded(XtfProbes *probes, bool *any, GError **error)
{
    g_autoptr(GArray) stated = xtf_stated_probes(probes->context->trace, error);

    if (!stated)
        return false;
    *any = stated->len > 0;
    for (guint i = 0; i < stated->len; i++) {
        const XtfStatedProbes *of = &g_array_index(stated, XtfStatedProbes, i);
        if (!add_text(probes, of->costs, of->proc, error))
            return false;
    }
    if (*any)
        note_text(probes, "recorded", "");
    return true;
}

bool xtf_probes_cost_something(const XtfProbes *probes)
{
    for (guint i = 0; i < probes->items->len; i++)
        if (g_array_index(probes->items, Item, i).cost > 0)
            return true;
    return false;
}

/* ---- The costs of a process. */

static void set_regions(const XtfProbes *probes, const Item *item, const char **names, uint64_t n, XtfProbeCosts *costs)
{
    if (!costs->regions) {
        costs->regions = g_new(uint64_t, probes->n_regions + 1);
        memset(costs->regions, 0xff, (probes->n_regions + 1) * sizeof(uint64_t));
    }
    for (uint64_t i = 0; names && i < MIN(n, probes->n_regions); i++)
        if (fnmatch(item->pattern, names[i], 0) == 0)
            costs->regions[i] = item->cost;
}

void xtf_probes_of(const XtfProbes *probes, uint64_t proc, XtfProbeCosts *costs)
{
    g_autofree const char **names = NULL;
    uint64_t n = 0;

    *costs = (XtfProbeCosts){0};
    for (guint i = 0; i < probes->items->len; i++) {
        const Item *item = &g_array_index(probes->items, Item, i);
        if (proc < item->first || proc > item->last)
            continue;
        if (item->class >= 0) {
            costs->classes[item->class] = item->cost;
            continue;
        }
        if (!names && !xtf_table_names(probes->context->trace, XTF_TABLE_REGIONS, &names, &n, NULL))
            n = 0; /* adding the item has read the names */
        set_regions(probes, item, names, n, costs);
    }
}

void xtf_probe_costs_finish(XtfProbeCosts *costs)
{
    g_clear_pointer(&costs->regions, g_free);
}

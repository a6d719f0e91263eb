#include "src/model/schemas.h"

#include "src/model/wait-kinds.h"

enum {
    EVENT_FIELD = 3, /* index among XTF_HEAD_FIELDS */
};

#define LABEL(name, ...) #name,
/* `task_moves` uses the events of `task_states`. */
#define EVENT_LABELS(TAG, array, Type) \
    static const char *const xtf_##array##_events[] G_GNUC_UNUSED = {XTF_##TAG##_EVENTS(LABEL) NULL};
XTF_RECORD_TYPES(EVENT_LABELS)
EVENT_LABELS(WAITS, waits, Waits)
EVENT_LABELS(DELAYS, delays, Delays)

#define SPECS(TAG, array, Type)         static const XtfFieldSpec array##_specs[] = {XTF_##TAG##_FIELDS(XTF_SPEC){0}};
#define RECORD_SPECS(TAG, array, Type)  SPECS(TAG, array##_record, Type)
#define SIDE_SPECS(TAG, array, Type)    SPECS(TAG, array##_side, Type)
#define TABLE_SPECS(TAG, array, Type)   SPECS(TAG, array##_table, Type)
#define DERIVED_SPECS(TAG, array, Type) SPECS(TAG, array##_derived, Type)
XTF_RECORD_TYPES(RECORD_SPECS)
XTF_SIDE_TYPES(SIDE_SPECS)
XTF_TABLE_TYPES(TABLE_SPECS)
XTF_DERIVED_TYPES(DERIVED_SPECS)
RECORD_SPECS(SITED_CALLS, sited_calls, SitedCalls)
TABLE_SPECS(STACKED_SITES, stacked_sites, StackedSite)

static const struct {
    const char *name;
    XtfSchemaKind kind;
    const XtfFieldSpec *fields;
    size_t n_fields; /* including the end of the list */
    size_t row_size;
} declarations[XTF_N_ALL_SCHEMAS] = {
#define DECLARE(array, Type, kind, specs) {#array, kind, specs, G_N_ELEMENTS(specs), sizeof(Xtf##Type##Row)},
#define RECORD(TAG, array, Type)          DECLARE(array, Type, XTF_SCHEMA_RECORD, array##_record_specs)
#define SIDE(TAG, array, Type)            DECLARE(array, Type, XTF_SCHEMA_SIDE, array##_side_specs)
#define TABLE(TAG, array, Type)           DECLARE(array, Type, XTF_SCHEMA_TABLE, array##_table_specs)
#define DERIVED(TAG, array, Type)         DECLARE(array, Type, XTF_SCHEMA_DERIVED, array##_derived_specs)
    XTF_RECORD_TYPES(RECORD) XTF_SIDE_TYPES(SIDE) XTF_TABLE_TYPES(TABLE) XTF_DERIVED_TYPES(DERIVED)};

/* Roles of the keys of a record type's groups, as far as it has such fields. The key with the most values is last. */
static const char *const key_roles[] = {XTF_ROLE_EVENT, XTF_ROLE_REGION, XTF_ROLE_COMM,
                                        XTF_ROLE_PEER,  XTF_ROLE_TAG,    XTF_ROLE_METRIC};

/* Returns the field of a key. Where peers are ranks in a window, the key with role COMM is the field `window`. */
static const XtfField *group_field(const XtfSchema *schema, const char *role)
{
    const XtfField *field = xtf_schema_field_by_role(schema, role);

    if (!field && g_str_equal(role, XTF_ROLE_COMM) && xtf_schema_field_by_role(schema, XTF_ROLE_PEER))
        return xtf_schema_field(schema, "window");
    return field;
}

/* Counted fields of types whose counters have no role, and their key besides key_roles. */
static const struct {
    unsigned tag;
    const char *key, *values[XTF_AGGREGATE_VALUES_MAX + 1];
} counters[] = {
    {XTF_MODEL_RESOURCES, NULL, {"tasks", "idle", "sched", "mpi"}},
    {XTF_MODEL_RESOURCES, NULL, {"mbytes", "mflops"}},
    {XTF_MODEL_TASK_STATES, NULL, {"count"}},
    {XTF_MODEL_TASK_MOVES, "direction", {"count"}},
    {XTF_MODEL_MESSAGE_TOTALS, NULL, {"bytes_sent", "messages_sent", "bytes_received", "messages_received"}},
    {XTF_MODEL_MESSAGE_KINDS, "kind", {"bytes_sent", "messages_sent", "bytes_received", "messages_received"}},
};

static bool add_group_totals(XtfSchema *schema, GError **error)
{
    const char *keys[G_N_ELEMENTS(key_roles) + 1] = {NULL}, *values[4] = {NULL};
    unsigned n_keys = 0, n_values = 0;
    const XtfField *field;

    for (unsigned i = 0; i < G_N_ELEMENTS(key_roles); i++)
        if ((field = group_field(schema, key_roles[i])))
            keys[n_keys++] = field->name;
    if ((field = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES)))
        values[n_values++] = field->name;
    if (n_values > 0 && (field = xtf_schema_field(schema, "received")))
        values[n_values++] = field->name;
    if (n_values > 0 && (field = xtf_schema_field(schema, "n_to_n")))
        values[n_values++] = field->name;
    return xtf_schema_add_aggregate(
        schema, &(XtfAggregateSpec){.kind = XTF_AGGREGATE_GROUPS, .keys = keys, .values = values}, error);
}

/* Adds the totals of a type in counters[]. *has: the type is in counters[]. */
static bool add_counters(XtfSchema *schema, unsigned tag, bool *has, GError **error)
{
    *has = false;
    for (unsigned i = 0; i < G_N_ELEMENTS(counters); i++) {
        if (counters[i].tag != tag)
            continue;
        const char *keys[] = {"event", "region", NULL, NULL, NULL};
        unsigned n_keys = 2;
        if (xtf_schema_field_by_role(schema, XTF_ROLE_PEER))
            keys[n_keys++] = "peer";
        keys[n_keys] = counters[i].key;
        const XtfAggregateSpec spec = {.kind = XTF_AGGREGATE_GROUPS, .keys = keys, .values = counters[i].values};
        if (!xtf_schema_add_aggregate(schema, &spec, error))
            return false;
        *has = true;
    }
    return true;
}

/* Adds rows and bytes by envelope, by which messages are matched. */
static bool add_envelopes(XtfSchema *schema, GError **error)
{
    const XtfAggregateSpec envelopes = {
        .kind = XTF_AGGREGATE_GROUPS,
        .keys = (const char *const[]){"comm", "peer", "tag", NULL},
        .values = (const char *const[]){"bytes", NULL},
        .filters = true,
    };

    return xtf_schema_add_aggregate(schema, &envelopes, error);
}

/* Adds the sums of a derived type: amounts by kind, region, culprit, and call path. */
static bool add_derived_sums(XtfSchema *schema, unsigned tag, GError **error)
{
    static const struct {
        unsigned tag;
        const char *keys[XTF_AGGREGATE_KEYS_MAX + 1], *values[XTF_AGGREGATE_VALUES_MAX + 1];
    } sums[] = {
        {XTF_MODEL_WAITS, {"event", "region"}, {"amount", "indirect", "propagating"}}, /* first: the fewest groups */
        {XTF_MODEL_WAITS, {"event", "region", "comm", "culprit", "tag"}, {"amount", "indirect", "propagating", "part"}},
        {XTF_MODEL_WAITS, {"event", "culprit", "comm"}, {"amount"}},
        {XTF_MODEL_WAITS, {"event", "region", "context"}, {"amount", "indirect", "propagating"}},
        {XTF_MODEL_DELAYS, {"event", "region", "context"}, {"short_term", "long_term"}},
        {XTF_MODEL_CRITICAL, {"region", "context"}, {"amount", "segments"}},
        {XTF_MODEL_ACTIVITY, {"region", "context"}, {"total", "waited"}},
        {XTF_MODEL_IDEAL, {"region"}, {"waited"}},
        {XTF_MODEL_ORDER_CHANGES, {"region", "comm", "tag"}, {NULL}},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(sums); i++) {
        const XtfAggregateSpec spec = {.kind = XTF_AGGREGATE_GROUPS, .keys = sums[i].keys, .values = sums[i].values};
        if (sums[i].tag == tag && !xtf_schema_add_aggregate(schema, &spec, error))
            return false;
    }
    return true;
}

/* Adds the totals of frames by a field. */
static bool add_frames(XtfSchema *schema, const char *key, GError **error)
{
    const XtfAggregateSpec frames = {
        .kind = XTF_AGGREGATE_FRAMES,
        .keys = (const char *const[]){key, NULL},
        .values = (const char *const[]){"event", "enter", "outermost", NULL},
    };

    return xtf_schema_add_aggregate(schema, &frames, error);
}

static bool add_aggregates(XtfSchema *schema, unsigned tag, GError **error)
{
    const XtfAggregateSpec metric_values = {
        .kind = XTF_AGGREGATE_GROUPS,
        .keys = (const char *const[]){"metric", "value_type", NULL},
        .values = (const char *const[]){"value", NULL},
        .extremes = true,
        .typed_by = "value_type",
        .reals = XTF_REAL_VALUE_TYPES,
        .signeds = XTF_SIGNED_VALUE_TYPES,
    };

    const XtfAggregateSpec growth = {
        .kind = XTF_AGGREGATE_GROUPS,
        .keys = (const char *const[]){"metric", "value_type", "region", NULL},
        .values = (const char *const[]){"growth", NULL},
        .typed_by = "value_type",
        .reals = XTF_REAL_VALUE_TYPES,
        .signeds = XTF_SIGNED_VALUE_TYPES,
    };

    if (tag == XTF_MODEL_ENTERS_LEAVES)
        return add_frames(schema, "region", error) &&
               (!xtf_schema_field(schema, "site") || add_frames(schema, "site", error));
    if (tag == XTF_MODEL_METRIC_VALUES)
        return xtf_schema_add_aggregate(schema, &metric_values, error) &&
               xtf_schema_add_aggregate(schema, &growth, error);
    if (tag == XTF_MODEL_POSTINGS || tag == XTF_MODEL_CANCELLED)
        return add_envelopes(schema, error);
    if (schema->kind == XTF_SCHEMA_DERIVED)
        return add_derived_sums(schema, tag, error);
    bool counted;
    if (!add_counters(schema, tag, &counted, error) ||
        (schema->kind == XTF_SCHEMA_RECORD && !counted && !add_group_totals(schema, error)))
        return false;
    return tag != XTF_MODEL_SENDS || add_envelopes(schema, error);
}

/* Appends the labels `more` to the field `event`. */
static void add_events(XtfFieldSpec *event, const char *const *more, GPtrArray *labels)
{
    for (const char *const *label = event->labels; *label; label++)
        g_ptr_array_add(labels, (gpointer)*label);
    for (; *more; more++)
        g_ptr_array_add(labels, (gpointer)*more);
    g_assert(labels->len <= XTF_EVENTS_MAX);
    g_ptr_array_add(labels, NULL);
    event->labels = (const char *const *)labels->pdata;
}

XtfSchema *xtf_model_schema_with_events(unsigned tag, const char *const *more)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    g_autofree XtfFieldSpec *fields =
        g_memdup2(declarations[tag].fields, declarations[tag].n_fields * sizeof *declarations[tag].fields);

    if (more)
        add_events(&fields[EVENT_FIELD], more, labels);
    XtfSchema *schema = xtf_schema_new(declarations[tag].name, declarations[tag].kind, fields, &error);
    /* Declarations are source code, so an invalid one is a bug. */
    if (!schema || !add_aggregates(schema, tag, &error))
        g_error("schema %s: %s", declarations[tag].name, error->message);
    g_assert(schema->row_size == declarations[tag].row_size);
    return schema;
}

/* Makes a schema of a tag with other fields. */
static XtfSchema *make_variant(unsigned tag, const XtfFieldSpec *fields, size_t row_size)
{
    g_autoptr(GError) error = NULL;
    XtfSchema *schema = xtf_schema_new(declarations[tag].name, declarations[tag].kind, fields, &error);

    if (!schema || !add_aggregates(schema, tag, &error))
        g_error("a schema of %s: %s", declarations[tag].name, error->message);
    g_assert(schema->row_size == row_size);
    return schema;
}

static gpointer make_with_sites(gpointer unused)
{
    return make_variant(XTF_MODEL_ENTERS_LEAVES, sited_calls_record_specs, sizeof(XtfSitedCallsRow));
}

static gpointer make_with_frames(gpointer unused)
{
    return make_variant(XTF_MODEL_SITES, stacked_sites_table_specs, sizeof(XtfStackedSiteRow));
}

const XtfSchema *xtf_model_schema_with_sites(void)
{
    static GOnce once = G_ONCE_INIT;

    return g_once(&once, make_with_sites, NULL);
}

const XtfSchema *xtf_model_schema_with_frames(void)
{
    static GOnce once = G_ONCE_INIT;

    return g_once(&once, make_with_frames, NULL);
}

const XtfSchema *xtf_model_fullest_schema(unsigned tag)
{
    return tag == XTF_MODEL_ENTERS_LEAVES ? xtf_model_schema_with_sites()
           : tag == XTF_MODEL_SITES       ? xtf_model_schema_with_frames()
                                          : xtf_model_schema(tag);
}

static gpointer make_all(gpointer unused)
{
    XtfSchema **schemas = g_new0(XtfSchema *, XTF_N_ALL_SCHEMAS);

    for (unsigned i = 0; i < XTF_N_ALL_SCHEMAS; i++)
        schemas[i] = xtf_model_schema_with_events(i, NULL);
    return schemas;
}

const XtfSchema *xtf_model_schema(unsigned tag)
{
    static GOnce once = G_ONCE_INIT;
    XtfSchema **schemas = g_once(&once, make_all, NULL);

    return schemas[tag];
}

#include "src/analysis/kinds/kind-fields.h"

#include "libxtf/group-filter.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"

typedef struct {
    const char *schema, *event;
    XtfKindRowEvent row_event;
} Event;

/* The row event of each event of the record types. Other events of these types only happen in calls. */
static const Event EVENTS[] = {
    {"enters_leaves", "ENTER", XTF_KIND_ROW_ENTER},
    {"enters_leaves", "LEAVE", XTF_KIND_ROW_LEAVE},
    {"threads", "THREAD_FORK", XTF_KIND_ROW_FORK},
    {"threads", "OMP_FORK", XTF_KIND_ROW_FORK},
    {"threads", "THREAD_JOIN", XTF_KIND_ROW_JOIN},
    {"threads", "OMP_JOIN", XTF_KIND_ROW_JOIN},
    {"threads", "THREAD_TEAM_BEGIN", XTF_KIND_ROW_TEAM_BEGIN},
    {"threads", "THREAD_TEAM_END", XTF_KIND_ROW_TEAM_END},
    {"threads", "THREAD_CREATE", XTF_KIND_ROW_THREAD_CREATE},
    {"threads", "THREAD_BEGIN", XTF_KIND_ROW_THREAD_BEGIN},
    {"threads", "THREAD_END", XTF_KIND_ROW_THREAD_END},
    {"threads", "THREAD_WAIT", XTF_KIND_ROW_THREAD_WAIT},
    {"locks", "THREAD_ACQUIRE_LOCK", XTF_KIND_ROW_ACQUIRE},
    {"locks", "OMP_ACQUIRE_LOCK", XTF_KIND_ROW_ACQUIRE},
    {"locks", "THREAD_RELEASE_LOCK", XTF_KIND_ROW_RELEASE},
    {"locks", "OMP_RELEASE_LOCK", XTF_KIND_ROW_RELEASE},
    {"io_locks", "IO_ACQUIRE_LOCK", XTF_KIND_ROW_FILE_ACQUIRE},
    {"io_locks", "IO_RELEASE_LOCK", XTF_KIND_ROW_FILE_RELEASE},
    {"rma_operations", "RMA_PUT", XTF_KIND_ROW_OPERATION},
    {"rma_operations", "RMA_GET", XTF_KIND_ROW_OPERATION},
    {"rma_operations", "RMA_ATOMIC", XTF_KIND_ROW_OPERATION},
    {"rma_collectives", "RMA_COLLECTIVE_BEGIN", XTF_KIND_ROW_WINDOW_BEGIN},
    {"rma_collectives", "RMA_COLLECTIVE_END", XTF_KIND_ROW_WINDOW_END},
    {"rma_syncs", "RMA_GROUP_SYNC", XTF_KIND_ROW_GROUP_SYNC},
    {"rma_locks", "RMA_REQUEST_LOCK", XTF_KIND_ROW_WINDOW_REQUEST},
    {"rma_locks", "RMA_ACQUIRE_LOCK", XTF_KIND_ROW_WINDOW_ACQUIRE},
    {"rma_locks", "RMA_TRY_LOCK", XTF_KIND_ROW_WINDOW_ACQUIRE},
    {"rma_locks", "RMA_RELEASE_LOCK", XTF_KIND_ROW_WINDOW_RELEASE},
};

/* Fields by name, and their offsets in XtfKindRow. */
static const struct {
    const char *name;
    size_t offset;
    bool wide;
} FIELDS[XTF_N_KIND_FIELDS] = {
#define NARROW(name, member)                             \
    {                                                    \
        name, G_STRUCT_OFFSET(XtfKindRow, member), false \
    }
#define WIDE(name, member)                              \
    {                                                   \
        name, G_STRUCT_OFFSET(XtfKindRow, member), true \
    }
    NARROW("region", region),  NARROW("team", comm),     NARROW("window", window),
    NARROW("peer", peer),      NARROW("group", group),   NARROW("root", root),
    NARROW("order", order),    NARROW("model", model),   NARROW("operation", operation),
    NARROW("lock_type", type), NARROW("handle", handle), NARROW("sync_level", sync_level),
    WIDE("lock", lock),        WIDE("bytes", sent),      WIDE("received", received),
    WIDE("sequence", sequence)};

/* Rows that every thread may have: the records of its beginning and its end. */
static const uint64_t ENDS_OF_THREADS = 1 << XTF_KIND_ROW_THREAD_BEGIN | 1 << XTF_KIND_ROW_THREAD_END;

static void find_events(XtfKindType *type)
{
    const XtfField *event = type->event;

    type->row_event = g_malloc(event->n_labels + 1);
    for (uint32_t i = 0; i < event->n_labels; i++) {
        type->row_event[i] = XTF_KIND_ROW_OTHER;
        for (size_t e = 0; e < G_N_ELEMENTS(EVENTS); e++)
            if (g_str_equal(EVENTS[e].schema, type->schema->name) && g_str_equal(EVENTS[e].event, event->labels[i]))
                type->row_event[i] = EVENTS[e].row_event;
    }
}

static void find_aggregate(XtfKindType *type)
{
    const XtfSchema *schema = type->schema;

    type->aggregate = -1;
    for (unsigned i = 0; i < schema->n_aggregates && type->aggregate < 0; i++)
        for (unsigned k = 0; schema->aggregates[i].kind == XTF_AGGREGATE_GROUPS && k < schema->aggregates[i].n_keys;
             k++)
            if (&schema->fields[schema->aggregates[i].keys[k]] == type->event) {
                type->aggregate = (int)i;
                type->event_key = k;
            }
}

static uint8_t row_event_of(const XtfKindType *type, uint64_t event)
{
    return event < type->event->n_labels ? type->row_event[event] : XTF_KIND_ROW_OTHER;
}

typedef struct {
    const XtfKindType *type;
    uint64_t row_events;
} Wanted;

static XtfMatch match_event(const uint64_t *key, unsigned depth, const void *data)
{
    const Wanted *wanted = data;

    if (depth <= wanted->type->event_key)
        return XTF_MATCH_SOME;
    uint8_t row_event = row_event_of(wanted->type, key[wanted->type->event_key]);
    return wanted->row_events >> row_event & 1 ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

bool xtf_kind_fields_matter(const XtfKindType *type, const XtfArray *array, uint64_t row_events, bool *matter,
                            GError **error)
{
    const Wanted wanted = {type, row_events};
    const XtfGroupFilter filter = {.match = match_event, .data = &wanted};
    uint64_t n;

    *matter = true;
    if (type->aggregate < 0)
        return true;
    if (!xtf_array_group_rank(array, (unsigned)type->aggregate, &filter, array->n_rows, &n, error))
        return false;
    *matter = n > 0;
    return true;
}

static void find_pthread(XtfKindFields *fields, const XtfSchema *locks)
{
    const XtfField *model = locks ? xtf_schema_field(locks, "model") : NULL;

    for (uint32_t i = 0; model && i < model->n_labels && !fields->has_pthread; i++) {
        fields->has_pthread = g_str_equal(model->labels[i], "PTHREAD");
        fields->pthread = i;
    }
}

XtfKindFields *xtf_kind_fields_new(XtfTrace *trace)
{
    static const char *const names[XTF_N_KIND_TYPES] = {
        XTF_RECORD_ENTERS_LEAVES, "threads",         "locks",     "io_locks",
        "rma_operations",         "rma_collectives", "rma_syncs", "rma_locks"};
    XtfKindFields *fields = g_new0(XtfKindFields, 1);

    fields->row_events = ~(ENDS_OF_THREADS | 1 << XTF_KIND_ROW_OTHER);
    find_pthread(fields, xtf_trace_find_schema(trace, "locks"));
    for (int i = 0; i < XTF_N_KIND_TYPES; i++) {
        const XtfSchema *schema = xtf_trace_find_schema(trace, names[i]);
        const XtfField *event = schema ? xtf_schema_field_by_role(schema, XTF_ROLE_EVENT) : NULL;
        XtfKindType *type = &fields->types[i];
        if (!event || schema->kind != XTF_SCHEMA_RECORD)
            continue;
        *type = (XtfKindType){.schema = schema, .event = event};
        type->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
        type->depth = xtf_schema_field_by_role(schema, XTF_ROLE_DEPTH);
        for (int f = 0; f < XTF_N_KIND_FIELDS; f++)
            type->fields[f] = xtf_schema_field(schema, FIELDS[f].name);
        find_events(type);
        find_aggregate(type);
    }
    return fields;
}

void xtf_kind_fields_take_threads(XtfKindFields *fields)
{
    fields->row_events |= ENDS_OF_THREADS;
}

void xtf_kind_fields_free(XtfKindFields *fields)
{
    if (!fields)
        return;
    for (int i = 0; i < XTF_N_KIND_TYPES; i++)
        g_free(fields->types[i].row_event);
    g_free(fields);
}

void xtf_kind_fields_read(const XtfKindType *type, const uint8_t *from, uint64_t n, XtfKindRow *row)
{
    uint64_t event = xtf_field_get(type->event, from);

    *row = (XtfKindRow){
        .time = xtf_field_get(&type->schema->fields[0], from),
        .seq = type->seq ? xtf_field_get(type->seq, from) : n,
        .row = n,
        .row_event = row_event_of(type, event),
    };
    for (int f = 0; f < XTF_N_KIND_FIELDS; f++) {
        const XtfField *field = type->fields[f];
        bool known = field && !xtf_field_is_none(field, from);
        uint64_t value = known ? xtf_field_get(field, from) : UINT64_MAX;
        if (FIELDS[f].wide)
            G_STRUCT_MEMBER(uint64_t, row, FIELDS[f].offset) = value;
        else
            G_STRUCT_MEMBER(uint32_t, row, FIELDS[f].offset) = (uint32_t)MIN(value, UINT32_MAX);
    }
    /* For a LEAVE, `lock` is the depth of its frame. */
    if (type->depth)
        row->lock = xtf_field_get(type->depth, from);
}

/* ---- Regions. */

static uint8_t kind_region_of(const char *name, const char *paradigm, const char *role)
{
    static const char *const functions[] = {"win_fence", "win_post", "win_start", "win_complete",
                                            "win_wait",  "win_test", NULL};
    int function = xtf_mpi_function_find(name, functions);
    bool openmp = paradigm && g_str_equal(paradigm, "OPENMP");

    if (function >= 0)
        return (uint8_t)(XTF_KIND_REGION_FENCE + function);
    if (openmp && role && g_str_equal(role, "PARALLEL"))
        return XTF_KIND_REGION_PARALLEL;
    if (openmp && role && (g_str_equal(role, "BARRIER") || g_str_equal(role, "IMPLICIT_BARRIER")))
        return XTF_KIND_REGION_BARRIER;
    if (paradigm && g_str_equal(paradigm, "UPC") && g_str_equal(name, "upc_lock"))
        return XTF_KIND_REGION_RMA;
    return xtf_region_class(name, paradigm, role) == XTF_CLASS_RMA ? XTF_KIND_REGION_RMA : XTF_KIND_REGION_OTHER;
}

bool xtf_kind_regions(XtfTraceContext *context, uint8_t **regions, uint64_t *n, GError **error)
{
    const XtfTable *table;
    g_autofree uint8_t *found = NULL;

    if (!xtf_trace_table(context->trace, XTF_TABLE_REGIONS, &table, error))
        return false;
    const XtfField *name = table ? xtf_schema_field(table->schema, "name") : NULL;
    uint64_t n_rows = name && name->type == XTF_TYPE_STRING ? table->n_rows : 0;
    found = g_malloc0(n_rows + 1);
    for (uint64_t i = 0; i < n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        const char *text;
        if (!xtf_trace_string(context->trace, (uint32_t)xtf_field_get(name, row), &text, error))
            return false;
        found[i] = kind_region_of(text, xtf_row_label(xtf_schema_field(table->schema, "paradigm"), row),
                                  xtf_row_label(xtf_schema_field(table->schema, "role"), row));
    }
    *regions = g_steal_pointer(&found);
    *n = n_rows;
    return true;
}

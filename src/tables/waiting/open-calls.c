#include "src/tables/waiting/open-calls.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"
#include "src/model/process-properties.h"
#include "src/tables/waiting/thread-states.h"
#include "src/trace/calls/open-frames.h"
#include "src/trace/calls/pending-call.h"

#define UNKNOWN UINT64_MAX

enum { AWAITED_MAX = 1 << 12 }; /* most rows of one call that are read */

/* Fields of `pending`; NULL: missing. */
typedef struct {
    const XtfSchema *schema; /* NULL: the trace has no such type */
    const XtfField *event, *region, *since, *peer, *tag, *comm, *requests, *root, *request;
} PendingFields;

typedef struct {
    XtfOpenCalls *calls;
    XtfTraceContext *context;
    const XtfRanks *ranks;
    const XtfNameIndex *regions;
    PendingFields fields;
    XtfAggregateRef frames, by_site; /* all zeros: the trace has no such aggregate */
    const XtfSchema *messages[4];    /* types whose records show that a location calls MPI; NULL: missing */
    const XtfSchema *threads;        /* of begins and ends of threads; NULL: missing */
    bool has_threads;                /* the program called MPI_Init_thread */
    GHashTable *ends;                /* XtfStatedEnd by process */
    uint8_t *uses;                   /* by index of the location: XtfThreadUse bits */
    uint64_t least;                  /* shortest open call that counts, in ticks */
    uint64_t last;                   /* global time at which the trace ends */
    XtfLocationArrays arrays;
} Reading;

static void reading_clear(Reading *reading)
{
    g_clear_pointer(&reading->uses, g_free);
    g_clear_pointer(&reading->ends, g_hash_table_unref);
    xtf_location_arrays_finish(&reading->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reading, reading_clear)

static void find_fields(PendingFields *fields, XtfTraceContext *context)
{
    const XtfSchema *schema = xtf_trace_context_schema(context, "pending", XTF_SCHEMA_RECORD);

    *fields = (PendingFields){.schema = schema};
    if (!schema)
        return;
    fields->event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    fields->region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION);
    fields->peer = xtf_schema_field_by_role(schema, XTF_ROLE_PEER);
    fields->tag = xtf_schema_field_by_role(schema, XTF_ROLE_TAG);
    fields->comm = xtf_schema_field_by_role(schema, XTF_ROLE_COMM);
    fields->since = xtf_schema_field(schema, "since");
    fields->requests = xtf_schema_field(schema, "requests");
    fields->root = xtf_schema_field(schema, "root");
    fields->request = xtf_schema_field(schema, "request");
}

/* ---- One call. */

static void set_kind(const Reading *reading, XtfOpenCall *call)
{
    static const char *const any[] = {"waitany", "waitsome", NULL};
    static const char *const tests[] = {"test", "testall", "testany", "testsome", "iprobe", "improbe", NULL};
    static const char *const one[] = {
        "recv",  "mrecv",  "send", "ssend",   "rsend", "bsend", "sendrecv", "sendrecv_replace",
        "probe", "mprobe", "wait", "waitall", NULL};
    static const char *const aborts[] = {"abort", NULL};
    const char *name =
        reading->regions->texts && call->region < reading->regions->n_rows ? reading->regions->texts[call->region] : "";

    call->kind = XTF_OPEN_OTHER;
    call->function = xtf_mpi_function_find(name, xtf_collective_functions);
    call->may_test = xtf_mpi_function_find(name, tests) >= 0;
    if (call->function >= 0 && call->comm != UNKNOWN)
        call->kind = XTF_OPEN_COLLECTIVE;
    else if (xtf_mpi_function_bound(name) == XTF_MPI_ENDS)
        call->kind = XTF_OPEN_FINALIZE;
    else if (xtf_mpi_function_find(name, aborts) >= 0)
        call->kind = XTF_OPEN_ABORT;
    else if (xtf_mpi_function_find(name, any) >= 0)
        call->kind = XTF_OPEN_ANY;
    else if (xtf_mpi_function_find(name, one) >= 0)
        call->kind = XTF_OPEN_ALL;
}

/* Returns which kind of operation a function waits for whose call names one message. */
static XtfAwaitedKind kind_of_function(const char *name)
{
    static const char *const receives[] = {"recv", "mrecv", "sendrecv", "sendrecv_replace", "probe", "mprobe", NULL};
    static const char *const sends[] = {"send", "ssend", "rsend", "bsend", NULL};

    return xtf_mpi_function_find(name, receives) >= 0 ? XTF_AWAITED_RECEIVE
           : xtf_mpi_function_find(name, sends) >= 0  ? XTF_AWAITED_SEND
                                                      : XTF_AWAITED_EITHER;
}

static void add_awaited(Reading *reading, XtfOpenCall *call, XtfAwaitedKind kind, const uint8_t *row)
{
    const PendingFields *fields = &reading->fields;
    uint64_t self = reading->calls->locations->all[call->location].proc;
    XtfAwaited awaited = {.kind = kind,
                          .peer = xtf_field_get_or(fields->peer, row, UNKNOWN),
                          .tag = xtf_field_get_or(fields->tag, row, UNKNOWN),
                          .comm = xtf_field_get_or(fields->comm, row, UNKNOWN),
                          .proc = UNKNOWN};

    if (awaited.peer != UNKNOWN &&
        (awaited.comm == UNKNOWN || !xtf_ranks_proc(reading->ranks, awaited.comm, awaited.peer, self, &awaited.proc)))
        awaited.proc = UNKNOWN;
    g_array_append_val(reading->calls->awaited, awaited);
    call->n++;
}

/* Adds the operation of one of a call's requests, from its row. */
static void add_request_row(Reading *reading, XtfOpenCall *call, const uint8_t *row)
{
    static const struct {
        const char *event;
        XtfAwaitedKind kind;
    } kinds[] = {{"PENDING_SEND", XTF_AWAITED_SEND},
                 {"PENDING_RECEIVE", XTF_AWAITED_RECEIVE},
                 {"PENDING_POSTED", XTF_AWAITED_POSTED}};
    const char *event = xtf_row_label(reading->fields.event, row);
    XtfAwaitedKind kind = XTF_AWAITED_OTHER;
    bool is_certain =
        xtf_field_get_or(reading->fields.request, row, UNKNOWN) != UNKNOWN || g_strcmp0(event, "PENDING_OTHER") == 0;

    for (unsigned i = 0; event && i < G_N_ELEMENTS(kinds); i++)
        kind = g_str_equal(event, kinds[i].event) ? kinds[i].kind : kind;
    add_awaited(reading, call, kind, row);
    call->lists_requests |= !is_certain && kind != XTF_AWAITED_POSTED;
    call->n_posted += kind == XTF_AWAITED_RECEIVE || kind == XTF_AWAITED_POSTED;
}

/* Counts the operations for which a call waits. */
static uint32_t count_awaited(const XtfOpenCalls *calls, const XtfOpenCall *call)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < call->n; i++)
        n += xtf_open_call_awaited(calls, call, i)->kind != XTF_AWAITED_POSTED;
    return n;
}

const XtfAwaited *xtf_open_call_only(const XtfOpenCalls *calls, const XtfOpenCall *call)
{
    const XtfAwaited *only = NULL;

    for (uint32_t i = 0; i < call->n; i++) {
        const XtfAwaited *awaited = xtf_open_call_awaited(calls, call, i);
        if (awaited->kind == XTF_AWAITED_POSTED)
            continue;
        if (only)
            return NULL;
        only = awaited;
    }
    return only;
}

static void set_root(const Reading *reading, XtfOpenCall *call, uint64_t root)
{
    uint64_t self = reading->calls->locations->all[call->location].proc, first[2], n[2];
    bool has_root = call->kind == XTF_OPEN_COLLECTIVE && root != UNKNOWN &&
                    xtf_ranks_groups(reading->ranks, call->comm, first, n) && n[1] == 0;

    if (!has_root || !xtf_ranks_proc(reading->ranks, call->comm, root, self, &call->root))
        call->root = UNKNOWN;
}

/* Fills a call from its own row. The operations of its requests, if it has any, have been added before. */
static void fill_call(Reading *reading, XtfOpenCall *call, const uint8_t *row)
{
    static const char *const many[] = {"waitall", "waitany", "waitsome", NULL};
    const PendingFields *fields = &reading->fields;

    call->region = xtf_field_get_or(fields->region, row, UNKNOWN);
    call->since = xtf_field_get_or(fields->since, row, UNKNOWN);
    call->comm = xtf_field_get_or(fields->comm, row, UNKNOWN);
    set_kind(reading, call);
    set_root(reading, call, xtf_field_get_or(fields->root, row, UNKNOWN));
    if (call->kind != XTF_OPEN_ALL && call->kind != XTF_OPEN_ANY)
        return;
    uint64_t requests = xtf_field_get_or(fields->requests, row, UNKNOWN);
    const char *name = reading->regions->texts[call->region];
    XtfAwaitedKind kind = kind_of_function(name);
    uint32_t n_awaited = count_awaited(reading->calls, call);
    bool from_null = kind == XTF_AWAITED_RECEIVE && call->comm == UNKNOWN && n_awaited > 0; /* MPI_PROC_NULL */
    if (from_null)
        return;
    call->lists_requests &= kind == XTF_AWAITED_EITHER && xtf_mpi_function_find(name, many) >= 0;
    if (kind != XTF_AWAITED_EITHER || (n_awaited == 0 && xtf_field_get_or(fields->peer, row, UNKNOWN) != UNKNOWN))
        add_awaited(reading, call, kind, row);
    else if (n_awaited == 0 || requests > n_awaited)
        call->kind = XTF_OPEN_OTHER; /* the call also waits for requests that the trace does not list */
    else if (requests < n_awaited)
        call->kind = XTF_OPEN_ANY; /* the rows are of all open requests of the process: it is not known for which of
                                      them the call waits */
}

/* Reads a call: the rows of its requests, then its own row, which is before them. */
static bool read_call(Reading *reading, const XtfPendingCall *pending, XtfOpenCall *call, GError **error)
{
    uint64_t n_requests = MIN(pending->n_requests, (uint64_t)AWAITED_MAX);
    g_auto(XtfCursor) cursor;
    bool found;

    call->first = reading->calls->awaited->len;
    xtf_cursor_init(&cursor, pending->array);
    if (!xtf_cursor_seek_n(&cursor, pending->n + n_requests, &found, error))
        return false;
    for (uint64_t i = 0; found && i < n_requests; i++) {
        add_request_row(reading, call, xtf_cursor_row(&cursor));
        if (!xtf_cursor_next(&cursor, -1, &found, error))
            return false;
    }
    if (found)
        fill_call(reading, call, xtf_cursor_row(&cursor));
    return true;
}

/* ---- One location. */

/* Finds the site of the innermost call that is never left. */
static bool find_site(const Reading *reading, XtfOpenCall *call, GError **error)
{
    const XtfSites *sites = xtf_trace_context_sites(reading->context, error);
    g_auto(XtfOpenFrames) open = {0};

    call->site = UNKNOWN;
    if (!sites)
        return false;
    if (!sites->n || !reading->by_site.schema)
        return true;
    if (!xtf_open_frames_at_end(&open, &reading->arrays, &reading->by_site, error))
        return false;
    uint64_t innermost = open.n > 0 ? open.frames[open.n - 1].key : UNKNOWN;
    if (xtf_sites_is_called_from(sites, innermost) && sites->regions[innermost] == call->region)
        call->site = innermost;
    return true;
}

static unsigned find_use(const Reading *reading, bool in_call)
{
    unsigned use = in_call ? XTF_USE_IN_CALL : 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(reading->messages); i++)
        if (reading->messages[i] && xtf_location_arrays_find(&reading->arrays, reading->messages[i]))
            use |= XTF_USE_EXCHANGED;
    if (xtf_location_arrays_find(&reading->arrays, reading->frames.schema) ||
        xtf_location_arrays_find(&reading->arrays, reading->threads))
        use |= XTF_USE_IS_PROGRAM;
    return use;
}

static bool is_long(const Reading *reading, const XtfOpenCall *call)
{
    return call->since < reading->last && reading->last - call->since >= reading->least;
}

static bool read_location(Reading *reading, uint32_t index, GError **error)
{
    XtfOpenCalls *calls = reading->calls;
    const XtfLocation *location = &calls->locations->all[index];
    XtfOpenCall call = {.location = index};
    XtfPendingCall pending;

    if (!xtf_location_arrays_load(&reading->arrays, reading->context, location, error) ||
        !xtf_pending_call_find(&reading->arrays, reading->fields.schema, reading->frames.schema, &pending, error))
        return false;
    reading->uses[index] = (uint8_t)find_use(reading, pending.array);
    if (!pending.array)
        return true;
    if (!read_call(reading, &pending, &call, error))
        return false;
    if (call.may_test || call.kind == XTF_OPEN_ABORT || !is_long(reading, &call)) {
        g_array_set_size(calls->awaited, call.first);
        return true;
    }
    if (!find_site(reading, &call, error))
        return false;
    calls->states[index] = XTF_THREAD_WAITS;
    calls->call_of[index] = calls->calls->len;
    g_array_append_val(calls->calls, call);
    return true;
}

/* ---- The trace. */

static void put_by_proc(GHashTable *table, uint64_t proc, const void *item, size_t size)
{
    g_hash_table_replace(table, g_memdup2(&proc, sizeof proc), g_memdup2(item, size));
}

static bool read_levels(XtfOpenCalls *calls, XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) levels = xtf_stated_levels(trace, error);

    calls->levels = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (guint i = 0; levels && i < levels->len; i++) {
        const XtfStatedLevel *level = &g_array_index(levels, XtfStatedLevel, i);
        uint64_t proc = level->proc;
        if (g_hash_table_contains(calls->levels, &proc)) /* of two runs */
            put_by_proc(calls->levels, proc, &(XtfStatedLevel){.proc = level->proc}, sizeof *level);
        else
            put_by_proc(calls->levels, proc, level, sizeof *level);
    }
    return levels;
}

static bool read_ends(Reading *reading, GError **error)
{
    g_autoptr(GArray) ends = xtf_stated_ends(reading->context->trace, error);

    reading->ends = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (guint i = 0; ends && i < ends->len; i++) {
        const XtfStatedEnd *end = &g_array_index(ends, XtfStatedEnd, i);
        put_by_proc(reading->ends, end->proc, end, sizeof *end);
    }
    return ends;
}

static bool prepare_reading(Reading *reading, GError **error)
{
    static const char *const types[] = {XTF_RECORD_SENDS, XTF_RECORD_RECVS, XTF_RECORD_COLLECTIVES,
                                        XTF_RECORD_REQUESTS};
    XtfTraceContext *context = reading->context;

    reading->ranks = xtf_trace_context_ranks(context, error);
    reading->regions = reading->ranks ? xtf_trace_context_regions(context, error) : NULL;
    reading->calls->locations = reading->regions ? xtf_trace_context_locations(context, error) : NULL;
    if (!reading->calls->locations || !read_ends(reading, error) || !read_levels(reading->calls, context->trace, error))
        return false;
    xtf_aggregate_ref_frames(&reading->frames, context);
    xtf_aggregate_ref_frames_by_site(&reading->by_site, context);
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
        reading->messages[i] = xtf_trace_context_schema(context, types[i], XTF_SCHEMA_RECORD);
    reading->threads = xtf_trace_context_schema(context, "threads", XTF_SCHEMA_RECORD);
    static const char *const init_thread[] = {"init_thread", NULL};
    for (uint64_t i = 0; reading->regions->texts && i < reading->regions->n_rows; i++)
        reading->has_threads |= xtf_mpi_function_find(reading->regions->texts[i], init_thread) >= 0;
    find_fields(&reading->fields, context);
    uint64_t complete = xtf_trace_clock(context->trace)->complete; /* UINT64_MAX: the writer has closed the trace */
    reading->last = complete == UINT64_MAX ? context->scale.last : MAX(context->scale.last, complete);
    return true;
}

bool xtf_open_calls_init(XtfOpenCalls *calls, XtfTraceContext *context, uint64_t least, GError **error)
{
    g_auto(Reading) reading = {.calls = calls, .context = context, .least = least};

    *calls = (XtfOpenCalls){.calls = g_array_new(FALSE, FALSE, sizeof(XtfOpenCall)),
                            .awaited = g_array_new(FALSE, FALSE, sizeof(XtfAwaited))};
    if (!prepare_reading(&reading, error))
        return false;
    uint32_t n = calls->locations->n;
    calls->is_recorded = reading.fields.schema;
    calls->states = g_new0(uint8_t, n + 1);
    reading.uses = g_new0(uint8_t, n + 1);
    calls->call_of = g_new0(uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (!read_location(&reading, i, error))
            return false;
    xtf_thread_states_set(&(XtfThreadStates){.locations = calls->locations,
                                             .uses = reading.uses,
                                             .ends = reading.ends,
                                             .levels = calls->levels,
                                             .has_init_thread = reading.has_threads},
                          calls->states);
    return true;
}

void xtf_open_calls_finish(XtfOpenCalls *calls)
{
    g_clear_pointer(&calls->calls, g_array_unref);
    g_clear_pointer(&calls->awaited, g_array_unref);
    g_clear_pointer(&calls->levels, g_hash_table_unref);
    g_clear_pointer(&calls->states, g_free);
    g_clear_pointer(&calls->call_of, g_free);
}

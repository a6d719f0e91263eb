/*
 * The pass over a location. It follows the calls, from the calls open at the window's begin on, and counts each record
 * for the current call path.
 *
 * If the selection has only some of the calls, a second reader reads all calls, so that call paths are complete.
 */
#include "src/export/cube/profile.h"

typedef struct {
    uint64_t enter; /* row of `enters_leaves`, plus 1; 0: the program */
    uint32_t path;
    bool is_selected; /* the selection has the call */
} Frame;

typedef struct {
    XtfCubeProfile *profile;
    uint32_t column;
    GArray *stack;  /* of Frame: the current call path */
    uint64_t since; /* time up to which ticks are charged */
    /* The call of the program around all calls, as in Scalasca: from PROGRAM_BEGIN to PROGRAM_END. */
    uint32_t program;
    uint64_t begin, end; /* begin UINT64_MAX: there is no program, or it has begun */
} Walk;

static Frame *top_frame(const Walk *walk)
{
    return walk->stack->len > 0 ? &g_array_index(walk->stack, Frame, walk->stack->len - 1) : NULL;
}

static bool counts_region(const XtfCubeProfile *profile, uint32_t region)
{
    if (region & XTF_CUBE_PROGRAM)
        return profile->has_calls && !profile->job->selection->by[XTF_BY_REGION];
    return profile->has_calls && xtf_number_set_contains(profile->job->selection->by[XTF_BY_REGION], region);
}

/* ---- Calls. */

static bool charge_time(Walk *walk, uint64_t t, GError **error)
{
    const Frame *frame = top_frame(walk);
    uint64_t ticks = t > walk->since ? t - walk->since : 0;

    walk->since = MAX(walk->since, t);
    return !frame || !frame->is_selected ||
           xtf_cube_add(walk->profile, XTF_CUBE_TIME, frame->path, walk->column, ticks, error);
}

static bool push_region(Walk *walk, uint64_t enter, uint32_t region, GError **error)
{
    const Frame *outer = top_frame(walk);
    Frame frame = {.enter = enter, .is_selected = counts_region(walk->profile, region)};

    if (!xtf_cube_tree_call(&walk->profile->tree, outer ? outer->path : XTF_CUBE_NO_PATH, region, &frame.path, error))
        return false;
    g_array_append_val(walk->stack, frame);
    return true;
}

/* Pops the frames that were entered at row `enter` or later. */
static void pop_frames_from(Walk *walk, uint64_t enter)
{
    while (top_frame(walk) && top_frame(walk)->enter >= enter)
        g_array_set_size(walk->stack, walk->stack->len - 1);
}

static bool count_visit(Walk *walk, GError **error)
{
    const Frame *frame = top_frame(walk);

    return !frame->is_selected || xtf_cube_add(walk->profile, XTF_CUBE_VISITS, frame->path, walk->column, 1, error);
}

/* Charges time up to t. Begins and ends the program's call if its begin or end is not after t. */
static bool advance_to(Walk *walk, uint64_t t, GError **error)
{
    if (walk->begin <= t) {
        bool visited = walk->begin >= walk->profile->from;
        if (!charge_time(walk, walk->begin, error))
            return false;
        walk->begin = UINT64_MAX;
        if (walk->stack->len == 0 &&
            (!push_region(walk, 0, walk->program, error) || (visited && !count_visit(walk, error))))
            return false;
    }
    if (walk->end <= t && walk->begin == UINT64_MAX) {
        if (!charge_time(walk, walk->end, error))
            return false;
        walk->end = UINT64_MAX;
        if (top_frame(walk) && g_array_index(walk->stack, Frame, 0).enter == 0)
            g_array_remove_index(walk->stack, 0);
    }
    return charge_time(walk, t, error);
}

static bool follow_call(Walk *walk, const XtfLocationRecord *record, GError **error)
{
    const XtfEntersLeavesRow *row = record->fields;
    const uint64_t distance = row->enter, enter = record->row + 1;

    if (!advance_to(walk, record->time, error))
        return false;
    if (row->event == XTF_LABEL_LEAVE) {
        if (distance > 0 && distance < enter)
            pop_frames_from(walk, enter - distance);
        return true;
    }
    if (row->event != XTF_LABEL_ENTER)
        return true;
    pop_frames_from(walk, distance > 0 && distance < enter ? enter - distance + 1 : 1); /* keeps the enclosing calls */
    return push_region(walk, enter, row->region, error) && count_visit(walk, error);
}

/* ---- Other records. */

static bool add_metric(Walk *walk, unsigned metric, uint64_t value, GError **error)
{
    return xtf_cube_add(walk->profile, metric, top_frame(walk)->path, walk->column, value, error);
}

static bool add_message(Walk *walk, unsigned comms, unsigned syncs, unsigned bytes, uint64_t n, GError **error)
{
    return add_metric(walk, n > 0 ? comms : syncs, 1, error) && add_metric(walk, bytes, n, error);
}

static uint64_t value_or_zero(uint64_t value)
{
    return value == XTF_NONE64 ? 0 : value;
}

static bool add_collective(Walk *walk, const XtfCollectivesRow *row, GError **error)
{
    uint64_t out = value_or_zero(row->bytes), in = value_or_zero(row->received);
    unsigned metric = out > 0 && in > 0 ? XTF_CUBE_COMMS_CXCH
                      : out > 0         ? XTF_CUBE_COMMS_CSRC
                      : in > 0          ? XTF_CUBE_COMMS_CDST
                                        : XTF_CUBE_SYNCS_COLL;

    if (row->event != XTF_LABEL_MPI_COLLECTIVE_END && row->event != XTF_LABEL_NON_BLOCKING_COLLECTIVE_COMPLETE)
        return true;
    return add_metric(walk, metric, 1, error) && add_metric(walk, XTF_CUBE_BYTES_COUT, out, error) &&
           add_metric(walk, XTF_CUBE_BYTES_CIN, in, error);
}

static bool add_rma(Walk *walk, const XtfRmaOperationsRow *row, GError **error)
{
    switch (row->event) {
    case XTF_LABEL_RMA_PUT:
        return add_metric(walk, XTF_CUBE_COMMS_PUTS, 1, error) &&
               add_metric(walk, XTF_CUBE_BYTES_PUT, value_or_zero(row->bytes), error);
    case XTF_LABEL_RMA_GET:
        return add_metric(walk, XTF_CUBE_COMMS_GETS, 1, error) &&
               add_metric(walk, XTF_CUBE_BYTES_GET, value_or_zero(row->bytes), error);
    case XTF_LABEL_RMA_ATOMIC:
        return add_metric(walk, XTF_CUBE_COMMS_ATOMICS, 1, error);
    }
    return true;
}

static bool add_record(Walk *walk, const XtfLocationRecord *record, GError **error)
{
    const void *row = record->fields;

    switch (record->tag) {
    case XTF_MODEL_SENDS:
    case XTF_MODEL_RECVS:
    case XTF_MODEL_COLLECTIVES:
    case XTF_MODEL_RMA_OPERATIONS:
        break;
    default:
        return true;
    }
    if (!top_frame(walk)) {
        walk->profile->outside++;
        return true;
    }
    switch (record->tag) {
    case XTF_MODEL_SENDS:
        return add_message(walk, XTF_CUBE_COMMS_SEND, XTF_CUBE_SYNCS_SEND, XTF_CUBE_BYTES_SENT,
                           ((const XtfSendsRow *)row)->bytes, error);
    case XTF_MODEL_RECVS:
        return add_message(walk, XTF_CUBE_COMMS_RECV, XTF_CUBE_SYNCS_RECV, XTF_CUBE_BYTES_RCVD,
                           ((const XtfRecvsRow *)row)->bytes, error);
    case XTF_MODEL_COLLECTIVES:
        return add_collective(walk, row, error);
    default:
        return add_rma(walk, row, error);
    }
}

/* ---- Locations. */

/* The readers of a location: one for all calls, if the selection lacks some, and one for the selection's records. */
typedef struct {
    XtfLocationReader calls, records;
    XtfSpans *call_spans, *record_spans;
    bool has_calls; /* the reader of calls is used */
} Readers;

static bool is_before(const XtfLocationRecord *a, const XtfLocationRecord *b)
{
    return a->time < b->time || (a->time == b->time && a->seq <= b->seq);
}

static bool walk_records(Walk *walk, Readers *readers, GError **error)
{
    XtfLocationRecord call = {0}, record;

    if ((readers->has_calls && !xtf_location_reader_next(&readers->calls, &call, error)) ||
        !xtf_location_reader_next(&readers->records, &record, error))
        return false;
    while (call.schema || record.schema) {
        if (call.schema && (!record.schema || is_before(&call, &record))) {
            xtf_export_beat(walk->profile->job);
            if (!follow_call(walk, &call, error) || !xtf_location_reader_next(&readers->calls, &call, error))
                return false;
            continue;
        }
        bool is_call = record.tag == XTF_MODEL_ENTERS_LEAVES;
        if (is_call ? !readers->has_calls && !follow_call(walk, &record, error) : !add_record(walk, &record, error))
            return false;
        xtf_export_advance(walk->profile->job, 1);
        if (!xtf_location_reader_next(&readers->records, &record, error))
            return false;
    }
    return true;
}

/* Finds the program and its root in the call tree. Begins its call if the program begins before the window. */
static bool find_program(Walk *walk, XtfLocationReader *reader, GError **error)
{
    const XtfArray *array = xtf_location_reader_array(reader, XTF_MODEL_PROGRAMS);
    uint32_t *root = &walk->profile->roots[walk->column];
    uint8_t buffer[XTF_ROW_MAX];
    g_auto(XtfCursor) cursor = {0};
    bool found;

    walk->begin = walk->end = UINT64_MAX;
    *root = XTF_CUBE_NO_PATH;
    if (!array)
        return true;
    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, 0, &found, error))
        return false;
    while (found && walk->end == UINT64_MAX) {
        const XtfProgramsRow *row =
            xtf_model_map_apply(reader->maps[array->schema->id], xtf_cursor_row(&cursor), buffer);
        if (row->event == XTF_LABEL_PROGRAM_BEGIN && walk->begin == UINT64_MAX) {
            walk->begin = row->time;
            walk->program = row->program | XTF_CUBE_PROGRAM;
        } else if (row->event == XTF_LABEL_PROGRAM_END) {
            walk->end = row->time;
        }
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    if (walk->begin != UINT64_MAX &&
        !xtf_cube_tree_call(&walk->profile->tree, XTF_CUBE_NO_PATH, walk->program, root, error))
        return false;
    return walk->begin == UINT64_MAX || walk->begin >= walk->profile->from ||
           advance_to(walk, walk->profile->from, error);
}

static bool push_open_calls(Walk *walk, XtfLocationReader *reader, GError **error)
{
    g_autofree XtfOpenCall *calls = NULL;
    size_t n;

    if (!xtf_location_reader_open_calls(reader, walk->profile->from, &calls, &n, error))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!push_region(walk, calls[i].enter + 1, (uint32_t)calls[i].region, error))
            return false;
    return true;
}

static bool walk_location(XtfCubeProfile *profile, Readers *readers, uint32_t column, GError **error)
{
    const uint32_t index = profile->locations.indices[column];
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(Frame));
    Walk walk = {.profile = profile, .column = column, .stack = stack, .since = profile->from};
    XtfLocationReader *with_calls = readers->has_calls ? &readers->calls : &readers->records;

    if ((readers->has_calls && !xtf_location_reader_begin(&readers->calls, readers->call_spans, index, error)) ||
        !xtf_location_reader_begin(&readers->records, readers->record_spans, index, error) ||
        !find_program(&walk, with_calls, error) || !push_open_calls(&walk, with_calls, error) ||
        !walk_records(&walk, readers, error))
        return false;
    const XtfLocationArrays *arrays = &readers->records.arrays;
    return arrays->first > arrays->last || advance_to(&walk, MIN(arrays->last, profile->to), error);
}

/* Returns the selection of all calls in the selection's locations and window. The caller unrefs it. */
static XtfSelection *select_all_calls(const XtfExportJob *job)
{
    XtfSelection *calls = xtf_selection_in_type(job->selection, (uint32_t)job->tree->context.enters_leaves);

    for (unsigned i = 0; i < XTF_N_FACETS; i++)
        g_clear_pointer(&calls->by[i], xtf_number_set_unref);
    calls->type = job->tree->context.enters_leaves;
    calls->calls = false;
    return calls;
}

static bool walk_all_locations(XtfCubeProfile *profile, Readers *readers, GError **error)
{
    for (uint32_t i = 0; i < profile->locations.n; i++)
        if (!walk_location(profile, readers, i, error))
            return false;
    profile->job->report.locations = profile->locations.n;
    return true;
}

bool xtf_cube_walk(XtfCubeProfile *profile, GError **error)
{
    XtfTree *tree = profile->job->tree;
    XtfSelection *selection = profile->job->selection;
    const bool has_stack = tree->context.enters_leaves >= 0;
    Readers readers = {
        .has_calls = has_stack && (!profile->has_calls || xtf_selection_is_filtered(selection)),
    };
    g_autoptr(XtfSelection) calls = readers.has_calls ? select_all_calls(profile->job) : NULL;
    g_autoptr(XtfSpans) call_spans = calls ? xtf_resolver_spans(&tree->resolver, calls, error) : NULL;
    g_autoptr(XtfSpans) record_spans = NULL;

    if (calls && !call_spans)
        return false;
    if (!(record_spans = xtf_resolver_spans(&tree->resolver, selection, error)))
        return false;
    readers.call_spans = call_spans;
    readers.record_spans = record_spans;
    if (calls)
        xtf_location_reader_init(&readers.calls, tree, calls);
    xtf_location_reader_init(&readers.records, tree, selection);
    bool good = walk_all_locations(profile, &readers, error);
    xtf_location_reader_finish(&readers.calls);
    xtf_location_reader_finish(&readers.records);
    return good;
}

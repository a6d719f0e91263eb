#include "src/studies/model/read.h"

#include "libxtf/error.h"
#include "libxtf/records.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/studies/model/fold.h"
#include "src/tables/totals/selected-locations.h"
#include "src/trace/select/parallel.h"
#include "src/tree/paths/selection-dir.h"

enum { PROCESSES_PER_ROUND = 16 }; /* their folded trees are in memory at once */

/* ---- Rows. */

/* The fields of a record type. */
typedef struct {
    const XtfField *event, *region, *bytes;
    bool is_call, is_send;
    int64_t counted; /* label of the event whose bytes count; -1: all events */
} Fields;

typedef struct {
    XtfProgramFold *fold;
    const Fields *fields; /* by schema */
    uint64_t n_calls, n_deeper;
} Reading;

/* Returns the number of an event's label; -1 if the field has no such label. */
static int64_t find_event(const XtfField *event, const char *name)
{
    for (unsigned i = 0; event && i < event->n_labels; i++) {
        if (g_str_equal(event->labels[i], name))
            return i;
    }
    return -1;
}

/* Finds the fields of a type that the model needs. False if it needs none of its rows. */
static bool find_fields(const XtfSchema *schema, Fields *fields)
{
    *fields = (Fields){.event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT),
                       .region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION),
                       .bytes = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES),
                       .counted = -1};
    if (schema->kind != XTF_SCHEMA_RECORD)
        return false;
    fields->is_call = g_str_equal(schema->name, XTF_RECORD_ENTERS_LEAVES) && fields->event && fields->region;
    fields->is_send = g_str_equal(schema->name, XTF_RECORD_SENDS);
    if (g_str_equal(schema->name, XTF_RECORD_COLLECTIVES))
        fields->counted = find_event(fields->event, XTF_EVENT_COLLECTIVE_END);
    return fields->is_call ||
           (fields->bytes && (fields->is_send || g_str_equal(schema->name, XTF_RECORD_RECVS) || fields->counted >= 0));
}

static bool fold_row(void *data, const XtfSpan *span, uint64_t number, const uint8_t *row, GError **error)
{
    Reading *reading = data;
    const Fields *fields = &reading->fields[span->array.schema->id];
    uint64_t t;

    (void)number;
    (void)error;
    memcpy(&t, row, sizeof t);
    t = GUINT64_FROM_LE(t);
    if (!fields->is_call) {
        if (fields->counted < 0 || (int64_t)xtf_field_get(fields->event, row) == fields->counted)
            xtf_program_fold_message(reading->fold, xtf_field_get(fields->bytes, row), fields->is_send);
        return true;
    }
    if (xtf_field_get(fields->event, row) != 0) {
        xtf_program_fold_leave(reading->fold, t);
        return true;
    }
    reading->n_calls++;
    reading->n_deeper += !xtf_program_fold_enter(reading->fold, (uint32_t)xtf_field_get(fields->region, row), t);
    return true;
}

/* ---- Processes. */

typedef struct {
    XtfTraceContext *context;
    const XtfSelection *selection;
    const XtfSelectedLocations *selected;
    const Fields *fields;
    const bool *is_needed;  /* by schema */
    uint32_t first;         /* process of the round's first node */
    XtfProgramNode **nodes; /* of the round; NULL: no calls */
    uint64_t n_calls, n_deeper;
} Question;

typedef struct {
    const Question *question;
    XtfLocationArrays arrays;
    uint64_t n_calls, n_deeper;
} Worker;

static void *begin_worker(void *data)
{
    Worker *worker = g_new0(Worker, 1);

    worker->question = data;
    return worker;
}

static void join_worker(void *thread_data, void *data)
{
    Worker *worker = thread_data;

    ((Question *)data)->n_calls += worker->n_calls;
    ((Question *)data)->n_deeper += worker->n_deeper;
    xtf_location_arrays_finish(&worker->arrays);
    g_free(worker);
}

/* Returns the first CPU thread of a process that has calls; NULL if it has none. */
static const XtfLocation *find_thread(const XtfSelectedLocations *selected, const XtfSelectedProcess *process)
{
    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        if (xtf_selected_location(selected, i)->is_cpu_thread)
            return xtf_selected_location(selected, i);
    }
    return NULL;
}

/* Makes the spans of the arrays that the model needs. NULL with an error. */
static XtfSpans *find_needed_spans(Worker *worker, const XtfLocation *location, GError **error)
{
    const Question *question = worker->question;
    g_autoptr(XtfSpans) spans = xtf_spans_new(NULL, NULL);

    if (!xtf_location_arrays_load(&worker->arrays, question->context, location, error))
        return NULL;
    for (uint32_t i = 0; i < worker->arrays.n; i++) {
        XtfSpan span;
        if (!question->is_needed[worker->arrays.all[i].schema->id])
            continue;
        xtf_span_init(&span, &worker->arrays.all[i]);
        if (!xtf_span_cut(&span, question->selection->time_from, UINT64_MAX, error) ||
            !xtf_spans_add(spans, &span, error))
            return NULL;
    }
    return g_steal_pointer(&spans);
}

static bool fold_process(Worker *worker, uint32_t process, GError **error)
{
    const Question *question = worker->question;
    const XtfLocation *location = find_thread(question->selected, &question->selected->procs[process]);
    g_autoptr(XtfSpans) spans = location ? find_needed_spans(worker, location, error) : NULL;

    if (!location)
        return true;
    if (!spans)
        return false;
    g_autoptr(XtfProgramFold) fold = xtf_program_fold_new(MAX(worker->arrays.first, question->selection->time_from));
    Reading reading = {.fold = fold, .fields = question->fields};
    if (!xtf_records_each(spans, fold_row, &reading, error))
        return false;
    if (reading.n_calls > 0)
        question->nodes[process - question->first] =
            xtf_program_fold_end(g_steal_pointer(&fold), MAX(worker->arrays.last, worker->arrays.first));
    worker->n_calls += reading.n_calls;
    worker->n_deeper += reading.n_deeper;
    return true;
}

static bool fold_some(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Question *question = data;

    for (uint32_t i = first; i < end; i++) {
        if (!fold_process(thread_data, question->first + i, error))
            return false;
    }
    return true;
}

/* Adds the folded processes of a round to the run, in their order. After an error, frees them. */
static void merge_round(XtfFoldedRun *run, XtfProgramNode **nodes, uint32_t n, bool good)
{
    for (uint32_t i = 0; i < n; i++) {
        XtfProgramNode *node = g_steal_pointer(&nodes[i]);
        if (!node)
            continue;
        if (!good) {
            xtf_program_node_free(node);
            continue;
        }
        run->n_procs++;
        if (run->root)
            xtf_program_node_merge(run->root, node);
        else
            run->root = node;
    }
}

static bool fold_processes(XtfFoldedRun *run, Question *question, GError **error)
{
    const XtfParallelWork work = {1, begin_worker, fold_some, join_worker};
    g_autofree XtfProgramNode **nodes = g_new0(XtfProgramNode *, PROCESSES_PER_ROUND);
    uint32_t n = question->selected->n_procs;
    bool good = true;

    question->nodes = nodes;
    for (uint32_t first = 0; first < n && good; first += PROCESSES_PER_ROUND) {
        uint32_t of_round = MIN(n - first, (uint32_t)PROCESSES_PER_ROUND);
        question->first = first;
        good = xtf_parallel(&work, question, of_round, error);
        merge_round(run, nodes, of_round, good);
    }
    run->n_calls = question->n_calls;
    run->n_deeper = question->n_deeper;
    return good;
}

/* True if a selection is of whole processes. */
static bool has_whole_processes(const XtfSelection *selection)
{
    return !selection->base && !selection->threads && !xtf_selection_is_filtered(selection) &&
           selection->type == XTF_ANY_TYPE && !selection->windows && selection->endless;
}

bool xtf_folded_run_load(XtfFoldedRun *run, XtfNode *directory, GError **error)
{
    XtfTraceContext *context = &directory->tree->context;
    const XtfSelection *selection = directory->selection;
    g_auto(XtfSelectedLocations) selected = {0};

    *run = (XtfFoldedRun){0};
    if (directory->class != &xtf_selection_dir || !has_whole_processes(selection))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "a model is of whole processes: / or proc/SET");
    uint32_t n_schemas = xtf_trace_n_schemas(context->trace);
    g_autofree Fields *fields = g_new0(Fields, n_schemas);
    g_autofree bool *is_needed = g_new0(bool, n_schemas);
    for (uint32_t i = 0; i < n_schemas; i++)
        is_needed[i] = find_fields(xtf_trace_schema(context->trace, i), &fields[i]);
    if (!xtf_selected_locations_init(&selected, context, selection, error))
        return false;
    Question question = {context, selection, &selected, fields, is_needed, 0, NULL, 0, 0};
    if (!fold_processes(run, &question, error))
        return false;
    if (!run->root)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "it has no calls of regions");
    run->n_silent = selected.n_procs - run->n_procs;
    run->left_out = selected.n - selected.n_procs;
    xtf_program_node_simplify(run->root);
    return true;
}

void xtf_folded_run_finish(XtfFoldedRun *run)
{
    g_clear_pointer(&run->root, xtf_program_node_free);
}

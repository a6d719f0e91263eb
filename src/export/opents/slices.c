#include "src/export/opents/slices.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/export/location-reader.h"
#include "src/export/opents/queue.h"
#include "src/model/properties.h"
#include "src/model/task-states.h"

enum {
    N_DECIMALS = 7, /* numbers in the property opents.decimals */
    AT_RANK = 3,    /* number of elements that are open in a rank: trace, slice, rank */
};

/* Indices of `decimals`, in the order of the property. */
enum { TIME, MBYTES, MFLOPS, TASKS, IDLE, SCHED, MPI };

typedef struct {
    XtfLocationReader reader;
    XtfLocationRecord record; /* the next record; its schema is NULL at the end */
} Rank;

typedef struct {
    XtfExportJob *job;
    XtfXml *xml;
    int decimals[N_DECIMALS];
    XtfSpans *spans;
    uint32_t n_ranks;
    Rank *ranks;          /* by number; a rank that the selection or the trace lacks has no reader */
    XtfOpentsQueue queue; /* ranks that have more records */
    GArray *due;          /* of uint32_t: ranks taken from the queue */
    Rank slices;          /* reads only the slices, which process 0 has */
    XtfSelection *selection, *slices_selection;
    XtfSpans *slices_spans;
    XtfModelTable kinds;
    uint64_t strays;            /* records left out, since the element around them is missing */
    uint64_t written, declared; /* elements of ranks: written; and in the source, as the slices say */
} Slices;

static void slices_clear(Slices *slices)
{
    for (uint32_t i = 0; slices->ranks && i < slices->n_ranks; i++)
        xtf_location_reader_finish(&slices->ranks[i].reader);
    xtf_location_reader_finish(&slices->slices.reader);
    xtf_model_table_finish(&slices->kinds);
    g_clear_pointer(&slices->ranks, g_free);
    xtf_opents_queue_finish(&slices->queue);
    g_clear_pointer(&slices->due, g_array_unref);
    g_clear_pointer(&slices->spans, xtf_spans_unref);
    g_clear_pointer(&slices->slices_spans, xtf_spans_unref);
    xtf_selection_unref(slices->slices_selection);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Slices, slices_clear)

bool xtf_opents_has_slices(XtfExportJob *job)
{
    const XtfSchema *schema = xtf_trace_find_schema(job->tree->trace, xtf_model_schema(XTF_MODEL_SLICES)->name);

    return schema && xtf_trace_n_rows(job->tree->trace, schema->id) > 0;
}

/* Reads how many decimals the source wrote. Without the property, numbers get as few decimals as they need. */
static void read_decimals(Slices *slices)
{
    const char *text = xtf_property(slices->job->tree->context.properties, "opents.decimals");
    g_auto(GStrv) parts = g_strsplit(text ? text : "", " ", -1);
    guint n = g_strv_length(parts);

    for (guint i = 0; i < N_DECIMALS; i++)
        slices->decimals[i] = i < n && g_ascii_isdigit(parts[i][0]) ? (int)MIN(g_ascii_strtoull(parts[i], NULL, 10), 99)
                                                                    : XTF_XML_SHORTEST;
}

static bool next_record(Rank *rank, GError **error)
{
    return xtf_location_reader_next(&rank->reader, &rank->record, error);
}

static bool begin_rank(Slices *slices, Rank *rank, uint32_t index, XtfSelection *selection, const XtfSpans *spans,
                       GError **error)
{
    xtf_location_reader_init(&rank->reader, slices->job->tree, selection);
    return xtf_location_reader_begin(&rank->reader, spans, index, error) && next_record(rank, error);
}

/* Begins to read the slices, which are records of process 0. */
static bool begin_slices(Slices *slices, GError **error)
{
    XtfTree *tree = slices->job->tree;
    const XtfSchema *schema = xtf_trace_find_schema(tree->trace, xtf_model_schema(XTF_MODEL_SLICES)->name);
    g_autoptr(XtfSelection) all = xtf_selection_new(&tree->context);
    g_autoptr(XtfSelection) typed = xtf_selection_in_type(all, schema->id);

    slices->slices_selection = xtf_selection_in_window(typed, slices->selection->time_from, slices->selection->time_to);
    slices->slices_spans = xtf_resolver_spans(&tree->resolver, slices->slices_selection, error);
    if (!slices->slices_spans)
        return false;
    uint32_t index = slices->slices_spans->n > 0 ? (uint32_t)slices->slices_spans->spans[0].tag : 0;
    return begin_rank(slices, &slices->slices, index, slices->slices_selection, slices->slices_spans, error);
}

/* Returns the number of a record's slice; all ones if the record has none. Rows of all these types have
 * the same fields up to `frame`. */
static uint64_t record_frame(const XtfLocationRecord *record)
{
    bool has = record->tag >= XTF_MODEL_SLICES && record->tag <= XTF_MODEL_MESSAGE_KINDS;

    return has ? ((const XtfSlicesRow *)record->fields)->frame : XTF_NONE64;
}

/* Adds a rank to the queue for the slice of its next record. A record without a slice is due at once. */
static void queue_rank(Slices *slices, uint32_t number)
{
    const XtfLocationRecord *record = &slices->ranks[number].record;
    uint64_t frame;

    if (!record->schema)
        return;
    frame = record_frame(record);
    xtf_opents_queue_add(&slices->queue, frame == XTF_NONE64 ? 0 : frame, number);
}

static bool open_ranks(Slices *slices, GError **error)
{
    XtfTree *tree = slices->job->tree;
    const XtfLocations *locations = xtf_trace_context_locations(&tree->context, error);

    read_decimals(slices);
    if (!locations || !xtf_model_table_load(&slices->kinds, tree->trace, XTF_MODEL_MESSAGE_TYPES, error) ||
        !begin_slices(slices, error))
        return false;
    slices->spans = xtf_resolver_spans(&tree->resolver, slices->selection, error);
    if (!slices->spans)
        return false;
    g_autoptr(GArray) indices = xtf_selection_locations(slices->selection, locations);
    slices->ranks = g_new0(Rank, slices->n_ranks);
    slices->due = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    xtf_opents_queue_init(&slices->queue);
    for (guint i = 0; i < indices->len; i++) {
        uint32_t index = g_array_index(indices, uint32_t, i);
        uint64_t number = locations->all[index].proc;
        if (number >= slices->n_ranks || slices->ranks[number].reader.tree) /* too great, or known: a second location */
            continue;
        slices->job->report.locations++;
        xtf_export_beat(slices->job);
        if (!begin_rank(slices, &slices->ranks[number], index, slices->selection, slices->spans, error))
            return false;
    }
    for (uint32_t number = 0; number < slices->n_ranks; number++)
        queue_rank(slices, number);
    return true;
}

/* ---- Elements. */

static void write_resources(Slices *slices, const XtfResourcesRow *row)
{
    const int *decimals = slices->decimals;

    xtf_xml_end_to(slices->xml, AT_RANK);
    xtf_xml_begin(slices->xml, "resource");
    xtf_xml_real(slices->xml, "mbytes", row->mbytes, decimals[MBYTES]);
    xtf_xml_real(slices->xml, "mflops", row->mflops, decimals[MFLOPS]);
    xtf_xml_seconds(slices->xml, "tasks", row->tasks, decimals[TASKS]);
    xtf_xml_seconds(slices->xml, "idle", row->idle, decimals[IDLE]);
    xtf_xml_seconds(slices->xml, "sched", row->sched, decimals[SCHED]);
    xtf_xml_seconds(slices->xml, "mpi", row->mpi, decimals[MPI]);
    xtf_xml_end(slices->xml);
}

static void write_state(Slices *slices, const XtfTaskStatesRow *row)
{
    const XtfField *event = xtf_schema_field_by_role(xtf_model_schema(XTF_MODEL_TASK_STATES), XTF_ROLE_EVENT);
    char letter[2] = {row->event < event->n_labels ? xtf_task_state_letter(event->labels[row->event]) : '?'};

    xtf_xml_end_to(slices->xml, AT_RANK);
    xtf_xml_begin(slices->xml, "task");
    xtf_xml_text(slices->xml, "type", letter);
    xtf_xml_count(slices->xml, "count", row->count);
}

/* True if the element in the open rank has this name. Otherwise counts the record as a stray. */
static bool has_open_element(Slices *slices, const char *name)
{
    XtfXml *xml = slices->xml;
    bool in = xml->open->len > AT_RANK && strcmp(xml->open->pdata[AT_RANK], name) == 0;

    slices->strays += !in;
    return in;
}

static void write_move(Slices *slices, const XtfTaskMovesRow *row)
{
    if (!has_open_element(slices, "task"))
        return;
    xtf_xml_begin(slices->xml, "detail");
    xtf_xml_count(slices->xml, "count", row->count);
    xtf_xml_count(slices->xml, row->direction == XTF_MOVE_FROM ? "from" : "to", row->peer);
    xtf_xml_end(slices->xml);
}

static void write_counters(Slices *slices, uint64_t sbytes, uint64_t scount, uint64_t rbytes, uint64_t rcount)
{
    xtf_xml_count(slices->xml, "sbytes", sbytes);
    xtf_xml_count(slices->xml, "scount", scount);
    xtf_xml_count(slices->xml, "rbytes", rbytes);
    xtf_xml_count(slices->xml, "rcount", rcount);
}

static void write_messages(Slices *slices, const XtfMessageTotalsRow *row)
{
    xtf_xml_end_to(slices->xml, AT_RANK);
    xtf_xml_begin(slices->xml, "message");
    write_counters(slices, row->bytes_sent, row->messages_sent, row->bytes_received, row->messages_received);
}

static bool write_kind(Slices *slices, const XtfMessageKindsRow *row, GError **error)
{
    uint8_t buffer[XTF_ROW_MAX];
    const char *name = "?";

    if (!has_open_element(slices, "message"))
        return true;
    if (row->kind < slices->kinds.n) {
        const XtfMessageTypeRow *type = xtf_model_table_row(&slices->kinds, row->kind, buffer);
        if (!xtf_trace_string(slices->job->tree->trace, type->name, &name, error))
            return false;
    }
    xtf_xml_begin(slices->xml, "extra");
    xtf_xml_text(slices->xml, "type", name);
    write_counters(slices, row->bytes_sent, row->messages_sent, row->bytes_received, row->messages_received);
    xtf_xml_end(slices->xml);
    return true;
}

static bool write_record(Slices *slices, const XtfLocationRecord *record, GError **error)
{
    switch (record->tag) {
    case XTF_MODEL_RESOURCES:
        write_resources(slices, record->fields);
        return true;
    case XTF_MODEL_TASK_STATES:
        write_state(slices, record->fields);
        return true;
    case XTF_MODEL_TASK_MOVES:
        write_move(slices, record->fields);
        return true;
    case XTF_MODEL_MESSAGE_TOTALS:
        write_messages(slices, record->fields);
        return true;
    case XTF_MODEL_MESSAGE_KINDS:
        return write_kind(slices, record->fields, error);
    default:
        slices->strays += record->tag != XTF_MODEL_SLICES;
        return true;
    }
}

static void begin_rank_element(Slices *slices, uint32_t number)
{
    xtf_xml_begin(slices->xml, "rank");
    xtf_xml_count(slices->xml, "num", number);
    slices->written++;
}

/* Writes the records of a rank in a slice. If the slice had all ranks, a rank without records gets an empty element. */
static bool write_rank(Slices *slices, uint32_t number, uint64_t frame, bool had_all_ranks, GError **error)
{
    Rank *rank = &slices->ranks[number];
    bool begun = had_all_ranks;

    if (had_all_ranks)
        begin_rank_element(slices, number);
    while (rank->record.schema && (record_frame(&rank->record) <= frame || record_frame(&rank->record) == XTF_NONE64)) {
        if (!begun && rank->record.tag != XTF_MODEL_SLICES)
            begin_rank_element(slices, number);
        begun |= rank->record.tag != XTF_MODEL_SLICES;
        if (!write_record(slices, &rank->record, error) || !next_record(rank, error))
            return false;
        xtf_export_advance(slices->job, 1);
    }
    xtf_xml_end_to(slices->xml, AT_RANK - 1);
    return true;
}

/* Finds the source's time of the current slice. If the time went back, a row of `backward_times` has it. */
static bool find_slice_time(Slices *slices, uint64_t *time, GError **error)
{
    const void *backward;

    if (!xtf_location_reader_side(&slices->slices.reader, XTF_MODEL_BACKWARD_TIMES, &backward, error))
        return false;
    *time = backward ? ((const XtfBackwardTimesRow *)backward)->source_time : slices->slices.record.time;
    *time -= MIN(*time, slices->job->tree->context.scale.origin);
    return true;
}

static bool write_all_ranks(Slices *slices, uint64_t frame, GError **error)
{
    const XtfNumberSet *procs = slices->selection->procs;

    for (uint32_t number = 0; number < slices->n_ranks; number++) {
        xtf_export_beat(slices->job);
        if ((!procs || xtf_number_set_contains(procs, number)) && !write_rank(slices, number, frame, true, error))
            return false;
    }
    return true;
}

/* Writes the ranks that have records in the slice. The cost of a slice does not depend on the number of other ranks. */
static bool write_due_ranks(Slices *slices, uint64_t frame, GError **error)
{
    g_array_set_size(slices->due, 0);
    xtf_opents_queue_take(&slices->queue, frame, slices->due);
    for (guint i = 0; i < slices->due->len; i++) {
        uint32_t number = g_array_index(slices->due, uint32_t, i);
        if (!write_rank(slices, number, frame, false, error))
            return false;
        queue_rank(slices, number);
    }
    return true;
}

static bool write_slice(Slices *slices, GError **error)
{
    const XtfSlicesRow *row = slices->slices.record.fields;
    uint64_t frame = row->frame, time;
    bool had_all_ranks = row->ranks == slices->n_ranks;

    slices->declared += row->ranks;
    if (!find_slice_time(slices, &time, error))
        return false;
    xtf_xml_begin(slices->xml, "slice");
    xtf_xml_count(slices->xml, "num", frame);
    xtf_xml_seconds(slices->xml, "time", time, slices->decimals[TIME]);
    if (!(had_all_ranks ? write_all_ranks(slices, frame, error) : write_due_ranks(slices, frame, error)))
        return false;
    xtf_xml_end(slices->xml);
    return true;
}

static void note_losses(Slices *slices)
{
    if (slices->strays > 0)
        xtf_export_note(slices->job, "%" PRIu64 " records left out: they are in no element of a slice", slices->strays);
    if (!slices->selection->procs && slices->written < slices->declared)
        xtf_export_note(slices->job, "%" PRIu64 " ranks of slices left out: they were empty",
                        slices->declared - slices->written);
}

bool xtf_opents_write_slices(XtfExportJob *job, XtfXml *xml, uint32_t n_ranks, GError **error)
{
    g_auto(Slices) slices = {.job = job, .xml = xml, .selection = job->selection, .n_ranks = n_ranks};

    if (!open_ranks(&slices, error))
        return false;
    while (slices.slices.record.schema)
        if (!write_slice(&slices, error) || !next_record(&slices.slices, error))
            return false;
    note_losses(&slices);
    return true;
}

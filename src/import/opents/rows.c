#include "src/import/opents/rows.h"

#include <string.h>

enum {
    /* Counters of task states, messages and times, which never fall if they count from the beginning of the run. */
    N_STATES = 4,
    N_MESSAGES = 4,
    N_TIMES = 4,
    MESSAGES = N_STATES,
    TIMES = MESSAGES + N_MESSAGES,
    N_COUNTERS = TIMES + N_TIMES,
};

struct OpentsLocation {
    uint64_t seq;       /* of the next row */
    uint64_t last_time; /* of the last row */
    XtfArrayWriter *arrays[XTF_N_RECORD_TYPES - XTF_MODEL_SLICES];
    XtfArrayWriter *backward;
    uint64_t counters[N_COUNTERS]; /* the values of the last slice */
};

typedef struct {
    uint32_t rank;
    uint8_t type, event;
} Entry;

static size_t size_of_row(unsigned type)
{
    static const size_t sizes[] = {
        [XTF_MODEL_SLICES - XTF_MODEL_SLICES] = sizeof(XtfSlicesRow),
        [XTF_MODEL_RESOURCES - XTF_MODEL_SLICES] = sizeof(XtfResourcesRow),
        [XTF_MODEL_TASK_STATES - XTF_MODEL_SLICES] = sizeof(XtfTaskStatesRow),
        [XTF_MODEL_TASK_MOVES - XTF_MODEL_SLICES] = sizeof(XtfTaskMovesRow),
        [XTF_MODEL_MESSAGE_TOTALS - XTF_MODEL_SLICES] = sizeof(XtfMessageTotalsRow),
        [XTF_MODEL_MESSAGE_KINDS - XTF_MODEL_SLICES] = sizeof(XtfMessageKindsRow),
    };

    return sizes[type - XTF_MODEL_SLICES];
}

void xtf_opents_rows_init(XtfOpentsRows *rows, XtfImportJob *job, uint32_t n_ranks)
{
    *rows = (XtfOpentsRows){.job = job, .n_ranks = n_ranks};
    rows->locations = g_new0(OpentsLocation *, n_ranks);
    rows->bytes = g_byte_array_new();
}

void xtf_opents_rows_finish(XtfOpentsRows *rows)
{
    for (uint32_t rank = 0; rank < rows->n_ranks; rank++)
        g_free(rows->locations[rank]);
    g_clear_pointer(&rows->locations, g_free);
    g_clear_pointer(&rows->bytes, g_byte_array_unref);
    rows->n_ranks = 0;
}

bool xtf_opents_rows_add(XtfOpentsRows *rows, uint32_t rank, unsigned type, unsigned event, const void *row)
{
    const Entry entry = {.rank = rank, .type = (uint8_t)type, .event = (uint8_t)event};

    if (rows->bytes->len + sizeof entry + XTF_ROW_MAX > XTF_OPENTS_SLICE_MAX)
        return false;
    g_byte_array_append(rows->bytes, (const guint8 *)&entry, sizeof entry);
    g_byte_array_append(rows->bytes, row, (guint)size_of_row(type));
    return true;
}

void xtf_opents_rows_drop(XtfOpentsRows *rows, guint mark)
{
    for (guint at = mark; at < rows->bytes->len; rows->job->report.left_out_events++) {
        Entry entry;
        memcpy(&entry, rows->bytes->data + at, sizeof entry);
        at += sizeof entry + (guint)size_of_row(entry.type);
    }
    g_byte_array_set_size(rows->bytes, mark);
}

void *xtf_opents_rows_at(XtfOpentsRows *rows, guint mark)
{
    return rows->bytes->data + mark + sizeof(Entry);
}

/* ---- Detecting counters that fall. */

static void note_counter(XtfOpentsRows *rows, uint64_t *last_value, uint64_t value)
{
    if (value == XTF_NONE64)
        return;
    rows->falls |= value < *last_value;
    *last_value = value;
}

/* Notes the number of tasks in a state. The numbers of prenatal, active and suspended tasks rise and fall during a run,
 * so only the other states are counters. */
static void note_state(XtfOpentsRows *rows, OpentsLocation *location, unsigned event, uint64_t count)
{
    static const uint8_t cumulative_states[N_STATES] = {XTF_LABEL_started, XTF_LABEL_exported, XTF_LABEL_imported,
                                                        XTF_LABEL_finished};

    for (unsigned i = 0; i < N_STATES; i++)
        if (cumulative_states[i] == event)
            note_counter(rows, &location->counters[i], count);
}

static void note_counters(XtfOpentsRows *rows, OpentsLocation *location, const Entry *entry, const void *row)
{
    const XtfMessageTotalsRow *messages = row;
    const XtfResourcesRow *resources = row;
    uint64_t *counters = location->counters;

    if (entry->type == XTF_MODEL_TASK_STATES) {
        note_state(rows, location, entry->event, ((const XtfTaskStatesRow *)row)->count);
    } else if (entry->type == XTF_MODEL_MESSAGE_TOTALS) {
        note_counter(rows, &counters[MESSAGES], messages->bytes_sent);
        note_counter(rows, &counters[MESSAGES + 1], messages->messages_sent);
        note_counter(rows, &counters[MESSAGES + 2], messages->bytes_received);
        note_counter(rows, &counters[MESSAGES + 3], messages->messages_received);
    } else if (entry->type == XTF_MODEL_RESOURCES) {
        note_counter(rows, &counters[TIMES], resources->tasks);
        note_counter(rows, &counters[TIMES + 1], resources->idle);
        note_counter(rows, &counters[TIMES + 2], resources->sched);
        note_counter(rows, &counters[TIMES + 3], resources->mpi);
    }
}

/* ---- Appending rows to arrays. */

static XtfArrayWriter *array_of(XtfOpentsRows *rows, XtfArrayWriter **array, uint32_t rank, unsigned type,
                                GError **error)
{
    if (G_UNLIKELY(!*array))
        *array = xtf_writer_array(rows->job->writer, rank, rows->job->schemas[type], error);
    return *array;
}

/* Appends to `backward_times` a time that is before the time of the preceding record. */
static bool append_backward_time(XtfOpentsRows *rows, OpentsLocation *location, uint32_t rank, uint64_t time,
                                 GError **error)
{
    const XtfBackwardTimesRow row = {.time = location->last_time, .seq = location->seq, .source_time = time};
    XtfArrayWriter *array = array_of(rows, &location->backward, rank, XTF_MODEL_BACKWARD_TIMES, error);

    rows->backward++;
    return array && xtf_array_writer_append(array, &row, error);
}

/* Appends a row as a record at `time`, or at the time of the preceding record if that is later. */
static bool append_record(XtfOpentsRows *rows, const Entry *entry, void *row, uint64_t time, GError **error)
{
    OpentsLocation **slot = &rows->locations[entry->rank];

    if (!*slot)
        *slot = g_new0(OpentsLocation, 1);
    OpentsLocation *location = *slot;
    XtfArrayWriter *array =
        array_of(rows, &location->arrays[entry->type - XTF_MODEL_SLICES], entry->rank, entry->type, error);
    XtfRecordHead *head = row;
    if (!array || (time < location->last_time && !append_backward_time(rows, location, entry->rank, time, error)))
        return false;
    if (!rows->falls)
        note_counters(rows, location, entry, row);
    location->last_time = MAX(time, location->last_time);
    head->time = location->last_time;
    head->seq = location->seq++;
    head->region = XTF_NONE32;
    head->event = entry->event;
    rows->job->counts[entry->type][entry->event]++;
    return xtf_array_writer_append(array, row, error);
}

bool xtf_opents_rows_commit(XtfOpentsRows *rows, uint64_t time, GError **error)
{
    for (guint at = 0; at < rows->bytes->len;) {
        Entry entry;
        memcpy(&entry, rows->bytes->data + at, sizeof entry);
        at += sizeof entry;
        if (!append_record(rows, &entry, rows->bytes->data + at, time, error))
            return false;
        at += (guint)size_of_row(entry.type);
    }
    rows->n_slices++;
    g_byte_array_set_size(rows->bytes, 0);
    return true;
}

bool xtf_opents_rows_close(XtfOpentsRows *rows, GError **error)
{
    xtf_opents_rows_drop(rows, 0); /* rows of an incomplete slice */
    for (uint32_t rank = 0; rank < rows->n_ranks; rank++) {
        OpentsLocation *location = rows->locations[rank];
        if (!location)
            continue;
        rows->job->report.locations++;
        for (unsigned i = 0; i < G_N_ELEMENTS(location->arrays); i++)
            if (location->arrays[i] && !xtf_array_writer_close(location->arrays[i], error))
                return false;
        if (location->backward && !xtf_array_writer_close(location->backward, error))
            return false;
    }
    return true;
}

/*
 * The actions of each rank, from the records of its location. A rank computes while no function of MPI is on top of its
 * stack of calls; all time in MPI is left to the simulator.
 */
#include <inttypes.h>

#include "libxtf/error.h"
#include "src/export/location-reader.h"
#include "src/export/ti/ti-export.h"
#include "src/model/labels.h"

/* An open call. */
typedef struct {
    uint64_t enter; /* row of its ENTER */
    bool in_mpi, buffers;
} Frame;

/* The other end of a message that is under way. */
typedef struct {
    uint32_t peer, tag;
} Request;

typedef struct {
    XtfTiExport *export;
    XtfLocationReader *reader;
    const XtfTiProcess *process;
    const XtfTiRows *rows;
    XtfTiFile file;
    GArray *frames;         /* of Frame, outermost first */
    guint n_in_mpi;         /* frames of MPI */
    bool any;               /* a record was read */
    uint64_t time, outside; /* of the last record; ticks outside of MPI before it */
    GHashTable *sends;      /* request -> Request: of sends that are under way */
    GHashTable *postings;   /* set of the seqs of records that posted receives, until they complete */
    guint n_ends;           /* ends of operations that were reached */
} Walk;

/* ---- Computing. */

/* Advances to the time of a record. */
static void advance_to(Walk *walk, uint64_t time)
{
    const Frame *top = walk->frames->len > 0 ? &g_array_index(walk->frames, Frame, walk->frames->len - 1) : NULL;

    if (walk->any && time > walk->time && (!top || !top->in_mpi)) {
        walk->outside += time - walk->time;
        walk->file.computed = xtf_nanoseconds_of(&walk->export->job->tree->context.scale, walk->outside);
    }
    walk->any = true;
    walk->time = MAX(walk->time, time);
}

/* ---- Calls. */

static void push_call(Walk *walk, uint64_t region, uint64_t enter)
{
    const XtfTiExport *export = walk->export;
    bool known = region < export->n_regions;
    const Frame frame = {
        .enter = enter, .in_mpi = known && export->in_mpi[region], .buffers = known && export->buffers[region]};

    g_array_append_val(walk->frames, frame);
    walk->n_in_mpi += frame.in_mpi;
}

static void pop_call(Walk *walk)
{
    walk->n_in_mpi -= g_array_index(walk->frames, Frame, walk->frames->len - 1).in_mpi;
    g_array_set_size(walk->frames, walk->frames->len - 1);
}

/* Ends the call with an ENTER, and calls inside it that were never left. */
static void leave_call(Walk *walk, uint64_t enter)
{
    guint n = walk->frames->len;

    while (n > 0 && g_array_index(walk->frames, Frame, n - 1).enter > enter)
        n--;
    if (n == 0 || g_array_index(walk->frames, Frame, n - 1).enter != enter)
        return;
    while (walk->frames->len >= n)
        pop_call(walk);
    if (walk->n_in_mpi == 0)
        xtf_ti_file_end_call(&walk->file);
}

static bool is_buffered(const Walk *walk)
{
    return walk->frames->len > 0 && g_array_index(walk->frames, Frame, walk->frames->len - 1).buffers;
}

/* ---- Messages. */

/* Finds the rank and the tag of the other end. False if a message stays in the process. */
static bool find_peer(Walk *walk, uint32_t comm, uint32_t peer, uint32_t tag, Request *end)
{
    XtfTiExport *export = walk->export;
    uint64_t proc;

    if (!xtf_ranks_proc(export->ranks, comm == XTF_NONE32 ? XTF_NONE64 : comm, peer, walk->process->proc, &proc))
        return false;
    end->peer = xtf_ti_kept_rank(&export->kept, proc);
    if (end->peer == UINT32_MAX || end->peer == walk->file.rank)
        return false;
    end->tag = xtf_ti_tag(export, comm, tag);
    return true;
}

static void add_action(Walk *walk, XtfTiKind kind, const Request *end, uint64_t bytes)
{
    const XtfTiAction action = {.kind = kind, .peer = end->peer, .tag = end->tag, .bytes = bytes};

    xtf_ti_file_add(&walk->file, &action);
    if (walk->n_in_mpi == 0)
        xtf_ti_file_end_call(&walk->file);
}

static void take_send(Walk *walk, const XtfLocationRecord *record, const XtfSendsRow *row)
{
    const bool blocks = row->event == XTF_LABEL_MPI_SEND, kept = xtf_ti_rows_contain(walk->rows->sends, record->row);
    Request end;

    g_hash_table_remove(walk->sends, &row->request); /* the id of a request is used again */
    if (!kept || !find_peer(walk, row->comm, row->peer, row->tag, &end)) {
        xtf_export_count(walk->export->job, kept, "messages of a process to itself left out");
        return;
    }
    bool waits = !is_buffered(walk);
    add_action(walk, blocks && waits ? XTF_TI_SEND : XTF_TI_ISEND, &end, row->bytes);
    if (!blocks && waits && row->request != XTF_NONE64)
        g_hash_table_insert(walk->sends, g_memdup2(&row->request, sizeof row->request), g_memdup2(&end, sizeof end));
    xtf_export_advance(walk->export->job, 1);
}

/* Posts the receive of the current record, if `postings` has one. */
static bool take_posting(Walk *walk, const XtfLocationRecord *record, GError **error)
{
    const void *side;
    Request end;

    if (!xtf_location_reader_side(walk->reader, XTF_MODEL_POSTINGS, &side, error))
        return false;
    const XtfPostingsRow *row = side;
    if (!row || !xtf_ti_rows_contain(walk->rows->receives, row->message) ||
        !find_peer(walk, row->comm, row->peer, row->tag, &end))
        return true;
    add_action(walk, XTF_TI_IRECV, &end, row->bytes);
    g_hash_table_add(walk->postings, g_memdup2(&record->seq, sizeof record->seq));
    return true;
}

static bool take_request(Walk *walk, const XtfLocationRecord *record, GError **error)
{
    const XtfRequestsRow *row = record->fields;

    if (row->event == XTF_LABEL_MPI_IRECV_REQUEST)
        return take_posting(walk, record, error);
    const Request *end = g_hash_table_lookup(walk->sends, &row->request);
    if (row->event == XTF_LABEL_MPI_ISEND_COMPLETE && end)
        add_action(walk, XTF_TI_WAIT_SEND, end, 0);
    if (row->event == XTF_LABEL_MPI_ISEND_COMPLETE || row->event == XTF_LABEL_MPI_REQUEST_CANCELLED)
        g_hash_table_remove(walk->sends, &row->request);
    return true;
}

/* Completes a receive. A receive whose posting is not known, or before the window, is posted here. */
static void take_receive(Walk *walk, const XtfLocationRecord *record, const XtfRecvsRow *row)
{
    const uint64_t posting = record->seq - row->posted;
    Request end;

    if (!xtf_ti_rows_contain(walk->rows->receives, record->row) ||
        !find_peer(walk, row->comm, row->peer, row->tag, &end))
        return;
    bool posted = row->posted > 0 && g_hash_table_remove(walk->postings, &posting);
    add_action(walk, posted ? XTF_TI_WAIT_RECV : XTF_TI_RECV, &end, row->bytes);
    xtf_export_advance(walk->export->job, 1);
}

static bool take_operation(Walk *walk, const XtfLocationRecord *record, GError **error)
{
    const GArray *ends = walk->rows->ends;
    const XtfTiExport *export = walk->export;

    while (ends && walk->n_ends < ends->len && g_array_index(ends, XtfTiEnd, walk->n_ends).row < record->row)
        walk->n_ends++;
    if (!ends || walk->n_ends == ends->len)
        return true;
    const XtfTiEnd *end = &g_array_index(ends, XtfTiEnd, walk->n_ends);
    const XtfTiOperation *operation = &g_array_index(export->kept.operations, XtfTiOperation, end->operation);
    if (end->row != record->row || operation->n_ended < operation->n_members)
        return true;
    xtf_export_advance(export->job, 1);
    return xtf_ti_write_operation(walk->export, &walk->file, record->fields, end, walk->process->proc, error);
}

/* ---- Records. */

static bool take_record(Walk *walk, const XtfLocationRecord *record, GError **error)
{
    xtf_export_beat(walk->export->job);
    advance_to(walk, record->time);
    switch (record->tag) {
    case XTF_MODEL_ENTERS_LEAVES: {
        const XtfEntersLeavesRow *row = record->fields;
        if (row->event == XTF_LABEL_ENTER)
            push_call(walk, row->region, record->row);
        else if (row->enter > 0 && row->enter <= record->row)
            leave_call(walk, record->row - row->enter);
        return true;
    }
    case XTF_MODEL_SENDS:
        take_send(walk, record, record->fields);
        return true;
    case XTF_MODEL_RECVS:
        take_receive(walk, record, record->fields);
        return true;
    case XTF_MODEL_REQUESTS:
        return take_request(walk, record, error);
    case XTF_MODEL_COLLECTIVES:
        return take_operation(walk, record, error);
    default:
        return true;
    }
}

static bool push_open_calls(Walk *walk, GError **error)
{
    g_autofree XtfOpenCall *calls = NULL;
    size_t n;

    if (!xtf_location_reader_open_calls(walk->reader, walk->export->job->selection->time_from, &calls, &n, error))
        return false;
    for (size_t i = 0; i < n; i++)
        push_call(walk, calls[i].region, calls[i].enter);
    return true;
}

static bool take_location(Walk *walk, const XtfSpans *spans, GError **error)
{
    XtfLocationRecord record;

    if (!xtf_location_reader_begin(walk->reader, spans, walk->process->communicating, error) ||
        !push_open_calls(walk, error))
        return false;
    for (;;) {
        if (!xtf_location_reader_next(walk->reader, &record, error))
            return false;
        if (!record.schema)
            return true;
        if (!take_record(walk, &record, error))
            return false;
    }
}

/* ---- Ranks. */

static bool write_rank(XtfTiExport *export, XtfLocationReader *reader, const XtfSpans *spans, uint32_t rank,
                       GError **error)
{
    const XtfTiProcess *process = &export->kept.processes[rank];
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
    g_autoptr(GHashTable) sends = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
                          postings = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    Walk walk = {.export = export,
                 .reader = reader,
                 .process = process,
                 .rows = &export->kept.rows[process->communicating],
                 .frames = frames,
                 .sends = sends,
                 .postings = postings};

    if (!xtf_ti_file_open(&walk.file, export->job->output, export->job->final_path, rank, error))
        return false;
    bool good = take_location(&walk, spans, error);
    export->job->report.locations++;
    return xtf_ti_file_close(&walk.file, good ? error : NULL) && good;
}

bool xtf_ti_write_ranks(XtfTiExport *export, GError **error)
{
    XtfTree *tree = export->job->tree;
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(&tree->resolver, export->job->selection, error);
    g_auto(XtfLocationReader) reader = {0};

    if (!spans)
        return false;
    xtf_location_reader_init(&reader, tree, export->job->selection);
    for (uint32_t rank = 0; rank < export->kept.n_processes; rank++)
        if (!write_rank(export, &reader, spans, rank, error)) {
            g_prefix_error(error, "process %" PRIu64 ": ", export->kept.processes[rank].proc);
            return false;
        }
    return true;
}

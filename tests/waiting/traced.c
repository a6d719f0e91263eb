#include "tests/waiting/traced.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/model/labels.h"
#include "src/model/process-properties.h"
#include "src/model/schemas.h"
#include "src/tree/paths/tree.h"

/* ---- Rows of `pending`: the test declares the type, with and without lists of requests. */

typedef struct __attribute__((packed)) {
    XtfRecordHead head;
    uint64_t since;
    uint32_t peer, tag, comm, requests, root;
    uint64_t request;
} PendingRow;

static const char *const pending_events[] = {
    "PENDING", "PENDING_SEND", "PENDING_RECEIVE", "PENDING_COLLECTIVE", "PENDING_POSTED", NULL};

static const XtfFieldSpec pending_fields[] = {
    XTF_HEAD_FIELDS(XTF_SPEC, pending_events){"since", XTF_TYPE_U64, "", "ticks", "", XTF_FIELD_INSTANT, NULL},
    {"peer", XTF_TYPE_U32, XTF_ROLE_PEER, "", "", XTF_OPT, NULL},
    {"tag", XTF_TYPE_U32, XTF_ROLE_TAG, "", "", XTF_OPT, NULL},
    {"comm", XTF_TYPE_U32, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL},
    {"requests", XTF_TYPE_U32, "", "", "", XTF_OPT, NULL},
    {"root", XTF_TYPE_U32, "", "", "", XTF_OPT, NULL},
    {"request", XTF_TYPE_U64, "", "", "", XTF_OPT, NULL},
    {0},
};

enum { GREETING = 99 /* tag */, BLOCK = 4096, LOCATION_GROUP = 1 /* label of xtf_property_owners */ };

typedef struct {
    const Simulation *simulation;
    XtfWriter *writer;
    uint32_t ids[XTF_N_ALL_SCHEMAS];
    bool declared[XTF_N_ALL_SCHEMAS];
    /* The present location and its counts: */
    unsigned location;
    uint64_t seq, n_calls, enter;
} Tracing;

static void expect_done(bool done, const GError *error)
{
    if (done)
        return;
    fprintf(stderr, "cannot write or read the trace: %s\n", error ? error->message : "");
    abort();
}

static uint32_t schema_id(Tracing *tracing, unsigned tag)
{
    GError *error = NULL;

    if (!tracing->declared[tag] && tag == XTF_MODEL_PENDING) {
        XtfSchema *schema = xtf_schema_new("pending", XTF_SCHEMA_RECORD, pending_fields, &error);
        expect_done(schema && xtf_writer_add_schema(tracing->writer, schema, &tracing->ids[tag], &error), error);
        xtf_schema_free(schema);
    } else if (!tracing->declared[tag]) {
        expect_done(xtf_writer_add_schema(tracing->writer, xtf_model_schema(tag), &tracing->ids[tag], &error), error);
    }
    tracing->declared[tag] = true;
    return tracing->ids[tag];
}

static void define_row(Tracing *tracing, unsigned tag, const void *row)
{
    XtfTableWriter *table = xtf_writer_table(tracing->writer, schema_id(tracing, tag), NULL);

    expect_done(table && xtf_table_writer_append(table, row, NULL, NULL), NULL);
}

static void append_row(Tracing *tracing, unsigned tag, const void *row)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(tracing->writer, tracing->location, schema_id(tracing, tag), &error);

    expect_done(array && xtf_array_writer_append(array, row, &error), error);
}

static uint32_t string_of(Tracing *tracing, const char *text)
{
    uint32_t id;

    expect_done(xtf_writer_add_string(tracing->writer, text, &id, NULL), NULL);
    return id;
}

/* ---- Definitions. */

static void define_comms(Tracing *tracing)
{
    const Program *program = tracing->simulation->program;
    uint64_t first = 0;

    for (uint32_t comm = 0; comm < N_COMMS; comm++) {
        unsigned n = program->n_members[comm];
        define_row(tracing, XTF_MODEL_GROUPS, &(XtfGroupRow){.first = first, .count = n, .id = comm});
        for (unsigned i = 0; i < n; i++)
            define_row(tracing, XTF_MODEL_MEMBERS,
                       &(XtfMemberRow){.member = (uint64_t)program->members[comm][i],
                                       .proc = (uint32_t)program->members[comm][i]});
        define_row(tracing, XTF_MODEL_COMMUNICATORS,
                   &(XtfCommunicatorRow){.id = comm, .group = comm, .remote_group = XTF_NONE32, .parent = XTF_NONE32});
        first += n;
    }
}

static void define_end(Tracing *tracing, unsigned proc, XtfEndKind kind)
{
    g_autofree char *text = xtf_end_text(kind, kind == XTF_END_KILLED ? 9 : 0);

    define_row(tracing, XTF_MODEL_DEFINITION_PROPERTIES,
               &(XtfDefinitionPropertyRow){.of = LOCATION_GROUP,
                                           .owner = proc,
                                           .name = string_of(tracing, XTF_RECORD_END),
                                           .value = string_of(tracing, text)});
}

static void define_level(Tracing *tracing, unsigned proc)
{
    static const XtfThreadLevel levels[] = {[LEVEL_FUNNELED] = XTF_LEVEL_FUNNELED,
                                            [LEVEL_SERIALIZED] = XTF_LEVEL_SERIALIZED,
                                            [LEVEL_MULTIPLE] = XTF_LEVEL_MULTIPLE};
    Level level = tracing->simulation->program->levels[proc];
    g_autofree char *text = level == LEVEL_UNSTATED ? NULL : xtf_thread_level_text(levels[level], 0);

    if (text)
        define_row(tracing, XTF_MODEL_DEFINITION_PROPERTIES,
                   &(XtfDefinitionPropertyRow){.of = LOCATION_GROUP,
                                               .owner = proc,
                                               .name = string_of(tracing, XTF_RECORD_THREAD_LEVEL),
                                               .value = string_of(tracing, text)});
}

/* True if a process has ended, and the trace has all of its rows. */
static bool has_whole(const Simulation *simulation, unsigned proc, const uint64_t *cuts)
{
    for (unsigned thread = 0; thread < simulation->program->n_threads[proc]; thread++)
        if (simulation->threads[location_of(proc, thread)].until > cuts[location_of(proc, thread)])
            return false;
    return simulation_has_ended(simulation, proc);
}

static void define_all(Tracing *tracing, const uint64_t *cuts, bool growing)
{
    const Simulation *simulation = tracing->simulation;

    for (unsigned kind = 0; kind < N_STEP_KINDS; kind++)
        define_row(
            tracing, XTF_MODEL_REGIONS,
            &(XtfRegionRow){.line = XTF_NONE32, .name = string_of(tracing, step_names[kind] ? step_names[kind] : "-")});
    define_row(tracing, XTF_MODEL_REGIONS,
               &(XtfRegionRow){.line = XTF_NONE32, .name = string_of(tracing, "MPI_Init_thread")});
    for (unsigned proc = 0; proc < simulation->program->n_procs; proc++) {
        define_row(tracing, XTF_MODEL_PROCESSES,
                   &(XtfProcessRow){.proc = proc, .id = proc, .system_tree_node = XTF_NONE32, .creator = XTF_NONE32});
        for (unsigned thread = 0; thread < simulation->program->n_threads[proc]; thread++)
            define_row(
                tracing, XTF_MODEL_LOCATIONS,
                &(XtfLocationRow){.id = location_of(proc, thread), .proc = proc, .thread = thread, .process = proc});
        define_level(tracing, proc);
        bool has_ended = has_whole(simulation, proc, cuts);
        if (has_ended || !growing)
            define_end(tracing, proc,
                       !has_ended                        ? XTF_END_KILLED
                       : simulation->is_finalizing[proc] ? XTF_END_FINALIZED
                                                         : XTF_END_WITHOUT_FINALIZE);
    }
    define_comms(tracing);
}

/* ---- Rows. */

static uint32_t rank_of(const Tracing *tracing, int comm, int proc)
{
    int rank = comm >= 0 && proc >= 0 ? program_rank(tracing->simulation->program, comm, proc) : -1;

    return rank >= 0 ? (uint32_t)rank : XTF_NONE32;
}

static void write_call(Tracing *tracing, uint64_t time, uint32_t region, bool leaves)
{
    XtfEntersLeavesRow row = {
        .time = time, .seq = tracing->seq++, .region = region, .event = leaves, .outermost = 1, .depth = 1};

    row.enter = leaves ? tracing->n_calls - tracing->enter : 0;
    tracing->enter = tracing->n_calls++;
    append_row(tracing, XTF_MODEL_ENTERS_LEAVES, &row);
}

static void write_message(Tracing *tracing, const Row *row, unsigned tag, bool has_request)
{
    append_row(tracing, tag,
               &(XtfRecvsRow){.time = row->time, /* a row of `recvs` begins like a row of `sends` */
                              .seq = tracing->seq++,
                              .region = row->call,
                              .event = has_request,
                              .peer = rank_of(tracing, row->comm, row->peer),
                              .comm = (uint32_t)row->comm,
                              .tag = (uint32_t)row->tag,
                              .bytes = 8,
                              .request = has_request ? (uint64_t)row->request : XTF_NONE64});
}

static void write_request(Tracing *tracing, const Row *row, uint8_t event)
{
    append_row(tracing, XTF_MODEL_REQUESTS,
               &(XtfRequestsRow){.time = row->time,
                                 .seq = tracing->seq++,
                                 .region = row->call,
                                 .event = event,
                                 .request = (uint64_t)row->request});
}

static void write_collective(Tracing *tracing, const Row *row, uint8_t event)
{
    append_row(tracing, XTF_MODEL_COLLECTIVES,
               &(XtfCollectivesRow){.time = row->time,
                                    .seq = tracing->seq++,
                                    .region = row->call,
                                    .event = event,
                                    .operation = UINT8_MAX,
                                    .comm = event == XTF_LABEL_MPI_COLLECTIVE_END ? (uint32_t)row->comm : XTF_NONE32,
                                    .root = XTF_NONE32,
                                    .bytes = XTF_NONE64,
                                    .received = XTF_NONE64,
                                    .request = XTF_NONE64,
                                    .n_to_n = UINT8_MAX});
}

static void write_pending(Tracing *tracing, const Row *row, uint8_t event)
{
    append_row(tracing, XTF_MODEL_PENDING,
               &(PendingRow){.head = {.time = row->time, .seq = tracing->seq++, .region = row->call, .event = event},
                             .since = row->since,
                             .peer = rank_of(tracing, row->comm, row->peer),
                             .tag = (uint32_t)row->tag,
                             .comm = (uint32_t)row->comm,
                             .requests = (uint32_t)row->request,
                             .root = (uint32_t)row->root,
                             .request = (uint64_t)row->id});
}

static void write_row(Tracing *tracing, const Row *row)
{
    switch (row->kind) {
    case ROW_ENTER:
    case ROW_LEAVE:
        write_call(tracing, row->time, row->call, row->kind == ROW_LEAVE);
        break;
    case ROW_SEND:
    case ROW_ISEND:
        write_message(tracing, row, XTF_MODEL_SENDS, row->kind == ROW_ISEND);
        break;
    case ROW_RECV:
    case ROW_IRECV:
        write_message(tracing, row, XTF_MODEL_RECVS, row->kind == ROW_IRECV);
        break;
    case ROW_ISEND_COMPLETE:
        write_request(tracing, row, XTF_LABEL_MPI_ISEND_COMPLETE);
        break;
    case ROW_IRECV_REQUEST:
        write_request(tracing, row, XTF_LABEL_MPI_IRECV_REQUEST);
        break;
    case ROW_COLLECTIVE_BEGIN:
    case ROW_COLLECTIVE_END:
        write_collective(tracing, row, row->kind == ROW_COLLECTIVE_END);
        break;
    default:
        write_pending(tracing, row, (uint8_t)(row->kind - ROW_PENDING));
    }
}

/* Writes a message of a thread to itself, so that the trace knows that it calls MPI. A thread that never calls MPI gets
 * the call without the message. */
static void write_greeting(Tracing *tracing)
{
    Row row = {.call = STEP_SENDRECV, .peer = (int)proc_of(tracing->location), .tag = GREETING, .comm = WORLD};
    static const RowKind kinds[] = {ROW_ENTER, ROW_SEND, ROW_RECV, ROW_LEAVE};

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        bool is_call = kinds[i] == ROW_ENTER || kinds[i] == ROW_LEAVE;
        row.kind = kinds[i];
        if (is_call || calls_mpi(tracing->simulation->program, tracing->location))
            write_row(tracing, &row);
    }
}

static void write_locations(Tracing *tracing, const uint64_t *cuts)
{
    const Simulation *simulation = tracing->simulation;

    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        if (!simulation_exists(simulation, i))
            continue;
        tracing->location = i;
        tracing->seq = tracing->n_calls = tracing->enter = 0;
        write_greeting(tracing);
        const GArray *log = simulation->threads[i].log;
        for (unsigned k = 0; k < log->len && g_array_index(log, Row, k).time <= cuts[i]; k++)
            write_row(tracing, &g_array_index(log, Row, k));
    }
}

/* ---- The table. */

static char *read_table(const char *path, bool growing)
{
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    expect_done(trace, error);
    g_autoptr(XtfTree) tree = growing ? xtf_tree_new_growing(trace, &error) : xtf_tree_new(trace, &error);
    expect_done(tree, error);
    g_autoptr(GError) missing = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, "waiting", &missing);
    if (!node) /* a trace without a call that waits */
        return g_strdup("");
    size_t size = xtf_node_size(node), length;
    char *text = g_malloc0(size + 1);
    expect_done(xtf_node_read(node, 0, text, size + 1, &length, &error), error);
    return text;
}

static int column_of(char **header, const char *name)
{
    for (int i = 0; header[i]; i++)
        if (strcmp(header[i], name) == 0)
            return i;
    return -1;
}

static char **split_line(const char *line)
{
    g_autofree char *trimmed = g_strstrip(g_strdelimit(g_strdup(line), "\t#", ' '));
    GStrvBuilder *builder = g_strv_builder_new();
    char **words = g_strsplit(trimmed, " ", -1);

    for (char **word = words; *word; word++)
        if (**word)
            g_strv_builder_add(builder, *word);
    g_strfreev(words);
    words = g_strv_builder_end(builder);
    g_strv_builder_unref(builder);
    return words;
}

static int64_t number_at(char **words, int column)
{
    return column < 0 || strcmp(words[column], "-") == 0 ? -1 : (int64_t)g_ascii_strtoll(words[column], NULL, 10);
}

static void clear_line(void *line)
{
    g_free(((Line *)line)->verdict);
}

static GArray *parse_table(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GArray *parsed = g_array_new(FALSE, FALSE, sizeof(Line));

    g_array_set_clear_func(parsed, clear_line);
    if (!lines[0])
        return parsed;
    g_auto(GStrv) header = split_line(lines[0]);
    int thread = column_of(header, "thread");
    for (char **at = lines + 1; *at && **at; at++) {
        g_auto(GStrv) words = split_line(*at);
        Line line = {.location = location_of((unsigned)number_at(words, column_of(header, "proc")),
                                             thread < 0 ? 0 : (unsigned)number_at(words, thread)),
                     .verdict = g_strdup(words[column_of(header, "verdict")]),
                     .group = number_at(words, column_of(header, "group")),
                     .waits_for = number_at(words, column_of(header, "waits_for"))};
        g_array_append_val(parsed, line);
    }
    return parsed;
}

GArray *traced_table(const Simulation *simulation, const uint64_t *cuts, bool growing, uint64_t now)
{
    const XtfWriterOptions options = {.page_size = BLOCK, .no_sync = true};
    Tracing tracing = {.simulation = simulation};
    GError *error = NULL;
    char *path;
    int fd = g_file_open_tmp("xtf-waiting-XXXXXX", &path, &error);

    expect_done(fd >= 0, error);
    close(fd);
    tracing.writer = xtf_writer_create(path, &options, &error);
    expect_done(tracing.writer, error);
    define_all(&tracing, cuts, growing);
    write_locations(&tracing, cuts);
    if (growing)
        expect_done(xtf_writer_set_complete(tracing.writer, now, &error) && xtf_writer_commit(tracing.writer, &error),
                    error);
    else
        expect_done(xtf_writer_close(tracing.writer, &error), error);
    g_autofree char *text = read_table(path, growing);
    if (growing)
        expect_done(xtf_writer_close(tracing.writer, &error), error);
    g_unlink(path);
    g_free(path);
    return parse_table(text);
}

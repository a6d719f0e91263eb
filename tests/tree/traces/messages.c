#include "tests/tree/traces/messages.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *const message_types[N_MESSAGES_TYPES] = {"enters_leaves", "sends", "puts", "marks"};

#define LONG_50 "a_name_that_goes_on_for_as_long_as_fifty_characters"
const char *const message_regions[] = {
    "MPI_Send",
    "a/b",
    ".",
    "..",
    "",
    "",
    "line\nbreak",
    "\xff\xfe is no UTF-8",
    "#3",
    "#x",
    "dup",
    ".hidden",
    "back\\slash",
    "\\x41",
    "A",
    "a b",
    "dup",
    "f\xc3\xbcr",
    LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50,
    "count",
};
const unsigned n_message_regions = G_N_ELEMENTS(message_regions);

/* The world; one member; the world reversed; two groups that exchange messages; a second one with the same name. */
enum { WORLD, SELF, REVERSED, BETWEEN, BETWEEN_TOO };
const char *const message_comms[] = {"MPI_COMM_WORLD", "MPI_COMM_SELF", "", "split", "split"};
const unsigned n_message_comms = G_N_ELEMENTS(message_comms);

#define NAME_FIELD                              \
    {                                           \
        .name = "name", .type = XTF_TYPE_STRING \
    }
static const XtfFieldSpec region_fields[] = {NAME_FIELD, {0}};
static const XtfFieldSpec comm_fields[] = {
    NAME_FIELD,
    {.name = "group", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "remote_group", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {0},
};
static const XtfFieldSpec group_fields[] = {
    {.name = "first", .type = XTF_TYPE_U64}, {.name = "count", .type = XTF_TYPE_U64}, {0}};
static const XtfFieldSpec member_fields[] = {
    {.name = "member", .type = XTF_TYPE_U64},
    {.name = "proc", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {0},
};
static const XtfFieldSpec window_fields[] = {{.name = "comm", .type = XTF_TYPE_U32, .refers_to = "communicators"}, {0}};
static const XtfFieldSpec location_fields[] = {{.name = "id", .type = XTF_TYPE_U64},
                                               {.name = "proc", .type = XTF_TYPE_U32},
                                               {.name = "thread", .type = XTF_TYPE_U32},
                                               {0}};

static const char *const events[] = {"BEGIN", "END", NULL};
#define HEAD                                                \
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"}, \
    {                                                       \
        .name = "seq", .type = XTF_TYPE_U64, .role = "seq"  \
    }
#define HEAD_WITH_REGION                                                                                              \
    HEAD, {.name = "event", .type = XTF_TYPE_U8, .role = "event", .labels = events},                                  \
    {                                                                                                                 \
        .name = "region", .type = XTF_TYPE_U32, .role = "region", .refers_to = "regions", .flags = XTF_FIELD_OPTIONAL \
    }
static const XtfFieldSpec calls_fields[] = {
    HEAD_WITH_REGION,
    {.name = "enter", .type = XTF_TYPE_U64, .role = "enter", .flags = XTF_FIELD_DISTANCE},
    {.name = "outermost", .type = XTF_TYPE_U8, .role = "outermost"},
    {0},
};
/* The tag is signed: no set of tags contains negative ones. */
static const XtfFieldSpec sends_fields[] = {
    HEAD_WITH_REGION,
    {.name = "peer", .type = XTF_TYPE_U32, .role = "peer", .flags = XTF_FIELD_OPTIONAL},
    {.name = "comm", .type = XTF_TYPE_U32, .role = "comm", .refers_to = "communicators", .flags = XTF_FIELD_OPTIONAL},
    {.name = "tag", .type = XTF_TYPE_I32, .role = "tag"},
    {.name = "bytes", .type = XTF_TYPE_U64, .role = "bytes"},
    {0},
};
static const XtfFieldSpec puts_fields[] = {
    HEAD_WITH_REGION,
    {.name = "window", .type = XTF_TYPE_U32, .refers_to = "windows"},
    {.name = "peer", .type = XTF_TYPE_U32, .role = "peer"},
    {0},
};
static const XtfFieldSpec marks_fields[] = {HEAD, {0}};

typedef struct {
    Fixture *fixture;
    XtfWriter *writer;
    uint64_t n_procs;
    XtfSchema *types[N_MESSAGES_TYPES];
    uint32_t ids[N_MESSAGES_TYPES];
} Making;

/* ---- Definitions. */

typedef struct {
    Making *making;
    XtfSchema *schema;
    XtfTableWriter *writer;
} Table;

static Table table_new(Making *making, const char *name, const XtfFieldSpec *fields)
{
    Table table = {.making = making, .schema = xtf_schema_new(name, XTF_SCHEMA_TABLE, fields, NULL)};
    uint32_t id;

    cr_assert(table.schema && xtf_writer_add_schema(making->writer, table.schema, &id, NULL));
    table.writer = xtf_writer_table(making->writer, id, NULL);
    return table;
}

static void add_row(Table *table, const char *name, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t values[] = {a, b, c};
    uint8_t row[XTF_ROW_MAX];
    uint32_t string;

    for (uint32_t i = 0; i < table->schema->n_fields; i++)
        xtf_field_set(&table->schema->fields[i], row, values[name && i ? i - 1 : i]);
    if (name) {
        cr_assert(xtf_writer_add_string(table->making->writer, name, &string, NULL));
        xtf_field_set(&table->schema->fields[0], row, string);
    }
    cr_assert(xtf_table_writer_append(table->writer, row, NULL, NULL));
}

/* Writes group 0 of all processes, 1 of all in reverse order, 2 of even ones, 3 of odd ones. */
static void write_groups(Making *making)
{
    Table groups = table_new(making, "groups", group_fields), members = table_new(making, "members", member_fields);
    uint64_t n = making->n_procs, first = 0;

    for (unsigned group = 0; group < 4; group++) {
        uint64_t count = group < 2 ? n : group == 2 ? (n + 1) / 2 : n / 2;
        add_row(&groups, NULL, first, count, 0);
        for (uint64_t i = 0; i < count; i++)
            add_row(&members, NULL, i, group == 0 ? i : group == 1 ? n - 1 - i : 2 * i + (group == 3), 0);
        first += count;
    }
    xtf_schema_free(groups.schema);
    xtf_schema_free(members.schema);
}

static void write_tables(Making *making, unsigned n_locations)
{
    static const uint64_t groups[][2] = {{0, NOTHING}, {NOTHING, NOTHING}, {1, NOTHING}, {2, 3}, {3, 2}};
    Table regions = table_new(making, "regions", region_fields),
          comms = table_new(making, "communicators", comm_fields);
    Table windows = table_new(making, "windows", window_fields);
    Table locations = table_new(making, "locations", location_fields);

    for (unsigned i = 0; i < n_message_regions; i++)
        add_row(&regions, message_regions[i], 0, 0, 0);
    for (unsigned i = 0; i < n_message_comms; i++) {
        add_row(&comms, message_comms[i], groups[i][0], groups[i][1], 0);
        add_row(&windows, NULL, n_message_comms - 1 - i, 0, 0);
    }
    write_groups(making);
    for (unsigned i = 0; i < n_locations; i++)
        add_row(&locations, NULL, 100 + i, i / 2, i % 2);
    xtf_schema_free(regions.schema);
    xtf_schema_free(comms.schema);
    xtf_schema_free(windows.schema);
    xtf_schema_free(locations.schema);
}

static void add_types(Making *making, bool has_aggregates)
{
    static const XtfFieldSpec *const fields[] = {calls_fields, sends_fields, puts_fields, marks_fields};
    static const char *const keys[][6] = {
        {"region"}, {"event", "region", "comm", "peer", "tag"}, {"window", "event", "peer", "region"}, {NULL}};
    static const char *const values[][4] = {{"event", "enter", "outermost"}, {"bytes"}, {NULL}, {NULL}};

    for (unsigned i = 0; i < N_MESSAGES_TYPES; i++) {
        XtfAggregateSpec aggregate = {
            .kind = i == 0 ? XTF_AGGREGATE_FRAMES : XTF_AGGREGATE_GROUPS, .keys = keys[i], .values = values[i]};
        making->types[i] = xtf_schema_new(message_types[i], XTF_SCHEMA_RECORD, fields[i], NULL);
        cr_assert(making->types[i]);
        cr_assert(!has_aggregates || xtf_schema_add_aggregate(making->types[i], &aggregate, NULL));
        cr_assert(xtf_writer_add_schema(making->writer, making->types[i], &making->ids[i], NULL));
    }
}

/* ---- Records. */

/* Returns the process of a rank, computed from the meaning of the communicators and not from the tables. */
static uint64_t naive_peer(uint64_t n, uint64_t comm, uint64_t rank, uint64_t from)
{
    bool even = from % 2 == 0;

    switch (comm) {
    case WORLD:
        return rank < n ? rank : NOTHING;
    case SELF:
        return rank == 0 ? from : NOTHING;
    case REVERSED:
        return rank < n ? n - 1 - rank : NOTHING;
    case BETWEEN:
    case BETWEEN_TOO:
        return 2 * rank + even < n ? 2 * rank + even : NOTHING;
    default:
        return NOTHING;
    }
}

static void set_field(const XtfSchema *schema, uint8_t *row, const char *field, uint64_t value)
{
    xtf_field_set(xtf_schema_field(schema, field), row, value);
}

/* Fills a call. Calls are flat: each END ends the BEGIN right before it, but some never began. */
static void fill_call(Making *making, Message *message, uint64_t *open_region, uint8_t *row)
{
    Fixture *fixture = making->fixture;
    bool end = *open_region != NOTHING || random_below(fixture, 10) == 0;

    message->region = *open_region != NOTHING ? *open_region : random_below(fixture, n_message_regions);
    set_field(making->types[0], row, "event", end);
    set_field(making->types[0], row, "enter", end && *open_region != NOTHING);
    set_field(making->types[0], row, "outermost", !end || *open_region != NOTHING);
    *open_region = end ? NOTHING : message->region;
}

static void fill_message(Making *making, Message *message, uint8_t *row)
{
    const XtfSchema *schema = making->types[message->type];
    Fixture *fixture = making->fixture;
    uint64_t rank = random_below(fixture, making->n_procs + 1), comm = random_below(fixture, n_message_comms + 1);
    bool has_region = random_below(fixture, 8), has_rank = message->type == MESSAGES_PUTS || random_below(fixture, 20);

    message->region = has_region ? random_below(fixture, n_message_regions) : NOTHING;
    set_field(schema, row, "event", random_below(fixture, 2));
    set_field(schema, row, "peer", has_rank ? rank : NOTHING);
    if (message->type == MESSAGES_SENDS) {
        int64_t tag = (int64_t)random_below(fixture, N_TAGS + 1) - 1;
        message->comm = comm < n_message_comms ? comm : NOTHING;
        message->tag = tag < 0 ? NOTHING : (uint64_t)tag;
        set_field(schema, row, "comm", message->comm);
        set_field(schema, row, "tag", (uint64_t)tag);
    } else {
        set_field(schema, row, "window", comm);
        comm = comm < n_message_comms ? n_message_comms - 1 - comm : NOTHING;
    }
    message->peer = has_rank ? naive_peer(making->n_procs, comm, rank, message->proc) : NOTHING;
}

static void write_location(Making *making, unsigned i, uint64_t n)
{
    Fixture *fixture = making->fixture;
    uint64_t t = 1000, open_region = NOTHING;

    for (uint64_t seq = 0; seq < n; seq++) {
        Message message = {.location = 100 + i,
                           .proc = i / 2,
                           .thread = i % 2,
                           .seq = seq,
                           .region = NOTHING,
                           .comm = NOTHING,
                           .tag = NOTHING,
                           .peer = NOTHING};
        uint8_t row[XTF_ROW_MAX] = {0};

        if (seq % 1000 > 300) /* the first 301 of each 1000 records share one time */
            t += random_below(fixture, 3);
        message.t = t;
        message.type = (unsigned)random_below(fixture, N_MESSAGES_TYPES);
        set_field(making->types[message.type], row, "time", t);
        set_field(making->types[message.type], row, "seq", seq);
        if (message.type == MESSAGES_CALLS) {
            fill_call(making, &message, &open_region, row);
        } else if (message.type != MESSAGES_MARKS) {
            fill_message(making, &message, row);
        }
        if (message.type != MESSAGES_MARKS)
            set_field(making->types[message.type], row, "region", message.region);
        cr_assert(xtf_array_writer_append(
            xtf_writer_array(making->writer, message.location, making->ids[message.type], NULL), row, NULL));
        g_array_append_val(fixture->records, message);
    }
}

static int compare_messages(const void *a, const void *b)
{
    const Message *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

Fixture *messages_new(uint32_t seed, unsigned n_locations, uint64_t records_each, bool has_aggregates)
{
    XtfWriterOptions options = {.page_size = 4096, .resolution_num = 1000000, .resolution_den = 1, .no_sync = true};
    Fixture *fixture = g_new0(Fixture, 1);
    GError *error = NULL;
    int fd = g_file_open_tmp("xtf-query-XXXXXX", &fixture->path, NULL);

    cr_assert(fd >= 0);
    close(fd);
    fixture->random = g_rand_new_with_seed(seed);
    fixture->records = g_array_new(FALSE, FALSE, sizeof(Message));
    Making making = {.fixture = fixture,
                     .writer = xtf_writer_create(fixture->path, &options, NULL),
                     .n_procs = (n_locations + 1) / 2};
    cr_assert(making.writer);
    add_types(&making, has_aggregates);
    write_tables(&making, n_locations);
    for (unsigned i = 0; i < n_locations; i++)
        write_location(&making, i, records_each / 2 + random_below(fixture, records_each));
    cr_assert(xtf_writer_close(making.writer, NULL));
    for (unsigned i = 0; i < N_MESSAGES_TYPES; i++)
        xtf_schema_free(making.types[i]);
    qsort(fixture->records->data, fixture->records->len, sizeof(Message), compare_messages);
    fixture->trace = xtf_trace_open(fixture->path, NULL, &error);
    cr_assert(fixture->trace, "%s", error ? error->message : "");
    fixture->tree = xtf_tree_new(fixture->trace, &error);
    cr_assert(fixture->tree);
    return fixture;
}

#include "tests/tree/traces/fixture.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const type_names[4] = {"enters_leaves", "sends", "marks", "ticks"};

const Recipe ordinary = {.n_locations = 6,
                         .n_types = 4,
                         .records_each = 3000,
                         .t_first = 1000,
                         .t_step = 3,
                         .resolution_num = 1000000,
                         .resolution_den = 1,
                         .has_table = true};

const Recipe many = {.n_locations = 60,
                     .n_types = 4,
                     .records_each = 300,
                     .t_first = 0,
                     .t_step = 5,
                     .resolution_num = 2399987654,
                     .resolution_den = 1,
                     .has_table = true};

static const char *const call_events[] = {"ENTER", "LEAVE", NULL};
static const char *const send_events[] = {"MPI_SEND", NULL};

enum { DEEPEST = 8, N_REGIONS = 3 };

/* Open frames of a location: the rows that began them, and their regions. */
typedef struct {
    uint64_t rows[DEEPEST];
    uint32_t regions[DEEPEST];
    unsigned depth;
} Stack;

#define HEAD                                                \
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"}, \
    {                                                       \
        .name = "seq", .type = XTF_TYPE_U64, .role = "seq"  \
    }
static const XtfFieldSpec calls_fields[] = {
    HEAD,
    {.name = "event", .type = XTF_TYPE_U8, .role = "event", .labels = call_events},
    {.name = "region", .type = XTF_TYPE_U32, .role = "region", .refers_to = "regions"},
    {.name = "enter", .type = XTF_TYPE_U64, .role = "enter", .flags = XTF_FIELD_DISTANCE},
    {.name = "outermost", .type = XTF_TYPE_U8, .role = "outermost"},
    {.name = "depth", .type = XTF_TYPE_U32, .role = "depth"},
    {0},
};
static const XtfFieldSpec sends_fields[] = {
    HEAD,
    {.name = "event", .type = XTF_TYPE_U8, .role = "event", .labels = send_events},
    {.name = "bytes", .type = XTF_TYPE_U64, .role = "bytes", .unit = "B"},
    {0},
};
static const XtfFieldSpec plain_fields[] = {HEAD, {.name = "bytes", .type = XTF_TYPE_U64, .role = "bytes"}, {0}};
static const XtfFieldSpec note_fields[] = {HEAD, {.name = "note", .type = XTF_TYPE_I32}, {0}};
static const XtfFieldSpec location_fields[] = {
    {.name = "id", .type = XTF_TYPE_U64},
    {.name = "proc", .type = XTF_TYPE_U32},
    {.name = "thread", .type = XTF_TYPE_U32},
    {0},
};
static const XtfFieldSpec region_fields[] = {{.name = "name", .type = XTF_TYPE_STRING}, {0}};

typedef struct {
    Fixture *fixture;
    XtfWriter *writer;
    XtfSchema *types[4], *notes;
    uint32_t ids[4], notes_id;
} Making;

static XtfSchema *add_schema(Making *making, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields,
                             uint32_t *id)
{
    XtfSchema *schema = xtf_schema_new(name, kind, fields, NULL);
    cr_assert(schema);
    cr_assert(xtf_writer_add_schema(making->writer, schema, id, NULL));
    return schema;
}

static void add_sums(XtfSchema *schema, XtfAggregateKind kind, const char *const *keys, const char *const *values)
{
    cr_assert(
        xtf_schema_add_aggregate(schema, &(XtfAggregateSpec){.kind = kind, .keys = keys, .values = values}, NULL));
}

/* Adds a record type with an aggregate for the fields that it has. */
static XtfSchema *add_type(Making *making, unsigned type, uint32_t *id)
{
    static const XtfFieldSpec *const fields[] = {calls_fields, sends_fields, plain_fields, plain_fields};
    XtfSchema *schema = xtf_schema_new(type_names[type], XTF_SCHEMA_RECORD, fields[type], NULL);

    cr_assert(schema);
    if (type == 0)
        add_sums(schema, XTF_AGGREGATE_FRAMES, (const char *const[]){"region", NULL},
                 (const char *const[]){"event", "enter", "outermost", NULL});
    else if (type == 1)
        add_sums(schema, XTF_AGGREGATE_GROUPS, (const char *const[]){"event", NULL},
                 (const char *const[]){"bytes", NULL});
    cr_assert(xtf_writer_add_schema(making->writer, schema, id, NULL));
    return schema;
}

/* Returns location i. Each process has two threads, and their keys have another order than their numbers. */
static Known place_of(const Fixture *fixture, unsigned i)
{
    uint64_t id = fixture->recipe.has_table ? (uint64_t)(i % 2) << 32 | (i / 2) : i * 3;
    return (Known){.location = id,
                   .proc = fixture->recipe.has_table ? i / 2 : id,
                   .thread = fixture->recipe.has_table ? i % 2 : 0};
}

static bool is_on(const Stack *stack, uint32_t region)
{
    for (unsigned i = 0; i < stack->depth; i++)
        if (stack->regions[i] == region)
            return true;
    return false;
}

/* Fills the fields of a call. The random value known->bytes chooses ENTER or LEAVE, and the region of an ENTER. */
static void fill_call(const XtfSchema *schema, Known *known, Stack *stack, uint8_t *row)
{
    unsigned top = stack->depth;
    uint64_t enter = top ? known->n - stack->rows[top - 1] : 0;

    known->leave = !(top == 0 || (top < DEEPEST && known->bytes % 2));
    known->region = known->leave ? stack->regions[top - 1] : known->bytes % N_REGIONS;
    stack->depth -= known->leave;
    xtf_field_set(&schema->fields[2], row, known->leave);
    xtf_field_set(&schema->fields[3], row, known->region);
    xtf_field_set(&schema->fields[4], row, enter);
    xtf_field_set(&schema->fields[5], row, !is_on(stack, known->region));
    xtf_field_set(&schema->fields[6], row, stack->depth + 1);
    if (known->leave)
        return;
    stack->rows[stack->depth] = known->n;
    stack->regions[stack->depth++] = known->region;
}

static void write_row(Making *making, Known *known, uint64_t *written, Stack *stack)
{
    const XtfSchema *schema = making->types[known->type];
    uint8_t row[XTF_ROW_MAX] = {0}, note[XTF_ROW_MAX] = {0};
    XtfArrayWriter *array = xtf_writer_array(making->writer, known->location, making->ids[known->type], NULL);

    xtf_field_set(&schema->fields[0], row, known->t);
    xtf_field_set(&schema->fields[1], row, known->seq);
    known->n = written[known->type]++;
    if (known->type == 0) {
        fill_call(schema, known, stack, row);
    } else {
        xtf_field_set(xtf_schema_field(schema, "bytes"), row, known->bytes);
    }
    cr_assert(xtf_array_writer_append(array, row, NULL));
    for (unsigned i = 0; i < known->bytes % 7 % 3; i++) { /* some records have notes */
        XtfArrayWriter *notes = xtf_writer_array(making->writer, known->location, making->notes_id, NULL);
        xtf_field_set(&making->notes->fields[0], note, known->t);
        xtf_field_set(&making->notes->fields[1], note, known->seq);
        xtf_field_set(&making->notes->fields[2], note, (uint64_t) - (int64_t)i);
        cr_assert(xtf_array_writer_append(notes, note, NULL));
    }
}

static void write_location(Making *making, unsigned i)
{
    Fixture *fixture = making->fixture;
    const Recipe *recipe = &fixture->recipe;
    uint64_t n = recipe->records_each / 2 + random_below(fixture, recipe->records_each + 1), t = recipe->t_first;
    uint64_t written[4] = {0};
    Stack stack = {.depth = 0};

    for (uint64_t seq = 0; seq < n; seq++) {
        Known known = place_of(fixture, i);
        /* Now and then hundreds of records have one time: more than a page holds. */
        if (seq % 1000 > 400)
            t += random_below(fixture, recipe->t_step);
        known.t = t;
        known.seq = seq;
        known.type = (unsigned)random_below(fixture, recipe->n_types);
        known.bytes = random_below(fixture, 100000);
        write_row(making, &known, written, &stack);
        g_array_append_val(fixture->records, known);
    }
}

static void write_tables(Making *making)
{
    static const char *const names[N_REGIONS] = {"main", "a name with blanks,\tand a tab",
                                                 "operator<< of a template with a very long name"};
    uint32_t id;
    g_autoptr(XtfSchema) regions = add_schema(making, "regions", XTF_SCHEMA_TABLE, region_fields, &id);
    XtfTableWriter *table = xtf_writer_table(making->writer, id, NULL);
    uint8_t row[XTF_ROW_MAX];

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        cr_assert(xtf_writer_add_string(making->writer, names[i], &id, NULL));
        xtf_field_set(&regions->fields[0], row, id);
        cr_assert(xtf_table_writer_append(table, row, NULL, NULL));
    }
    if (!making->fixture->recipe.has_table)
        return;
    g_autoptr(XtfSchema) locations = add_schema(making, "locations", XTF_SCHEMA_TABLE, location_fields, &id);
    table = xtf_writer_table(making->writer, id, NULL);
    for (unsigned i = 0; i < making->fixture->recipe.n_locations; i++) {
        Known place = place_of(making->fixture, i);
        xtf_field_set(&locations->fields[0], row, place.location);
        xtf_field_set(&locations->fields[1], row, place.proc);
        xtf_field_set(&locations->fields[2], row, place.thread);
        cr_assert(xtf_table_writer_append(table, row, NULL, NULL));
    }
}

static void write_trace(Fixture *fixture)
{
    const Recipe *recipe = &fixture->recipe;
    XtfWriterOptions options = {.page_size = 4096,
                                .codec = recipe->plain ? "plain" : NULL,
                                .resolution_num = recipe->resolution_num,
                                .resolution_den = recipe->resolution_den,
                                .no_sync = true};
    Making making = {.fixture = fixture, .writer = xtf_writer_create(fixture->path, &options, NULL)};

    cr_assert(making.writer);
    for (unsigned i = 0; i < recipe->n_types; i++)
        making.types[i] = add_type(&making, i, &making.ids[i]);
    making.notes = add_schema(&making, "notes", XTF_SCHEMA_SIDE, note_fields, &making.notes_id);
    write_tables(&making);
    for (unsigned i = 0; i < recipe->n_locations; i++)
        write_location(&making, i);
    cr_assert(xtf_writer_close(making.writer, NULL));
    for (unsigned i = 0; i < recipe->n_types; i++)
        xtf_schema_free(making.types[i]);
    xtf_schema_free(making.notes);
}

static int compare_known(const void *a, const void *b)
{
    const Known *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

Fixture *fixture_new(uint32_t seed, const Recipe *recipe)
{
    XtfOpenOptions options = {.cache_bytes = 64 * 4096};
    Fixture *fixture = g_new0(Fixture, 1);
    GError *error = NULL;
    int fd = g_file_open_tmp("xtf-query-XXXXXX", &fixture->path, NULL);

    cr_assert(fd >= 0);
    close(fd);
    fixture->recipe = *recipe;
    fixture->random = g_rand_new_with_seed(seed);
    fixture->records = g_array_new(FALSE, FALSE, sizeof(Known));
    write_trace(fixture);
    qsort(fixture->records->data, fixture->records->len, sizeof(Known), compare_known);
    fixture->trace = xtf_trace_open(fixture->path, &options, &error);
    cr_assert(fixture->trace, "%s", error ? error->message : "");
    fixture->tree = xtf_tree_new(fixture->trace, &error);
    cr_assert(fixture->tree);
    return fixture;
}

void fixture_free(Fixture *fixture)
{
    xtf_tree_free(fixture->tree);
    xtf_trace_unref(fixture->trace);
    g_unlink(fixture->path);
    g_free(fixture->path);
    g_array_unref(fixture->records);
    g_rand_free(fixture->random);
    g_free(fixture);
}

XtfNode *resolve(Fixture *fixture, const char *path)
{
    GError *error = NULL;
    XtfNode *node = xtf_tree_resolve(fixture->tree, path, &error);
    cr_assert(node, "%s", error ? error->message : "");
    return node;
}

GString *read_file(Fixture *fixture, const char *path)
{
    g_autoptr(XtfNode) node = resolve(fixture, path);
    GString *text = g_string_new(NULL);
    GError *error = NULL;
    size_t length = 0;

    g_string_set_size(text, xtf_node_size(node));
    cr_assert(xtf_node_read(node, 0, text->str, text->len + 1, &length, &error), "%s: %s", path,
              error ? error->message : "");
    cr_assert_eq(length, text->len, "%s: %zu of %zu bytes", path, length, (size_t)text->len);
    text->str[text->len] = '\0';
    return text;
}

uint64_t read_count(Fixture *fixture, const char *path)
{
    g_autofree char *file = g_strconcat(path, "/count", NULL);
    GString *text = read_file(fixture, file);
    uint64_t count = g_ascii_strtoull(text->str, NULL, 10);
    g_string_free(text, TRUE);
    return count;
}

int resolve_error(Fixture *fixture, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(fixture->tree, path, &error);
    return node ? -1 : error->code;
}

uint64_t random_below(Fixture *fixture, uint64_t n)
{
    uint64_t bits = (uint64_t)g_rand_int(fixture->random) << 32 | g_rand_int(fixture->random);
    return n ? bits % n : 0;
}

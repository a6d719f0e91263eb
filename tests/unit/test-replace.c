/* Replacing a schema: its rows, the rows that refer to them, and all other rows. */
#include "fixture.h"

enum {
    LOCATIONS = 3,
    ROWS = 3000, /* rows of an array, which fill several pages */
    PAGE_SIZE = 4096,
};

static const XtfWriterOptions options = {
    .page_size = PAGE_SIZE, .keep_commits = 2, .keep_seconds = -1, .no_sync = true};

typedef struct __attribute__((packed)) {
    uint64_t time, seq;
    uint32_t path;
    uint8_t event;
} DerivedRow;

/* Fields of rows that refer to the table `paths`, to a chosen table, or to none. */
#define FOUND_FIELDS(REFERS_TO, EVENTS)                                                       \
    {                                                                                         \
        {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},              \
            {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},                             \
            {.name = "path", .type = XTF_TYPE_U32, .refers_to = (REFERS_TO)},                 \
            {.name = "event", .type = XTF_TYPE_U8, .role = "event", .labels = (EVENTS)}, {0}, \
    }

static const char *const events[] = {"early", "late", NULL};
static const XtfFieldSpec without_reference[] = FOUND_FIELDS(NULL, events);
static const XtfFieldSpec with_reference[] = FOUND_FIELDS("paths", events);
static const XtfFieldSpec with_choice[] = FOUND_FIELDS("event:early=places,late=paths", events);
static const XtfFieldSpec path_fields[] = {{.name = "parent", .type = XTF_TYPE_U32}, {0}};
static const XtfFieldSpec other_path_fields[] = {
    {.name = "region", .type = XTF_TYPE_U64}, {.name = "parent", .type = XTF_TYPE_U32}, {0}};

static uint32_t add_schema_of_kind(XtfWriter *writer, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields)
{
    GError *error = NULL;
    g_autoptr(XtfSchema) schema = xtf_schema_new(name, kind, fields, &error);
    uint32_t id;

    cr_assert_good(schema && xtf_writer_add_schema(writer, schema, &id, &error), error);
    return id;
}

static bool try_replace(XtfWriter *writer, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields,
                        uint32_t *id, GError **error)
{
    g_autoptr(XtfSchema) schema = xtf_schema_new(name, kind, fields, error);

    return schema && xtf_writer_replace_schema(writer, schema, id, error);
}

static uint32_t replace_schema(XtfWriter *writer, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields)
{
    GError *error = NULL;
    uint32_t id = UINT32_MAX;

    cr_assert_good(try_replace(writer, name, kind, fields, &id, &error), error);
    return id;
}

/* Appends rows at one location, at the times of all other rows. */
static void append_records(XtfWriter *writer, uint32_t schema)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writer, 0, schema, &error);

    cr_assert_good(array, error);
    for (uint32_t i = 0; i < ROWS; i++) {
        const TestRow row = {.time = 10 + i, .seq = i, .value = (int32_t)i, .event = i % 2};
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
}

static void append_derived(XtfWriter *writer, uint32_t schema, uint32_t n)
{
    GError *error = NULL;

    for (uint64_t location = 0; location < LOCATIONS; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);
        cr_assert_good(array, error);
        for (uint32_t i = 0; i < n; i++) {
            const DerivedRow row = {.time = 10 + i, .seq = i, .path = i * 2654435761u % 5, .event = i % 2};
            cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
        }
    }
}

static void append_paths(XtfWriter *writer, uint32_t schema, uint32_t n)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(writer, schema, &error);

    cr_assert_good(table, error);
    for (uint32_t i = 0; i < n; i++)
        cr_assert_good(xtf_table_writer_append(table, &i, NULL, &error), error);
}

static XtfWriter *reopen_writer(const char *path)
{
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_open(path, &options, &error);

    cr_assert_good(writer, error);
    return writer;
}

static void close_writer(XtfWriter *writer)
{
    GError *error = NULL;
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Writes records, a table, and derived rows, some of which refer to the table. */
static void write_file(const char *path)
{
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    append_records(writer, add_schema(writer, "calls"));
    append_paths(writer, add_schema_of_kind(writer, "places", XTF_SCHEMA_TABLE, path_fields), 5);
    append_paths(writer, add_schema_of_kind(writer, "paths", XTF_SCHEMA_TABLE, path_fields), 5);
    append_derived(writer, add_schema_of_kind(writer, "waits", XTF_SCHEMA_DERIVED, with_reference), ROWS);
    append_derived(writer, add_schema_of_kind(writer, "others", XTF_SCHEMA_DERIVED, with_choice), ROWS);
    append_derived(writer, add_schema_of_kind(writer, "marks", XTF_SCHEMA_DERIVED, without_reference), ROWS);
    close_writer(writer);
}

static uint64_t count_rows(XtfTrace *trace, const char *name)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, name);
    GError *error = NULL;
    uint64_t n = 0;

    cr_assert_not_null(schema);
    for (uint64_t location = 0; location < LOCATIONS; location++) {
        XtfArray array;
        bool found;
        cr_assert_good(xtf_trace_find_array(trace, location, schema->id, &array, &found, &error), error);
        n += found ? array.n_rows : 0;
    }
    return n;
}

static uint64_t count_table(XtfTrace *trace, const char *name)
{
    GError *error = NULL;
    const XtfTable *table;

    cr_assert_good(xtf_trace_table(trace, name, &table, &error), error);
    return table ? table->n_rows : 0;
}

/* Asserts the numbers of rows of the file's schemas. */
static void assert_rows(const char *path, uint64_t waits, uint64_t n_others, uint64_t n_paths)
{
    g_autoptr(XtfTrace) trace = open_trace(path, 0);

    assert_sound(trace);
    cr_assert_eq(count_rows(trace, "calls"), ROWS);
    cr_assert_eq(count_rows(trace, "waits"), waits);
    cr_assert_eq(count_rows(trace, "others"), n_others);
    cr_assert_eq(count_rows(trace, "marks"), LOCATIONS * ROWS);
    cr_assert_eq(count_table(trace, "places"), 5);
    cr_assert_eq(count_table(trace, "paths"), n_paths);
}

static char *folder, *path;

static void set_up(void)
{
    folder = make_folder();
    path = g_build_filename(folder, "a.xtf", NULL);
    write_file(path);
}

static void tear_down(void)
{
    remove_folder(folder);
    g_free(path);
}

TestSuite(replace, .init = set_up, .fini = tear_down);

/* Replaces a schema by one with other fields. The writer of its array was obtained before. */
Test(replace, derived_rows_in_a_file)
{
    const TestRow row = {.time = 77, .seq = 1, .value = -4, .event = 1};
    XtfWriter *writer = reopen_writer(path);
    uint32_t before = add_schema_of_kind(writer, "waits", XTF_SCHEMA_DERIVED, with_reference);
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writer, 1, before, &error);

    cr_assert_good(array, error);
    uint32_t after = replace_schema(writer, "waits", XTF_SCHEMA_DERIVED, test_fields);
    cr_assert_eq(after, before);
    cr_assert_eq(xtf_array_writer_n_rows(array), 0);
    cr_assert_eq(xtf_writer_array(writer, 1, after, &error), array);
    cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    close_writer(writer);

    assert_rows(path, 1, LOCATIONS * ROWS, 5);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    g_autoptr(XtfSchema) expected_schema = xtf_schema_new("waits", XTF_SCHEMA_DERIVED, test_fields, &error);
    cr_assert(xtf_schema_equal(xtf_trace_find_schema(trace, "waits"), expected_schema));
    XtfArray stored = find_array(trace, 1, after);
    g_auto(XtfCursor) cursor;
    bool found;
    xtf_cursor_init(&cursor, &stored);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    cr_assert(found);
    cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &row, sizeof row), 0);
}

/* Replacing a table clears the rows that refer to it, also if their field refers to one of several tables. */
Test(replace, a_table_and_the_rows_that_refer_to_it)
{
    static const XtfFieldSpec *const fields[] = {path_fields, other_path_fields}; /* equal fields, and other fields */

    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        write_file(path);
        XtfWriter *writer = reopen_writer(path);
        uint32_t id = replace_schema(writer, "paths", XTF_SCHEMA_TABLE, fields[i]);
        cr_assert_eq(id, 2);
        close_writer(writer);
        assert_rows(path, 0, 0, 0);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        cr_assert_eq(xtf_trace_schema(trace, id)->n_fields, i + 1);
    }
}

Test(replace, an_unknown_name_is_added)
{
    XtfWriter *writer = reopen_writer(path);
    uint32_t id = replace_schema(writer, "news", XTF_SCHEMA_DERIVED, with_reference);

    cr_assert_eq(id, 6);
    append_derived(writer, id, 2);
    close_writer(writer);
    assert_rows(path, LOCATIONS * ROWS, LOCATIONS * ROWS, 5);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    cr_assert_eq(count_rows(trace, "news"), LOCATIONS * 2);
}

/* The space of replaced rows is reused, however often they are replaced. */
Test(replace, space_is_reused)
{
    goffset sizes[8];

    for (unsigned turn = 0; turn < G_N_ELEMENTS(sizes); turn++) {
        GStatBuf status;
        XtfWriter *writer = reopen_writer(path);
        uint32_t paths = replace_schema(writer, "paths", XTF_SCHEMA_TABLE, turn % 2 ? path_fields : other_path_fields);
        append_derived(
            writer, replace_schema(writer, "waits", XTF_SCHEMA_DERIVED, turn % 2 ? with_reference : with_choice), ROWS);
        if (turn % 2)
            append_paths(writer, paths, 5);
        close_writer(writer);
        assert_rows(path, LOCATIONS * ROWS, 0, turn % 2 ? 5 : 0);
        cr_assert_eq(g_stat(path, &status), 0);
        sizes[turn] = status.st_size;
    }
    cr_assert_leq(sizes[7], sizes[3], "%ld and %ld bytes", (long)sizes[3], (long)sizes[7]);
}

Test(replace, without_a_commit_nothing_changes)
{
    XtfWriter *writer = reopen_writer(path);

    replace_schema(writer, "waits", XTF_SCHEMA_DERIVED, test_fields);
    append_paths(writer, replace_schema(writer, "paths", XTF_SCHEMA_TABLE, path_fields), 3);
    xtf_writer_abort(writer);
    assert_rows(path, LOCATIONS * ROWS, LOCATIONS * ROWS, 5);
}

/* A refused replacement changes nothing. */
Test(replace, records_and_other_kinds_are_refused)
{
    static const struct {
        const char *name;
        XtfSchemaKind kind;
        const XtfFieldSpec *fields;
    } refused[] = {
        {"calls", XTF_SCHEMA_RECORD, without_reference}, /* records must not be replaced */
        {"calls", XTF_SCHEMA_DERIVED, test_fields},      /* the schema in the file has another kind */
        {"waits", XTF_SCHEMA_RECORD, with_reference},    {"waits", XTF_SCHEMA_TABLE, path_fields},
        {"paths", XTF_SCHEMA_DERIVED, with_reference},
    };
    XtfWriter *writer = reopen_writer(path);
    uint32_t id = 99;

    for (unsigned i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_not(try_replace(writer, refused[i].name, refused[i].kind, refused[i].fields, &id, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID), "%s", error->message);
        cr_assert_not_null(strstr(error->message, refused[i].name), "%s", error->message);
    }
    cr_assert_eq(id, 99);
    close_writer(writer);
    assert_rows(path, LOCATIONS * ROWS, LOCATIONS * ROWS, 5);
}

/* Records, side rows and tables must not be cleared: a table that they refer to cannot be replaced. */
Test(replace, a_table_that_records_refer_to_is_refused)
{
    static const XtfSchemaKind kinds[] = {XTF_SCHEMA_RECORD, XTF_SCHEMA_SIDE};
    static const XtfFieldSpec *const fields[] = {with_reference, with_choice};

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds) * G_N_ELEMENTS(fields); i++) {
        g_autoptr(GError) error = NULL;
        uint32_t id;
        write_file(path);
        XtfWriter *writer = reopen_writer(path);
        add_schema_of_kind(writer, "users", kinds[i / 2], fields[i % 2]);
        cr_assert_not(try_replace(writer, "paths", XTF_SCHEMA_TABLE, other_path_fields, &id, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID), "%s", error->message);
        cr_assert_not_null(strstr(error->message, "\"users\""), "%s", error->message);
        close_writer(writer);
        assert_rows(path, LOCATIONS * ROWS, LOCATIONS * ROWS, 5);
    }
}

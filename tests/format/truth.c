#include "tests/format/truth.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* The greatest integer up to which doubles, and so all readers of JSON, are exact. */
static const uint64_t exact_max = (UINT64_C(1) << 53) - 1;
/* Time of all commits: 2026-01-01, in microseconds. */
static const gint64 commit_time = INT64_C(1767225600000000);

static const char *files_folder;
static uint8_t file_id;

/* The rows of an array or a table, as JSON. */
typedef struct {
    uint64_t location;
    uint32_t schema;
    GString *rows;
} Rows;

struct TestFile {
    char *name;
    XtfWriter *writer;
    GPtrArray *schemas;                  /* XtfSchema *, by id */
    GPtrArray *arrays, *tables;          /* Rows * */
    GString *schemas_json, *clocks_json; /* entries, with commas between them */
};

/* Replaces the function of the C library, so that file ids are the same each time. */
ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
    (void)flags;
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)buffer)[i] = (uint8_t)(file_id + i);
    return (ssize_t)length;
}

/* Replaces the function of GLib, so that times of commits are the same each time. */
gint64 g_get_real_time(void)
{
    return commit_time;
}

void test_files_set_folder(const char *folder)
{
    files_folder = folder;
}

char *test_files_path(const char *name, const char *ending)
{
    return g_strdup_printf("%s/%s%s", files_folder, name, ending);
}

void test_files_set_id(uint8_t id)
{
    file_id = id;
}

void test_files_check(bool good, GError **error)
{
    if (good)
        return;
    fprintf(stderr, "make-files: %s\n", error ? (*error)->message : "failed");
    exit(1);
}

static void free_rows(gpointer data)
{
    Rows *rows = data;

    g_string_free(rows->rows, TRUE);
    g_free(rows);
}

static void free_schema(gpointer data)
{
    xtf_schema_free(data);
}

static TestFile *make_file(const char *name, XtfWriter *writer)
{
    TestFile *file = g_new(TestFile, 1);

    *file = (TestFile){
        .name = g_strdup(name),
        .writer = writer,
        .schemas = g_ptr_array_new_with_free_func(free_schema),
        .arrays = g_ptr_array_new_with_free_func(free_rows),
        .tables = g_ptr_array_new_with_free_func(free_rows),
        .schemas_json = g_string_new(NULL),
        .clocks_json = g_string_new(NULL),
    };
    return file;
}

TestFile *test_file_new_keeping(const char *name, uint8_t id, const char *codec, uint32_t keep_volumes)
{
    const XtfWriterOptions options = {
        .codec = codec, .origin = UINT64_MAX, .no_sync = true, .keep_volumes = keep_volumes};
    g_autofree char *path = test_files_path(name, ".xtf");
    GError *error = NULL;

    test_files_set_id(id);
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    test_files_check(writer, &error);
    return make_file(name, writer);
}

TestFile *test_file_new(const char *name, uint8_t id, const char *codec)
{
    return test_file_new_keeping(name, id, codec, 0);
}

TestFile *test_file_new_companion(const char *name, uint8_t id, const char *base)
{
    const XtfWriterOptions options = {.codec = "plain", .no_sync = true};
    g_autofree char *path = test_files_path(name, ".xtf"), *base_path = test_files_path(base, ".xtf");
    GError *error = NULL;

    g_autoptr(XtfTrace) trace = xtf_trace_open(base_path, NULL, &error);
    test_files_check(trace, &error);
    test_files_set_id(id);
    XtfWriter *writer = xtf_writer_create_companion(path, trace, base_path, &options, &error);
    test_files_check(writer, &error);
    return make_file(name, writer);
}

static void append_text(GString *json, const char *text)
{
    if (!g_utf8_validate(text, -1, NULL)) {
        g_string_append(json, "{\"hex\":\"");
        for (; *text; text++)
            g_string_append_printf(json, "%02x", (unsigned char)*text);
        g_string_append(json, "\"}");
        return;
    }
    g_string_append_c(json, '"');
    for (; *text; text++) {
        if ((unsigned char)*text < ' ')
            g_string_append_printf(json, "\\u%04x", (unsigned char)*text);
        else if (*text == '"' || *text == '\\')
            g_string_append_printf(json, "\\%c", *text);
        else
            g_string_append_c(json, *text);
    }
    g_string_append_c(json, '"');
}

static void append_unsigned(GString *json, uint64_t value)
{
    g_string_append_printf(json, value > exact_max ? "\"%" PRIu64 "\"" : "%" PRIu64, value);
}

static void append_signed(GString *json, int64_t value)
{
    bool exact = value >= -(int64_t)exact_max && value <= (int64_t)exact_max;

    g_string_append_printf(json, exact ? "%" PRId64 : "\"%" PRId64 "\"", value);
}

static void append_double(GString *json, uint64_t bits)
{
    double value = xtf_f64_from_bits(bits);
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    if (!isfinite(value)) {
        g_string_append_printf(json, "{\"bits\":\"%016" PRIx64 "\"}", bits);
        return;
    }
    g_ascii_formatd(text, sizeof text, "%.17g", value);
    g_string_append_printf(json, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void append_cell(GString *json, const Cell *cell)
{
    if (cell->kind == 'n')
        g_string_append(json, "null");
    else if (cell->kind == 't')
        append_text(json, cell->text);
    else if (cell->kind == 'd')
        append_double(json, cell->bits);
    else if (cell->kind == 'i')
        append_signed(json, (int64_t)cell->bits);
    else
        append_unsigned(json, cell->bits);
}

static void append_comma(GString *json)
{
    if (json->len > 0)
        g_string_append(json, ",\n");
}

static void append_names(GString *json, const char *key, const char *const *names)
{
    if (!names || !names[0])
        return;
    g_string_append_printf(json, ",\"%s\":[", key);
    for (unsigned i = 0; names[i]; i++) {
        g_string_append(json, i > 0 ? "," : "");
        append_text(json, names[i]);
    }
    g_string_append_c(json, ']');
}

/* Appends a member, unless its text is empty. */
static void append_string(GString *json, const char *key, const char *text)
{
    if (text && *text)
        g_string_append_printf(json, ",\"%s\":\"%s\"", key, text);
}

static void append_field(GString *json, const XtfFieldSpec *field)
{
    static const char *const types[] = {"", "U8", "U16", "U32", "U64", "I32", "I64", "F64", "STRING"};

    g_string_append_printf(json, "{\"name\":\"%s\",\"type\":\"%s\"", field->name, types[field->type]);
    if (field->flags)
        g_string_append_printf(json, ",\"flags\":%u", field->flags);
    append_string(json, "role", field->role);
    append_string(json, "unit", field->unit);
    append_string(json, "refers_to", field->refers_to);
    append_names(json, "labels", field->labels);
    g_string_append_c(json, '}');
}

static void append_aggregate(GString *json, const XtfAggregateSpec *aggregate)
{
    g_string_append_printf(json, "{\"kind\":\"%s\"", aggregate->kind == XTF_AGGREGATE_FRAMES ? "frames" : "groups");
    g_string_append(json, aggregate->extremes ? ",\"extremes\":true" : "");
    g_string_append(json, aggregate->filters ? ",\"filters\":true" : "");
    if (aggregate->typed_by)
        g_string_append_printf(json, ",\"typed_by\":\"%s\",\"reals\":%" PRIu64 ",\"signeds\":%" PRIu64,
                               aggregate->typed_by, aggregate->reals, aggregate->signeds);
    append_names(json, "keys", aggregate->keys);
    append_names(json, "values", aggregate->values);
    g_string_append_c(json, '}');
}

static void append_schema(GString *json, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields,
                          const XtfAggregateSpec *aggregates, unsigned n)
{
    static const char *const kinds[] = {"", "record", "side", "table", "derived"};

    append_comma(json);
    g_string_append_printf(json, "{\"name\":\"%s\",\"kind\":\"%s\",\"fields\":[", name, kinds[kind]);
    for (const XtfFieldSpec *field = fields; field->name; field++) {
        g_string_append(json, field > fields ? ",\n" : "");
        append_field(json, field);
    }
    g_string_append(json, n > 0 ? "],\"aggregates\":[" : "");
    for (unsigned i = 0; i < n; i++) {
        g_string_append(json, i > 0 ? ",\n" : "");
        append_aggregate(json, &aggregates[i]);
    }
    g_string_append(json, "]}");
}

uint32_t test_file_add_schema_with(TestFile *file, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields,
                                   const XtfAggregateSpec *aggregates, unsigned n)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new(name, kind, fields, &error);
    uint32_t id;

    test_files_check(schema, &error);
    for (unsigned i = 0; i < n; i++)
        test_files_check(xtf_schema_add_aggregate(schema, &aggregates[i], &error), &error);
    test_files_check(xtf_writer_add_schema(file->writer, schema, &id, &error), &error);
    if (file->schemas->len <= id)
        g_ptr_array_set_size(file->schemas, (gint)id + 1);
    file->schemas->pdata[id] = schema;
    append_schema(file->schemas_json, name, kind, fields, aggregates, n);
    return id;
}

uint32_t test_file_add_schema(TestFile *file, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields)
{
    return test_file_add_schema_with(file, name, kind, fields, NULL, 0);
}

static Rows *find_rows(GPtrArray *list, uint64_t location, uint32_t schema)
{
    for (guint i = 0; i < list->len; i++) {
        Rows *rows = list->pdata[i];
        if (rows->location == location && rows->schema == schema)
            return rows;
    }
    Rows *rows = g_new(Rows, 1);
    *rows = (Rows){.location = location, .schema = schema, .rows = g_string_new(NULL)};
    g_ptr_array_add(list, rows);
    return rows;
}

/* Encodes a row for the writer, and appends it to the JSON. */
static void encode_row(TestFile *file, Rows *rows, const Cell *cells, uint8_t *row)
{
    const XtfSchema *schema = file->schemas->pdata[rows->schema];
    GError *error = NULL;

    append_comma(rows->rows);
    g_string_append_c(rows->rows, '[');
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        uint64_t bits = cells[f].bits;
        uint32_t id;
        if (cells[f].kind == 't') {
            test_files_check(xtf_writer_add_string(file->writer, cells[f].text, &id, &error), &error);
            bits = id;
        }
        xtf_field_set(&schema->fields[f], row, bits);
        g_string_append(rows->rows, f > 0 ? "," : "");
        append_cell(rows->rows, &cells[f]);
    }
    g_string_append_c(rows->rows, ']');
}

void test_file_add_table_row(TestFile *file, uint32_t schema, const Cell *cells)
{
    uint8_t row[XTF_ROW_MAX];
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(file->writer, schema, &error);

    test_files_check(table, &error);
    encode_row(file, find_rows(file->tables, 0, schema), cells, row);
    test_files_check(xtf_table_writer_append(table, row, NULL, &error), &error);
}

void test_file_add_row(TestFile *file, uint64_t location, uint32_t schema, const Cell *cells)
{
    uint8_t row[XTF_ROW_MAX];
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(file->writer, location, schema, &error);

    test_files_check(array, &error);
    encode_row(file, find_rows(file->arrays, location, schema), cells, row);
    test_files_check(xtf_array_writer_append(array, row, &error), &error);
}

void test_file_set_clock(TestFile *file, uint64_t location, const XtfClockKnot *knots, uint32_t n)
{
    const XtfClockMap map = {.n_knots = n, .knots = knots};
    GError *error = NULL;
    uint32_t number;

    test_files_check(xtf_writer_add_clock_map(file->writer, &map, &number, &error), &error);
    test_files_check(xtf_writer_set_clock_map(file->writer, location, number, &error), &error);
    append_comma(file->clocks_json);
    g_string_append_printf(file->clocks_json, "\"%" PRIu64 "\":[", location);
    for (uint32_t i = 0; i < n; i++) {
        g_string_append(file->clocks_json, i > 0 ? ",[" : "[");
        append_unsigned(file->clocks_json, knots[i].local);
        g_string_append_c(file->clocks_json, ',');
        append_unsigned(file->clocks_json, knots[i].global);
        g_string_append_printf(file->clocks_json, ",%s]", knots[i].jumps ? "true" : "false");
    }
    g_string_append_c(file->clocks_json, ']');
}

void test_file_set_complete(TestFile *file, uint64_t time)
{
    GError *error = NULL;

    test_files_check(xtf_writer_set_complete(file->writer, time, &error), &error);
}

void test_file_commit(TestFile *file)
{
    GError *error = NULL;

    test_files_check(xtf_writer_commit(file->writer, &error), &error);
}

void test_file_begin_volume(TestFile *file)
{
    g_autofree char *name = g_strconcat(file->name, ".xtf", NULL);
    GError *error = NULL;
    int folder = open(files_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    test_files_check(folder >= 0, NULL);
    test_files_check(xtf_writer_begin_volume(file->writer, folder, name, &error), &error);
    close(folder);
}

void test_file_close_array(TestFile *file, uint64_t location, uint32_t schema)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(file->writer, location, schema, &error);

    test_files_check(array && xtf_array_writer_close(array, &error), &error);
}

static void append_tables(GString *json, const TestFile *file)
{
    for (guint i = 0; i < file->tables->len; i++) {
        const Rows *rows = file->tables->pdata[i];
        const XtfSchema *schema = file->schemas->pdata[rows->schema];
        g_string_append_printf(json, "%s\"%s\":[%s]", i > 0 ? ",\n" : "", schema->name, rows->rows->str);
    }
}

static void append_arrays(GString *json, const TestFile *file)
{
    for (guint i = 0; i < file->arrays->len; i++) {
        const Rows *rows = file->arrays->pdata[i];
        const XtfSchema *schema = file->schemas->pdata[rows->schema];
        g_string_append_printf(json, "%s{\"location\":", i > 0 ? ",\n" : "");
        append_unsigned(json, rows->location);
        g_string_append_printf(json, ",\"schema\":\"%s\",\"rows\":[%s]}", schema->name, rows->rows->str);
    }
}

static void write_truth(const TestFile *file)
{
    g_autoptr(GString) json = g_string_new(NULL);
    g_autofree char *path = test_files_path(file->name, ".json");
    GError *error = NULL;

    g_string_append_printf(json, "{\"schemas\":[%s],\n\"clock_maps\":{%s},\n\"tables\":{", file->schemas_json->str,
                           file->clocks_json->str);
    append_tables(json, file);
    g_string_append(json, "},\n\"arrays\":[");
    append_arrays(json, file);
    g_string_append(json, "]}\n");
    test_files_check(g_file_set_contents(path, json->str, (gssize)json->len, &error), &error);
}

static void free_file(TestFile *file)
{
    g_ptr_array_unref(file->schemas);
    g_ptr_array_unref(file->arrays);
    g_ptr_array_unref(file->tables);
    g_string_free(file->schemas_json, TRUE);
    g_string_free(file->clocks_json, TRUE);
    g_free(file->name);
    g_free(file);
}

void test_file_close(TestFile *file)
{
    GError *error = NULL;

    write_truth(file);
    test_files_check(xtf_writer_close(file->writer, &error), &error);
    free_file(file);
}

void test_file_leave_open(TestFile *file)
{
    write_truth(file);
    xtf_writer_abort(file->writer);
    free_file(file);
}

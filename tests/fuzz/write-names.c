/*
 * Writes a trace in which every text is hostile. These are strings in records, and the names of regions,
 * properties, files, schemas, fields, roles, units, labels and tables.
 *
 *     write-names FILE nasty      control characters, escape sequences, bytes that are no UTF-8, directions of text
 *     write-names FILE LENGTH     names of LENGTH bytes in rows 0 and 1 of each table of 700 rows
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/writer.h"
#include "src/model/schemas.h"

#define NASTY                                       \
    "<\x1b[31m\x1b]0;title\x07\n\r\t\b\x7f\xc2\x9b" \
    "1m\xff\xc0\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8\xe2\x80\xa9>"

enum {
    LOCATIONS = 2,
    RECORDS = 40,
    LONG_ROWS = 700,
    NASTY_ROWS = 3,
    STRING_VALUE = 11, /* the type `string` in xtf_value_types */
};

static size_t long_length; /* 0: nasty names */
static XtfWriter *writer;

static void die(GError *error)
{
    fprintf(stderr, "write-names: %s\n", error->message);
    exit(1);
}

static uint32_t text_of(uint64_t row)
{
    static char *texts[2];
    GError *error = NULL;
    uint32_t id;
    char text[256];

    g_snprintf(text, sizeof text, long_length ? "%s%" PRIu64 : NASTY "%s%" PRIu64, "", row);
    if (long_length && row < 2 && !texts[row]) {
        texts[row] = g_strnfill(long_length, 'x');
        texts[row][long_length - 1] = (char)('0' + row);
    }
    if (!xtf_writer_add_string(writer, long_length && row < 2 ? texts[row] : text, &id, &error))
        die(error);
    return id;
}

static uint32_t add_schema(const XtfSchema *schema)
{
    GError *error = NULL;
    uint32_t id;

    if (!xtf_writer_add_schema(writer, schema, &id, &error))
        die(error);
    return id;
}

/* Fills a row of any schema: its strings are hostile texts, all other fields are 0 or absent. */
static void fill_row(const XtfSchema *schema, uint64_t number, uint8_t *row)
{
    memset(row, 0, schema->row_size);
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        const XtfField *field = &schema->fields[i];
        if (field->type == XTF_TYPE_STRING)
            xtf_field_set(field, row, text_of(number));
        else if (g_str_equal(field->role, XTF_ROLE_VALUE_TYPE))
            xtf_field_set(field, row, STRING_VALUE);
        else if (g_str_equal(field->role, XTF_ROLE_VALUE))
            xtf_field_set(field, row, text_of(number));
        else if (g_str_equal(field->name, "id") || g_str_equal(field->name, "proc"))
            xtf_field_set(field, row, number);
        else if ((field->flags & XTF_FIELD_OPTIONAL) && !*field->refers_to)
            xtf_field_set(field, row, UINT64_MAX);
    }
}

static void write_table(const XtfSchema *schema)
{
    GError *error = NULL;
    uint8_t row[XTF_ROW_MAX];
    XtfTableWriter *table = xtf_writer_table(writer, add_schema(schema), &error);

    for (uint64_t i = 0; table && i < (long_length ? LONG_ROWS : NASTY_ROWS); i++) {
        fill_row(schema, i, row);
        if (!xtf_table_writer_append(table, row, NULL, &error))
            break;
    }
    if (error)
        die(error);
}

static void set_role(const XtfSchema *schema, const char *role, uint8_t *row, uint64_t value)
{
    const XtfField *field = xtf_schema_field_by_role(schema, role);

    if (field)
        xtf_field_set(field, row, value);
}

/* Writes the rows of a location. The schema numbered `kind` of `kinds` has the records with seq `kind`, `kind` +
 * `kinds`, and so on. Side rows refer to the records of schema 0. */
static void write_rows(const XtfSchema *schema, uint64_t location, unsigned kind, unsigned kinds)
{
    GError *error = NULL;
    uint8_t row[XTF_ROW_MAX];
    XtfArrayWriter *array = xtf_writer_array(writer, location, add_schema(schema), &error);

    for (uint64_t k = 0; array && k < RECORDS; k++) {
        fill_row(schema, k, row);
        set_role(schema, XTF_ROLE_TIME, row, k);
        set_role(schema, XTF_ROLE_SEQ, row, k * kinds + (schema->kind == XTF_SCHEMA_RECORD ? kind : 0));
        set_role(schema, XTF_ROLE_REGION, row, k / 2 % 4);
        if (schema->kind == XTF_SCHEMA_RECORD && g_str_equal(schema->name, XTF_RECORD_ENTERS_LEAVES)) {
            set_role(schema, XTF_ROLE_EVENT, row, k % 2);
            set_role(schema, XTF_ROLE_ENTER, row, k % 2);
            set_role(schema, XTF_ROLE_OUTERMOST, row, 1);
            set_role(schema, XTF_ROLE_DEPTH, row, 1);
        }
        if (!xtf_array_writer_append(array, row, &error))
            break;
    }
    if (error)
        die(error);
}

static XtfSchema *hostile_schema(const char *name, XtfSchemaKind kind)
{
    static const char *const labels[] = {NASTY "label 0", NASTY "label 1", NULL};
    const XtfFieldSpec fields[] = {
        {.name = kind == XTF_SCHEMA_TABLE ? NASTY "id" : NASTY "time", .type = XTF_TYPE_U64, .role = XTF_ROLE_TIME},
        {.name = NASTY "seq", .type = XTF_TYPE_U64, .role = XTF_ROLE_SEQ, .unit = NASTY "unit"},
        {.name = NASTY "event", .type = XTF_TYPE_U8, .role = XTF_ROLE_EVENT, .labels = labels},
        {.name = NASTY "string", .type = XTF_TYPE_STRING, .role = NASTY "role"},
        {.name = NASTY "number", .type = XTF_TYPE_U32, .role = NASTY "role", .unit = NASTY "unit"},
        {.name = NASTY "reference", .type = XTF_TYPE_U32, .unit = NASTY "unit", .refers_to = NASTY "table"},
        {.name = NASTY "name", .type = XTF_TYPE_U32, .flags = XTF_FIELD_NAMES, .refers_to = XTF_TABLE_REGIONS},
        {0},
    };
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new(name, kind, fields, &error);

    if (!schema)
        die(error);
    return schema;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: write-names FILE nasty|LENGTH\n", stderr);
        return 2;
    }
    GError *error = NULL;
    if (strcmp(argv[2], "nasty") != 0)
        long_length = strtoul(argv[2], NULL, 10);
    writer = xtf_writer_create(argv[1], &(XtfWriterOptions){.no_sync = true}, &error);
    if (!writer)
        die(error);
    g_autoptr(XtfSchema) record = hostile_schema(NASTY "record", XTF_SCHEMA_RECORD);
    g_autoptr(XtfSchema) side = hostile_schema(NASTY "side", XTF_SCHEMA_SIDE);
    g_autoptr(XtfSchema) table = hostile_schema(NASTY "table", XTF_SCHEMA_TABLE);
    add_schema(record); /* schema~0 */
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++)
        write_table(xtf_model_schema(tag));
    write_table(table);
    for (uint64_t location = 0; location < LOCATIONS; location++) {
        for (unsigned tag = 0; tag < XTF_N_ARRAY_TYPES; tag++)
            write_rows(xtf_model_schema(tag), location, tag, XTF_N_RECORD_TYPES + 1);
        write_rows(record, location, XTF_N_RECORD_TYPES, XTF_N_RECORD_TYPES + 1);
        write_rows(side, location, 0, XTF_N_RECORD_TYPES + 1);
    }
    if (!xtf_writer_close(writer, &error))
        die(error);
    return 0;
}

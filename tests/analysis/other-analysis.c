/*
 * other-analysis TRACE derived|record: adds an analysis as another build may have left it. Its types and tables have
 * the names of XTF's own, but other fields. With `record`, `waits` are records, which no analysis writes.
 *
 * other-analysis TRACE beside: adds types of other names to an analysis: `marks`, which refer to its call paths, and
 * `notes`, which do not. Its table `analyses` then says that they were made with other clocks.
 *
 * other-analysis TRACE damaged: adds a row to the table `analyses` whose strings the trace lacks.
 */
#include <stdio.h>

#include "libxtf/trace.h"
#include "libxtf/writer.h"

enum { ROWS = 3000, LOCATIONS = 4, NO_STRING = 12345678 };

typedef struct __attribute__((packed)) {
    uint64_t time, seq;
    uint32_t colour;
    uint8_t event;
} Row;

typedef struct __attribute__((packed)) {
    uint32_t parent, region, colour;
} Place;

static const char *const events[] = {"late", "early", NULL};
static const XtfFieldSpec row_fields[] = {
    {"time", XTF_TYPE_U64, "time", NULL, NULL, 0, NULL},
    {"seq", XTF_TYPE_U64, "seq", NULL, NULL, 0, NULL},
    {"colour", XTF_TYPE_U32, NULL, NULL, "contexts", 0, NULL},
    {"event", XTF_TYPE_U8, "event", NULL, NULL, 0, events},
    {0},
};
static const XtfFieldSpec note_fields[] = {
    {"time", XTF_TYPE_U64, "time", NULL, NULL, 0, NULL},
    {"seq", XTF_TYPE_U64, "seq", NULL, NULL, 0, NULL},
    {"colour", XTF_TYPE_U32, NULL, NULL, NULL, 0, NULL},
    {"event", XTF_TYPE_U8, "event", NULL, NULL, 0, events},
    {0},
};
static const XtfFieldSpec place_fields[] = {
    {"parent", XTF_TYPE_U32, NULL, NULL, NULL, XTF_FIELD_OPTIONAL, NULL},
    {"region", XTF_TYPE_U32, NULL, NULL, NULL, 0, NULL},
    {"colour", XTF_TYPE_U32, NULL, NULL, NULL, 0, NULL},
    {0},
};

static bool add_rows(XtfWriter *writer, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields,
                     uint64_t first, GError **error)
{
    const XtfAggregateSpec by_event = {.kind = XTF_AGGREGATE_GROUPS,
                                       .keys = (const char *const[]){"event", NULL},
                                       .values = (const char *const[]){"colour", NULL}};
    g_autoptr(XtfSchema) schema = xtf_schema_new(name, kind, fields, error);
    uint32_t id;

    if (!schema || !xtf_schema_add_aggregate(schema, &by_event, error) ||
        !xtf_writer_add_schema(writer, schema, &id, error))
        return false;
    for (uint64_t location = 0; location < LOCATIONS; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, id, error);
        for (uint32_t i = 0; i < ROWS; i++) {
            const Row row = {.time = first + i, .seq = i, .colour = i * 2654435761u, .event = i & 1};
            if (!array || !xtf_array_writer_append(array, &row, error))
                return false;
        }
    }
    return true;
}

static bool add_table(XtfWriter *writer, const char *name, GError **error)
{
    g_autoptr(XtfSchema) schema = xtf_schema_new(name, XTF_SCHEMA_TABLE, place_fields, error);
    uint32_t id;

    if (!schema || !xtf_writer_add_schema(writer, schema, &id, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(writer, id, error);
    for (uint32_t i = 0; i < ROWS; i++) {
        const Place row = {.parent = i == 0 ? UINT32_MAX : i - 1, .region = i % 3, .colour = i * 2654435761u};
        if (!table || !xtf_table_writer_append(table, &row, NULL, error))
            return false;
    }
    return true;
}

static bool add_instead(XtfWriter *writer, XtfSchemaKind waits, GError **error)
{
    return add_table(writer, "contexts", error) && add_table(writer, "analyses", error) &&
           add_rows(writer, "waits", waits, row_fields, 1000, error) &&
           add_rows(writer, "delays", XTF_SCHEMA_DERIVED, row_fields, 1000, error) &&
           add_rows(writer, "ideal", XTF_SCHEMA_DERIVED, row_fields, 1000, error);
}

/* Adds a row to the table `analyses`, with the fields that the file's table has. */
static bool add_row(XtfWriter *writer, const XtfSchema *analyses, uint32_t records, uint32_t tool, GError **error)
{
    uint8_t row[XTF_ROW_MAX] = {0};
    uint32_t id;

    if (!analyses || !xtf_writer_add_schema(writer, analyses, &id, error))
        return false;
    xtf_field_set(xtf_schema_field(analyses, "records"), row, records);
    xtf_field_set(xtf_schema_field(analyses, "tool"), row, tool);
    xtf_field_set(xtf_schema_field(analyses, "clocks"), row, 12345);
    XtfTableWriter *table = xtf_writer_table(writer, id, error);
    return table && xtf_table_writer_append(table, row, NULL, error);
}

static bool add_entry(XtfWriter *writer, const XtfSchema *analyses, const char *records, GError **error)
{
    uint32_t name, tool;

    return xtf_writer_add_string(writer, records, &name, error) &&
           xtf_writer_add_string(writer, "another tool", &tool, error) && add_row(writer, analyses, name, tool, error);
}

static bool add_damaged(XtfWriter *writer, const char *path, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    return trace && add_row(writer, xtf_trace_find_schema(trace, "analyses"), NO_STRING, NO_STRING, error);
}

static bool add_beside(XtfWriter *writer, const char *path, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (!trace)
        return false;
    const XtfSchema *analyses = xtf_trace_find_schema(trace, "analyses");
    uint64_t first = xtf_trace_clock(trace)->first;
    return add_rows(writer, "marks", XTF_SCHEMA_DERIVED, row_fields, first, error) &&
           add_rows(writer, "notes", XTF_SCHEMA_DERIVED, note_fields, first, error) &&
           add_entry(writer, analyses, "marks", error) && add_entry(writer, analyses, "notes", error);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = argc == 3 ? xtf_writer_open(argv[1], NULL, &error) : NULL;
    bool good = writer;

    if (good && g_str_equal(argv[2], "beside"))
        good = add_beside(writer, argv[1], &error);
    else if (good && g_str_equal(argv[2], "damaged"))
        good = add_damaged(writer, argv[1], &error);
    else if (good)
        good = add_instead(writer, g_str_equal(argv[2], "record") ? XTF_SCHEMA_RECORD : XTF_SCHEMA_DERIVED, &error);
    if (good)
        good = xtf_writer_close(writer, &error);
    else
        xtf_writer_abort(writer);
    if (!good)
        fprintf(stderr, "other-analysis: %s\n",
                error ? error->message : "usage: other-analysis TRACE derived|record|beside|damaged");
    return good ? 0 : 1;
}

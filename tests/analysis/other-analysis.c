/*
 * other-analysis TRACE derived|record: adds what another build may have left as an analysis: types and tables of the
 * names that ours have, with other fields. `record`: `waits` are records, as no analysis has them.
 */
#include <stdio.h>

#include "libxtf/writer.h"

enum { ROWS = 3000, LOCATIONS = 4 };

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
static const XtfFieldSpec place_fields[] = {
    {"parent", XTF_TYPE_U32, NULL, NULL, NULL, XTF_FIELD_OPTIONAL, NULL},
    {"region", XTF_TYPE_U32, NULL, NULL, NULL, 0, NULL},
    {"colour", XTF_TYPE_U32, NULL, NULL, NULL, 0, NULL},
    {0},
};

static bool add_rows(XtfWriter *writer, const char *name, XtfSchemaKind kind, GError **error)
{
    const XtfAggregateSpec by_event = {.kind = XTF_AGGREGATE_GROUPS,
                                       .keys = (const char *const[]){"event", NULL},
                                       .values = (const char *const[]){"colour", NULL}};
    g_autoptr(XtfSchema) schema = xtf_schema_new(name, kind, row_fields, error);
    uint32_t id;

    if (!schema || !xtf_schema_add_aggregate(schema, &by_event, error) ||
        !xtf_writer_add_schema(writer, schema, &id, error))
        return false;
    for (uint64_t location = 0; location < LOCATIONS; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, id, error);
        for (uint32_t i = 0; i < ROWS; i++) {
            const Row row = {.time = 1000 + i, .seq = i, .colour = i * 2654435761u, .event = i & 1};
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

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = argc == 3 ? xtf_writer_open(argv[1], NULL, &error) : NULL;
    XtfSchemaKind kind = argc == 3 && g_str_equal(argv[2], "record") ? XTF_SCHEMA_RECORD : XTF_SCHEMA_DERIVED;
    bool good = writer && add_table(writer, "contexts", &error) && add_table(writer, "analyses", &error) &&
                add_rows(writer, "waits", kind, &error) && add_rows(writer, "delays", XTF_SCHEMA_DERIVED, &error) &&
                add_rows(writer, "ideal", XTF_SCHEMA_DERIVED, &error);

    if (good)
        good = xtf_writer_close(writer, &error);
    else
        xtf_writer_abort(writer);
    if (!good)
        fprintf(stderr, "other-analysis: %s\n", error ? error->message : "usage: other-analysis TRACE derived|record");
    return good ? 0 : 1;
}

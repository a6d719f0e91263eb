/*
 * Writes the file that docs/FORMAT.md shows byte by byte.
 *
 *     write-example FILE
 */
#include <stdio.h>

#include "libxtf/xtf.h"

enum { ROWS = 400, FIRST = 1000, STEP = 5, LOCATION = 12 };

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint32_t region;
    uint8_t event;
} Call;

static const char *const events[] = {"ENTER", "LEAVE", NULL};

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "region", .type = XTF_TYPE_U32, .role = "region", .refers_to = "regions"},
    {.name = "event", .type = XTF_TYPE_U8, .role = "event", .labels = events},
    {0},
};

static const XtfFieldSpec region_fields[] = {
    {.name = "name", .type = XTF_TYPE_STRING, .role = "name"},
    {0},
};

static bool add_schema(XtfWriter *writer, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields,
                       uint32_t *id, GError **error)
{
    g_autoptr(XtfSchema) schema = xtf_schema_new(name, kind, fields, error);
    return schema && xtf_writer_add_schema(writer, schema, id, error);
}

static bool write_rows(XtfWriter *writer, GError **error)
{
    uint32_t calls, regions, name;

    if (!add_schema(writer, "calls", XTF_SCHEMA_RECORD, call_fields, &calls, error) ||
        !add_schema(writer, "regions", XTF_SCHEMA_TABLE, region_fields, &regions, error) ||
        !xtf_writer_add_string(writer, "main", &name, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(writer, regions, error);
    XtfArrayWriter *array = xtf_writer_array(writer, LOCATION, calls, error);
    const uint32_t row = GUINT32_TO_LE(name);
    if (!table || !array || !xtf_table_writer_append(table, &row, NULL, error))
        return false;
    for (uint64_t i = 0; i < ROWS; i++) {
        const Call call = {.time = GUINT64_TO_LE(FIRST + STEP * i), .event = i % 2};
        if (!xtf_array_writer_append(array, &call, error))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    const XtfWriterOptions options = {.codec = "plain", .origin = UINT64_MAX, .no_sync = true};
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfWriter) writer = argc == 2 ? xtf_writer_create(argv[1], &options, &error) : NULL;

    if (writer && write_rows(writer, &error) && xtf_writer_close(g_steal_pointer(&writer), &error))
        return 0;
    fprintf(stderr, "write-example: %s\n", error ? error->message : "usage: write-example FILE");
    return 1;
}

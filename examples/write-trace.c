/*
 * Writes a small trace: write-trace FILE [RECORDS]
 *
 * 2 locations, each with an array of `temperatures`: a record type that no reader knows beforehand. Its schema is in
 * the file, so `xtf mount` and `xtf cat` show it all the same.
 */
#include <libxtf/xtf.h>
#include <stdio.h>
#include <stdlib.h>

static const XtfFieldSpec FIELDS[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "sensor", .type = XTF_TYPE_U8},
    {.name = "celsius", .type = XTF_TYPE_F64, .unit = "C"},
    {.name = NULL},
};

/* One record a millisecond. Rows are packed, so their fields are set through the schema. */
static bool append_records(XtfArrayWriter *array, const XtfSchema *schema, uint64_t n, GError **error)
{
    uint8_t row[XTF_ROW_MAX];

    for (uint64_t i = 0; i < n; i++) {
        double celsius = 20 + (double)(i % 100) / 10;
        uint64_t bits;
        memcpy(&bits, &celsius, sizeof bits);
        xtf_field_set(&schema->fields[0], row, i * 1000);
        xtf_field_set(&schema->fields[1], row, i);
        xtf_field_set(&schema->fields[2], row, i % 3);
        xtf_field_set(&schema->fields[3], row, bits);
        if (!xtf_array_writer_append(array, row, error))
            return false;
    }
    return true;
}

static bool write_trace(const char *path, uint64_t n, GError **error)
{
    const XtfWriterOptions options = {.resolution_num = 1000000, .resolution_den = 1}; /* microseconds */
    uint32_t id;
    g_autoptr(XtfSchema) schema = xtf_schema_new("temperatures", XTF_SCHEMA_RECORD, FIELDS, error);
    g_autoptr(XtfWriter) writer = schema ? xtf_writer_create(path, &options, error) : NULL;

    if (!writer || !xtf_writer_add_schema(writer, schema, &id, error))
        return false;
    for (uint64_t location = 0; location < 2; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, id, error);
        if (!array || !append_records(array, schema, n, error))
            return false;
    }
    return xtf_writer_close(g_steal_pointer(&writer), error);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: write-trace FILE [RECORDS]\n");
        return 2;
    }
    if (!write_trace(argv[1], argc == 3 ? strtoull(argv[2], NULL, 10) : 10000, &error)) {
        fprintf(stderr, "write-trace: %s\n", error->message);
        return 1;
    }
    return 0;
}

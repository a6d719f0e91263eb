/*
 * Makes a small part as a collector leaves it, of a process that only switched its measurement on and off.
 *
 *     make-part FOLDER/NAME.xtf NUMBER WORLD_SIZE RECORDS [END [grow|hold]]
 *
 * The process has the number NUMBER of WORLD_SIZE; END is its property "record.end". `grow`: the file is committed, but
 * not closed. `hold`: it also stays open until the standard input ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/writer.h"
#include "src/model/schemas.h"

enum {
    OF_PROCESS = 1, /* LOCATION_GROUP */
    TYPE_STRING = 11,
};

static void must(bool good, GError *error)
{
    if (good)
        return;
    fprintf(stderr, "make-part: %s\n", error ? error->message : "failed");
    exit(1);
}

static uint32_t add_schema(XtfWriter *writer, unsigned tag)
{
    GError *error = NULL;
    uint32_t id;

    must(xtf_writer_add_schema(writer, xtf_model_schema(tag), &id, &error), error);
    return id;
}

static uint32_t add_string(XtfWriter *writer, const char *text)
{
    GError *error = NULL;
    uint32_t id;

    must(xtf_writer_add_string(writer, text, &id, &error), error);
    return id;
}

static void add_row(XtfWriter *writer, unsigned tag, const void *row)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(writer, add_schema(writer, tag), &error);

    must(table && xtf_table_writer_append(table, row, NULL, &error), error);
}

static void add_property(XtfWriter *writer, const char *name, const char *value)
{
    XtfDefinitionPropertyRow row = {
        .of = OF_PROCESS, .type = TYPE_STRING, .value = add_string(writer, value), .name = add_string(writer, name)};

    add_row(writer, XTF_MODEL_DEFINITION_PROPERTIES, &row);
}

static void add_process(XtfWriter *writer, uint32_t number)
{
    g_autofree char *name = g_strdup_printf("Rank %u", number);
    XtfProcessRow process = {.proc = number,
                             .id = number,
                             .type = 1,
                             .system_tree_node = XTF_NONE32,
                             .creator = XTF_NONE32,
                             .name = add_string(writer, name)};
    XtfLocationRow location = {
        .id = (uint64_t)number << 32, .proc = number, .process = 0, .type = 1, .name = add_string(writer, "Thread")};

    add_row(writer, XTF_MODEL_PROCESSES, &process);
    add_row(writer, XTF_MODEL_LOCATIONS, &location);
}

static void add_records(XtfWriter *writer, uint32_t number, uint64_t n)
{
    GError *error = NULL;
    XtfArrayWriter *array =
        xtf_writer_array(writer, (uint64_t)number << 32, add_schema(writer, XTF_MODEL_MEASUREMENT), &error);

    must(array != NULL, error);
    for (uint64_t i = 0; i < n; i++) {
        XtfMeasurementRow row = {.time = 1000 * i + number, .seq = i, .region = XTF_NONE32};
        must(xtf_array_writer_append(array, &row, &error), error);
    }
}

int main(int argc, char **argv)
{
    const XtfWriterOptions options = {.origin = UINT64_MAX, .no_sync = true};
    GError *error = NULL;

    if (argc < 5)
        return 2;
    XtfWriter *writer = xtf_writer_create(argv[1], &options, &error);
    must(writer != NULL, error);
    add_process(writer, (uint32_t)atoi(argv[2]));
    add_property(writer, "record.world_size", argv[3]);
    if (argc > 5)
        add_property(writer, "record.end", argv[5]);
    add_records(writer, (uint32_t)atoi(argv[2]), strtoull(argv[4], NULL, 10));
    must(xtf_writer_commit(writer, &error), error);
    if (argc <= 6) {
        must(xtf_writer_close(writer, &error), error);
        return 0;
    }
    while (g_str_equal(argv[6], "hold") && getchar() != EOF)
        continue;
    xtf_writer_abort(writer);
    return 0;
}

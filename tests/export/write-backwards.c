/*
 * Writes a trace with references that no importer writes. Table rows refer to later rows of the same table, and to rows
 * of later tables.
 *
 *     write-backwards FILE
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/writer.h"
#include "src/model/schemas.h"

enum { ROWS = 3, TYPE_PROCESS = 1, PARADIGM_MPI = 4, TYPE_UINT64 = 4 };

static XtfWriter *writer;

static void must(bool good, GError *error)
{
    if (good)
        return;
    fprintf(stderr, "write-backwards: %s\n", error ? error->message : "failed");
    exit(1);
}

static uint32_t schema(unsigned tag)
{
    GError *error = NULL;
    uint32_t id;

    must(xtf_writer_add_schema(writer, xtf_model_schema(tag), &id, &error), error);
    return id;
}

static uint32_t text(const char *format, uint32_t i)
{
    GError *error = NULL;
    char name[64];
    uint32_t id;

    snprintf(name, sizeof name, "%s %u", format, i);
    must(xtf_writer_add_string(writer, name, &id, &error), error);
    return id;
}

static void add_row(unsigned tag, const void *row)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(writer, schema(tag), &error);

    must(table && xtf_table_writer_append(table, row, NULL, &error), error);
}

/* Adds row i of each table. Its parent is row i + 1. */
static void add_rows(uint32_t i)
{
    const uint32_t parent = i + 1 < ROWS ? i + 1 : XTF_NONE32;
    const XtfSystemTreeRow node = {.id = i, .parent = parent, .class_name = text("class", i), .name = text("node", i)};
    const XtfProcessRow process = {
        .proc = i, .id = i, .type = TYPE_PROCESS, .system_tree_node = i, .creator = parent, .name = text("process", i)};
    const XtfLocationRow location = {
        .id = (uint64_t)i << 32, .proc = i, .process = i, .type = 1, .name = text("thread", i)};
    const XtfRegionRow region = {.line = XTF_NONE32,
                                 .role = 1,
                                 .paradigm = PARADIGM_MPI,
                                 .end_line = XTF_NONE32,
                                 .canonical = text("region", i),
                                 .name = text("region", i)};
    const XtfCallpathRow callpath = {.id = i, .parent = parent, .region = i};
    const XtfParameterDefinitionRow parameter = {.id = i, .type = 2, .name = text("parameter", i)};
    const XtfCallpathParameterRow value = {.callpath = i, .parameter = i, .type = TYPE_UINT64, .value = i};
    const XtfGroupRow group = {
        .id = i, .type = XTF_GROUP_TYPE_COMM_GROUP, .paradigm = PARADIGM_MPI, .name = text("group", i)};
    const XtfCommunicatorRow comm = {
        .id = i, .group = i, .remote_group = XTF_NONE32, .parent = parent, .name = text("comm", i)};

    add_row(XTF_MODEL_SYSTEM_TREE, &node);
    add_row(XTF_MODEL_PROCESSES, &process);
    add_row(XTF_MODEL_LOCATIONS, &location);
    add_row(XTF_MODEL_REGIONS, &region);
    add_row(XTF_MODEL_CALLPATHS, &callpath);
    add_row(XTF_MODEL_PARAMETER_DEFINITIONS, &parameter);
    add_row(XTF_MODEL_CALLPATH_PARAMETERS, &value);
    add_row(XTF_MODEL_GROUPS, &group);
    add_row(XTF_MODEL_COMMUNICATORS, &comm);
}

int main(int argc, char **argv)
{
    const XtfWriterOptions options = {.origin = UINT64_MAX, .no_sync = true};
    const XtfMeasurementRow row = {.time = 1, .region = XTF_NONE32};
    GError *error = NULL;

    if (argc != 2)
        return 2;
    writer = xtf_writer_create(argv[1], &options, &error);
    must(writer != NULL, error);
    for (uint32_t i = 0; i < ROWS; i++)
        add_rows(i);
    XtfArrayWriter *array = xtf_writer_array(writer, 0, schema(XTF_MODEL_MEASUREMENT), &error);
    must(array && xtf_array_writer_append(array, &row, &error), error);
    must(xtf_writer_close(writer, &error), error);
    return 0;
}

/*
 * Writes the trace of another run of the same job. It is later, ends early as if the job had been killed, has fewer
 * processes, or has other ticks.
 *
 *     make-run TRACE.xtf RUN.xtf SHIFT [TICKS [LOCATIONS [RESOLUTION]]]
 *
 * Clock maps move all times by SHIFT ticks. The run has the rows of the first TICKS ticks (0: all), of the first
 * LOCATIONS locations (0: all). RESOLUTION is the number of ticks in a second (0: the trace's).
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/xtf.h"

typedef struct {
    XtfTrace *trace;
    XtfWriter *writer;
    uint64_t shift, until, n_locations;
    uint64_t n_recvs; /* rows of the location's `recvs` in the run */
} Make;

static void must(bool condition, GError *error, const char *subject)
{
    if (condition)
        return;
    fprintf(stderr, "make-run: %s: %s\n", subject, error ? error->message : "failed");
    exit(1);
}

/* Copies a row, with the strings of the run. */
static void copy_row(Make *make, const XtfSchema *schema, const uint8_t *row, uint8_t *to)
{
    g_autoptr(GArray) references = xtf_schema_references(schema);
    GError *error = NULL;
    const char *text;
    uint32_t id;

    memcpy(to, row, schema->row_size);
    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        const XtfField *field = &schema->fields[reference->field];
        if (reference->table || !xtf_reference_holds(reference, schema, row))
            continue;
        must(xtf_trace_string(make->trace, (uint32_t)xtf_field_get(field, row), &text, &error) &&
                 xtf_writer_add_string(make->writer, text, &id, &error),
             error, "string");
        xtf_field_set(field, to, id);
    }
}

static void write_table(Make *make, const XtfSchema *schema)
{
    GError *error = NULL;
    const XtfTable *table;
    XtfTableWriter *to;
    uint8_t row[XTF_ROW_MAX];

    must(xtf_trace_table(make->trace, schema->name, &table, &error), error, schema->name);
    if (!table)
        return;
    must((to = xtf_writer_table(make->writer, schema->id, &error)), error, schema->name);
    for (uint64_t i = 0; i < table->n_rows; i++) {
        copy_row(make, schema, table->rows + i * schema->row_size, row);
        must(xtf_table_writer_append(to, row, NULL, &error), error, schema->name);
    }
}

/* True if the run has a row. A receive that completes later is not known when the program is killed. */
static bool is_recorded(const Make *make, const XtfSchema *schema, const uint8_t *row)
{
    const XtfField *message = xtf_schema_field_by_role(schema, XTF_ROLE_MESSAGE);
    bool early = make->until == 0 || xtf_field_get(&schema->fields[0], row) < make->until;

    return early &&
           (!message || !g_str_equal(schema->name, XTF_SIDE_POSTINGS) || xtf_field_get(message, row) < make->n_recvs);
}

static void write_array(Make *make, const XtfArray *array)
{
    GError *error = NULL;
    XtfArrayWriter *to = xtf_writer_array(make->writer, array->location, array->schema->id, &error);
    uint8_t row[XTF_ROW_MAX], copied[XTF_ROW_MAX];

    must(to, error, "array");
    for (uint64_t n = 0; n < array->n_rows; n++) {
        must(xtf_array_row(array, n, row, &error), error, "row");
        if (!is_recorded(make, array->schema, row))
            continue;
        copy_row(make, array->schema, row, copied);
        must(xtf_array_writer_append(to, copied, &error), error, "row");
    }
    if (g_str_equal(array->schema->name, XTF_RECORD_RECVS))
        make->n_recvs = xtf_array_writer_n_rows(to);
}

static void set_clock(Make *make, uint64_t location)
{
    uint64_t first = xtf_trace_clock(make->trace)->first;
    const XtfClockKnot knot = {.local = first, .global = first + make->shift};
    const XtfClockMap map = {.n_knots = 1, .knots = &knot};
    GError *error = NULL;
    uint32_t number;

    must(xtf_writer_add_clock_map(make->writer, &map, &number, &error) &&
             xtf_writer_set_clock_map(make->writer, location, number, &error),
         error, "clock map");
}

static void write_arrays(Make *make)
{
    uint64_t n = 0, location = UINT64_MAX;

    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(make->trace); rank++) {
        GError *error = NULL;
        XtfArray array;
        must(xtf_trace_get_arrays(make->trace, rank, 1, &array, &error), error, "P index");
        n += array.location != location;
        if (make->n_locations > 0 && n > make->n_locations)
            break;
        if (array.location != location)
            set_clock(make, array.location);
        location = array.location;
        write_array(make, &array);
    }
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    uint32_t id;

    if (argc < 4) {
        fputs("usage: make-run TRACE RUN SHIFT [TICKS [LOCATIONS [RESOLUTION]]]\n", stderr);
        return 2;
    }
    Make make = {.trace = xtf_trace_open(argv[1], NULL, &error), .shift = strtoull(argv[3], NULL, 10)};
    must(make.trace, error, argv[1]);
    const XtfClock *clock = xtf_trace_clock(make.trace);
    uint64_t ticks = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
    uint64_t resolution = argc > 6 ? strtoull(argv[6], NULL, 10) : 0;
    make.until = ticks > 0 ? clock->first + ticks : 0;
    make.n_locations = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
    const XtfWriterOptions options = {.resolution_num = resolution > 0 ? resolution : clock->resolution_num,
                                      .resolution_den = clock->resolution_den,
                                      .origin = UINT64_MAX,
                                      .no_sync = true};
    make.writer = xtf_writer_create(argv[2], &options, &error);
    must(make.writer, error, argv[2]);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(make.trace); i++)
        must(xtf_writer_add_schema(make.writer, xtf_trace_schema(make.trace, i), &id, &error), error, "schema");
    for (uint32_t i = 0; i < xtf_trace_n_schemas(make.trace); i++)
        if (xtf_trace_schema(make.trace, i)->kind == XTF_SCHEMA_TABLE)
            write_table(&make, xtf_trace_schema(make.trace, i));
    write_arrays(&make);
    must(xtf_writer_close(make.writer, &error), error, argv[2]);
    xtf_trace_unref(make.trace);
    return 0;
}

/*
 * Splits a trace into parts as separate recorders would have written them. Each part has the locations of some
 * processes, and its own numbering of strings and table rows.
 *
 *     split-trace TRACE.xtf PREFIX PARTS SEED [compact|plain] [ROWS]      writes PREFIX-0.xtf, PREFIX-1.xtf ...
 *
 * With ROWS each part has several volumes, of this number of rows.
 *
 * The first part keeps the numbers of the trace, so that the merged trace has them, too. Only the first part has the
 * groups of all communicators.
 */
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libxtf/references.h"
#include "libxtf/xtf.h"

typedef struct {
    XtfTrace *trace;
    XtfWriter *writer;
    GRand *random;
    unsigned part, n_parts;
    uint32_t **rows;      /* by schema: the row in the part, by row of the trace; NULL: unchanged */
    GArray **references;  /* references of each schema */
    unsigned volume_rows; /* rows of a volume; 0: all rows are in one */
    unsigned n_rows;      /* rows of the current volume */
    char *name;           /* file name of the part */
    int folder;           /* descriptor of the folder for the part */
} Split;

static void must(bool condition, GError *error, const char *subject)
{
    if (condition)
        return;
    fprintf(stderr, "split-trace: %s: %s\n", subject, error ? error->message : "failed");
    exit(1);
}

static const XtfTable *table_of(Split *split, const char *name)
{
    const XtfTable *table = NULL;
    GError *error = NULL;
    must(xtf_trace_table(split->trace, name, &table, &error), error, name);
    return table;
}

static bool has_flag(const XtfSchema *schema, uint16_t flag)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].flags & flag)
            return true;
    return false;
}

/* True if lists of another table refer to rows of this one: the lists depend on the order of the rows. */
static bool is_listed(Split *split, const XtfSchema *schema)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(split->trace); i++) {
        const XtfSchema *schema_of_list = xtf_trace_schema(split->trace, i);
        for (uint32_t f = 0; f < schema_of_list->n_fields; f++)
            if (schema_of_list->fields[f].flags & XTF_FIELD_LIST &&
                g_str_equal(schema_of_list->fields[f].refers_to, schema->name))
                return true;
    }
    return false;
}

static void shuffle_table(Split *split, const XtfSchema *schema)
{
    const XtfTable *table = table_of(split, schema->name);

    if (!table || split->part == 0 || has_flag(schema, XTF_FIELD_ORDERS) || is_listed(split, schema))
        return;
    uint32_t n = (uint32_t)table->n_rows, *rows = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t swapped = (uint32_t)g_rand_int_range(split->random, 0, (gint32)i + 1);
        rows[i] = rows[swapped];
        rows[swapped] = i;
    }
    split->rows[schema->id] = rows;
}

/* Returns the value that a reference has in the part. */
static uint64_t renumber_reference(Split *split, const XtfReference *reference, uint64_t value)
{
    GError *error = NULL;
    const char *text;
    uint32_t id;

    if (!reference->table) {
        must(xtf_trace_string(split->trace, (uint32_t)value, &text, &error) &&
                 xtf_writer_add_string(split->writer, text, &id, &error),
             error, "string");
        return id;
    }
    const XtfSchema *schema = xtf_trace_find_schema(split->trace, reference->table);
    const XtfTable *table = schema ? table_of(split, schema->name) : NULL;
    const uint32_t *rows = schema ? split->rows[schema->id] : NULL;
    return rows && value < table->n_rows ? rows[value] : value;
}

static void renumber_row(Split *split, const XtfSchema *schema, const uint8_t *row, uint8_t *to)
{
    const GArray *references = split->references[schema->id];

    memcpy(to, row, schema->row_size);
    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        const XtfField *field = &schema->fields[reference->field];
        if (xtf_reference_holds(reference, schema, row) && !(field->flags & XTF_FIELD_LIST))
            xtf_field_set(field, to, renumber_reference(split, reference, xtf_field_get(field, row)));
    }
}

static bool has_process(const Split *split, uint64_t proc)
{
    return proc % split->n_parts == split->part;
}

/* True if the part has the row: of the table of locations it has only its own. */
static bool has_row(const Split *split, const XtfSchema *schema, const uint8_t *row)
{
    return !g_str_equal(schema->name, XTF_TABLE_LOCATIONS) ||
           has_process(split, xtf_field_get(xtf_schema_field(schema, "proc"), row));
}

static void remove_group(Split *split, const XtfSchema *schema, uint8_t *row)
{
    if (g_str_equal(schema->name, XTF_TABLE_COMMUNICATORS) && split->part > 0 && g_rand_boolean(split->random))
        xtf_field_set(xtf_schema_field(schema, "group"), row, UINT64_MAX);
}

static void write_table(Split *split, const XtfSchema *schema)
{
    const XtfTable *table = table_of(split, schema->name);
    GError *error = NULL;
    uint8_t row[XTF_ROW_MAX];

    if (!table)
        return;
    const uint32_t *rows = split->rows[schema->id];
    g_autofree uint32_t *order = g_new0(uint32_t, table->n_rows);
    for (uint32_t i = 0; i < table->n_rows; i++)
        order[rows ? rows[i] : i] = i;
    XtfTableWriter *to = xtf_writer_table(split->writer, schema->id, &error);
    must(to, error, schema->name);
    for (uint32_t i = 0; i < table->n_rows; i++) {
        const uint8_t *from = table->rows + (size_t)order[i] * schema->row_size;
        if (!has_row(split, schema, from))
            continue;
        renumber_row(split, schema, from, row);
        remove_group(split, schema, row);
        must(xtf_table_writer_append(to, row, NULL, &error), error, schema->name);
    }
}

static void write_array(Split *split, const XtfArray *array)
{
    GError *error = NULL;
    uint8_t row[XTF_ROW_MAX];
    XtfArrayWriter *to = xtf_writer_array(split->writer, array->location, array->schema->id, &error);
    const XtfArray local = xtf_array_local(array);
    g_auto(XtfCursor) cursor;
    uint32_t number;
    bool found;

    must(to, error, "array");
    if (array->clock)
        must(xtf_writer_add_clock_map(split->writer, array->clock, &number, &error) &&
                 xtf_writer_set_clock_map(split->writer, array->location, number, &error),
             error, "clock map");
    xtf_cursor_init(&cursor, &local);
    must(xtf_cursor_seek_n(&cursor, 0, &found, &error), error, "rows");
    while (found) {
        renumber_row(split, array->schema, xtf_cursor_row(&cursor), row);
        must(xtf_array_writer_append(to, row, &error) && xtf_cursor_next(&cursor, 1, &found, &error), error, "rows");
        if (++split->n_rows == split->volume_rows) {
            split->n_rows = 0;
            must(xtf_writer_begin_volume(split->writer, split->folder, split->name, &error), error, "volume");
        }
    }
    if (split->volume_rows == 0 || array->location % 2 > 0)
        must(xtf_array_writer_close(to, &error), error, "array");
}

static uint64_t proc_of(Split *split, uint64_t location)
{
    const XtfTable *table = table_of(split, XTF_TABLE_LOCATIONS);

    for (uint64_t i = 0; table && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        if (xtf_field_get(xtf_schema_field(table->schema, "id"), row) == location)
            return xtf_field_get(xtf_schema_field(table->schema, "proc"), row);
    }
    return location;
}

static void write_arrays(Split *split)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(split->trace); rank++) {
        GError *error = NULL;
        XtfArray array;
        must(xtf_trace_get_arrays(split->trace, rank, 1, &array, &error), error, "P index");
        if (has_process(split, proc_of(split, array.location)))
            write_array(split, &array);
    }
}

static void write_part(Split *split, const char *path, const char *codec)
{
    const XtfClock *clock = xtf_trace_clock(split->trace);
    const XtfWriterOptions options = {
        .resolution_num = clock->resolution_num,
        .resolution_den = clock->resolution_den,
        .origin = clock->origin,
        .codec = codec,
        .no_sync = true,
    };
    uint32_t n = xtf_trace_n_schemas(split->trace), id;
    GError *error = NULL;

    split->writer = xtf_writer_create(path, &options, &error);
    must(split->writer, error, path);
    split->rows = g_new0(uint32_t *, n);
    for (unsigned i = 0; i < split->part; i++) { /* so that parts number equal strings differently */
        g_autofree char *text = g_strdup_printf("part %u, string %u", split->part, i);
        must(xtf_writer_add_string(split->writer, text, &id, &error), error, "string");
    }
    for (uint32_t i = 0; i < n; i++) {
        must(xtf_writer_add_schema(split->writer, xtf_trace_schema(split->trace, i), &id, &error), error, "schema");
        if (xtf_trace_schema(split->trace, i)->kind == XTF_SCHEMA_TABLE)
            shuffle_table(split, xtf_trace_schema(split->trace, i));
    }
    for (uint32_t i = 0; i < n; i++)
        if (xtf_trace_schema(split->trace, i)->kind == XTF_SCHEMA_TABLE)
            write_table(split, xtf_trace_schema(split->trace, i));
    write_arrays(split);
    must(xtf_writer_close(split->writer, &error), error, path);
    for (uint32_t i = 0; i < n; i++)
        g_free(split->rows[i]);
    g_free(split->rows);
}

int main(int argc, char **argv)
{
    GError *error = NULL;

    if (argc < 5) {
        fputs("usage: split-trace TRACE PREFIX PARTS SEED [CODEC [ROWS]]\n", stderr);
        return 2;
    }
    Split split = {
        .trace = xtf_trace_open(argv[1], NULL, &error),
        .n_parts = (unsigned)atoi(argv[3]),
        .random = g_rand_new_with_seed((guint32)atoi(argv[4])),
    };
    g_autofree char *folder = g_path_get_dirname(argv[2]);
    must(split.trace, error, argv[1]);
    split.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    split.volume_rows = argc > 6 ? (unsigned)atoi(argv[6]) : 0;
    uint32_t n = xtf_trace_n_schemas(split.trace);
    split.references = g_new0(GArray *, n);
    for (uint32_t i = 0; i < n; i++)
        split.references[i] = xtf_schema_references(xtf_trace_schema(split.trace, i));
    for (; split.part < split.n_parts; split.part++) {
        g_autofree char *path = g_strdup_printf("%s-%u.xtf", argv[2], split.part);
        split.name = g_path_get_basename(path);
        write_part(&split, path, argc > 5 ? argv[5] : NULL);
        g_free(split.name);
    }
    for (uint32_t i = 0; i < n; i++)
        g_array_unref(split.references[i]);
    g_free(split.references);
    g_rand_free(split.random);
    xtf_trace_unref(split.trace);
    close(split.folder);
    return 0;
}

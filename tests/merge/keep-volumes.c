/*
 * Writes the rows of a trace in the order of time into volumes, and removes the first ones. A recorder with `--rotate`
 * and `--keep` does the same.
 *
 *     keep-volumes TRACE.xtf FOLDER NAME VOLUMES KEEP [compact|plain]      writes FOLDER/NAME, and prints the kept time
 *
 * KEEP is the number of earlier volumes to keep, 0 for all of them.
 */
#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libxtf/references.h"
#include "libxtf/xtf.h"

typedef struct {
    XtfArrayWriter *to;
    const XtfSchema *schema;
    GArray *strings; /* XtfReference */
} Target;

typedef struct {
    uint64_t time;
    uint32_t target; /* index of its array */
    uint32_t at;     /* offset in `rows`, in units of 4 bytes */
} Entry;

typedef struct {
    XtfTrace *trace;
    XtfWriter *writer;
    GArray *targets; /* Target */
    GArray *entries; /* Entry */
    GByteArray *rows;
} Keeping;

static void must(bool condition, GError *error, const char *subject)
{
    if (condition)
        return;
    fprintf(stderr, "keep-volumes: %s: %s\n", subject, error ? error->message : "failed");
    exit(1);
}

static GArray *find_string_references(const XtfSchema *schema)
{
    GArray *references = xtf_schema_references(schema);

    for (guint i = references->len; i > 0; i--)
        if (xtf_reference_at(references, i - 1)->table)
            g_array_remove_index(references, i - 1);
    return references;
}

static void copy_strings(Keeping *keeping, const XtfSchema *schema, const GArray *strings, uint8_t *row)
{
    for (guint i = 0; i < strings->len; i++) {
        const XtfReference *reference = xtf_reference_at(strings, i);
        const XtfField *field = &schema->fields[reference->field];
        const char *text;
        GError *error = NULL;
        uint32_t id;
        if (!xtf_reference_holds(reference, schema, row))
            continue;
        must(xtf_trace_string(keeping->trace, (uint32_t)xtf_field_get(field, row), &text, &error) &&
                 xtf_writer_add_string(keeping->writer, text, &id, &error),
             error, "string");
        xtf_field_set(field, row, id);
    }
}

static void copy_table(Keeping *keeping, const XtfSchema *schema)
{
    g_autoptr(GArray) strings = find_string_references(schema);
    const XtfTable *table = NULL;
    uint8_t row[XTF_ROW_MAX];
    GError *error = NULL;

    must(xtf_trace_table(keeping->trace, schema->name, &table, &error), error, schema->name);
    XtfTableWriter *to = table ? xtf_writer_table(keeping->writer, schema->id, &error) : NULL;
    for (uint64_t i = 0; table && i < table->n_rows; i++) {
        memcpy(row, table->rows + i * schema->row_size, schema->row_size);
        copy_strings(keeping, schema, strings, row);
        must(to && xtf_table_writer_append(to, row, NULL, &error), error, schema->name);
    }
}

/* Reads an array. Rows of one array stay in their order, as they are sorted by time and by their place in `rows`. */
static void read_array(Keeping *keeping, const XtfArray *array)
{
    const XtfArray local = xtf_array_local(array);
    GError *error = NULL;
    Target target = {.schema = array->schema, .strings = find_string_references(array->schema)};
    g_auto(XtfCursor) cursor;
    uint32_t number;
    bool found;

    target.to = xtf_writer_array(keeping->writer, array->location, array->schema->id, &error);
    must(target.to, error, "array");
    if (array->clock)
        must(xtf_writer_add_clock_map(keeping->writer, array->clock, &number, &error) &&
                 xtf_writer_set_clock_map(keeping->writer, array->location, number, &error),
             error, "clock map");
    xtf_cursor_init(&cursor, &local);
    must(xtf_cursor_seek_n(&cursor, 0, &found, &error), error, "rows");
    for (uint64_t n = 0; found; n++) {
        uint64_t time = xtf_cursor_time(&cursor);
        Entry entry = {array->clock ? xtf_clock_map_to_global(array->clock, time) : time, keeping->targets->len,
                       keeping->rows->len / 4};
        g_byte_array_append(keeping->rows, xtf_cursor_row(&cursor), array->schema->row_size);
        g_byte_array_set_size(keeping->rows, (keeping->rows->len + 3) / 4 * 4);
        g_array_append_val(keeping->entries, entry);
        must(xtf_cursor_next(&cursor, 1, &found, &error), error, "rows");
    }
    g_array_append_val(keeping->targets, target);
}

static gint compare_entries(gconstpointer left, gconstpointer right)
{
    const Entry *a = left, *b = right;

    return a->time != b->time ? (a->time < b->time ? -1 : 1) : a->at < b->at ? -1 : a->at > b->at;
}

static void write_rows(Keeping *keeping, int folder, const char *name, guint n_volumes)
{
    guint n = keeping->entries->len, volume = n / n_volumes + 1;
    uint8_t row[XTF_ROW_MAX];
    GError *error = NULL;

    g_array_sort(keeping->entries, compare_entries);
    for (guint i = 0; i < n; i++) {
        const Entry *entry = &g_array_index(keeping->entries, Entry, i);
        const Target *target = &g_array_index(keeping->targets, Target, entry->target);
        if (i > 0 && i % volume == 0)
            must(xtf_writer_begin_volume(keeping->writer, folder, name, &error), error, "volume");
        memcpy(row, keeping->rows->data + (gsize)entry->at * 4, target->schema->row_size);
        copy_strings(keeping, target->schema, target->strings, row);
        must(xtf_array_writer_append(target->to, row, &error), error, "row");
    }
}

static void write_trace(Keeping *keeping, const char *folder, const char *name, guint n_volumes)
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    uint32_t n = xtf_trace_n_schemas(keeping->trace), id;
    GError *error = NULL;

    for (uint32_t i = 0; i < n; i++)
        must(xtf_writer_add_schema(keeping->writer, xtf_trace_schema(keeping->trace, i), &id, &error), error, "schema");
    for (uint32_t i = 0; i < n; i++)
        if (xtf_trace_schema(keeping->trace, i)->kind == XTF_SCHEMA_TABLE)
            copy_table(keeping, xtf_trace_schema(keeping->trace, i));
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(keeping->trace); rank++) {
        XtfArray array;
        must(xtf_trace_get_arrays(keeping->trace, rank, 1, &array, &error), error, "P index");
        read_array(keeping, &array);
    }
    write_rows(keeping, fd, name, n_volumes);
    must(xtf_writer_close(keeping->writer, &error), error, name);
    close(fd);
}

static void print_kept_time(const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    XtfTraceInfo info;

    must(trace, error, path);
    xtf_trace_get_info(trace, &info);
    printf("%" PRIu64 " %" PRIu32 "\n", xtf_trace_clock(trace)->first, info.removed);
}

int main(int argc, char **argv)
{
    GError *error = NULL;

    if (argc < 6) {
        fputs("usage: keep-volumes TRACE FOLDER NAME VOLUMES KEEP [CODEC]\n", stderr);
        return 2;
    }
    Keeping keeping = {.trace = xtf_trace_open(argv[1], NULL, &error),
                       .targets = g_array_new(FALSE, FALSE, sizeof(Target)),
                       .entries = g_array_new(FALSE, FALSE, sizeof(Entry)),
                       .rows = g_byte_array_new()};
    must(keeping.trace, error, argv[1]);
    const XtfClock *clock = xtf_trace_clock(keeping.trace);
    const XtfWriterOptions options = {.resolution_num = clock->resolution_num,
                                      .resolution_den = clock->resolution_den,
                                      .origin = clock->origin,
                                      .codec = argc > 6 ? argv[6] : NULL,
                                      .keep_volumes = (uint32_t)atoi(argv[5]),
                                      .no_sync = true};
    g_autofree char *path = g_build_filename(argv[2], argv[3], NULL);
    keeping.writer = xtf_writer_create(path, &options, &error);
    must(keeping.writer, error, path);
    write_trace(&keeping, argv[2], argv[3], (guint)atoi(argv[4]));
    print_kept_time(path);
    for (guint i = 0; i < keeping.targets->len; i++)
        g_array_unref(g_array_index(keeping.targets, Target, i).strings);
    g_array_unref(keeping.targets);
    g_array_unref(keeping.entries);
    g_byte_array_unref(keeping.rows);
    xtf_trace_unref(keeping.trace);
    return 0;
}

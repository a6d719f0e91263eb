/*
 * The C side of the comparison with the independent reader. Writes random traces, and prints the contents of a trace in
 * the format of that reader.
 *
 *     dump-trace write FILE CODEC SEED PAGE-SIZE LOCATIONS ROWS [FIRST]
 *                                       ROWS rows in each record array; CODEC plain or compact; locations from FIRST on
 *     dump-trace volumes FILE CODEC SEED PAGE-SIZE LOCATIONS ROWS      the same, in three volumes
 *     dump-trace rows FILE              every row of every array, then of every table
 *     dump-trace counts FILE SEED N                                counts of N random windows of random arrays
 *     dump-trace totals FILE SEED N                                totals of N random runs of rows
 *     dump-trace align FILE SEED                                   sets new clock maps for most locations of a file
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libxtf/xtf.h"

enum { WIDE_FIELDS = 50, NAMES = 40 };

static const char *const event_labels[] = {"ENTER", "LEAVE", "SEND\tor so", NULL};

static const XtfFieldSpec all_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "event", .type = XTF_TYPE_U8, .labels = event_labels, .flags = XTF_FIELD_OPTIONAL},
    {.name = "small", .type = XTF_TYPE_U16, .flags = XTF_FIELD_OPTIONAL},
    {.name = "name", .type = XTF_TYPE_U32, .refers_to = "names", .flags = XTF_FIELD_OPTIONAL | XTF_FIELD_NAMES},
    {.name = "bytes", .type = XTF_TYPE_U64, .unit = "B", .flags = XTF_FIELD_OPTIONAL},
    {.name = "delta", .type = XTF_TYPE_I32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "offset", .type = XTF_TYPE_I64},
    {.name = "value", .type = XTF_TYPE_F64, .flags = XTF_FIELD_OPTIONAL},
    {.name = "text", .type = XTF_TYPE_STRING, .flags = XTF_FIELD_OPTIONAL},
    {.name = "lost", .type = XTF_TYPE_U16, .refers_to = "nowhere"},
    {.name = "until", .type = XTF_TYPE_U64, .flags = XTF_FIELD_OPTIONAL | XTF_FIELD_INSTANT},
    {.name = "took", .type = XTF_TYPE_U64, .flags = XTF_FIELD_DURATION},
    {0},
};

static const XtfFieldSpec narrow_fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {0}};

static const XtfFieldSpec names_fields[] = {
    {.name = "number", .type = XTF_TYPE_U32},
    {.name = "name", .type = XTF_TYPE_STRING},
    {.name = "parent", .type = XTF_TYPE_U16, .refers_to = "names", .flags = XTF_FIELD_OPTIONAL},
    {0},
};

static void die(const GError *error)
{
    fprintf(stderr, "dump-trace: %s\n", error ? error->message : "failed");
    exit(1);
}

/* Returns a schema whose rows are so wide that few fill a page: trees are high with little data. Its aggregate is of
 * frames, and any values in the rows give valid totals. */
static XtfSchema *wide_schema(GError **error)
{
    XtfFieldSpec fields[WIDE_FIELDS + 1] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
        {.name = "region", .type = XTF_TYPE_U32},
        {.name = "end", .type = XTF_TYPE_U8},
        {.name = "begin", .type = XTF_TYPE_U64, .flags = XTF_FIELD_DISTANCE},
        {.name = "outermost", .type = XTF_TYPE_U8},
    };
    static const char *const keys[] = {"region", NULL}, *const values[] = {"end", "begin", "outermost", NULL};
    const XtfAggregateSpec aggregate = {.kind = XTF_AGGREGATE_FRAMES, .keys = keys, .values = values};
    char names[WIDE_FIELDS][8];

    for (unsigned i = 5; i < WIDE_FIELDS; i++) {
        g_snprintf(names[i], sizeof names[i], "f%u", i);
        fields[i] = (XtfFieldSpec){.name = names[i], .type = XTF_TYPE_U64, .flags = i & 1 ? XTF_FIELD_OPTIONAL : 0};
    }
    XtfSchema *schema = xtf_schema_new("wide", XTF_SCHEMA_SIDE, fields, error);
    return schema && xtf_schema_add_aggregate(schema, &aggregate, error) ? schema : NULL;
}

/* Returns a schema with an aggregate of groups by two keys, with values of either sign. */
static XtfSchema *all_schema(GError **error)
{
    static const char *const keys[] = {"event", "name", NULL}, *const values[] = {"bytes", "delta", NULL};
    const XtfAggregateSpec aggregate = {
        .kind = XTF_AGGREGATE_GROUPS, .keys = keys, .values = values, .extremes = true, .filters = true};
    XtfSchema *schema = xtf_schema_new("all", XTF_SCHEMA_RECORD, all_fields, error);

    return schema && xtf_schema_add_aggregate(schema, &aggregate, error) ? schema : NULL;
}

static uint64_t random64(GRand *random)
{
    return (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
}

/* Returns a random value, often "none", small or huge. */
static uint64_t random_value(GRand *random)
{
    switch (g_rand_int_range(random, 0, 4)) {
    case 0:
        return UINT64_MAX;
    case 1:
        return (uint64_t)g_rand_int_range(random, 0, 5);
    case 2:
        return g_rand_int(random);
    default:
        return random64(random);
    }
}

static void fill_field(XtfWriter *writer, GRand *random, const XtfField *field, uint8_t *row)
{
    uint64_t value = random_value(random);
    GError *error = NULL;

    if (field->type == XTF_TYPE_F64 && !(field->flags & XTF_FIELD_OPTIONAL && value == UINT64_MAX)) {
        double number = g_rand_double_range(random, -1e6, 1e6);
        memcpy(&value, &number, sizeof value);
    } else if (field->type == XTF_TYPE_STRING && !(field->flags & XTF_FIELD_OPTIONAL && value == UINT64_MAX)) {
        char text[32];
        uint32_t id;
        g_snprintf(text, sizeof text, "text %d\n\\ äöü", g_rand_int_range(random, 0, 100));
        if (!xtf_writer_add_string(writer, text, &id, &error))
            die(error);
        value = id;
    } else if (*field->refers_to) {
        value = g_rand_int_range(random, 0, 9) ? (uint64_t)g_rand_int_range(random, 0, NAMES + 2) : UINT64_MAX;
    }
    xtf_field_set(field, row, value);
}

static void append_rows(XtfWriter *writer, GRand *random, uint64_t location, uint32_t id, const XtfSchema *schema,
                        uint32_t n)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writer, location, id, &error);
    uint8_t row[XTF_ROW_MAX];

    if (!array)
        die(error);
    uint64_t time = xtf_array_writer_last(array);
    for (uint32_t i = 0; i < n; i++) {
        if (g_rand_int_range(random, 0, 3) == 0) /* the others have the same time */
            time += (uint64_t)g_rand_int_range(random, 0, 1000);
        for (uint32_t f = 0; f < schema->n_fields; f++)
            fill_field(writer, random, &schema->fields[f], row);
        xtf_field_set(&schema->fields[0], row, time);
        const XtfField *seq = xtf_schema_field_by_role(schema, "seq");
        if (seq)
            xtf_field_set(seq, row, xtf_array_writer_n_rows(array));
        if (!xtf_array_writer_append(array, row, &error))
            die(error);
    }
}

static void add_names(XtfWriter *writer, GRand *random, uint32_t id, const XtfSchema *schema)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(writer, id, &error);
    uint8_t row[XTF_ROW_MAX];

    for (unsigned i = 0; table && i < NAMES / 2; i++) {
        for (uint32_t f = 0; f < schema->n_fields; f++)
            fill_field(writer, random, &schema->fields[f], row);
        if (!xtf_table_writer_append(table, row, NULL, &error))
            die(error);
    }
    if (!table)
        die(error);
}

/* Sets a clock map with knots in about [from, to]. The clocks are up to hours apart, and drift and jump. */
static void set_map(XtfWriter *writer, GRand *random, uint64_t location, uint64_t from, uint64_t to)
{
    XtfClockKnot knots[20];
    XtfClockMap map = {.knots = knots, .n_knots = (uint32_t)g_rand_int_range(random, 1, G_N_ELEMENTS(knots) + 1)};
    uint64_t local = from / 2 + random64(random) % (from / 2 + 1), global = random64(random) % (UINT64_C(1) << 45);
    uint64_t step = (to - MIN(from, to)) / map.n_knots + 1;
    GError *error = NULL;
    uint32_t number;

    for (uint32_t i = 0; i < map.n_knots; i++) {
        uint64_t run = 1 + random64(random) % (2 * step), drift = run / XTF_CLOCK_DRIFT + 1;
        knots[i] = (XtfClockKnot){.local = local, .global = global, .jumps = g_rand_int_range(random, 0, 6) == 0};
        local += run;
        global += knots[i].jumps ? run + random64(random) % 100000 : run - 1 - drift / 2 + random64(random) % drift;
    }
    if (!xtf_writer_add_clock_map(writer, &map, &number, &error) ||
        !xtf_writer_set_clock_map(writer, location, number, &error))
        die(error);
}

/* Writes rows of every array in portions, with a commit after each portion. */
static void write_once(XtfWriter *writer, GRand *random, uint32_t first, uint32_t locations, uint32_t rows)
{
    GError *error = NULL;
    XtfSchema *schemas[4] = {
        all_schema(&error),
        xtf_schema_new("narrow", XTF_SCHEMA_RECORD, narrow_fields, &error),
        wide_schema(&error),
        xtf_schema_new("names", XTF_SCHEMA_TABLE, names_fields, &error),
    };
    uint32_t ids[G_N_ELEMENTS(schemas)];

    for (unsigned i = 0; i < G_N_ELEMENTS(schemas); i++)
        if (!schemas[i] || !xtf_writer_add_schema(writer, schemas[i], &ids[i], &error))
            die(error);
    add_names(writer, random, ids[3], schemas[3]);
    for (unsigned portion = 0; portion < 3; portion++) {
        for (uint32_t l = 0; l < locations; l++) {
            uint64_t location = (uint64_t)(l % 3) << 32 | (first + l);
            if (portion == 0 && l % 4 != 3)
                set_map(writer, random, location, 0, UINT64_C(170) * rows);
            append_rows(writer, random, location, ids[0], schemas[0], rows / 6);
            append_rows(writer, random, location, ids[1], schemas[1], l % 5 == 0 ? rows / 6 : 1);
            append_rows(writer, random, location, ids[2], schemas[2], l % 2 == 0 ? rows / 6 : 0);
        }
        if (!xtf_writer_commit(writer, &error))
            die(error);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(schemas); i++)
        xtf_schema_free(schemas[i]);
}

static void begin_volume(XtfWriter *writer, const char *path)
{
    GError *error = NULL;
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (descriptor < 0 || !xtf_writer_begin_volume(writer, descriptor, name, &error))
        die(error);
    close(descriptor);
}

static void write_trace(const char *path, bool plain, uint32_t seed, uint32_t page_size, uint32_t first,
                        uint32_t locations, uint32_t rows, bool volumes)
{
    GError *error = NULL;
    GRand *random = g_rand_new_with_seed(seed);
    XtfWriterOptions options = {
        .page_size = page_size, .codec = plain ? "plain" : NULL, .origin = UINT64_MAX, .no_sync = true};

    for (unsigned writer_number = 0; writer_number < 2; writer_number++) {
        XtfWriter *writer =
            writer_number == 0 ? xtf_writer_create(path, &options, &error) : xtf_writer_open(path, &options, &error);
        if (!writer)
            die(error);
        write_once(writer, random, first, locations, rows);
        if (volumes)
            begin_volume(writer, path);
        if (!xtf_writer_close(writer, &error))
            die(error);
    }
    g_rand_free(random);
}

/* Corrects the clocks of a file without adding rows. Every fifth location gets no map. */
static void align_clocks(const char *path, uint32_t seed)
{
    GError *error = NULL;
    GRand *random = g_rand_new_with_seed(seed);
    XtfWriterOptions options = {.no_sync = true};
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    XtfWriter *writer = trace ? xtf_writer_open(path, &options, &error) : NULL;
    uint64_t location = UINT64_MAX;

    if (!writer)
        die(error);
    for (uint64_t i = 0; i < xtf_trace_n_arrays(trace); i++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, i, 1, &array, &error))
            die(error);
        if (array.location != location && g_rand_int_range(random, 0, 5) > 0)
            set_map(writer, random, array.location, array.local_first, array.local_last);
        location = array.location;
    }
    if (!xtf_writer_close(writer, &error))
        die(error);
    g_rand_free(random);
}

static void print_escaped(const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || *text == '\t' || *text == '\n')
            printf("\\%c", *text == '\t' ? 't' : *text == '\n' ? 'n' : '\\');
        else
            putchar(*text);
    }
}

static void print_string(XtfTrace *trace, uint64_t id)
{
    GError *error = NULL;
    const char *text;

    if (!xtf_trace_string(trace, (uint32_t)id, &text, &error))
        die(error);
    print_escaped(text);
}

/* Prints the name of a table's row: its first STRING. Returns false if the row or the name does not exist. */
static bool print_name(XtfTrace *trace, const char *table_name, uint64_t number)
{
    GError *error = NULL;
    const XtfTable *table;

    if (!xtf_trace_table(trace, table_name, &table, &error))
        die(error);
    for (uint32_t f = 0; table && number < table->n_rows && f < table->schema->n_fields; f++) {
        if (table->schema->fields[f].type == XTF_TYPE_STRING) {
            print_string(trace,
                         xtf_field_get(&table->schema->fields[f], table->rows + number * table->schema->row_size));
            return true;
        }
    }
    return false;
}

static void print_bytes(const uint8_t *bytes, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        printf("%02x", bytes[i]);
}

static void print_value(XtfTrace *trace, const XtfField *field, const uint8_t *row)
{
    uint64_t value = xtf_field_get(field, row);

    if (xtf_field_is_none(field, row))
        putchar('-');
    else if (xtf_type_width(field->type) == 0)
        print_bytes(row + field->offset, field->width);
    else if (field->type == XTF_TYPE_STRING)
        print_string(trace, value);
    else if (*field->refers_to && print_name(trace, field->refers_to, value))
        return;
    else if (field->type == XTF_TYPE_F64)
        printf("%.17g", xtf_field_get_f64(field, row));
    else if (value < field->n_labels)
        print_escaped(field->labels[value]);
    else if (field->type == XTF_TYPE_I32 || field->type == XTF_TYPE_I64)
        printf("%" PRId64, (int64_t)value);
    else
        printf("%" PRIu64, value);
}

static void print_values(XtfTrace *trace, const XtfSchema *schema, const uint8_t *row)
{
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        if (f > 0)
            putchar('\t');
        print_value(trace, &schema->fields[f], row);
    }
    putchar('\n');
}

static XtfArray *all_arrays(XtfTrace *trace)
{
    GError *error = NULL;
    XtfArray *arrays = g_new(XtfArray, xtf_trace_n_arrays(trace));

    if (!xtf_trace_get_arrays(trace, 0, xtf_trace_n_arrays(trace), arrays, &error))
        die(error);
    return arrays;
}

static void print_rows(XtfTrace *trace)
{
    GError *error = NULL;
    g_autofree XtfArray *arrays = all_arrays(trace);
    bool found;

    for (uint64_t i = 0; i < xtf_trace_n_arrays(trace); i++) {
        g_auto(XtfCursor) cursor;
        if (!xtf_array_is_supported(&arrays[i], NULL))
            continue;
        xtf_cursor_init(&cursor, &arrays[i]);
        bool good = xtf_cursor_seek_n(&cursor, 0, &found, &error);
        while (good && found) {
            printf("%" PRIu64 "\t%s\t", arrays[i].location, arrays[i].schema->name);
            print_values(trace, arrays[i].schema, xtf_cursor_row(&cursor));
            good = xtf_cursor_next(&cursor, 1, &found, &error);
        }
        if (!good)
            die(error);
    }
    for (uint32_t id = 0; id < xtf_trace_n_schemas(trace); id++) {
        const XtfSchema *schema = xtf_trace_schema(trace, id);
        const XtfTable *table = NULL;
        if (schema->kind == XTF_SCHEMA_TABLE && !xtf_trace_table(trace, schema->name, &table, &error))
            die(error);
        for (uint64_t row = 0; table && row < table->n_rows; row++)
            print_values(trace, schema, table->rows + row * schema->row_size);
    }
}

/* Returns a time at, just before or just after a row, or any time. */
static uint64_t random_time(const XtfArray *array, GRand *random)
{
    GError *error = NULL;
    uint64_t time;

    if (g_rand_int_range(random, 0, 10) == 0)
        return random64(random);
    if (!xtf_array_time(array, random64(random) % array->n_rows, &time, &error))
        die(error);
    return time + (uint64_t)g_rand_int_range(random, 0, 3) - (time > 0);
}

static void print_counts(XtfTrace *trace, uint32_t seed, uint32_t n)
{
    GError *error = NULL;
    GRand *random = g_rand_new_with_seed(seed);
    g_autofree XtfArray *arrays = all_arrays(trace);

    for (uint32_t i = 0; i < n; i++) {
        const XtfArray *array = &arrays[random64(random) % xtf_trace_n_arrays(trace)];
        uint64_t begin = random_time(array, random), end = random_time(array, random), size;
        if (!xtf_array_size_t(array, begin, end, &size, &error))
            die(error);
        printf("%" PRIu64 "\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", array->location, array->schema->id, begin,
               end, size);
    }
    g_rand_free(random);
}

static void print_groups(const XtfGroupTotals *totals, const XtfAggregate *aggregate)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        printf("\t");
        for (unsigned k = 0; k < aggregate->n_keys; k++)
            printf("%s%" PRIu64, k > 0 ? "," : "", xtf_group_totals_key(totals, i)[k]);
        for (unsigned c = 0; c < xtf_aggregate_n_cells(aggregate); c++)
            printf("%s%" PRIu64, c > 0 ? "," : "=", xtf_group_totals_cells(totals, i)[c]);
    }
    printf("\n");
}

/* Prints totals of random rows of random arrays, and for frames profiles of random windows, too. */
static void print_totals(XtfTrace *trace, uint32_t seed, uint32_t n)
{
    GError *error = NULL;
    GRand *random = g_rand_new_with_seed(seed);
    g_autofree XtfArray *arrays = all_arrays(trace);

    for (uint32_t i = 0; i < n; i++) {
        const XtfArray *array = &arrays[random64(random) % xtf_trace_n_arrays(trace)];
        uint64_t n1 = i % 4 ? random64(random) % (array->n_rows + 1) : 0,
                 n2 = i % 4 ? random64(random) % (array->n_rows + 1) : array->n_rows;
        uint64_t a = random_time(array, random), b = random_time(array, random);
        for (unsigned index = 0; index < array->schema->n_aggregates; index++) {
            const XtfAggregate *aggregate = &array->schema->aggregates[index];
            if (aggregate->kind == XTF_AGGREGATE_UNKNOWN)
                continue;
            g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
            if (!xtf_array_totals(array, index, NULL, n1, n2, totals, &error))
                die(error);
            printf("rows\t%" PRIu64 "\t%u\t%u\t%" PRIu64 "\t%" PRIu64, array->location, array->schema->id, index, n1,
                   n2);
            print_groups(totals, aggregate);
            xtf_group_totals_clear(totals);
            if (aggregate->kind != XTF_AGGREGATE_FRAMES || a >= b)
                continue;
            if (!xtf_array_profile(array, index, a, b, array->local_first / 2, array->local_last + 1000, totals,
                                   &error))
                die(error);
            printf("time\t%" PRIu64 "\t%u\t%u\t%" PRIu64 "\t%" PRIu64, array->location, array->schema->id, index, a, b);
            print_groups(totals, aggregate);
        }
    }
    g_rand_free(random);
}

int main(int argc, char **argv)
{
    GError *error = NULL;

    if ((argc == 8 || argc == 9) && (g_str_equal(argv[1], "write") || g_str_equal(argv[1], "volumes"))) {
        write_trace(argv[2], g_str_equal(argv[3], "plain"), (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]),
                    argc == 9 ? (uint32_t)atoi(argv[8]) : 0, (uint32_t)atoi(argv[6]), (uint32_t)atoi(argv[7]),
                    g_str_equal(argv[1], "volumes"));
        return 0;
    }
    if (argc == 4 && g_str_equal(argv[1], "align")) {
        align_clocks(argv[2], (uint32_t)atoi(argv[3]));
        return 0;
    }
    g_autoptr(XtfTrace) trace = argc >= 3 ? xtf_trace_open(argv[2], NULL, &error) : NULL;
    if (!trace)
        die(error);
    if (argc == 3 && g_str_equal(argv[1], "rows"))
        print_rows(trace);
    else if (argc == 5 && g_str_equal(argv[1], "counts") && xtf_trace_n_arrays(trace) > 0)
        print_counts(trace, (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    else if (argc == 5 && g_str_equal(argv[1], "totals") && xtf_trace_n_arrays(trace) > 0)
        print_totals(trace, (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    else
        return 2;
    return 0;
}

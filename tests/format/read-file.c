/*
 * Prints rows and totals of a file, for test_format_files.py.
 *
 * - read-file FILE: all rows, and their totals
 * - read-file FILE rows: all rows
 * - read-file FILE LOCATION SCHEMA FIRST END BEGIN TO: totals of rows [FIRST, END), time by key in [BEGIN, TO)
 *
 * The lines are:
 *
 * - table NAME VALUES...: a row of a table
 * - row LOCATION SCHEMA VALUES...: a row of an array, with global times
 * - total LOCATION SCHEMA AGGREGATE KEYS... = CELLS...: a group of the rows; KEYS and CELLS are U64
 * - window LOCATION SCHEMA AGGREGATE KEY = CELLS...: a group of the window
 *
 * Integers are decimal, and none is "-". The bits of a double follow "d", and the bytes of a string follow "x", both
 * in hexadecimal digits. A value of an unknown type is "b" and its bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/xtf.h"

/* Ends the program with the error's message, unless `good`. */
static void check_read(bool good, GError **error)
{
    if (good)
        return;
    printf("\nerror: %s\n", (*error)->message);
    exit(1);
}

static void print_string(XtfTrace *trace, uint64_t id)
{
    GError *error = NULL;
    const char *text;

    check_read(xtf_trace_string(trace, (uint32_t)id, &text, &error), &error);
    printf(" x");
    for (; *text; text++)
        printf("%02x", (unsigned char)*text);
}

/* True if the value is a string: by its type, or by the value of another field. */
static bool is_string(const XtfSchema *schema, const XtfField *field, const uint8_t *row)
{
    const char *colon = strchr(field->refers_to, ':');

    if (field->type == XTF_TYPE_STRING || !colon)
        return field->type == XTF_TYPE_STRING;
    g_autofree char *name = g_strndup(field->refers_to, (gsize)(colon - field->refers_to));
    const XtfField *chooser = xtf_schema_field(schema, name);
    if (!chooser) /* the other field has an unknown type, or is missing, which `xtf check` reports */
        return false;
    uint64_t label = xtf_field_get(chooser, row);
    g_autofree char *choice =
        label < chooser->n_labels ? g_strdup_printf("%s=", chooser->labels[label]) : g_strdup("?");
    g_auto(GStrv) choices = g_strsplit(colon + 1, ",", -1);
    return g_strv_contains((const char *const *)choices, choice);
}

/* Prints a value of an unknown type. */
static void print_bytes(const uint8_t *bytes, uint32_t n)
{
    printf(" b");
    for (uint32_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
}

static void print_values(XtfTrace *trace, const XtfSchema *schema, const uint8_t *row)
{
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        uint64_t value = xtf_field_get(field, row);
        if (xtf_field_is_none(field, row))
            printf(" -");
        else if (xtf_type_width(field->type) == 0)
            print_bytes(row + field->offset, field->width);
        else if (is_string(schema, field, row))
            print_string(trace, value);
        else if (field->type == XTF_TYPE_F64)
            printf(" d%016" PRIx64, value);
        else if (field->type == XTF_TYPE_I32 || field->type == XTF_TYPE_I64)
            printf(" %" PRId64, (int64_t)value);
        else
            printf(" %" PRIu64, value);
    }
    printf("\n");
}

static void print_tables(XtfTrace *trace)
{
    GError *error = NULL;

    for (uint32_t id = 0; id < xtf_trace_n_schemas(trace); id++) {
        const XtfSchema *schema = xtf_trace_schema(trace, id);
        const XtfTable *table = NULL;
        if (schema->kind == XTF_SCHEMA_TABLE)
            check_read(xtf_trace_table(trace, schema->name, &table, &error), &error);
        for (uint64_t row = 0; table && row < table->n_rows; row++) {
            printf("table %s", schema->name);
            print_values(trace, schema, table->rows + row * schema->row_size);
        }
    }
}

/* Returns how many of the array's first rows were removed together with their volumes. */
static uint64_t count_removed(const XtfArray *array)
{
    uint8_t row[XTF_ROW_MAX];

    for (uint64_t n = 0; n < array->n_rows; n++) {
        g_autoptr(GError) error = NULL;
        if (xtf_array_row(array, n, row, &error) || !g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND))
            return n;
    }
    return array->n_rows;
}

static void print_rows(XtfTrace *trace, const XtfArray *array, uint64_t n_removed)
{
    g_auto(XtfCursor) cursor = {0};
    GError *error = NULL;
    bool found;

    if (n_removed > 0)
        printf("removed %" PRIu64 " %s %" PRIu64 "\n", array->location, array->schema->name, n_removed);
    if (n_removed == array->n_rows)
        return;
    xtf_cursor_init(&cursor, array);
    bool good = xtf_cursor_seek_n(&cursor, n_removed, &found, &error);
    while (good && found) {
        printf("row %" PRIu64 " %s", array->location, array->schema->name);
        print_values(trace, array->schema, xtf_cursor_row(&cursor));
        good = xtf_cursor_next(&cursor, 1, &found, &error);
    }
    check_read(good, &error);
}

static void print_groups(const char *head, const XtfArray *array, unsigned index, XtfGroupTotals *totals)
{
    const XtfAggregate *aggregate = &array->schema->aggregates[index];

    xtf_group_totals_sort(totals);
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        printf("%s %" PRIu64 " %s %u", head, array->location, array->schema->name, index);
        for (unsigned k = 0; k < aggregate->n_keys; k++)
            printf(" %" PRIu64, xtf_group_totals_key(totals, i)[k]);
        printf(" =");
        for (unsigned c = 0; c < xtf_aggregate_n_cells(aggregate); c++)
            printf(" %" PRIu64, xtf_group_totals_cells(totals, i)[c]);
        printf("\n");
    }
}

static void print_totals(const XtfArray *array, unsigned index, uint64_t first, uint64_t end)
{
    const XtfAggregate *aggregate = &array->schema->aggregates[index];
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
    GError *error = NULL;

    check_read(xtf_array_totals(array, index, NULL, first, end, totals, &error), &error);
    print_groups("total", array, index, totals);
}

/* Prints the time by key in a window of an array of frames; the location has no other records. */
static void print_window(const XtfArray *array, uint64_t begin, uint64_t to)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    GError *error = NULL;

    check_read(xtf_array_profile(array, 0, begin, to, array->local_first, array->local_last, totals, &error), &error);
    print_groups("window", array, 0, totals);
}

static void print_part(const XtfArray *array, char **arguments)
{
    uint64_t numbers[4];

    for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
        numbers[i] = g_ascii_strtoull(arguments[i], NULL, 10);
    for (unsigned index = 0; index < array->schema->n_aggregates; index++)
        print_totals(array, index, numbers[0], numbers[1]);
    print_window(array, numbers[2], numbers[3]);
}

static void print_all(XtfTrace *trace, const XtfArray *arrays, uint64_t n, bool totals)
{
    print_tables(trace);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t n_removed = count_removed(&arrays[i]);
        print_rows(trace, &arrays[i], n_removed);
        for (unsigned index = 0; totals && n_removed == 0 && index < arrays[i].schema->n_aggregates; index++)
            print_totals(&arrays[i], index, 0, arrays[i].n_rows);
    }
}

int main(int argc, char **argv)
{
    GError *error = NULL;

    if (argc != 2 && argc != 3 && argc != 8)
        return 2;
    g_autoptr(XtfTrace) trace = xtf_trace_open(argv[1], NULL, &error);
    check_read(trace, &error);
    uint64_t n = xtf_trace_n_arrays(trace);
    g_autofree XtfArray *arrays = g_new(XtfArray, n);
    check_read(xtf_trace_get_arrays(trace, 0, n, arrays, &error), &error);
    if (argc < 4)
        print_all(trace, arrays, n, argc == 2);
    for (uint64_t i = 0; argc > 3 && i < n; i++)
        if (arrays[i].location == g_ascii_strtoull(argv[2], NULL, 10) && g_str_equal(arrays[i].schema->name, argv[3]))
            print_part(&arrays[i], argv + 4);
    return 0;
}

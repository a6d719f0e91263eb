/*
 * Prints the records of one type of one location: print-array FILE LOCATION TYPE [FROM]
 *
 * One line a record, from time FROM (ticks) on, its fields as the schema in the file says. A cursor goes through the
 * leaves page by page.
 */
#include <libxtf/xtf.h>
#include <stdio.h>
#include <stdlib.h>

static void print_row(const XtfSchema *schema, const uint8_t *row)
{
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        const XtfField *field = &schema->fields[i];
        uint64_t value = xtf_field_get(field, row);
        if (xtf_field_is_none(field, row))
            printf("%s-", i ? " " : "");
        else if (field->type == XTF_TYPE_F64)
            printf("%s%.17g", i ? " " : "", xtf_field_get_f64(field, row));
        else if (field->type == XTF_TYPE_I32 || field->type == XTF_TYPE_I64)
            printf("%s%" G_GINT64_FORMAT, i ? " " : "", (int64_t)value);
        else if (value < field->n_labels)
            printf("%s%s", i ? " " : "", field->labels[value]);
        else
            printf("%s%" G_GUINT64_FORMAT, i ? " " : "", value);
    }
    putchar('\n');
}

static bool print_array(const char *path, uint64_t location, const char *type, uint64_t from, GError **error)
{
    XtfArray array;
    bool found;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (!trace)
        return false;
    const XtfSchema *schema = xtf_trace_find_schema(trace, type);
    if (!schema)
        return true;
    if (!xtf_trace_find_array(trace, location, schema->id, &array, &found, error))
        return false;
    if (!found)
        return true;

    g_auto(XtfCursor) cursor;
    xtf_cursor_init(&cursor, &array);
    if (!xtf_cursor_seek_t(&cursor, from, &found, error))
        return false;
    while (found) {
        print_row(schema, xtf_cursor_row(&cursor));
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: print-array FILE LOCATION TYPE [FROM]\n");
        return 2;
    }
    if (!print_array(argv[1], strtoull(argv[2], NULL, 10), argv[3], argc == 5 ? strtoull(argv[4], NULL, 10) : 0,
                     &error)) {
        fprintf(stderr, "print-array: %s\n", error->message);
        return 1;
    }
    return 0;
}

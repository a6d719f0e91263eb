/*
 * docs/VOCABULARY.md, compared with the model. The page must have every record type, side array and table, with all
 * events, fields, types, roles and references, and every kind of wait.
 */
#include <criterion/criterion.h>
#include <glib.h>

#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

/* Returns the lines from a schema's heading to the next one. */
static char **section_of(const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *page = NULL, *heading = g_strdup_printf("\n### `%s`", name);

    cr_assert(g_file_get_contents(VOCABULARY, &page, NULL, &error), "%s", error ? error->message : "");
    char *begin = strstr(page, heading);
    cr_assert(begin, "no section of %s", name);
    begin = strchr(begin + 1, '\n');
    char *end = strstr(begin, "\n#");
    if (end)
        *end = '\0';
    cr_assert_null(strstr(begin, heading), "two sections of %s", name);
    return g_strsplit(begin, "\n", -1);
}

/* Returns the cells of the first table's rows that begin with a name, trimmed and without back quotes. */
static GPtrArray *rows_of(char **lines)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);

    for (; *lines; lines++) {
        if (rows->len && !g_str_has_prefix(*lines, "|"))
            break;
        if (!g_str_has_prefix(*lines, "| `"))
            continue;
        char **cells = g_strsplit(*lines + 1, "|", -1);
        for (char **cell = cells; *cell; cell++) {
            g_strdelimit(*cell, "`", ' ');
            g_strstrip(*cell);
        }
        cr_assert_geq(g_strv_length(cells), 5, "%s", *lines);
        g_ptr_array_add(rows, cells);
    }
    return rows;
}

static char *type_of(const XtfField *field)
{
    static const char *const types[] = {"", "U8", "U16", "U32", "U64", "I32", "I64", "F64", "STRING"};

    return g_strdup_printf("%s%s%s%s%s", types[field->type], field->flags & XTF_FIELD_OPTIONAL ? " or none" : "",
                           field->n_labels > 0 ? ", labels" : "", *field->unit ? ", " : "", field->unit);
}

static void check_field(const XtfSchema *schema, const XtfField *field, char **cells)
{
    g_autofree char *type = type_of(field);

    cr_assert_str_eq(cells[0], field->name, "%s: %s should be %s", schema->name, cells[0], field->name);
    cr_assert_str_eq(cells[1], type, "%s.%s: %s should be %s", schema->name, field->name, cells[1], type);
    cr_assert_str_eq(cells[2], field->role, "%s.%s: %s should be %s", schema->name, field->name, cells[2], field->role);
    if (*field->refers_to && !strchr(field->refers_to, ':')) /* the page describes references that depend on another
                                                              * field in words */
        cr_assert_str_eq(cells[3], field->refers_to, "%s.%s: %s should be %s", schema->name, field->name, cells[3],
                         field->refers_to);
}

/* Returns the number of fields that all records, or all side rows, begin with. Separate tables list them. */
static unsigned n_common(const XtfSchema *schema)
{
    return schema->kind == XTF_SCHEMA_RECORD ? 4 : schema->kind == XTF_SCHEMA_SIDE ? 2 : 0;
}

Test(vocabulary, has_every_field)
{
    for (unsigned tag = 0; tag < XTF_N_ALL_SCHEMAS; tag++) {
        const XtfSchema *schema = xtf_model_schema(tag);
        g_auto(GStrv) lines = section_of(schema->name);
        g_autoptr(GPtrArray) rows = rows_of(lines);
        unsigned first = n_common(schema);
        cr_assert_eq(rows->len, schema->n_fields - first, "%s: %u fields, should be %u", schema->name, rows->len,
                     schema->n_fields - first);
        for (unsigned f = first; f < schema->n_fields; f++)
            check_field(schema, &schema->fields[f], g_ptr_array_index(rows, f - first));
    }
}

Test(vocabulary, has_every_event)
{
    for (unsigned tag = 0; tag < XTF_N_ALL_SCHEMAS; tag++) {
        const XtfSchema *schema = xtf_model_schema(tag);
        const XtfField *event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
        if (!event)
            continue;
        g_autoptr(GString) events = g_string_new("Events:");
        g_auto(GStrv) lines = section_of(schema->name);
        for (uint32_t i = 0; i < event->n_labels; i++)
            g_string_append_printf(events, "%s `%s`", i > 0 ? "," : "", event->labels[i]);
        g_string_append_c(events, '.');
        cr_assert(g_strv_contains((const char *const *)lines, events->str), "%s: no line: %s", schema->name,
                  events->str);
    }
}

Test(vocabulary, has_the_common_fields)
{
    g_autofree char *page = NULL;

    cr_assert(g_file_get_contents(VOCABULARY, &page, NULL, NULL));
    for (unsigned kind = 0; kind < 2; kind++) {
        const XtfSchema *schema = xtf_model_schema(kind == 0 ? XTF_MODEL_SENDS : XTF_MODEL_POSTINGS);
        const char *begin = strstr(page, kind == 0 ? "\n## 3." : "\n## 4.");
        g_autofree char *head = g_strndup(begin, (gsize)(strstr(begin, "\n### ") - begin));
        g_auto(GStrv) lines = g_strsplit(head, "\n", -1);
        g_autoptr(GPtrArray) rows = rows_of(lines);
        cr_assert_eq(rows->len, n_common(schema));
        for (unsigned f = 0; f < rows->len; f++)
            check_field(schema, &schema->fields[f], g_ptr_array_index(rows, f));
    }
}

static bool is_identified(const XtfSchema *schema)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].flags & XTF_FIELD_IDENTIFIES)
            return true;
    return false;
}

/* The page names the columns that identify the rows of each table when files are merged. */
Test(vocabulary, has_what_identifies_rows)
{
    g_autofree char *page = NULL;

    cr_assert(g_file_get_contents(VOCABULARY, &page, NULL, NULL));
    const char *last = strstr(page, "\n## 7.");
    cr_assert(last);
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++) {
        const XtfSchema *schema = xtf_model_schema(tag);
        g_autoptr(GString) line = g_string_new(NULL);
        g_string_printf(line, "\n| `%s` |", schema->name);
        cr_assert_eq(strstr(last, line->str) != NULL, is_identified(schema), "%s", schema->name);
        for (uint32_t f = 0; f < schema->n_fields; f++)
            if (schema->fields[f].flags & XTF_FIELD_IDENTIFIES)
                g_string_append_printf(line, " `%s`", schema->fields[f].name);
        g_string_append(line, " |\n");
        cr_assert(!is_identified(schema) || strstr(last, line->str), "no line: %s", line->str);
    }
}

/* Returns the line of the page for a row of src/model/wait-kinds.h. */
static char *line_of_kind(const XtfWaitKind *kind)
{
    static const char *const rules[] = {"nobody", "excess", "excess in the team", "meanwhile"};

    return g_strdup_printf("| `%s` | %s | %s | %s | %s | %s | %s%s |", kind->name, kind->sentence, kind->waiter,
                           kind->culprit ? kind->culprit : "none", kind->seq, kind->match ? kind->match : "none",
                           rules[kind->rule], kind->limited ? ", limited" : "");
}

static bool is_record_type(const char *name)
{
    for (unsigned tag = 0; tag < XTF_N_ALL_SCHEMAS; tag++) {
        if (g_str_equal(xtf_model_schema(tag)->name, name))
            return xtf_model_schema(tag)->kind == XTF_SCHEMA_RECORD;
    }
    return false;
}

static void check_record_types(const XtfWaitKind *kind)
{
    g_auto(GStrv) types = g_strsplit(kind->seq, " or ", -1);

    for (char **type = types; *type; type++)
        cr_assert(is_record_type(*type) || g_str_equal(*type, "any"), "%s: no record type %s", kind->name, *type);
    cr_assert(!kind->match || is_record_type(kind->match), "%s: no record type %s", kind->name, kind->match);
}

Test(vocabulary, has_every_kind_of_wait)
{
    g_auto(GStrv) lines = section_of("waits");

    for (unsigned kind = 0; kind < XTF_N_WAIT_KINDS; kind++) {
        g_autofree char *line = line_of_kind(&xtf_wait_kinds[kind]);
        cr_assert(g_strv_contains((const char *const *)lines, line), "no line: %s", line);
        check_record_types(&xtf_wait_kinds[kind]);
    }
}

/* The page names the tables that typed values refer to. */
Test(vocabulary, has_the_tables_of_values)
{
    const XtfField *value = xtf_schema_field_by_role(xtf_model_schema(XTF_MODEL_ATTRIBUTES), XTF_ROLE_VALUE);
    g_autofree char *page = NULL;

    cr_assert(g_file_get_contents(VOCABULARY, &page, NULL, NULL));
    g_strdelimit(page, "\n", ' ');
    g_auto(GStrv) tables = g_strsplit(strchr(value->refers_to, ':') + 1, ",", -1);
    cr_assert_geq(g_strv_length(tables), 14);
    for (char **table = tables; *table; table++) {
        g_auto(GStrv) pair = g_strsplit(*table, "=", 2);
        g_autofree char *said = g_strdup_printf("%s: `%s`", pair[0], pair[1]);
        cr_assert(*pair[1] == '\0' || strstr(page, said), "not there: %s", said);
    }
}

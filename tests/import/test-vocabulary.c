/*
 * docs/VOCABULARY.md, compared with the model. The page has one section of every type, and explains only its
 * fields. tests/docs/test_vocabulary.py compares the reference at the end of the page.
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

/* Returns the names in the first column of the first table. */
static GPtrArray *first_names(char **lines)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

    for (; *lines; lines++) {
        if (names->len && !g_str_has_prefix(*lines, "|"))
            break;
        if (g_str_has_prefix(*lines, "| `"))
            g_ptr_array_add(names, g_strndup(*lines + 3, strcspn(*lines + 3, "`")));
    }
    return names;
}

/* Checks that names are fields of a schema, in its order. */
static void check_names(const XtfSchema *schema, const GPtrArray *names)
{
    uint32_t f = 0;

    for (unsigned i = 0; i < names->len; i++, f++) {
        while (f < schema->n_fields && !g_str_equal(schema->fields[f].name, g_ptr_array_index(names, i)))
            f++;
        cr_assert_lt(f, schema->n_fields, "%s: no field %s, or not in this order", schema->name,
                     (const char *)g_ptr_array_index(names, i));
    }
}

/* True if the first table of the type's section lists fields. The first table of `properties` lists names. */
static bool has_table_of_fields(unsigned tag)
{
    return tag != XTF_MODEL_PROPERTIES;
}

Test(vocabulary, has_every_type_and_no_other_field)
{
    unsigned n_explained = 0;

    for (unsigned tag = 0; tag < XTF_N_ALL_SCHEMAS; tag++) {
        const XtfSchema *schema = xtf_model_fullest_schema(tag);
        g_auto(GStrv) lines = section_of(schema->name);
        g_autoptr(GPtrArray) names = first_names(lines);
        if (has_table_of_fields(tag))
            check_names(schema, names);
        n_explained += names->len;
    }
    cr_assert_gt(n_explained, 150);
}

Test(vocabulary, explains_the_common_fields)
{
    g_autofree char *page = NULL;

    cr_assert(g_file_get_contents(VOCABULARY, &page, NULL, NULL));
    for (unsigned kind = 0; kind < 2; kind++) {
        const XtfSchema *schema = xtf_model_schema(kind == 0 ? XTF_MODEL_SENDS : XTF_MODEL_POSTINGS);
        const char *begin = strstr(page, kind == 0 ? "\n## 3." : "\n## 4.");
        cr_assert(begin);
        g_autofree char *head = g_strndup(begin, (gsize)(strstr(begin, "\n### ") - begin));
        g_auto(GStrv) lines = g_strsplit(head, "\n", -1);
        g_autoptr(GPtrArray) names = first_names(lines);
        cr_assert_eq(names->len, kind == 0 ? 4 : 2);
        check_names(schema, names);
    }
}

/* Each kind of wait has its own lines on amounts and records. */
Test(vocabulary, explains_every_kind_of_wait)
{
    g_autofree char *page = NULL;

    cr_assert(g_file_get_contents(VOCABULARY, &page, NULL, NULL));
    const char *begin = strstr(page, "\n### Amounts and records");
    cr_assert(begin);
    g_autofree char *section = g_strndup(begin + 1, (gsize)(strstr(begin + 1, "\n### ") - begin));
    g_auto(GStrv) lines = g_strsplit(section, "\n", -1);
    for (unsigned kind = 0; kind < XTF_N_WAIT_KINDS; kind++) {
        g_autofree char *name = g_strdup_printf("`%s`", xtf_wait_kinds[kind].name);
        unsigned found = 0;
        for (char **line = lines; *line; line++)
            found += g_str_has_prefix(*line, "**") && strstr(*line, name);
        cr_assert_eq(found, 1, "%s: %u headings", name, found);
    }
}

static bool is_record_type(const char *name)
{
    for (unsigned tag = 0; tag < XTF_N_ALL_SCHEMAS; tag++) {
        if (g_str_equal(xtf_model_schema(tag)->name, name))
            return xtf_model_schema(tag)->kind == XTF_SCHEMA_RECORD;
    }
    return false;
}

Test(vocabulary, kinds_of_waits_name_record_types)
{
    for (unsigned k = 0; k < XTF_N_WAIT_KINDS; k++) {
        const XtfWaitKind *kind = &xtf_wait_kinds[k];
        g_auto(GStrv) types = g_strsplit(kind->seq, " or ", -1);
        for (char **type = types; *type; type++)
            cr_assert(is_record_type(*type) || g_str_equal(*type, "any"), "%s: no record type %s", kind->name, *type);
        cr_assert(!kind->match || is_record_type(kind->match), "%s: no record type %s", kind->name, kind->match);
    }
}

#include "libxtf/references.h"

static void clear_reference(gpointer data)
{
    XtfReference *reference = data;
    g_free(reference->table);
}

static void add_reference(GArray *references, uint32_t field, const char *table, int chooser, uint64_t choice)
{
    XtfReference reference = {.field = field, .table = g_strdup(table), .chooser = chooser, .choice = choice};
    g_array_append_val(references, reference);
}

/* True if the field's type can hold a row number or the number of a string. */
static bool can_refer(const XtfField *field)
{
    return field->type != XTF_TYPE_F64 && xtf_type_width(field->type) > 0;
}

static int find_label(const XtfField *field, const char *label)
{
    for (uint32_t i = 0; i < field->n_labels; i++)
        if (g_str_equal(field->labels[i], label))
            return (int)i;
    return -1;
}

/* Adds a reference for each LABEL=TABLE in `choices` whose LABEL the chooser has. */
static void add_choice_references(GArray *references, const XtfSchema *schema, uint32_t field, int chooser,
                                  const char *choices)
{
    g_auto(GStrv) parts = g_strsplit(choices, ",", -1);

    for (char **part = parts; *part; part++) {
        char *table = strchr(*part, '=');
        if (!table)
            continue;
        *table++ = '\0';
        int label = find_label(&schema->fields[chooser], *part);
        if (label >= 0)
            add_reference(references, field, *table ? table : NULL, chooser, (uint64_t)label);
    }
}

static void add_field_references(GArray *references, const XtfSchema *schema, uint32_t f)
{
    const XtfField *field = &schema->fields[f];
    const char *colon = strchr(field->refers_to, ':');

    if (field->type == XTF_TYPE_STRING) {
        add_reference(references, f, NULL, -1, 0);
    } else if (*field->refers_to && !colon && can_refer(field)) {
        add_reference(references, f, field->refers_to, -1, 0);
    } else if (colon && can_refer(field)) {
        g_autofree char *name = g_strndup(field->refers_to, (gsize)(colon - field->refers_to));
        const XtfField *chooser = xtf_schema_field(schema, name);
        if (chooser && chooser != field && chooser->type != XTF_TYPE_STRING && !*chooser->refers_to)
            add_choice_references(references, schema, f, (int)(chooser - schema->fields), colon + 1);
    }
}

GArray *xtf_schema_references(const XtfSchema *schema)
{
    GArray *references = g_array_new(FALSE, FALSE, sizeof(XtfReference));

    g_array_set_clear_func(references, clear_reference);
    for (uint32_t f = schema->kind == XTF_SCHEMA_TABLE ? 0 : 1; f < schema->n_fields;
         f++) /* the first field of other kinds is the time */
        add_field_references(references, schema, f);
    return references;
}

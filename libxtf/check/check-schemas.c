/*
 * Checks rules of schemas that readers do not depend on. Opening the trace has already refused schemas that break the
 * other rules.
 */
#include "libxtf/check/check-private.h"
#include "libxtf/schema/schema-codec.h"

static void check_name(const XtfSchema *schema, const char *name, XtfChecking *check)
{
    if (!g_utf8_validate(name, -1, NULL))
        xtf_checking_problem(check, "schema \"%s\": the name \"%s\" is not UTF-8", schema->name, name);
}

static void check_field_names(XtfChecking *check, const XtfSchema *schema, const XtfField *field)
{
    const char *const names[] = {field->name, field->role, field->unit, field->refers_to};

    for (unsigned n = 0; n < G_N_ELEMENTS(names); n++)
        check_name(schema, names[n], check);
    for (unsigned n = 0; n < field->n_labels; n++)
        check_name(schema, field->labels[n], check);
}

/* Returns what is wrong with "FIELD:LABEL=TABLE,...", or NULL. Readers treat values of invalid references as
 * numbers. */
static const char *choice_fault(const XtfSchema *schema, const XtfField *field)
{
    const char *colon = strchr(field->refers_to, ':');

    if (!colon)
        return NULL;
    g_autofree char *name = g_strndup(field->refers_to, (gsize)(colon - field->refers_to));
    g_auto(GStrv) choices = g_strsplit(colon + 1, ",", -1);
    const XtfField *chooser = xtf_schema_field(schema, name);
    if (!chooser || chooser == field || chooser->type == XTF_TYPE_STRING || chooser->n_labels == 0 ||
        *chooser->refers_to)
        return "no other field chooses the table that it refers to";
    for (char **choice = choices; *choice; choice++)
        if (!strchr(*choice, '='))
            return "its reference is not of the form LABEL=TABLE";
    return *choices ? NULL : "its reference is not of the form LABEL=TABLE";
}

static bool is_unsigned(const XtfField *field)
{
    return field->type == XTF_TYPE_U8 || field->type == XTF_TYPE_U16 || field->type == XTF_TYPE_U32 ||
           field->type == XTF_TYPE_U64;
}

static const char *field_fault(const XtfSchema *schema, uint32_t f)
{
    const XtfField *field = &schema->fields[f];

    if (schema->kind != XTF_SCHEMA_TABLE && field->flags & (XTF_FIELD_IDENTIFIES | XTF_FIELD_LIST | XTF_FIELD_ORDERS))
        return "it has flags that only fields of tables have";
    if (field->flags & XTF_FIELD_LIST &&
        (f + 1 == schema->n_fields || !is_unsigned(&schema->fields[f + 1]) || !*field->refers_to))
        return "it has the LIST flag, but refers to no table, or no field with the number of rows follows";
    return choice_fault(schema, field);
}

static void check_fields(XtfChecking *check, const XtfSchema *schema)
{
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const char *fault = xtf_schema_kind_is_supported(schema) ? field_fault(schema, f) : NULL;
        check_field_names(check, schema, &schema->fields[f]);
        if (fault)
            xtf_checking_problem(check, "schema \"%s\", field \"%s\": %s", schema->name, schema->fields[f].name, fault);
    }
}

void xtf_checking_schemas(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        check_name(catalog->schemas[i], catalog->schemas[i]->name, check);
        check_fields(check, catalog->schemas[i]);
    }
}

/*
 * What readers bear in schemas, but should not have to. What no reader can bear was refused when the trace was opened.
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

/* What is wrong with "FIELD:LABEL=TABLE,...", or NULL. Readers take such values for numbers. */
static const char *choice_fault(const XtfSchema *schema, const XtfField *field)
{
    const char *colon = strchr(field->refers_to, ':');

    if (!colon)
        return NULL;
    g_autofree char *name = g_strndup(field->refers_to, (gsize)(colon - field->refers_to));
    g_auto(GStrv) choices = g_strsplit(colon + 1, ",", -1);
    const XtfField *other = xtf_schema_field(schema, name);
    if (!other || other == field || other->type == XTF_TYPE_STRING || other->n_labels == 0 || *other->refers_to)
        return "no other field says which of several tables it refers to";
    for (char **choice = choices; *choice; choice++)
        if (!strchr(*choice, '='))
            return "what it refers to is no LABEL=TABLE";
    return *choices ? NULL : "what it refers to is no LABEL=TABLE";
}

static bool can_count(const XtfField *field)
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
        (f + 1 == schema->n_fields || !can_count(&schema->fields[f + 1]) || !*field->refers_to))
        return "it begins lists, but no number of rows follows, or they are of no table";
    return choice_fault(schema, field);
}

static void check_fields(XtfChecking *check, const XtfSchema *schema)
{
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const char *fault = xtf_schema_kind_is_known(schema) ? field_fault(schema, f) : NULL;
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

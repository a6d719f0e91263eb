#include "libxtf/schema.h"

#include "libxtf/error.h"
#include "libxtf/schema/schema-block.h"
#include "libxtf/schema/schema-codec.h"

unsigned xtf_type_width(XtfType type)
{
    static const uint8_t widths[] = {
        [XTF_TYPE_U8] = 1,  [XTF_TYPE_U16] = 2, [XTF_TYPE_U32] = 4, [XTF_TYPE_U64] = 8,
        [XTF_TYPE_I32] = 4, [XTF_TYPE_I64] = 8, [XTF_TYPE_F64] = 8, [XTF_TYPE_STRING] = 4,
    };

    return type < G_N_ELEMENTS(widths) ? widths[type] : 0;
}

void xtf_schema_free(XtfSchema *schema)
{
    g_free(schema); /* one block: schema-block.h */
}

static char *copy_text(XtfSchemaBlock *block, const char *text)
{
    return xtf_schema_block_text(block, text, strlen(text));
}

/* Returns the bytes of a field's strings, with their ends. */
static size_t text_bytes(const XtfField *field)
{
    const char *const texts[] = {field->name, field->role, field->unit, field->refers_to};
    size_t bytes = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        bytes += strlen(texts[i]) + 1;
    for (uint32_t i = 0; i < field->n_labels; i++)
        bytes += strlen(field->labels[i]) + 1;
    return bytes;
}

static XtfField copy_field(XtfSchemaBlock *block, const XtfField *from)
{
    XtfField field = *from;

    field.name = copy_text(block, from->name);
    field.role = copy_text(block, from->role);
    field.unit = copy_text(block, from->unit);
    field.refers_to = copy_text(block, from->refers_to);
    field.labels = from->labels ? xtf_schema_block_labels(block, from->n_labels) : NULL;
    for (uint32_t i = 0; i < from->n_labels; i++)
        field.labels[i] = copy_text(block, from->labels[i]);
    return field;
}

XtfSchema *xtf_schema_copy(const XtfSchema *schema)
{
    size_t n_labels = 0, bytes = strlen(schema->name) + 1;

    for (uint32_t i = 0; i < schema->n_fields; i++) {
        n_labels += schema->fields[i].labels ? schema->fields[i].n_labels + 1 : 0;
        bytes += text_bytes(&schema->fields[i]);
    }
    XtfSchemaBlock block = xtf_schema_block_new(schema->n_fields, n_labels, bytes);
    XtfSchema *copy = block.schema;
    XtfField *fields = copy->fields;

    *copy = *schema;
    copy->fields = fields;
    copy->name = copy_text(&block, schema->name);
    for (uint32_t i = 0; i < schema->n_fields; i++)
        fields[i] = copy_field(&block, &schema->fields[i]);
    return copy;
}

static bool fail_schema(const XtfSchema *schema, GError **error, const char *problem, const char *field)
{
    return xtf_fail(error, XTF_ERROR_INVALID, "schema \"%s\": %s%s%s%s", schema->name, problem, field ? " \"" : "",
                    field ? field : "", field ? "\"" : "");
}

bool xtf_schema_is_supported(const XtfSchema *schema, GError **error)
{
    const char *problem = NULL;
    unsigned number = 0;

    if (!xtf_schema_kind_is_supported(schema)) {
        problem = "schemas";
        number = schema->kind;
    }
    for (uint32_t i = 0; i < schema->n_fields && !problem; i++) {
        if (xtf_type_width(schema->fields[i].type) == 0) {
            problem = "types of fields";
            number = schema->fields[i].type;
        }
    }
    for (uint32_t i = 0; i < schema->n_aggregates && !problem; i++) {
        if (schema->aggregates[i].kind == XTF_AGGREGATE_UNKNOWN) {
            number = schema->aggregates[i].number;
            problem = number == XTF_AGGREGATE_GROUPS || number == XTF_AGGREGATE_FRAMES ? "aggregates with these flags,"
                                                                                       : "aggregates";
        }
    }
    return !problem || xtf_fail(error, XTF_ERROR_UNSUPPORTED, "schema \"%s\": this program knows no %s of kind %u",
                                schema->name, problem, number);
}

bool xtf_schema_is_readable(const XtfSchema *schema)
{
    return xtf_schema_kind_is_supported(schema) && schema->fields[0].type == XTF_TYPE_U64;
}

/* Returns what is wrong with a field that must begin at `offset`; NULL if the field is valid. */
static const char *field_fault(const XtfSchema *schema, const XtfField *field, uint32_t offset)
{
    unsigned width = xtf_type_width(field->type);

    if (field->width == 0 || (width > 0 && field->width != width))
        return "unknown type, or wrong width, of field";
    if ((field->flags & XTF_FIELD_INSTANT) &&
        (field->type != XTF_TYPE_U64 || schema->kind == XTF_SCHEMA_TABLE || field->flags & XTF_FIELD_DURATION))
        return "the INSTANT flag is not allowed on field";
    return field->offset != offset ? "a gap or an overlap before field" : NULL;
}

static bool fields_are_sound(const XtfSchema *schema, GError **error)
{
    uint32_t size = 0;

    if (schema->n_fields == 0 || schema->n_fields > XTF_FIELDS_MAX)
        return fail_schema(schema, error, "it has no fields or too many", NULL);
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        const XtfField *field = &schema->fields[i];
        if (field->name[0] == '\0')
            return fail_schema(schema, error, "a field has no name", NULL);
        for (uint32_t before = 0; before < i; before++)
            if (xtf_names_equal(schema->fields[before].name, field->name))
                return fail_schema(schema, error, "more than one field is named", field->name);
        const char *fault = field_fault(schema, field, size);
        if (fault)
            return fail_schema(schema, error, fault, field->name);
        size += field->width;
    }
    return (size == schema->row_size && size <= XTF_ROW_MAX) ||
           fail_schema(schema, error, "its row size is wrong or too large", NULL);
}

bool xtf_schema_is_sound(const XtfSchema *schema, GError **error)
{
    if (schema->name[0] == '\0')
        return fail_schema(schema, error, "it has no name", NULL);
    if (!xtf_schema_kind_is_supported(schema))
        return true; /* fields of a schema of a later kind may follow other rules */
    if (!fields_are_sound(schema, error))
        return false;
    const XtfField *first = &schema->fields[0];
    if (schema->kind != XTF_SCHEMA_TABLE && xtf_type_width(first->type) > 0 &&
        (first->type != XTF_TYPE_U64 || !g_str_equal(first->role, "time")))
        return fail_schema(schema, error, "the first field must be the time, a U64", NULL);
    if (schema->n_aggregates > XTF_AGGREGATES_MAX)
        return fail_schema(schema, error, "it has too many aggregates", NULL);
    for (uint32_t i = 0; i < schema->n_aggregates; i++)
        if (schema->aggregates[i].kind != XTF_AGGREGATE_UNKNOWN &&
            !xtf_aggregate_validate(schema, &schema->aggregates[i], error))
            return false;
    return true;
}

bool xtf_schema_validate(const XtfSchema *schema, GError **error)
{
    return xtf_schema_is_sound(schema, error) && xtf_schema_is_supported(schema, error);
}

XtfSchema *xtf_schema_new(const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields, GError **error)
{
    XtfSchema declared = {.name = (char *)name, .kind = kind};

    while (fields[declared.n_fields].name)
        declared.n_fields++;
    g_autofree XtfField *borrowed = declared.fields = g_new0(XtfField, declared.n_fields);
    for (uint32_t i = 0; i < declared.n_fields; i++) {
        const XtfFieldSpec *spec = &fields[i];
        borrowed[i] = (XtfField){
            .name = (char *)spec->name,
            .role = (char *)(spec->role ? spec->role : ""),
            .unit = (char *)(spec->unit ? spec->unit : ""),
            .refers_to = (char *)(spec->refers_to ? spec->refers_to : ""),
            .labels = (char **)spec->labels,
            .n_labels = spec->labels ? g_strv_length((char **)spec->labels) : 0,
            .type = spec->type,
            .flags = spec->flags,
            .offset = (uint16_t)declared.row_size,
            .width = (uint16_t)xtf_type_width(spec->type),
        };
        declared.row_size += borrowed[i].width;
    }
    if (!xtf_schema_validate(&declared, error) || !xtf_schema_encodable(&declared, error))
        return NULL;
    return xtf_schema_copy(&declared);
}

/* Compares the encodings: equal schemas have the same bytes on disk. */
bool xtf_schema_equal(const XtfSchema *a, const XtfSchema *b)
{
    g_autoptr(GByteArray) left = g_byte_array_new(), right = g_byte_array_new();

    xtf_schema_encode(a, left);
    xtf_schema_encode(b, right);
    return left->len == right->len && memcmp(left->data, right->data, left->len) == 0;
}

const XtfField *xtf_schema_field(const XtfSchema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->n_fields; i++)
        if (g_str_equal(schema->fields[i].name, name) && xtf_type_width(schema->fields[i].type) > 0)
            return &schema->fields[i];
    return NULL;
}

const XtfField *xtf_schema_field_by_role(const XtfSchema *schema, const char *role)
{
    for (uint32_t i = 0; i < schema->n_fields; i++)
        if (g_str_equal(schema->fields[i].role, role) && xtf_type_width(schema->fields[i].type) > 0)
            return &schema->fields[i];
    return NULL;
}

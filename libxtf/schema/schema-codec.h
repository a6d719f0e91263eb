/*
 * Encoding of schemas: the SCHEMAS section of the catalog.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/schema.h"

/* True if the schema is known and follows the rules of schema.h; otherwise XTF_ERROR_INVALID. */
bool xtf_schema_validate(const XtfSchema *schema, GError **error);
/* True if a schema read from a file follows the rules of schema.h; otherwise XTF_ERROR_INVALID. Unknown parts are
 * accepted. */
bool xtf_schema_is_sound(const XtfSchema *schema, GError **error);

/* True if the schema's kind is known. */
static inline bool xtf_schema_kind_is_supported(const XtfSchema *schema)
{
    return schema->kind >= XTF_SCHEMA_RECORD && schema->kind <= XTF_SCHEMA_DERIVED;
}

/* True if the aggregate follows the rules of schema.h; otherwise XTF_ERROR_INVALID. The schema's fields must follow the
 * rules. */
bool xtf_aggregate_validate(const XtfSchema *schema, const XtfAggregate *aggregate, GError **error);
/* True if the aggregate's kind is known; otherwise XTF_ERROR_UNSUPPORTED. */
bool xtf_aggregate_is_supported(const XtfSchema *schema, unsigned index, GError **error);
/* Sets real_values, signed_values and typed_values of a sound aggregate, by the types of its fields. */
void xtf_aggregate_set_value_types(const XtfSchema *schema, XtfAggregate *aggregate);

/* True if names and labels fit their length fields; otherwise XTF_ERROR_INVALID. */
bool xtf_schema_encodable(const XtfSchema *schema, GError **error);

void xtf_schema_encode(const XtfSchema *schema, GByteArray *bytes);

/* Returns the decoded schema, or NULL with XTF_ERROR_DAMAGED if the bytes are not a schema. Parts of a later version
 * are decoded as schema.h describes. */
XtfSchema *xtf_schema_decode(XtfBytesReader *reader, GError **error);

/* True if two names are equal. Most names differ in their first character, which is compared inline. */
static inline bool xtf_names_equal(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

/* True if merging never changes a key field's values, so that filters can use them: it is no string and refers to no
 * table. */
static inline bool xtf_key_is_filtered(const XtfField *field)
{
    return field->type != XTF_TYPE_STRING && field->refers_to[0] == '\0';
}

/*
 * Schemas as bytes: the SCHEMAS section of the catalog.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/schema.h"

/* Whether the schema is known, and keeps the rules of schema.h: XTF_ERROR_INVALID. */
bool xtf_schema_validate(const XtfSchema *schema, GError **error);
/* The same of a schema that a file has: what is not known may be anything. */
bool xtf_schema_is_sound(const XtfSchema *schema, GError **error);

/* Whether the kind is known. */
static inline bool xtf_schema_kind_is_known(const XtfSchema *schema)
{
    return schema->kind >= XTF_SCHEMA_RECORD && schema->kind <= XTF_SCHEMA_DERIVED;
}

/* Whether rows in arrays can be read: the kind is known, and the first field is the time. */
static inline bool xtf_schema_is_readable(const XtfSchema *schema)
{
    return xtf_schema_kind_is_known(schema) && schema->fields[0].type == XTF_TYPE_U64;
}

/* Whether an aggregate keeps the rules of schema.h, in a schema whose fields do: XTF_ERROR_INVALID. */
bool xtf_aggregate_validate(const XtfSchema *schema, const XtfAggregate *aggregate, GError **error);
/* Whether an aggregate of a schema is known: XTF_ERROR_UNSUPPORTED. */
bool xtf_aggregate_is_known(const XtfSchema *schema, unsigned index, GError **error);
/* Sets the members of a sound aggregate that are derived from its fields. */
void xtf_aggregate_set_value_types(const XtfSchema *schema, XtfAggregate *aggregate);

/* Whether names and labels fit their length fields: XTF_ERROR_INVALID. */
bool xtf_schema_encodable(const XtfSchema *schema, GError **error);

void xtf_schema_encode(const XtfSchema *schema, GByteArray *bytes);

/* XTF_ERROR_DAMAGED if the bytes are no schema. Of a schema that is not known it is only as much as schema.h says. */
XtfSchema *xtf_schema_decode(XtfBytesReader *reader, GError **error);

/* Whether a key field means the same in all segments, so that filters can go by it. */
static inline bool xtf_key_is_filtered(const XtfField *field)
{
    return field->type != XTF_TYPE_STRING && field->refers_to[0] == '\0';
}

/*
 * A schema on disk. The schema, each field and each aggregate begin with their length. Later versions can therefore
 * append to them, and this version skips the additions.
 *
 *     U32 bytes that follow; U8 kind; U8 0; U16 row size; U16 number of fields;
 *     U16 number of aggregates; string name; then each field:
 *         U16 bytes that follow; U8 type; U8 0; U16 flags; U16 offset; U16 number of labels;
 *         strings name, role, unit, refers_to; the labels, strings
 *     then each aggregate:
 *         U16 bytes that follow; U8 kind; U8 flags; U8 number of keys; U8 number of values; U8 typed_by; U8 0;
 *         U64 reals; U64 signeds; the keys, U8 each; the values, U8 each
 *
 * A string is a U16 length and its bytes.
 */
#include "libxtf/schema/schema-codec.h"

#include "libxtf/error.h"
#include "libxtf/schema/schema-block.h"

/* The bytes of a field between its length and its strings. */
typedef struct {
    uint8_t type, reserved;
    XtfLe16 flags, offset, n_labels;
} FieldHead;

enum {
    AGGREGATE_HEAD_BYTES = 22, /* bytes of an aggregate between its length and its keys */
    /* Flags of an aggregate. */
    AGGREGATE_EXTREMES = 1 << 0,
    AGGREGATE_FILTERS = 1 << 1,
    AGGREGATE_FLAGS = AGGREGATE_EXTREMES | AGGREGATE_FILTERS,
};

static size_t field_size(const XtfField *field)
{
    size_t size =
        8 + 4 * 2 + strlen(field->name) + strlen(field->role) + strlen(field->unit) + strlen(field->refers_to);
    for (uint32_t i = 0; i < field->n_labels; i++)
        size += 2 + strlen(field->labels[i]);
    return size;
}

bool xtf_schema_encodable(const XtfSchema *schema, GError **error)
{
    bool fits = strlen(schema->name) <= G_MAXUINT8;

    for (uint32_t i = 0; fits && i < schema->n_fields; i++)
        fits = field_size(&schema->fields[i]) <= G_MAXUINT16 && schema->fields[i].n_labels <= XTF_LABELS_MAX;
    return fits ||
           xtf_fail(error, XTF_ERROR_INVALID, "schema \"%.64s\": its names and labels are too long", schema->name);
}

static void encode_aggregate(const XtfAggregate *aggregate, GByteArray *bytes)
{
    xtf_bytes_write_u16(bytes, (uint16_t)(AGGREGATE_HEAD_BYTES + aggregate->n_keys + aggregate->n_values));
    xtf_bytes_write_u8(bytes, (uint8_t)aggregate->kind);
    xtf_bytes_write_u8(bytes, (uint8_t)((aggregate->extremes ? AGGREGATE_EXTREMES : 0) |
                                        (aggregate->filters ? AGGREGATE_FILTERS : 0)));
    xtf_bytes_write_u8(bytes, aggregate->n_keys);
    xtf_bytes_write_u8(bytes, aggregate->n_values);
    xtf_bytes_write_u8(bytes, aggregate->typed_by);
    xtf_bytes_write_u8(bytes, 0);
    xtf_bytes_write_u64(bytes, aggregate->reals);
    xtf_bytes_write_u64(bytes, aggregate->signeds);
    g_byte_array_append(bytes, aggregate->keys, aggregate->n_keys);
    g_byte_array_append(bytes, aggregate->values, aggregate->n_values);
}

void xtf_schema_encode(const XtfSchema *schema, GByteArray *bytes)
{
    guint start = bytes->len;

    xtf_bytes_write_u32(bytes, 0); /* length, set below */
    xtf_bytes_write_u8(bytes, (uint8_t)schema->kind);
    xtf_bytes_write_u8(bytes, 0);
    xtf_bytes_write_u16(bytes, (uint16_t)schema->row_size);
    xtf_bytes_write_u16(bytes, (uint16_t)schema->n_fields);
    xtf_bytes_write_u16(bytes, (uint16_t)schema->n_aggregates);
    xtf_bytes_write_string(bytes, schema->name);
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        const XtfField *field = &schema->fields[i];
        xtf_bytes_write_u16(bytes, (uint16_t)field_size(field));
        xtf_bytes_write_u8(bytes, (uint8_t)field->type);
        xtf_bytes_write_u8(bytes, 0);
        xtf_bytes_write_u16(bytes, field->flags);
        xtf_bytes_write_u16(bytes, field->offset);
        xtf_bytes_write_u16(bytes, (uint16_t)field->n_labels);
        xtf_bytes_write_string(bytes, field->name);
        xtf_bytes_write_string(bytes, field->role);
        xtf_bytes_write_string(bytes, field->unit);
        xtf_bytes_write_string(bytes, field->refers_to);
        for (uint32_t l = 0; l < field->n_labels; l++)
            xtf_bytes_write_string(bytes, field->labels[l]);
    }
    for (uint32_t i = 0; i < schema->n_aggregates; i++)
        encode_aggregate(&schema->aggregates[i], bytes);
    xtf_write32((XtfLe32 *)(bytes->data + start), bytes->len - start - 4);
}

/* The bytes of a schema, and the block with a copy of them, in which a NUL ends each string. A schema has dozens of
 * strings, so copying them one by one takes longer. */
typedef struct {
    XtfSchemaBlock *block;
    const uint8_t *bytes;
} Decoding;

/* Reads a string, whose length is stored before it as a U16. Returns its copy in the block. */
static inline char *decode_string(XtfBytesReader *reader, const Decoding *decoding)
{
    uint16_t length = xtf_bytes_read_u16(reader);
    const uint8_t *from = xtf_bytes_take(reader, length);

    if (!from)
        return xtf_schema_block_text(NULL, NULL, 0);
    char *text = decoding->block->text + (from - decoding->bytes);
    text[length] = '\0';
    if (length > 0 && memchr(from, 0, length)) /* the API has C strings, which would silently end at the NUL */
        reader->failed = true;
    return text;
}

/* Reads the part of a schema's field before its strings. Returns a reader over the strings. */
static inline XtfBytesReader decode_field_head(XtfBytesReader *schema, XtfField *field, uint16_t *n_labels)
{
    XtfBytesReader reader = xtf_bytes_read_part(schema, xtf_bytes_read_u16(schema));
    const FieldHead *head = (const FieldHead *)xtf_bytes_take(&reader, sizeof *head);

    *n_labels = 0;
    if (!head)
        return reader;
    field->type = head->type;
    field->flags = xtf_read16(head->flags);
    field->offset = xtf_read16(head->offset);
    field->width = (uint16_t)xtf_type_width(field->type);
    *n_labels = xtf_read16(head->n_labels);
    return reader;
}

static bool decode_field(XtfBytesReader *schema, const Decoding *decoding, XtfField *field)
{
    uint16_t n_labels;
    XtfBytesReader reader = decode_field_head(schema, field, &n_labels);

    field->name = decode_string(&reader, decoding);
    field->role = decode_string(&reader, decoding);
    field->unit = decode_string(&reader, decoding);
    field->refers_to = decode_string(&reader, decoding);
    if (reader.failed)
        return false;
    if (n_labels > 0) {
        field->labels = xtf_schema_block_labels(decoding->block, n_labels);
        for (uint32_t i = 0; i < n_labels; i++)
            field->labels[i] = decode_string(&reader, decoding);
        field->n_labels = n_labels;
    }
    return !reader.failed;
}

/* Turns an aggregate into one of unknown kind. `number` is the kind's number in the file. */
static void make_aggregate_unknown(XtfAggregate *aggregate, uint8_t number)
{
    *aggregate = (XtfAggregate){.kind = XTF_AGGREGATE_UNKNOWN, .number = number};
}

/* Decodes an aggregate. An unknown flag makes the aggregate unknown, because the flag may change anything, such as the
 * cells. */
static bool decode_aggregate(XtfBytesReader *schema, XtfAggregate *aggregate)
{
    XtfBytesReader reader = xtf_bytes_read_part(schema, xtf_bytes_read_u16(schema));
    uint8_t kind = xtf_bytes_read_u8(&reader), flags = xtf_bytes_read_u8(&reader);

    aggregate->kind = kind;
    if ((kind != XTF_AGGREGATE_GROUPS && kind != XTF_AGGREGATE_FRAMES) || flags & ~AGGREGATE_FLAGS) {
        make_aggregate_unknown(aggregate, kind);
        return !reader.failed && !schema->failed;
    }
    aggregate->extremes = flags & AGGREGATE_EXTREMES;
    aggregate->filters = flags & AGGREGATE_FILTERS;
    aggregate->n_keys = xtf_bytes_read_u8(&reader);
    aggregate->n_values = xtf_bytes_read_u8(&reader);
    aggregate->typed_by = xtf_bytes_read_u8(&reader);
    xtf_bytes_read_u8(&reader);
    aggregate->reals = xtf_bytes_read_u64(&reader);
    aggregate->signeds = xtf_bytes_read_u64(&reader);
    if (aggregate->n_keys > XTF_AGGREGATE_KEYS_MAX || aggregate->n_values > XTF_AGGREGATE_VALUES_MAX)
        return false;
    xtf_bytes_read(&reader, aggregate->keys, aggregate->n_keys);
    xtf_bytes_read(&reader, aggregate->values, aggregate->n_values);
    return !reader.failed && !schema->failed;
}

/* Makes a field of unknown type a field of bytes, up to the next field. Keeps only its optional flag: its other
 * properties may have other meanings. */
static void make_field_bytes(XtfField *field, uint32_t end)
{
    field->width = (uint16_t)(end > field->offset ? end - field->offset : 0);
    field->flags &= XTF_FIELD_OPTIONAL;
    field->labels = NULL;
    field->n_labels = 0;
    field->role = field->unit = field->refers_to = xtf_schema_block_text(NULL, NULL, 0);
}

static bool has_unknown_field(const XtfSchema *schema, const uint8_t *fields, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (fields[i] < schema->n_fields && xtf_type_width(schema->fields[fields[i]].type) == 0)
            return true;
    return false;
}

/* Converts the fields and aggregates that a later version may have added. They are not damage. */
static void convert_unknown_parts(XtfSchema *schema)
{
    for (uint32_t i = 0; i < schema->n_fields; i++)
        if (xtf_type_width(schema->fields[i].type) == 0)
            make_field_bytes(&schema->fields[i],
                             i + 1 < schema->n_fields ? schema->fields[i + 1].offset : schema->row_size);
    for (uint32_t i = 0; i < schema->n_aggregates; i++) {
        XtfAggregate *aggregate = &schema->aggregates[i];
        if (has_unknown_field(schema, aggregate->keys, aggregate->n_keys) ||
            has_unknown_field(schema, aggregate->values, aggregate->n_values))
            make_aggregate_unknown(aggregate, (uint8_t)aggregate->kind);
    }
}

/* Counts the labels of n fields, from the heads of the fields, and a NULL for each list of labels. Returns false if the
 * fields do not fit. */
static bool count_labels(XtfBytesReader fields, unsigned n, size_t *count)
{
    *count = 0;
    for (unsigned i = 0; i < n; i++) {
        XtfBytesReader field = xtf_bytes_read_part(&fields, xtf_bytes_read_u16(&fields));
        const FieldHead *head = (const FieldHead *)xtf_bytes_take(&field, sizeof *head);
        uint16_t n_labels = head ? xtf_read16(head->n_labels) : 0;
        if (!head || n_labels > field.left / 2) /* a label takes at least two bytes */
            return false;
        *count += n_labels > 0 ? n_labels + 1u : 0;
    }
    return true;
}

/* Decodes the fields and aggregates, which follow the name, into the block. */
static bool decode_parts(XtfBytesReader *part, unsigned n_fields, unsigned n_aggregates, const Decoding *decoding)
{
    XtfSchema *schema = decoding->block->schema;
    bool whole = true;

    for (; whole && schema->n_fields < n_fields; schema->n_fields++)
        whole = decode_field(part, decoding, &schema->fields[schema->n_fields]);
    for (; whole && schema->n_aggregates < n_aggregates; schema->n_aggregates++)
        whole = decode_aggregate(part, &schema->aggregates[schema->n_aggregates]);
    return whole;
}

/* Decodes the bytes of a schema, without checking its rules. Returns NULL if they are cut short, or exceed a limit. */
static XtfSchema *decode_bytes(XtfBytesReader *part)
{
    XtfSchemaKind kind = xtf_bytes_read_u8(part);
    xtf_bytes_read_u8(part);
    uint16_t row_size = xtf_bytes_read_u16(part), n_fields = xtf_bytes_read_u16(part),
             n_aggregates = xtf_bytes_read_u16(part);
    XtfBytesReader fields = *part;
    size_t n_labels;

    xtf_bytes_take(&fields, xtf_bytes_read_u16(&fields));
    if (fields.failed || n_fields > XTF_FIELDS_MAX || n_aggregates > XTF_AGGREGATES_MAX ||
        !count_labels(fields, n_fields, &n_labels))
        return NULL;
    XtfSchemaBlock block = xtf_schema_block_new(n_fields, n_labels, part->left + 1); /* and the NUL at the end */
    const Decoding decoding = {.block = &block, .bytes = part->at};
    g_autoptr(XtfSchema) schema = block.schema;
    memcpy(block.text, part->at, part->left);
    schema->kind = kind;
    schema->row_size = row_size;
    schema->name = decode_string(part, &decoding);
    bool whole = !part->failed && decode_parts(part, n_fields, n_aggregates, &decoding);
    return whole ? g_steal_pointer(&schema) : NULL;
}

XtfSchema *xtf_schema_decode(XtfBytesReader *reader, GError **error)
{
    XtfBytesReader part = xtf_bytes_read_part(reader, xtf_bytes_read_u32(reader));
    g_autoptr(XtfSchema) schema = decode_bytes(&part);
    g_autoptr(GError) reason = NULL;
    if (schema)
        convert_unknown_parts(schema);
    if (!schema || !xtf_schema_is_sound(schema, &reason)) {
        xtf_damaged(error, "catalog: %s", reason ? reason->message : "a schema is cut short or exceeds a limit");
        return NULL;
    }
    for (uint32_t i = 0; i < schema->n_aggregates && xtf_schema_kind_is_supported(schema); i++)
        xtf_aggregate_set_value_types(schema, &schema->aggregates[i]);
    return g_steal_pointer(&schema);
}

/*
 * Schemas: what a row of an array or of a table holds.
 *
 * Schemas are stored in the file, so a reader can show a record type that it has never heard of. The
 * container itself interprets one thing only: the first field of a record or side row is its time, a U64.
 * Everything else is vocabulary between writers and readers, carried by a field's `role` (the standard one
 * is in src/model/vocabulary.h).
 *
 * A row is packed: fields follow one another without gaps, integers are little-endian. Rows have no
 * alignment; use the accessors below.
 *
 * A schema is immutable once it was given to a writer; then any thread may read it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libxtf/error.h"

XTF_BEGIN_DECLS

typedef enum {
    XTF_TYPE_U8 = 1,
    XTF_TYPE_U16 = 2,
    XTF_TYPE_U32 = 3,
    XTF_TYPE_U64 = 4,
    XTF_TYPE_I32 = 5,
    XTF_TYPE_I64 = 6,
    XTF_TYPE_F64 = 7,
    XTF_TYPE_STRING = 8, /* a U32: where the string begins in the trace's string heap; see xtf_trace_string() */
} XtfType;

typedef enum {
    XTF_SCHEMA_RECORD = 1, /* events: one row each, counted */
    XTF_SCHEMA_SIDE = 2,   /* rows that hang on records of the same time and seq, not counted as records */
    XTF_SCHEMA_TABLE = 3,  /* definitions: no time, small enough to be held in memory whole */
} XtfSchemaKind;

enum {
    XTF_FIELD_OPTIONAL = 1 << 0, /* the value with all bits set means "none" */
    XTF_FIELD_NAMES = 1 << 1,    /* what the field refers to names the record in merged listings */
};

typedef struct {
    char *name;
    char *role;      /* what it means to readers: "time", "seq", "peer"...; "" if nothing in particular */
    char *unit;      /* "B", "s", "ticks"...; "" if none */
    char *refers_to; /* name of the table whose row number this is; "" if none */
    char **labels;   /* names of the values 0, 1, ..., NULL-terminated; NULL if none */
    uint32_t n_labels;
    XtfType type;
    uint16_t flags;
    uint16_t offset; /* in the row, bytes */
    uint16_t width;  /* bytes */
} XtfField;

typedef struct {
    uint32_t id; /* its ordinal in the file; set by the writer */
    XtfSchemaKind kind;
    char *name;
    uint32_t row_size; /* bytes */
    uint32_t n_fields;
    XtfField *fields;
} XtfSchema;

/* A field as source code declares it. NULL strings mean "". `labels` is NULL-terminated, or NULL. */
typedef struct {
    const char *name;
    XtfType type;
    const char *role;
    const char *unit;
    const char *refers_to;
    uint16_t flags;
    const char *const *labels;
} XtfFieldSpec;

enum {
    XTF_ROW_MAX = 1024, /* bytes a row may take: at least three fit the smallest page */
    XTF_FIELDS_MAX = 64,
    XTF_LABELS_MAX = 65535,
    XTF_SCHEMAS_MAX = 4096,
};

/* A schema from its declaration, copied. `fields` ends with an entry whose name is NULL. XTF_ERROR_INVALID if
 * the row is too large, a name is doubled, or a record's or side row's first field is no U64 with role "time". */
XtfSchema *xtf_schema_new(const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields, GError **error);
XtfSchema *xtf_schema_copy(const XtfSchema *schema);
void xtf_schema_free(XtfSchema *schema); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSchema, xtf_schema_free)

/* Same name, kind and fields; ids are not compared. */
bool xtf_schema_equal(const XtfSchema *a, const XtfSchema *b);

/* The first field of that name or role; NULL if there is none. */
const XtfField *xtf_schema_field(const XtfSchema *schema, const char *name);
const XtfField *xtf_schema_field_by_role(const XtfSchema *schema, const char *role);

/* The number of bytes that a value of the type takes in a row; 0 for a type that does not exist. */
unsigned xtf_type_width(XtfType type);

/* The field's bits in a row, zero-extended (I32 is sign-extended; F64 is its bit pattern). */
static inline uint64_t xtf_field_get(const XtfField *field, const uint8_t *row)
{
    const uint8_t *p = row + field->offset;
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;

    switch (field->type) {
    case XTF_TYPE_U8:
        return *p;
    case XTF_TYPE_U16:
        memcpy(&v16, p, sizeof v16);
        return GUINT16_FROM_LE(v16);
    case XTF_TYPE_U32:
    case XTF_TYPE_STRING:
        memcpy(&v32, p, sizeof v32);
        return GUINT32_FROM_LE(v32);
    case XTF_TYPE_I32:
        memcpy(&v32, p, sizeof v32);
        return (uint64_t)(int64_t)(int32_t)GUINT32_FROM_LE(v32);
    case XTF_TYPE_U64:
    case XTF_TYPE_I64:
    case XTF_TYPE_F64:
        memcpy(&v64, p, sizeof v64);
        return GUINT64_FROM_LE(v64);
    }
    return 0;
}

static inline double xtf_field_get_f64(const XtfField *field, const uint8_t *row)
{
    uint64_t bits = xtf_field_get(field, row);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Stores the low bits of `value`, as many as the field has. */
static inline void xtf_field_set(const XtfField *field, uint8_t *row, uint64_t value)
{
    uint64_t le = GUINT64_TO_LE(value);
    memcpy(row + field->offset, &le, field->width);
}

/* Whether the field holds "none": it is optional, and all its bits are set. */
static inline bool xtf_field_is_none(const XtfField *field, const uint8_t *row)
{
    if (!(field->flags & XTF_FIELD_OPTIONAL))
        return false;
    uint64_t mask = field->width == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * field->width)) - 1;
    return (xtf_field_get(field, row) & mask) == mask;
}

XTF_END_DECLS

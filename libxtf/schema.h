/*
 * Schemas: the fields of a row of an array or of a table.
 *
 * The file stores its schemas, so a reader can show record types that it does not know. The container itself interprets
 * one field only: the first field of a record or side row is its time, a U64. All other meaning is vocabulary between
 * writers and readers, given by a field's `role`. libxtf/vocabulary.h has the standard vocabulary.
 *
 * A row is packed: fields follow one another without gaps, and integers are little-endian. Rows are unaligned; use the
 * accessors below.
 *
 * A schema is immutable after it has been given to a writer; any thread may then read it.
 *
 * A file may hold additions of a later version of the format. They are schemas of another kind, fields of another type,
 * and aggregates of another kind or with other flags. `kind` or `type` then holds the file's number, and
 * xtf_schema_is_supported() names the addition. Readers refuse arrays of a schema of another kind. A field of another
 * type is bytes with a name and no meaning. An aggregate of another kind has no totals.
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
    XTF_TYPE_STRING = 8, /* a U32: offset of the string in the trace's string heap; see xtf_trace_string() */
} XtfType;

typedef enum {
    XTF_SCHEMA_RECORD = 1, /* events: each row counts as a record of the trace */
    XTF_SCHEMA_SIDE = 2,   /* rows attached to records of the same time and seq, not counted as records */
    XTF_SCHEMA_TABLE = 3,  /* definitions: no time, small enough to be held in memory whole */
    /* Results of an analysis: rows with times and aggregates, shown separately. Derived rows are not events. They count
     * neither as records of the trace nor for its first and last times. */
    XTF_SCHEMA_DERIVED = 4,
} XtfSchemaKind;

enum {
    XTF_FIELD_OPTIONAL = 1 << 0, /* the value with all bits set means "none" */
    XTF_FIELD_NAMES = 1 << 1,    /* the row that the field refers to names the record in merged listings */
    /* Usual changes of the value from row to row. These flags affect only the packed size. */
    XTF_FIELD_RISES = 1 << 2,    /* each value is near the previous one */
    XTF_FIELD_DISTANCE = 1 << 3, /* number of rows back to another row of the array: to the outer frame, for example */
    /* Conversion of the value by a clock map (clock-map.h). The first field is always an instant, without the flag. */
    XTF_FIELD_INSTANT = 1 << 4,  /* a time on the location's clock, in ticks: a U64, not allowed in tables */
    XTF_FIELD_DURATION = 1 << 5, /* a duration in ticks of the location's clock, which clock maps do not change */
    /* Information for merging tables (merge.h). */
    XTF_FIELD_IDENTIFIES = 1 << 8, /* rows of two files with equal values in all such fields mean the same */
    /* The value is the number of the first of several consecutive rows of a table; the next field counts these rows. */
    XTF_FIELD_LIST = 1 << 9,
    XTF_FIELD_ORDERS = 1 << 10, /* the table's rows are sorted by such fields, ascending */
};

typedef struct {
    char *name;
    char *role;      /* meaning to readers: "time", "seq", "peer"...; "" if none */
    char *unit;      /* "B", "s", "ticks"...; "" if none */
    char *refers_to; /* name of the table whose row number the field holds; "" if none. If another field, with labels,
                        chooses the table: "FIELD:LABEL=TABLE,...", where an empty TABLE means a string */
    char **labels;   /* names of the values 0, 1, ..., NULL-terminated; NULL if none */
    uint32_t n_labels;
    XtfType type;
    uint16_t flags;
    uint16_t offset; /* offset in the row, bytes */
    uint16_t width;  /* bytes */
} XtfField;

/*
 * Aggregates: the index stores totals of the rows below each child, so that totals over any interval cost a descent
 * (aggregates.h). Totals are kept by group: rows with equal values in some key fields. A group's totals are cells of 64
 * bits.
 *
 * XTF_AGGREGATE_GROUPS. A group's first cell is the number of its rows. The sum of each value field follows: integers
 * modulo 2^64, doubles as doubles. If `extremes` is set, the least, the greatest and the last value follow each sum.
 *
 * XTF_AGGREGATE_FRAMES, for arrays whose rows begin and end nested frames, such as calls. There are one key field and
 * three value fields, in this order. The first is 0 in rows that begin a frame and nonzero in rows that end one. The
 * second is a DISTANCE: from an end to its begin, or from a begin to the outer begin (0: no outer frame). The third is
 * nonzero if no outer frame has the same key. The cells of a group are described in aggregates.h: XTF_FRAMES_BEGUN and
 * the cells after it. Times are in ticks.
 *
 * A child with too many groups keeps totals by the first key fields only. The order of the keys therefore matters: keys
 * with many values must be last. If `filters` is set (XTF_AGGREGATE_GROUPS only), a leaf with too many groups has a
 * filter. It excludes most groups that have no rows in the leaf. At least one key must then be no string and refer to
 * no table.
 */
typedef enum {
    XTF_AGGREGATE_UNKNOWN = 0, /* kind of a later version: its totals are skipped, and it has no keys and values here */
    XTF_AGGREGATE_GROUPS = 1,
    XTF_AGGREGATE_FRAMES = 2,
} XtfAggregateKind;

enum {
    XTF_AGGREGATES_MAX = 4, /* per schema */
    XTF_AGGREGATE_KEYS_MAX = 6,
    XTF_AGGREGATE_VALUES_MAX = 4,
    XTF_AGGREGATE_CELLS_MAX = 1 + 4 * XTF_AGGREGATE_VALUES_MAX,
};

typedef struct {
    XtfAggregateKind kind;
    uint8_t n_keys;   /* may be 0: one group */
    uint8_t n_values; /* may be 0: rows are only counted */
    bool extremes;
    bool filters; /* leaves with too many groups have filters, for ranks and selects in one group (group-filter.h) */
    uint8_t keys[XTF_AGGREGATE_KEYS_MAX];     /* field numbers */
    uint8_t values[XTF_AGGREGATE_VALUES_MAX]; /* field numbers; no STRING fields */
    /* 1 + index in keys[] of the key that gives the type of U64 values; 0: their types are fixed. Bit k of `reals` or
     * `signeds` is set if values are doubles, or signed, for key value k. */
    uint8_t typed_by;
    uint64_t reals, signeds;
    /* Derived from the fields: bit i is set if value i is a double, is signed, or takes its type from the typed_by
     * key. */
    uint8_t real_values, signed_values, typed_values;
    uint8_t number; /* for XTF_AGGREGATE_UNKNOWN: the kind's number in the file */
} XtfAggregate;

typedef struct {
    uint32_t id; /* ordinal in the file; set by the writer */
    XtfSchemaKind kind;
    char *name;
    uint32_t row_size; /* bytes */
    uint32_t n_fields;
    XtfField *fields;
    uint32_t n_aggregates;
    XtfAggregate aggregates[XTF_AGGREGATES_MAX];
} XtfSchema;

/* Declaration of an aggregate in source code, by names of fields. keys and values are NULL-terminated. */
typedef struct {
    XtfAggregateKind kind;
    const char *const *keys;
    const char *const *values;
    bool extremes, filters;
    const char *typed_by; /* NULL: types are fixed */
    uint64_t reals, signeds;
} XtfAggregateSpec;

/* Declaration of a field in source code. NULL strings mean "". `labels` is NULL-terminated, or NULL. */
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
    XTF_ROW_MAX = 1024, /* maximum bytes of a row: at least three rows fit the smallest page */
    XTF_FIELDS_MAX = 64,
    XTF_LABELS_MAX = 65535,
    XTF_SCHEMAS_MAX = 4096,
};

/* Returns a new schema from its declaration, which it copies. `fields` ends with an entry whose name is NULL.
 * XTF_ERROR_INVALID if the row is too large or a field name occurs twice. The first field of a record or side row must
 * be a U64 with role "time". */
XtfSchema *xtf_schema_new(const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields, GError **error);
/* Adds an aggregate to a schema that is not a table's and has not been given to a writer. XTF_ERROR_INVALID if a field
 * does not exist or has the wrong type, or there are too many aggregates. */
bool xtf_schema_add_aggregate(XtfSchema *schema, const XtfAggregateSpec *spec, GError **error);
/* Returns the number of cells of a group. */
unsigned xtf_aggregate_n_cells(const XtfAggregate *aggregate);
XtfSchema *xtf_schema_copy(const XtfSchema *schema);
void xtf_schema_free(XtfSchema *schema); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSchema, xtf_schema_free)

/* True if both have the same name, kind, fields and aggregates. Ids are not compared. */
bool xtf_schema_equal(const XtfSchema *a, const XtfSchema *b);

/* True if this library knows the schema's kind, the types of its fields, and its aggregates. Otherwise
 * XTF_ERROR_UNSUPPORTED names the first unknown item. Writers accept known schemas only. */
bool xtf_schema_is_supported(const XtfSchema *schema, GError **error);
/* True if rows in arrays of the schema can be read: its kind is known, and its first field is the time. */
bool xtf_schema_is_readable(const XtfSchema *schema);

/* Returns the first field of the name, or the role, that has a known type; NULL if there is none. */
const XtfField *xtf_schema_field(const XtfSchema *schema, const char *name);
const XtfField *xtf_schema_field_by_role(const XtfSchema *schema, const char *role);

/* Returns the bytes that a value of the type takes in a row; 0 for a type that this library does not know. */
unsigned xtf_type_width(XtfType type);

/* Returns the field's bits in a row: zero-extended, an I32 sign-extended, an F64 as its bit pattern. Returns 0 if the
 * type is unknown. */
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

/* Returns the double with a bit pattern; xtf_f64_to_bits() is the reverse. */
static inline double xtf_f64_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t xtf_f64_to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double xtf_field_get_f64(const XtfField *field, const uint8_t *row)
{
    return xtf_f64_from_bits(xtf_field_get(field, row));
}

/* True if a is less than b, both values of the type as xtf_field_get() returns them. A NaN is neither less nor
 * greater. */
static inline bool xtf_value_less(XtfType type, uint64_t a, uint64_t b)
{
    if (type == XTF_TYPE_F64)
        return xtf_f64_from_bits(a) < xtf_f64_from_bits(b);
    return type == XTF_TYPE_I32 || type == XTF_TYPE_I64 ? (int64_t)a < (int64_t)b : a < b;
}

/* Stores the low bits of `value` that fit the field. */
static inline void xtf_field_set(const XtfField *field, uint8_t *row, uint64_t value)
{
    uint64_t le = GUINT64_TO_LE(value);
    memcpy(row + field->offset, &le, field->width);
}

/* True if the field holds "none": it is optional, and all its bits are set. */
static inline bool xtf_field_is_none(const XtfField *field, const uint8_t *row)
{
    if (!(field->flags & XTF_FIELD_OPTIONAL))
        return false;
    for (uint32_t i = 0; i < field->width; i++) /* a field of unknown type may have any width */
        if (row[field->offset + i] != UINT8_MAX)
            return false;
    return true;
}
/* Returns the value of a field in a row; `none` if the schema lacks the field (NULL), or the row has no value in it. */
static inline uint64_t xtf_field_get_or(const XtfField *field, const uint8_t *row, uint64_t none)
{
    return field && !xtf_field_is_none(field, row) ? xtf_field_get(field, row) : none;
}

XTF_END_DECLS

/*
 * Schemas: what a row of an array or of a table holds.
 *
 * Schemas are stored in the file, so a reader can show a record type that it has never heard of. The
 * container itself interprets one thing only: the first field of a record or side row is its time, a U64.
 * Everything else is vocabulary between writers and readers, carried by a field's `role` (the standard one
 * is in libxtf/vocabulary.h).
 *
 * A row is packed: fields follow one another without gaps, integers are little-endian. Rows have no
 * alignment; use the accessors below.
 *
 * A schema is immutable once it was given to a writer; then any thread may read it.
 *
 * A file may hold what a later version of the format has added: schemas of another kind, fields of another type,
 * aggregates of another kind or with other flags. Then `kind` or `type` has the number that the file says, and
 * xtf_schema_is_known() names it. Arrays of a schema of another kind are refused. A field of another type is bytes,
 * with a name and nothing more. An aggregate of another kind has no totals here.
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
    /* What an analysis made of the records: rows with times and aggregates, shown by themselves. They are no events, so
     * they count neither as records of the trace nor for its first and last times. */
    XTF_SCHEMA_DERIVED = 4,
} XtfSchemaKind;

enum {
    XTF_FIELD_OPTIONAL = 1 << 0, /* the value with all bits set means "none" */
    XTF_FIELD_NAMES = 1 << 1,    /* the row that the field refers to names the record in merged listings */
    /* How values usually change from row to row. These flags change only how small a field packs. */
    XTF_FIELD_RISES = 1 << 2,    /* each value is near the one before */
    XTF_FIELD_DISTANCE = 1 << 3, /* a number of rows back, to another row of the array: to the outer frame, say */
    /* How a value goes through a clock map (clock-map.h). The first field is an instant without saying so. */
    XTF_FIELD_INSTANT = 1 << 4,  /* a time on the location's clock, in ticks: a U64, and not of a table */
    XTF_FIELD_DURATION = 1 << 5, /* ticks of the location's clock that something took: they stay as they are */
    /* Of tables: what merging (merge.h) needs to know. */
    XTF_FIELD_IDENTIFIES = 1 << 8, /* rows of two files that agree in all such fields mean the same */
    XTF_FIELD_LIST = 1 << 9,       /* the first of some rows of the table referred to; the next field is their number */
    XTF_FIELD_ORDERS = 1 << 10,    /* the table's rows ascend by such fields */
};

typedef struct {
    char *name;
    char *role;      /* what it means to readers: "time", "seq", "peer"...; "" if nothing in particular */
    char *unit;      /* "B", "s", "ticks"...; "" if none */
    char *refers_to; /* name of the table whose row number this is; "" if none. If another field, with labels, says
                        which it is: "FIELD:LABEL=TABLE,...", where no TABLE means a string */
    char **labels;   /* names of the values 0, 1, ..., NULL-terminated; NULL if none */
    uint32_t n_labels;
    XtfType type;
    uint16_t flags;
    uint16_t offset; /* in the row, bytes */
    uint16_t width;  /* bytes */
} XtfField;

/*
 * Aggregates: totals that the index keeps of the rows below each child, so that totals over any interval cost a descent
 * (aggregates.h). Totals are kept by groups: rows that agree in some key fields. A group's totals are cells of 64 bits.
 *
 * XTF_AGGREGATE_GROUPS. The cells of a group: the number of its rows; then, for each value field, the sum (integers
 * modulo 2^64, doubles as doubles) and, if `extremes` is set, the least, the greatest and the last value.
 *
 * XTF_AGGREGATE_FRAMES, for arrays whose rows begin and end nested frames, such as calls. There is one key field and
 * three value fields, in this order: one that is 0 in rows that begin a frame and not in rows that end one; a DISTANCE
 * that leads from an end to its beginning, and from a beginning to the beginning of the outer frame (0: there is none);
 * and one that is not 0 if no outer frame has the same key. The cells of a group: frames begun; rows that end a frame,
 * even one that never began; inclusive and exclusive time in ticks, which aggregates.h defines.
 *
 * A child with too many groups keeps totals by the first key fields only. So the order of the keys matters: keys of
 * many values come last. If `filters` is set (of groups only), such a leaf has a filter, which says of most groups that
 * the leaf has none of their rows. Some key must then be no string and refer to no table.
 */
typedef enum {
    XTF_AGGREGATE_UNKNOWN = 0, /* of a later version: its totals are passed over, and it has no keys and values here */
    XTF_AGGREGATE_GROUPS = 1,
    XTF_AGGREGATE_FRAMES = 2,
} XtfAggregateKind;

enum {
    XTF_AGGREGATES_MAX = 4, /* of a schema */
    XTF_AGGREGATE_KEYS_MAX = 6,
    XTF_AGGREGATE_VALUES_MAX = 4,
    XTF_AGGREGATE_CELLS_MAX = 1 + 4 * XTF_AGGREGATE_VALUES_MAX,
};

typedef struct {
    XtfAggregateKind kind;
    uint8_t n_keys;   /* may be 0: one group */
    uint8_t n_values; /* may be 0: rows are only counted */
    bool extremes;
    bool filters;                             /* for ranks and selects in one of very many groups; see group-filter.h */
    uint8_t keys[XTF_AGGREGATE_KEYS_MAX];     /* numbers of fields */
    uint8_t values[XTF_AGGREGATE_VALUES_MAX]; /* numbers of fields; not STRINGs */
    /* 1 + index in keys[] of the key that gives the type of U64 values; 0: their type is fixed. reals, signeds: bit k
     * is set if values are doubles, or signed, where that key is k. */
    uint8_t typed_by;
    uint64_t reals, signeds;
    /* Derived from the fields: bit i is set if value i is a double, is signed, takes its type from that key. */
    uint8_t real_values, signed_values, typed_values;
    uint8_t number; /* of an UNKNOWN: its kind in the file */
} XtfAggregate;

typedef struct {
    uint32_t id; /* its ordinal in the file; set by the writer */
    XtfSchemaKind kind;
    char *name;
    uint32_t row_size; /* bytes */
    uint32_t n_fields;
    XtfField *fields;
    uint32_t n_aggregates;
    XtfAggregate aggregates[XTF_AGGREGATES_MAX];
} XtfSchema;

/* An aggregate as source code declares it, by the names of fields. keys and values are NULL-terminated. */
typedef struct {
    XtfAggregateKind kind;
    const char *const *keys;
    const char *const *values;
    bool extremes, filters;
    const char *typed_by; /* NULL: types are fixed */
    uint64_t reals, signeds;
} XtfAggregateSpec;

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
/* Adds an aggregate to a schema that is not a table's and that no writer was given yet. XTF_ERROR_INVALID if a field
 * does not exist or has the wrong type, or there are too many aggregates. */
bool xtf_schema_add_aggregate(XtfSchema *schema, const XtfAggregateSpec *spec, GError **error);
/* The number of cells that a group has. */
unsigned xtf_aggregate_n_cells(const XtfAggregate *aggregate);
XtfSchema *xtf_schema_copy(const XtfSchema *schema);
void xtf_schema_free(XtfSchema *schema); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSchema, xtf_schema_free)

/* Same name, kind, fields and aggregates; ids are not compared. */
bool xtf_schema_equal(const XtfSchema *a, const XtfSchema *b);

/* Whether this library knows the schema's kind, the types of its fields and its aggregates. If not,
 * XTF_ERROR_UNSUPPORTED names what it does not know. Only schemas that are known are written. */
bool xtf_schema_is_known(const XtfSchema *schema, GError **error);

/* The first field of that name or role, of a type that is known; NULL if there is none. */
const XtfField *xtf_schema_field(const XtfSchema *schema, const char *name);
const XtfField *xtf_schema_field_by_role(const XtfSchema *schema, const char *role);

/* The number of bytes that a value of the type takes in a row; 0 for a type that this library does not know. */
unsigned xtf_type_width(XtfType type);

/* The field's bits in a row, zero-extended (I32 is sign-extended; F64 is its bit pattern). 0 if the type is not known.
 */
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

/* Doubles and their bit patterns. */
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

/* Whether a is less than b, both as xtf_field_get() gives values of the type. A NaN is neither less nor greater. */
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

/* Whether the field holds "none": it is optional, and all its bits are set. */
static inline bool xtf_field_is_none(const XtfField *field, const uint8_t *row)
{
    if (!(field->flags & XTF_FIELD_OPTIONAL))
        return false;
    for (uint32_t i = 0; i < field->width; i++) /* of a type that is not known, it may be any number of bytes */
        if (row[field->offset + i] != UINT8_MAX)
            return false;
    return true;
}

XTF_END_DECLS

/*
 * The compact codec: packed rows of one schema.
 *
 * The times have their own streams, as differences, so they can be unpacked without the other fields. The other fields
 * of each row are the number of a template. A template makes a row from the previous row. For each field it holds the
 * value (VALUE), the difference (STEP, for fields that rise), the distance (DISTANCE), or the mark CHAINED. A chained
 * row refers to the row that the previous row's target refers to. Fields with too many values for templates have their
 * own columns. pack-format.h and docs/FORMAT.md describe the format.
 *
 * Packing is independent of pages and heads. The same rows always pack to the same templates; deflate's output depends
 * on the library. All functions are thread-safe; each thread has its own scratch memory.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/schema/row-map.h"

enum {
    XTF_PACK_LEVEL_READING = 0, /* level 1, but streams that deflate does not halve are stored: to be unpacked sooner */
    XTF_PACK_LEVEL_DEFAULT = 1, /* noise that deflate hardly shrinks is stored; at higher levels it is deflated */
    XTF_PACK_LEVEL_MAX = 9,     /* zlib's levels; libdeflate's levels of the same number take about the same effort */
};

/* A forecast of the packed size of an array's rows. Times vary most, and their size is estimated cheaply before
 * packing; the size of the other fields is assumed to be as before. All zeros: no earlier rows. */
typedef struct {
    uint32_t count;      /* rows of the last packing */
    int32_t other_bytes; /* packed bytes of these rows, minus the estimated bytes of their times */
    /* Rows expected to take less than `low` or more than `high` bytes are not packed; ignored if `count` is 0. */
    uint32_t low, high;
    uint32_t estimate; /* expected bytes of the packed rows; set even if they are not packed */
} XtfPackForecast;

/* Packs `count` rows, at least 1, whose times ascend, into at most `room` bytes. Returns the length; 0 if they do not
 * fit, or are expected to be outside of the forecast's bounds. `forecast` may be NULL; otherwise the function updates
 * it. */
uint32_t xtf_pack(const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level, uint8_t *out,
                  uint32_t room, XtfPackForecast *forecast);

/* Returns the maximum bytes of `count` packed rows. */
uint64_t xtf_pack_bound(const XtfSchema *schema, uint32_t count);

/*
 * Unpacks `count` rows, count * schema->row_size bytes. Accepts any bytes: if they are not `count` packed rows, returns
 * false and sets *fault to a phrase such as "its times go backwards". For the times alone, see sampled-times.h.
 */
bool xtf_unpack_rows(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count, uint8_t *rows,
                     const char **fault);
/*
 * Sets bit n % 64 of word n / 64 of `zeros` if the field, any but the time, is 0 in row n. Unpacks only the templates.
 * Sets *known to false, and nothing else, if the templates do not hold the field's values. Fails like
 * xtf_unpack_rows(), but does not find every fault.
 */
bool xtf_unpack_zeros(const XtfSchema *schema, unsigned field, const uint8_t *packed, uint32_t length, uint32_t count,
                      uint64_t *zeros, bool *known, const char **fault);
/* The place for the values of a field: value n goes to to[n * stride], in 64 bits. NULL: the field is not needed. */
typedef struct {
    uint64_t *to;
    uint32_t stride;
} XtfPackColumn;

/*
 * Unpacks each field to its column; the schema has more fields than the time, whose column has stride 1. Negative
 * numbers are not extended beyond the width of their field. Fails like xtf_unpack_rows(), but does not find every fault
 * of fields that are not needed. Sets *known to false if some needed fields are packed as steps or distances in
 * templates, or have more than 8 bytes. Then only the times are valid.
 */
bool xtf_unpack_columns(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count,
                        const XtfPackColumn *columns, bool *known, const char **fault);
/*
 * Unpacks sums of some fields, each an integer: for each field count + 1 sums, modulo 2^64. Sum i is that of the values
 * before row i. Negative numbers are added as such, and "none" is not added. Uses `known` and fails as
 * xtf_unpack_columns() does. Sets *known to false if one of the fields is the time.
 */
bool xtf_unpack_sums(const XtfSchema *schema, const uint8_t *fields, unsigned n_fields, const uint8_t *packed,
                     uint32_t length, uint32_t count, uint64_t *sums, bool *known, const char **fault);
/*
 * The values that the totals of frames need of packed rows: a time, a template and, if the templates do not hold it, a
 * key. Columns take a sixth of the bytes of rows, and a third of the time to make.
 */
typedef struct {
    uint64_t key;
    uint32_t distance; /* rows back to the row that the row leads to; 0: to none; or XTF_FRAME_CHAINED */
    bool is_end, outermost;
} XtfFrameTemplate;

/* The row leads to the row that the target of the row before leads to. */
#define XTF_FRAME_CHAINED UINT32_MAX

typedef struct {
    uint32_t count;
    uint64_t first;          /* time of the first row */
    const uint32_t *offsets; /* time of each row, less `first`; NULL if some do not fit 32 bits */
    const uint64_t *times;   /* time of each row, if there are no offsets */
    const uint8_t *numbers;  /* template of each row */
    const uint32_t *keys;    /* key of each row; NULL if the templates have the keys */
    bool lacks_keys;         /* true if the keys have a column that was not unpacked */
    const XtfFrameTemplate *templates;
} XtfFrameColumns;

static inline uint64_t xtf_frame_time(const XtfFrameColumns *columns, uint32_t i)
{
    return G_LIKELY(columns->offsets) ? columns->first + columns->offsets[i] : columns->times[i];
}

static inline uint64_t xtf_frame_key(const XtfFrameColumns *columns, const XtfFrameTemplate *row, uint32_t i)
{
    return columns->keys ? columns->keys[i] : row->key;
}

/* The fields of frames in a schema, none of them the time. */
typedef struct {
    unsigned key, is_end, distance, outermost;
    bool without_keys; /* true: a column of keys is not needed, which saves a third of the time */
} XtfFrameFields;

/*
 * Unpacks the columns of frames, converted by `map`, which may be NULL. Returns an allocation of *size bytes with the
 * XtfFrameColumns at byte `before`, a multiple of 8; the bytes before are the caller's. The caller frees it with
 * xtf_block_memory_free(). Fails like xtf_unpack_rows(), but does not find every fault. Returns NULL without a fault if
 * the fields are packed in other ways.
 */
uint8_t *xtf_unpack_frames(const XtfSchema *schema, const XtfRowMap *map, const XtfFrameFields *fields,
                           const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before, uint32_t *size,
                           const char **fault);
/* Returns the number of rows before t, and adds its comparisons to *comparisons. */
uint32_t xtf_frames_rank(const XtfFrameColumns *columns, uint64_t t, uint64_t *comparisons);
/* Unpacks rows as xtf_unpack_rows() does, and converts their row numbers and string ids by `map`, which may be NULL. */
bool xtf_unpack_mapped(const XtfSchema *schema, const XtfRowMap *map, const uint8_t *packed, uint32_t length,
                       uint32_t count, uint8_t *rows, const char **fault);

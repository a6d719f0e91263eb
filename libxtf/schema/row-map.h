/*
 * Maps of rows: from the numbers of a segment to those of the whole file.
 *
 * In a merged file the rows of a segment refer to tables and strings by the segment's own numbers. A row map turns rows
 * over as they come out of their leaf, so that all other code sees the file's numbers only.
 */
#pragma once

#include "libxtf/schema.h"

/* From the row numbers of a segment's table to those of the file's, or from its strings to the file's. */
typedef struct {
    bool strings;
    const uint32_t *rows; /* `n` of them; strings have none */
    uint64_t n;           /* rows of the segment's table; bytes of its heap of strings */
    uint64_t n_all;       /* rows of the file's table */
    uint64_t base;        /* of strings: where the segment's heap begins in the file's */
} XtfNumberMap;

/* What a number becomes that is no string of the segment's heap: it is none of the file's either. */
#define XTF_NO_STRING UINT32_MAX

/* The file's number. A number without a row stands for no row of the file either: if it would fall among these, it is
 * moved behind them. */
static inline uint64_t xtf_number_map(const XtfNumberMap *map, uint64_t number)
{
    if (map->strings)
        return number < map->n ? number + map->base : XTF_NO_STRING;
    if (G_LIKELY(number < map->n))
        return map->rows[number];
    return number < map->n_all ? number - map->n + map->n_all : number;
}

/* Whether another number may become the same as this one. No two rows become one. */
static inline bool xtf_number_map_may_join(const XtfNumberMap *map, uint64_t number)
{
    return number >= map->n;
}

typedef struct {
    uint32_t field;
    int chooser; /* as of an XtfReference */
    uint64_t choice;
    XtfNumberMap numbers;
} XtfFieldMap;

/* The maps of a schema's fields, of those whose values change. */
typedef struct {
    const XtfSchema *schema;
    unsigned n;
    XtfFieldMap fields[];
} XtfRowMap;

/* Fields of a schema: bit f stands for field f. */
typedef uint64_t XtfFieldSet;

/* Maps those fields of `count` rows, `stride` bytes apart, that are in the set, together with the fields that choose
 * for them, if `inside`; else all other fields. */
void xtf_row_map_apply(const XtfRowMap *map, XtfFieldSet set, bool inside, uint8_t *rows, size_t stride,
                       uint32_t count);

/* Maps all fields. */
static inline void xtf_row_map_apply_all(const XtfRowMap *map, uint8_t *rows, uint32_t count)
{
    xtf_row_map_apply(map, 0, false, rows, map->schema->row_size, count);
}

/* The map of a field that is a key of totals; NULL if its values stay. References by choice stay in keys. */
const XtfNumberMap *xtf_row_map_of_key(const XtfRowMap *map, uint32_t field);

/*
 * Row maps: convert the numbers of a segment to the numbers of the whole file.
 *
 * In a merged file, the rows of a segment refer to tables and strings by the segment's own numbers. A row map converts
 * the rows of a leaf as they are read, so that all other code sees only the file's numbers.
 */
#pragma once

#include "libxtf/schema.h"

/* A map from the row numbers of a segment's table to the file's row numbers; or from a segment's string ids to the
 * file's ids. */
typedef struct {
    bool strings;
    const uint32_t *rows; /* the file's row number of each of the segment's `n` rows; unused for strings */
    uint64_t n;           /* number of rows of the segment's table; for strings, bytes of the segment's heap */
    uint64_t n_all;       /* number of rows of the file's table */
    uint64_t base;        /* for strings: offset of the segment's heap in the file's heap */
} XtfNumberMap;

/* The result for a string id outside the segment's heap. This id is outside the file's heap, too. */
#define XTF_NO_STRING UINT32_MAX

/* Returns the file's number for a segment's number. A number beyond the last row of the segment becomes a number beyond
 * the last row of the file. */
static inline uint64_t xtf_number_map(const XtfNumberMap *map, uint64_t number)
{
    if (map->strings)
        return number < map->n ? number + map->base : XTF_NO_STRING;
    if (G_LIKELY(number < map->n))
        return map->rows[number];
    return number < map->n_all ? number - map->n + map->n_all : number;
}

/* True if the map may give another number the same result. It never does so for numbers of the segment's rows. */
static inline bool xtf_number_map_may_join(const XtfNumberMap *map, uint64_t number)
{
    return number >= map->n;
}

typedef struct {
    uint32_t field;
    int chooser; /* as in XtfReference */
    uint64_t choice;
    XtfNumberMap numbers;
} XtfFieldMap;

/* A map for each field of a schema whose values differ between segment and file. */
typedef struct {
    const XtfSchema *schema;
    unsigned n;
    XtfFieldMap fields[];
} XtfRowMap;

/* A set of fields of a schema: bit f is field f. */
typedef uint64_t XtfFieldSet;

/* Maps fields of `count` rows, `stride` bytes apart. A field is in the set if the field and its chooser are both in
 * `set`. Maps the fields in the set if `inside`, else all other fields. */
void xtf_row_map_apply(const XtfRowMap *map, XtfFieldSet set, bool inside, uint8_t *rows, size_t stride,
                       uint32_t count);

/* Maps all fields. */
static inline void xtf_row_map_apply_all(const XtfRowMap *map, uint8_t *rows, uint32_t count)
{
    xtf_row_map_apply(map, 0, false, rows, map->schema->row_size, count);
}

/* Returns the map of a field that is a key of totals; NULL if its values are the same in segment and file. Leaves out
 * references by choice, which no key is. */
const XtfNumberMap *xtf_row_map_of_key(const XtfRowMap *map, uint32_t field);

/* True if the map changes values of one of `n` fields. */
bool xtf_row_map_changes(const XtfRowMap *map, const uint8_t *fields, unsigned n);

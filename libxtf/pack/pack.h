/*
 * The compact codec: rows of one schema, packed.
 *
 * The times have streams of their own, as differences, so they can be unpacked without the rest of the rows. The rest
 * of each row is the number of a template. A template makes a row from the one before it: for each field it holds the
 * value (VALUE), the difference (STEP, for fields that rise), the distance (DISTANCE), or the mark CHAINED: go where
 * the row that the previous row leads to leads. Fields with too many values for templates have columns of their own.
 * pack-format.h and docs/FORMAT.md describe the format.
 *
 * Packing knows neither pages nor headers. The same rows always pack to the same templates; deflate's output depends on
 * the library. All functions may be called from any thread; each thread has its own scratch memory.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/schema/row-map.h"

enum {
    XTF_PACK_LEVEL_DEFAULT = 1,
    XTF_PACK_LEVEL_MAX = 9, /* as zlib's levels; libdeflate's of the same number take about the same effort */
};

/* What is known of an array's rows before they are packed. Times are what varies most, and what they will take is
 * estimated soon; the rest is taken to be as it was. All zeros: nothing is known. */
typedef struct {
    uint32_t count;     /* rows that were packed before... */
    int32_t rest;       /* ...and the bytes that they took, less the estimate for their times */
    uint32_t low, high; /* rows that will take less or more bytes are not packed; not looked at if `count` is 0 */
    uint32_t estimate;  /* set if rows are not packed: about the bytes that they would take */
} XtfPackForecast;

/* Packs `count` rows, at least 1, whose times ascend, into at most `room` bytes. Returns the length; 0 if they do not
 * fit, or are not expected to take what they should. `forecast` may be NULL; else it is set from the rows. */
uint32_t xtf_pack(const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level, uint8_t *out,
                  uint32_t room, XtfPackForecast *forecast);

/* The most bytes that `count` packed rows can take. */
uint64_t xtf_pack_bound(const XtfSchema *schema, uint32_t count);

/*
 * The rows as they were packed, count * schema->row_size bytes. Any bytes may be given: if they are not `count` packed
 * rows, returns false and sets *fault to a phrase such as "its times fall". (The times alone: sampled-times.h.)
 */
bool xtf_unpack_rows(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count, uint8_t *rows,
                     const char **fault);
/*
 * Of each row whether a field, any but the time, is 0: bit n % 64 of word n / 64 is set if it is. If the templates
 * tell, nothing else is unpacked; `*known` is false, and nothing else is set, if they do not. Fails like
 * xtf_unpack_rows(), but does not find every fault.
 */
bool xtf_unpack_zeros(const XtfSchema *schema, unsigned field, const uint8_t *packed, uint32_t length, uint32_t count,
                      uint64_t *zeros, bool *known, const char **fault);
/* The same rows, mapped to the numbers of the whole file. The map may be NULL. */
bool xtf_unpack_mapped(const XtfSchema *schema, const XtfRowMap *map, const uint8_t *packed, uint32_t length,
                       uint32_t count, uint8_t *rows, const char **fault);

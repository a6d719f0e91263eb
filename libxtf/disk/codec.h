/*
 * Codecs: how the rows of a leaf, and stored totals, are kept as bytes. A codec is a row of the table in codec.c; the
 * rest of the library asks the table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/pack/pack.h"
#include "libxtf/schema/row-map.h"

/* Ids of codecs in the file. */
typedef enum {
    XTF_CODEC_PLAIN = 0,   /* side by side */
    XTF_CODEC_COMPACT = 1, /* packed: a tenth to a thirtieth of the bytes */
} XtfCodecId;

/* Rows that a leaf holds at most, since packed rows may take next to nothing: so many for each byte of a page, and no
 * more than fit this number of bytes side by side. */
enum {
    XTF_LEAF_ROWS_PER_BYTE = 4,
    XTF_LEAF_BYTES_MAX = 16 << 20,
};

static inline uint32_t xtf_leaf_rows_max(uint32_t page_size, uint32_t row_size)
{
    return MIN(XTF_LEAF_ROWS_PER_BYTE * page_size, XTF_LEAF_BYTES_MAX / row_size);
}

/* The times of a leaf, unpacked in a form of the codec's own, which it alone reads. */
typedef struct XtfCodecTimes XtfCodecTimes;

typedef struct {
    const char *name;
    uint64_t feature;  /* the incompatible feature bit of files that use it; 0: none is needed */
    bool side_by_side; /* rows lie in the payload as they are, so they are read there, and fill it */

    /* Bytes that `count` rows take at most. */
    uint64_t (*bound)(const XtfSchema *schema, uint32_t count);
    /* As xtf_pack(). */
    uint32_t (*pack)(const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level, uint8_t *out,
                     uint32_t room, XtfPackForecast *forecast);
    /* Times alone, for counting; these three are NULL where rows lie side by side. The times of `count` packed rows are
     * XtfCodecTimes at byte `before` of an allocation of *size bytes, to be freed by g_free(), whose bytes before are
     * the caller's. NULL with *fault if the bytes are not such rows. */
    uint8_t *(*unpack_times)(const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before, uint32_t *size,
                             const char **fault);
    /* The time of row i; and the number of rows before t, *comparisons being those that it took. */
    uint64_t (*time_at)(const XtfCodecTimes *times, uint32_t i);
    uint32_t (*times_rank)(const XtfCodecTimes *times, uint64_t t, uint64_t *comparisons);
    /* As xtf_unpack_zeros(); NULL where rows lie side by side. */
    bool (*unpack_zeros)(const XtfSchema *schema, unsigned field, const uint8_t *packed, uint32_t length,
                         uint32_t count, uint64_t *zeros, bool *known, const char **fault);
    /* As xtf_unpack_mapped(): false with *fault if the bytes are not `count` rows. */
    bool (*unpack_rows)(const XtfSchema *schema, const XtfRowMap *map, const uint8_t *packed, uint32_t length,
                        uint32_t count, uint8_t *rows, const char **fault);
} XtfCodec;

/* The codec of an id, as a file has it; NULL if there is none. */
const XtfCodec *xtf_codec(unsigned id);
/* Finds the id of a codec's name; NULL means the default. */
bool xtf_codec_find(const char *name, XtfCodecId *id);
/* The names, the default first, and NULL behind the last. */
const char *const *xtf_codec_names(void);
/* All incompatible feature bits that codecs need; and the codec that needs one of the features, or the plain one. */
uint64_t xtf_codec_features(void);
const XtfCodec *xtf_codec_of_features(uint64_t features);

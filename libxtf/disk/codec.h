/*
 * Codecs: encodings of the rows of a leaf, and of stored totals. Each codec is a row of the table in codec.c; other
 * code calls codecs through the table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/pack/pack.h"
#include "libxtf/schema/row-map.h"

/* Ids of codecs in the file. */
typedef enum {
    XTF_CODEC_PLAIN = 0,   /* rows one after another, uncompressed */
    XTF_CODEC_COMPACT = 1, /* packed: a tenth to a thirtieth of the bytes */
} XtfCodecId;

/* Limits of the rows of a leaf. Packed rows may take almost no bytes, so the page size alone does not limit them. A
 * leaf has at most XTF_LEAF_ROWS_PER_BYTE rows for each byte of a page, and at most XTF_LEAF_BYTES_MAX bytes of
 * unpacked rows. */
enum {
    XTF_LEAF_ROWS_PER_BYTE = 4,
    XTF_LEAF_BYTES_MAX = 16 << 20,
};

static inline uint32_t xtf_leaf_rows_max(uint32_t page_size, uint32_t row_size)
{
    return MIN(XTF_LEAF_ROWS_PER_BYTE * page_size, XTF_LEAF_BYTES_MAX / row_size);
}

/* The unpacked times of a leaf, in a form that only their codec can read. */
typedef struct XtfCodecTimes XtfCodecTimes;

typedef struct {
    const char *name;
    uint64_t feature;  /* incompatible feature bit of files that use the codec; 0: none */
    bool side_by_side; /* the payload is the rows themselves: readers read them in place, and they fill the payload */

    /* Returns the maximum bytes of `count` packed rows. */
    uint64_t (*bound)(const XtfSchema *schema, uint32_t count);
    /* Packs rows like xtf_pack(). */
    uint32_t (*pack)(const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level, uint8_t *out,
                     uint32_t room, XtfPackForecast *forecast);
    /* Unpacks the times of `count` packed rows, for counting. Returns an allocation of *size bytes with the
     * XtfCodecTimes at byte `before`; the bytes before are the caller's. The caller frees it with
     * xtf_block_memory_free(). Returns NULL with *fault if the bytes are not such rows. This function and the next two
     * are NULL for side_by_side. */
    uint8_t *(*unpack_times)(const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before, uint32_t *size,
                             const char **fault);
    /* time_at() returns the time of row i. times_rank() returns the number of rows before t, and adds its comparisons
     * to *comparisons. */
    uint64_t (*time_at)(const XtfCodecTimes *times, uint32_t i);
    uint32_t (*times_rank)(const XtfCodecTimes *times, uint64_t t, uint64_t *comparisons);
    /* Finds zeros like xtf_unpack_zeros(); NULL for side_by_side. */
    bool (*unpack_zeros)(const XtfSchema *schema, unsigned field, const uint8_t *packed, uint32_t length,
                         uint32_t count, uint64_t *zeros, bool *known, const char **fault);
    /* Unpacks the columns of frames like xtf_unpack_frames(); NULL for side_by_side. */
    uint8_t *(*unpack_frames)(const XtfSchema *schema, const XtfRowMap *map, const XtfFrameFields *fields,
                              const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before, uint32_t *size,
                              const char **fault);
    /* Unpacks columns like xtf_unpack_columns(); NULL for side_by_side. */
    bool (*unpack_columns)(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count,
                           const XtfPackColumn *columns, bool *known, const char **fault);
    /* Unpacks sums like xtf_unpack_sums(); NULL for side_by_side. */
    bool (*unpack_sums)(const XtfSchema *schema, const uint8_t *fields, unsigned n_fields, const uint8_t *packed,
                        uint32_t length, uint32_t count, uint64_t *sums, bool *known, const char **fault);
    /* Unpacks rows like xtf_unpack_mapped(). Returns false with *fault if the bytes are not `count` rows. */
    bool (*unpack_rows)(const XtfSchema *schema, const XtfRowMap *map, const uint8_t *packed, uint32_t length,
                        uint32_t count, uint8_t *rows, const char **fault);
} XtfCodec;

/* Returns the codec with an id from a file; NULL if there is none. */
const XtfCodec *xtf_codec(unsigned id);
/* Finds the id of the codec with a name; NULL means the default. */
bool xtf_codec_find(const char *name, XtfCodecId *id);
/* Returns the names, the default first, NULL-terminated. */
const char *const *xtf_codec_names(void);
/* Returns all incompatible feature bits that codecs need. xtf_codec_of_features() returns the codec that needs one
 * of the features, or the plain codec. */
uint64_t xtf_codec_features(void);
const XtfCodec *xtf_codec_of_features(uint64_t features);

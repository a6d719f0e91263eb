/*
 * Readers and writers of sequences of small values, as in the catalog and its schemas.
 *
 * A reader never runs past its end. The first read that does not fit sets `failed`. Failed reads, and all reads after
 * them, return zeros and empty strings. A decoder may therefore read on, and check `failed` before it uses the values.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/base/le.h"

typedef struct {
    const uint8_t *at;
    size_t left;
    bool failed;
} XtfBytesReader;

static inline const uint8_t *xtf_bytes_take(XtfBytesReader *reader, size_t length)
{
    if (reader->failed || length > reader->left) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *taken = reader->at;
    reader->at += length;
    reader->left -= length;
    return taken;
}

/* Copies `length` bytes to `to`, or fills `to` with zeros if the bytes do not fit. */
static inline void xtf_bytes_read(XtfBytesReader *reader, void *to, size_t length)
{
    const uint8_t *from = xtf_bytes_take(reader, length);
    if (from)
        memcpy(to, from, length);
    else
        memset(to, 0, length);
}

static inline uint8_t xtf_bytes_read_u8(XtfBytesReader *reader)
{
    uint8_t value;
    xtf_bytes_read(reader, &value, sizeof value);
    return value;
}

/* Returns a reader over the next `length` bytes. `reader` skips these bytes. */
static inline XtfBytesReader xtf_bytes_read_part(XtfBytesReader *reader, size_t length)
{
    const uint8_t *at = xtf_bytes_take(reader, length);
    return (XtfBytesReader){.at = at, .left = at ? length : 0, .failed = !at};
}

static inline void xtf_bytes_write_u8(GByteArray *bytes, uint8_t value)
{
    g_byte_array_append(bytes, &value, 1);
}

/* Defines xtf_bytes_read_u16(), xtf_bytes_write_u16(), and the same for 32 and 64 bits. */
#define XTF_DEFINE_BYTES(bits)                                                          \
    static inline uint##bits##_t xtf_bytes_read_u##bits(XtfBytesReader *reader)         \
    {                                                                                   \
        XtfLe##bits value;                                                              \
        xtf_bytes_read(reader, &value, sizeof value);                                   \
        return xtf_read##bits(value);                                                   \
    }                                                                                   \
    static inline void xtf_bytes_write_u##bits(GByteArray *bytes, uint##bits##_t value) \
    {                                                                                   \
        XtfLe##bits le;                                                                 \
        xtf_write##bits(&le, value);                                                    \
        g_byte_array_append(bytes, le.bytes, sizeof le);                                \
    }

XTF_DEFINE_BYTES(16)
XTF_DEFINE_BYTES(32)
XTF_DEFINE_BYTES(64)

/* Appends zeros up to a multiple of 8 bytes. */
static inline void xtf_bytes_align(GByteArray *bytes)
{
    static const uint8_t zeros[8];
    g_byte_array_append(bytes, zeros, -bytes->len % 8u);
}

/* Appends the string's length as a U16, then its bytes. The string must have at most 65535 bytes. */
static inline void xtf_bytes_write_string(GByteArray *bytes, const char *text)
{
    size_t length = strlen(text);
    xtf_bytes_write_u16(bytes, (uint16_t)length);
    g_byte_array_append(bytes, (const guint8 *)text, (guint)length);
}

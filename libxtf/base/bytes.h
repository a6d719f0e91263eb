/*
 * Reading and writing sequences of small values: the catalog and the schemas in it.
 *
 * A reader never runs past its end: once a read does not fit, `failed` is set, and that read and all later ones give
 * zeros and empty strings. So a decoder reads on, and checks `failed` before it uses the values.
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

/* Copies a fixed-size struct out; zeros if it does not fit. */
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

/* A reader over the next `length` bytes, which this one passes over. */
static inline XtfBytesReader xtf_bytes_read_part(XtfBytesReader *reader, size_t length)
{
    const uint8_t *at = xtf_bytes_take(reader, length);
    return (XtfBytesReader){.at = at, .left = at ? length : 0, .failed = !at};
}

static inline void xtf_bytes_write_u8(GByteArray *bytes, uint8_t value)
{
    g_byte_array_append(bytes, &value, 1);
}

/* xtf_bytes_read_u16() and so on, xtf_bytes_write_u16() and so on. */
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

/* Zeros up to a multiple of 8. */
static inline void xtf_bytes_align(GByteArray *bytes)
{
    static const uint8_t zeros[8];
    g_byte_array_append(bytes, zeros, -bytes->len % 8u);
}

/* A string of a U16 length; the caller frees it. */
static inline char *xtf_bytes_read_string(XtfBytesReader *reader)
{
    uint16_t length = xtf_bytes_read_u16(reader);
    const uint8_t *text = xtf_bytes_take(reader, length);
    if (text && memchr(text, 0, length)) /* names are C strings in the API: one with a NUL would be cut in silence */
        reader->failed = true;
    return text ? g_strndup((const char *)text, length) : g_strdup("");
}

/* The string is no longer than a U16 can say. */
static inline void xtf_bytes_write_string(GByteArray *bytes, const char *text)
{
    size_t length = strlen(text);
    xtf_bytes_write_u16(bytes, (uint16_t)length);
    g_byte_array_append(bytes, (const guint8 *)text, (guint)length);
}

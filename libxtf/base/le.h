/*
 * Little-endian integers, as in all files of this project.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* Unaligned little-endian integers. Each is a struct, so that mixing it with a native integer does not compile. */
typedef struct {
    uint8_t bytes[2];
} XtfLe16;
typedef struct {
    uint8_t bytes[4];
} XtfLe32;
typedef struct {
    uint8_t bytes[8];
} XtfLe64;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define XTF_SWAP16(v) (v)
#define XTF_SWAP32(v) (v)
#define XTF_SWAP64(v) (v)
#else
#define XTF_SWAP16(v) __builtin_bswap16(v)
#define XTF_SWAP32(v) __builtin_bswap32(v)
#define XTF_SWAP64(v) __builtin_bswap64(v)
#endif

/* Defines xtf_read*() and xtf_write*() for the structs, xtf_load*() and xtf_store*() for any address. */
#define XTF_DEFINE_LE(bits)                                                   \
    static inline uint##bits##_t xtf_read##bits(XtfLe##bits from)             \
    {                                                                         \
        uint##bits##_t value;                                                 \
        memcpy(&value, from.bytes, sizeof value);                             \
        return XTF_SWAP##bits(value);                                         \
    }                                                                         \
    static inline void xtf_write##bits(XtfLe##bits *to, uint##bits##_t value) \
    {                                                                         \
        value = XTF_SWAP##bits(value);                                        \
        memcpy(to->bytes, &value, sizeof value);                              \
    }                                                                         \
    static inline uint##bits##_t xtf_load##bits(const void *at)               \
    {                                                                         \
        XtfLe##bits le;                                                       \
        memcpy(&le, at, sizeof le);                                           \
        return xtf_read##bits(le);                                            \
    }                                                                         \
    static inline void xtf_store##bits(void *at, uint##bits##_t value)        \
    {                                                                         \
        XtfLe##bits le;                                                       \
        xtf_write##bits(&le, value);                                          \
        memcpy(at, &le, sizeof le);                                           \
    }

XTF_DEFINE_LE(16)
XTF_DEFINE_LE(32)
XTF_DEFINE_LE(64)

/*
 * Little-endian integers, as all files of ours hold them.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* Little-endian integers without alignment: a struct each, so that mixing them with the machine's does not compile. */
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
    }

XTF_DEFINE_LE(16)
XTF_DEFINE_LE(32)
XTF_DEFINE_LE(64)

/* The same at any address. */
static inline uint32_t xtf_load32(const void *at)
{
    XtfLe32 le;
    memcpy(&le, at, sizeof le);
    return xtf_read32(le);
}

static inline uint64_t xtf_load64(const void *at)
{
    XtfLe64 le;
    memcpy(&le, at, sizeof le);
    return xtf_read64(le);
}

static inline void xtf_store32(void *at, uint32_t value)
{
    XtfLe32 le;
    xtf_write32(&le, value);
    memcpy(at, &le, sizeof le);
}

static inline void xtf_store64(void *at, uint64_t value)
{
    XtfLe64 le;
    xtf_write64(&le, value);
    memcpy(at, &le, sizeof le);
}

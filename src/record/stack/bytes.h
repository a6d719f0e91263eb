/* Reads the bytes of unwind information, which may be damaged. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const uint8_t *at, *end;
    bool bad; /* a read was beyond the end, or met what is not supported; it returned 0 */
} XtfStackBytes;

static inline uint64_t xtf_stack_read(XtfStackBytes *bytes, unsigned size)
{
    uint64_t value = 0;

    if (bytes->bad || (uintptr_t)(bytes->end - bytes->at) < size) {
        bytes->bad = true;
        return 0;
    }
    memcpy(&value, bytes->at, size);
    bytes->at += size;
    return value;
}

static inline int64_t xtf_stack_read_signed(XtfStackBytes *bytes, unsigned size)
{
    unsigned shift = 64 - 8 * size;

    return (int64_t)(xtf_stack_read(bytes, size) << shift) >> shift;
}

/* Reads a number in the code LEB128. */
static inline uint64_t xtf_stack_read_leb(XtfStackBytes *bytes, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = (uint8_t)xtf_stack_read(bytes, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && byte & 0x40 && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return value;
}

/* Returns the next `size` bytes, and skips them. */
static inline XtfStackBytes xtf_stack_part(XtfStackBytes *bytes, uint64_t size)
{
    XtfStackBytes part = {.at = bytes->at, .end = bytes->at};

    if (bytes->bad || (uintptr_t)(bytes->end - bytes->at) < size) {
        bytes->bad = part.bad = true;
        return part;
    }
    part.end = bytes->at += size;
    return part;
}

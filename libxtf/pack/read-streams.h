/*
 * Reading streams, and the numbers in them. The bytes may be anything: every length is checked before it is used.
 */
#pragma once

#include "libxtf/pack/pack-format.h"

/* Packed bytes as they are read. */
typedef struct {
    const uint8_t *at, *end;
    const char *fault; /* the first fault; NULL while there is none */
} XtfPackReader;

/* Notes a fault; false. */
bool xtf_pack_fail(XtfPackReader *reader, const char *fault);

/* 0 on a fault. */
uint64_t xtf_read_varint(XtfPackReader *reader);
uint8_t xtf_read_byte(XtfPackReader *reader);

/* A stream of `least` to `most` bytes, in scratch memory, followed by 8 bytes that may be read too; NULL on a fault. */
const uint8_t *xtf_read_stream(XtfPackReader *reader, XtfScratchUse use, uint64_t least, uint64_t most, size_t *length);

/* Goes behind a stream; false on a fault. What it inflates to is not looked at. */
bool xtf_skip_stream(XtfPackReader *reader);

/* The meaning of each head: the number is its base plus its tail, which has so many bytes. */
typedef struct {
    uint64_t base[256], mask[256];
    uint8_t tail[256];
} XtfHeads;

const XtfHeads *xtf_heads(void);

/* A sequence of numbers, read one by one. Reading a number looks at 8 bytes from its tail on. */
typedef struct {
    const XtfHeads *heads;
    const uint8_t *head, *tail;
} XtfNumberReader;

/* The next `count` numbers, in scratch memory, until other numbers are read. *tails, if not NULL: bytes of tails. */
bool xtf_read_numbers(XtfPackReader *reader, uint32_t count, XtfNumberReader *numbers, size_t *tails);

static inline uint64_t xtf_next_number(XtfNumberReader *numbers)
{
    uint8_t head = *numbers->head++;
    uint64_t number = numbers->heads->base[head] + (xtf_load64(numbers->tail) & numbers->heads->mask[head]);

    numbers->tail += numbers->heads->tail[head];
    return number;
}

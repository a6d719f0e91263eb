/*
 * Reading streams, and the numbers in them. The bytes may be damaged: the functions check every length before they use
 * it.
 */
#pragma once

#include "libxtf/pack/pack-format.h"

/* The position in packed bytes. */
typedef struct {
    const uint8_t *at, *end;
    const char *fault; /* the first fault; NULL: none */
} XtfPackReader;

/* Stores the fault unless there is an earlier one, and returns false. */
bool xtf_pack_fail(XtfPackReader *reader, const char *fault);

/* Returns the next varint, and xtf_read_byte() the next byte; 0 on a fault, which the reader keeps. */
uint64_t xtf_read_varint(XtfPackReader *reader);
uint8_t xtf_read_byte(XtfPackReader *reader);

/* Reads a stream of `least` to `most` bytes, followed by XTF_READABLE_AFTER bytes: a stored stream in place, others
 * into scratch memory. Returns NULL on a fault. */
const uint8_t *xtf_read_stream(XtfPackReader *reader, XtfScratchUse use, uint64_t least, uint64_t most, size_t *length);

/* Reads a stream of `length` bytes, at least 1, to `to`. If it repeats one byte, sets *repeats, and only the first byte
 * of `to`. */
bool xtf_read_stream_to(XtfPackReader *reader, uint8_t *to, size_t length, bool *repeats);

/* Skips a stream without inflating it. Returns false on a fault. */
bool xtf_skip_stream(XtfPackReader *reader);

/* For each head: the base of its numbers, and the mask and bytes of the tail that is added. */
typedef struct {
    uint64_t base[256], mask[256];
    uint8_t tail[256];
} XtfHeads;

const XtfHeads *xtf_heads(void);

/* A sequence of numbers, read one by one. Reading a number accesses 8 bytes from its tail on. */
typedef struct {
    const XtfHeads *heads;
    const uint8_t *head, *tail;
} XtfNumberReader;

/* Reads the next `count` numbers into scratch memory, where they stay until other numbers are read. Sets *tails, if not
 * NULL, to the bytes of tails. */
bool xtf_read_numbers(XtfPackReader *reader, uint32_t count, XtfNumberReader *numbers, size_t *tails);

static inline uint64_t xtf_next_number(XtfNumberReader *numbers)
{
    uint8_t head = *numbers->head++;
    uint64_t number = numbers->heads->base[head] + (xtf_load64(numbers->tail) & numbers->heads->mask[head]);

    numbers->tail += numbers->heads->tail[head];
    return number;
}

enum { XTF_HEADS_AT_ONCE = 8 };

/* True if none of the next 8 numbers has a tail, so that each is its head. A head without a tail is less than 192: at
 * least one of its two upper bits is 0. */
static inline bool xtf_next_have_no_tails(const XtfNumberReader *numbers)
{
    const uint64_t upper = UINT64_C(0x8080808080808080), heads = xtf_load64(numbers->head);

    return (heads & heads << 1 & upper) == 0;
}

/* Reads the next numbers, `left` but at most 8, to `to`. Returns how many. Most numbers have no tail. */
static inline uint32_t xtf_next_numbers(XtfNumberReader *numbers, uint32_t left, uint64_t to[XTF_HEADS_AT_ONCE])
{
    const uint32_t n = MIN(left, (uint32_t)XTF_HEADS_AT_ONCE);

    if (n == XTF_HEADS_AT_ONCE && xtf_next_have_no_tails(numbers)) {
        for (uint32_t i = 0; i < XTF_HEADS_AT_ONCE; i++)
            to[i] = numbers->head[i];
        numbers->head += XTF_HEADS_AT_ONCE;
    } else {
        for (uint32_t i = 0; i < n; i++)
            to[i] = xtf_next_number(numbers);
    }
    return n;
}

/* Moves the reader behind `count` numbers, and sets sums[i] to the sum of the first i + 1 of them. Returns the sum of
 * all. Returns UINT64_MAX, and leaves all else undefined, if it does not fit 32 bits. */
uint64_t xtf_sum_numbers(XtfNumberReader *numbers, uint32_t count, uint32_t *sums);
/* Moves the reader behind `count` numbers. Sets times[i] to `before` and the first i + 1 numbers. Returns false if a
 * time exceeds 64 bits. */
bool xtf_sum_times(XtfNumberReader *numbers, uint64_t before, uint32_t count, uint64_t *times);

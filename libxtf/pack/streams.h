/*
 * Writing streams: deflated, stored or as a repeated byte.
 */
#pragma once

#include "libxtf/pack/pack-format.h"

/* The position in the packed output. The caller has allocated enough memory. */
typedef struct {
    uint8_t *at;
    unsigned level;
    bool for_reading; /* store streams that deflate does not halve */
    bool for_size;    /* deflate noise, too, if it shrinks at all, and do not prefer fixed codes */
} XtfStreamWriter;

/* When to try deflate. */
typedef enum {
    XTF_STREAM_PLAIN, /* always try deflate */
    XTF_STREAM_NOISY, /* try deflate only if some bytes are more frequent than others */
} XtfStreamNature;

void xtf_put_stream(XtfStreamWriter *writer, const uint8_t *bytes, size_t length, XtfStreamNature nature);

/* Heads and tails in scratch memory, before they are written as streams. Numbers are appended at `end`. */
typedef struct {
    uint8_t *heads, *tails;
    XtfNumberWriter end;
} XtfNumbers;

XtfNumbers xtf_begin_numbers(uint32_t count); /* only one at a time, because they share scratch memory */
void xtf_put_numbers(XtfStreamWriter *writer, const XtfNumbers *numbers);
/* Estimates the packed bytes of numbers. */
uint32_t xtf_estimate_numbers(const XtfStreamWriter *writer, const XtfNumbers *numbers);

/* Estimates the deflated length of bytes with these frequencies. */
double xtf_estimate_bytes(const uint32_t frequencies[256]);

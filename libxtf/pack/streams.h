/*
 * Writing streams: deflated, stored or as a repeated byte.
 */
#pragma once

#include "libxtf/pack/pack-format.h"

/* Packed bytes as they grow. The caller has made room for all of them. */
typedef struct {
    uint8_t *at;
    unsigned level;
} XtfStreamWriter;

/* Whether deflate is tried. */
typedef enum {
    XTF_STREAM_PLAIN, /* always */
    XTF_STREAM_NOISY, /* only if some bytes are more frequent than others */
} XtfStreamNature;

void xtf_put_stream(XtfStreamWriter *writer, const uint8_t *bytes, size_t length, XtfStreamNature nature);

/* Heads and tails before they become streams, in scratch memory. Numbers are put at `end`. */
typedef struct {
    uint8_t *heads, *tails;
    XtfNumberWriter end;
} XtfNumbers;

XtfNumbers xtf_begin_numbers(uint32_t count); /* one at a time: they share scratch memory */
void xtf_put_numbers(XtfStreamWriter *writer, const XtfNumbers *numbers);
uint32_t xtf_estimate_numbers(const XtfNumbers *numbers); /* about the bytes that they will take */

/* About the deflated length of bytes with these frequencies. */
double xtf_estimate_bytes(const uint32_t frequencies[256]);

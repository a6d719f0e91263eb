/*
 * Writing streams: deflated, stored or as a repeated byte, whichever is smallest.
 */
#pragma once

#include "libxtf/pack/pack-format.h"

/* Packed bytes as they grow. Whoever begins sees to it that there is room for all. */
typedef struct {
    uint8_t *at;
    unsigned level;
} XtfStreamWriter;

/* Whether deflate is worth a try. */
typedef enum {
    XTF_STREAM_PLAIN, /* yes */
    XTF_STREAM_NOISY, /* only if some bytes are more frequent than others */
} XtfStreamNature;

void xtf_put_stream(XtfStreamWriter *writer, const uint8_t *bytes, size_t length, XtfStreamNature nature);

/* Heads and tails on their way into streams, in scratch memory: put numbers at `end`. */
typedef struct {
    uint8_t *heads, *tails;
    XtfNumberWriter end;
} XtfNumbers;

XtfNumbers xtf_begin_numbers(uint32_t count); /* the next one may begin when this one was put */
void xtf_put_numbers(XtfStreamWriter *writer, const XtfNumbers *numbers);

/* About how many bytes deflate makes of bytes of such frequencies. */
double xtf_estimate_bytes(const uint32_t frequencies[256]);

/*
 * Writing streams: deflated, stored or as a repeated byte, whichever is smallest.
 */
#pragma once

#include "libxtf/pack-format.h"

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

/* The streams of a field's column; its mode becomes that of the smallest, COLUMN, STEPS or PLANES. */
XtfPackMode xtf_choose_column(const XtfPackField *field, const uint8_t *rows, size_t row_size, uint32_t count);
void xtf_put_column(XtfStreamWriter *writer, const XtfPackField *field, const uint8_t *rows, size_t row_size,
                    uint32_t count);

/* About how many bytes deflate makes of bytes of such frequencies. */
double xtf_estimate_bytes(const uint32_t frequencies[256]);

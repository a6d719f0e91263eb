/*
 * The blocks that a sender sends. Integers are in the order of the machine. A block of a schema precedes the arrays
 * that have it. The pages follow all arrays, in ascending order; reserved pages are zeros. The end is last.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    XTF_BLOCK_SCHEMA, /* XtfSchemaBlock; its limits, an XtfLimits for each field; the encoded schema */
    XTF_BLOCK_ARRAY,  /* XtfArrayBlock; its edge with the open leaf beside it */
    XTF_BLOCK_PAGES,  /* XtfPagesBlock; pages */
    XTF_BLOCK_END,    /* XtfPagesBlock without pages */
} XtfBlockKind;

typedef struct {
    uint32_t kind, n_fields;
    uint64_t n_encoded; /* bytes of the encoded schema */
} XtfSchemaBlock;

typedef struct {
    uint32_t kind, id;
    uint64_t location, n_rows, first, last;
    uint32_t edge_length, edge_checksum; /* of the edge without the open leaf */
    uint32_t edge_bytes;                 /* of both */
    uint8_t height, codec;
    bool batches;
} XtfArrayBlock;

typedef struct {
    uint32_t kind, n_pages;
    uint64_t place;
} XtfPagesBlock;

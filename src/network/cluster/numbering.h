/*
 * Numbers for keys: 0, 1, 2, ... in the order of their first use.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t *keys;    /* valid where `numbers` is not XTF_UNNUMBERED */
    uint32_t *numbers; /* hash table with open addressing, at most half full */
    unsigned bits;     /* log2 of the number of places in the table */
    uint32_t n;        /* number of keys so far */
} XtfNumbering;

#define XTF_UNNUMBERED UINT32_MAX

void xtf_numbering_init(XtfNumbering *numbering);
void xtf_numbering_finish(XtfNumbering *numbering);
/* Removes all keys. */
void xtf_numbering_clear(XtfNumbering *numbering);
/* Returns the number of the key (a, b); a new key gets the next number. Supports fewer than 2^32 - 1 keys. */
uint32_t xtf_numbering_get(XtfNumbering *numbering, uint32_t a, uint32_t b);

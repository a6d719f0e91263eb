/*
 * Numbers for keys: 0, 1, 2, ... in the order in which the keys come.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t *keys;    /* where `numbers` is not XTF_UNNUMBERED */
    uint32_t *numbers; /* open addressing, with room for twice the keys at least */
    unsigned bits;     /* of the number of places */
    uint32_t n;        /* keys so far */
} XtfNumbering;

#define XTF_UNNUMBERED UINT32_MAX

void xtf_numbering_init(XtfNumbering *numbering);
void xtf_numbering_finish(XtfNumbering *numbering);
/* Forgets all keys. */
void xtf_numbering_clear(XtfNumbering *numbering);
/* The number of a pair of numbers; a new one if the pair is new. There must be fewer than 2^32 - 1. */
uint32_t xtf_numbering_get(XtfNumbering *numbering, uint32_t a, uint32_t b);

/*
 * Encoding of the heap of strings. A string is a U32 length, its bytes, and a NUL; its id is the offset of its length.
 * The heap begins with "", whose id is 0.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts a heap with "". */
void xtf_strings_encode(GByteArray *heap);
/* Appends a string. Returns false if the heap would take more than 2 GiB. */
bool xtf_strings_add(GByteArray *heap, const char *text, uint32_t *id);

/* Finds the string with an id, and its length. Accepts any id and any bytes: returns false with *fault, a phrase such
 * as "it lies outside of the heap". */
bool xtf_strings_get(const uint8_t *heap, uint64_t size, uint64_t id, const char **text, uint32_t *length,
                     const char **fault);
/* Returns the id of the string after a string with this id and length. */
uint64_t xtf_strings_next(uint64_t id, uint32_t length);

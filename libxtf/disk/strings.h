/*
 * The heap of strings as bytes. A string is a U32 length, as many bytes, and a NUL; its id is the byte at which it
 * begins. The heap begins with "", whose id is 0.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Begins an empty heap with "". */
void xtf_strings_encode(GByteArray *heap);
/* Appends a string; false if the heap would take more than 2 GiB. */
bool xtf_strings_add(GByteArray *heap, const char *text, uint32_t *id);

/* The string of an id, and its length. Any id and any bytes may be given: false with *fault, a phrase such as "it lies
 * outside of the heap". */
bool xtf_strings_get(const uint8_t *heap, uint64_t size, uint64_t id, const char **text, uint32_t *length,
                     const char **fault);
/* The id of the string behind one of that id and length. */
uint64_t xtf_strings_next(uint64_t id, uint32_t length);

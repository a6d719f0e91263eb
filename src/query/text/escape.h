/*
 * Text from a trace, escaped for a column: control characters, backslashes and invalid UTF-8 become \xNN. With
 * `blanks`, in all columns but the last, blanks do too. An empty text becomes "".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the whole text when escaped. */
size_t xtf_text_width(const char *text, bool blanks);
/* Writes the escaped text, padded with spaces to `width`. A longer text is cut and ends in ~NUMBER, the row of the text
 * in its table, so that different texts stay different. */
void xtf_text_put(char *out, size_t width, const char *text, bool blanks, uint64_t number);

/*
 * Text from a trace, made fit for a column: control characters, backslashes and invalid UTF-8 are shown as \xNN, in all
 * columns but the last blanks too; nothing at all is shown as "".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the text takes when shown whole. */
size_t xtf_text_width(const char *text, bool blanks);
/* Shows the text from `out` on, padded with spaces to `width`. Where it is longer, it is cut and ends in ~NUMBER, which
 * is its row in its table: so that different ones stay different. */
void xtf_text_put(char *out, size_t width, const char *text, bool blanks, uint64_t number);

/*
 * Text from a trace or from a user, escaped: nothing that is printed moves a cursor, changes a terminal, or reorders a
 * line. Control characters, line and paragraph separators, controls of the direction of text, and bytes that are not
 * UTF-8 become \xNN.
 *
 * In columns, so do backslashes, and with `blanks`, in all columns but the last, blanks. An empty text becomes "".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the text when escaped; `most` if they are more. Reads no more of the text than that takes. */
size_t xtf_text_width(const char *text, bool blanks, size_t most);
/* Writes the escaped text, padded with spaces to `width`. A longer text is cut and ends in ~NUMBER, the row of the text
 * in its table, so that different texts stay different. */
void xtf_text_put(char *out, size_t width, const char *text, bool blanks, uint64_t number);

/* A message or a path as it may be printed: backslashes and blanks stay. What is longer than `most` bytes is cut and
 * ends in "...". The caller frees it. */
char *xtf_text_shown(const char *text, size_t most);
/* Whether nothing in the text is escaped in a message. */
bool xtf_text_is_plain(const char *text);

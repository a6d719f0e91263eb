/*
 * Escapes of text from a trace or from a user, so that printed text never moves a cursor, changes a terminal or
 * reorders a line. Control characters, line and paragraph separators, controls of the text's direction, and bytes that
 * are not UTF-8 become \xNN.
 *
 * In columns, backslashes become \xNN, too. `escape_blanks`, which all columns but the last set, does so with blanks.
 * An empty text becomes "".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of the escaped text, at most `most`. Stops reading the text there. */
size_t xtf_text_width(const char *text, bool escape_blanks, size_t most);
/* Writes the escaped text, padded with spaces to `width`. A longer text is cut and ends in ~NUMBER, the row of the text
 * in its table, so that different texts stay different. */
void xtf_text_put(char *out, size_t width, const char *text, bool escape_blanks, uint64_t number);

/* Escapes a message or a path, except backslashes and blanks. Cuts a text of more than `most` bytes and adds "...". The
 * caller frees the result. */
char *xtf_text_shown(const char *text, size_t most);
/* True if xtf_text_shown() escapes nothing in the text. */
bool xtf_text_is_plain(const char *text);
/* True if a character separates lines or paragraphs, or controls the direction of the text. */
bool xtf_text_is_separator_or_direction(uint32_t character);

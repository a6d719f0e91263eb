/*
 * The width of a text in pixels, and shortening of texts to a width.
 *
 * The viewer chooses the font. DejaVu Sans is the widest of the fonts that pictures name, so its advances count. A
 * letter outside of ASCII counts as wide as the widest letter.
 */
#pragma once

#include <stddef.h>

/* Returns an upper bound of the pixels of a text in letters `size` pixels high. */
double xtf_text_pixels(const char *text, double size);

/* Returns the text, without its middle if it has more than `most` characters. The caller frees it. */
char *xtf_text_elided(const char *text, size_t most);

/* Returns a region's name, shortened to at most `pixels`: first without MPI's prefix, then without its middle. NULL if
 * fewer than five characters would remain, which would be noise. The caller frees it. */
char *xtf_name_fitted(const char *name, double size, double pixels);

/*
 * How wide a text is drawn, and what of it fits.
 *
 * Who draws it chooses the font: of those that pictures name, DejaVu Sans is the widest, so its advances are counted. A
 * letter beyond ASCII counts as wide as letters get.
 */
#pragma once

#include <stddef.h>

/* Pixels, of letters `size` pixels high: an upper bound. */
double xtf_text_pixels(const char *text, double size);

/* `text` with its middle left out, so that it has at most `most` characters. The caller frees it. */
char *xtf_text_elided(const char *text, size_t most);

/* What of a region's name fits so many pixels: MPI's prefix goes first, then the middle. NULL: less than five
 * characters would be left, which is noise. The caller frees it. */
char *xtf_name_fitted(const char *name, double size, double pixels);

/*
 * PNG images of a palette.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    XTF_PNG_COLOURS_MAX = 256,
};

/* The contents of an image. All pointers are borrowed. */
typedef struct {
    uint32_t width, height;  /* pixels, at least 1 */
    const uint8_t *pixels;   /* height * width indices of colours, row by row */
    const uint32_t *colours; /* 0xrrggbb */
    uint32_t n_colours;      /* 1 to XTF_PNG_COLOURS_MAX */
    bool first_is_clear;     /* colour 0 is transparent */
    const char *title;       /* a text in the file, UTF-8; NULL: none */
} XtfIndexedImage;

/* Returns the bytes of a PNG file. NULL with XTF_ERROR_UNSUPPORTED if a side has no or more than a million pixels, or
 * memory is short. NULL with XTF_ERROR_INVALID if a pixel has no colour. */
GByteArray *xtf_png_encode(const XtfIndexedImage *image, GError **error);

#include "src/pictures/images/indexed-png.h"

#include "libxtf/error.h"

#ifdef XTF_WITH_PNG

#include <png.h>
#include <stdlib.h>

enum {
    SIDE_MAX = 1 << 20, /* most pixels of a side */
};

bool xtf_png_is_built(void)
{
    return true;
}

/* Stores libpng's message in the caller's error, and jumps back to setjmp(). */
static void fail_write(png_structp png, const char *message)
{
    g_set_error(png_get_error_ptr(png), XTF_ERROR, XTF_ERROR_UNSUPPORTED, "PNG: %s", message);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, const char *message)
{
}

static void append_bytes(png_structp png, png_bytep bytes, png_size_t n)
{
    g_byte_array_append(png_get_io_ptr(png), bytes, (guint)n);
}

static void no_flush(png_structp png)
{
}

static bool check_image(const XtfIndexedImage *image, GError **error)
{
    uint64_t n = (uint64_t)image->width * image->height;

    if (image->width == 0 || image->height == 0 || image->width > SIDE_MAX || image->height > SIDE_MAX ||
        image->n_colours == 0 || image->n_colours > XTF_PNG_COLOURS_MAX)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot make an image of %u x %u pixels in %u colours",
                        image->width, image->height, image->n_colours);
    for (uint64_t i = 0; i < n; i++) {
        if (image->pixels[i] >= image->n_colours)
            return xtf_fail(error, XTF_ERROR_INVALID, "a pixel has colour %u, but there are %u colours",
                            image->pixels[i], image->n_colours);
    }
    return true;
}

static void write_header(png_structp png, png_infop info, const XtfIndexedImage *image)
{
    png_color palette[XTF_PNG_COLOURS_MAX];
    png_byte clear = 0;

    for (uint32_t i = 0; i < image->n_colours; i++)
        palette[i] = (png_color){.red = (png_byte)(image->colours[i] >> 16),
                                 .green = (png_byte)(image->colours[i] >> 8),
                                 .blue = (png_byte)image->colours[i]};
    png_set_IHDR(png, info, image->width, image->height, 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, palette, (int)image->n_colours);
    if (image->first_is_clear)
        png_set_tRNS(png, info, &clear, 1, NULL);
    if (image->title) {
        char key[] = "Title";
        png_text text = {.compression = PNG_ITXT_COMPRESSION_NONE, .key = key, .text = (char *)image->title};
        png_set_text(png, info, &text, 1);
    }
    png_write_info(png, info);
}

/* Writes an image. A function of its own, as only its arguments keep their values between setjmp() and longjmp(). */
static bool write_image(png_structp png, png_infop info, const XtfIndexedImage *image)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    write_header(png, info, image);
    for (uint32_t y = 0; y < image->height; y++)
        png_write_row(png, image->pixels + (size_t)y * image->width);
    png_write_end(png, info);
    return true;
}

GByteArray *xtf_png_encode(const XtfIndexedImage *image, GError **error)
{
    if (!check_image(image, error))
        return NULL;
    GError *failure = NULL;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, fail_write, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                 "libpng is of another version than xtf was built with, or memory is short");
        return NULL;
    }
    png_set_write_fn(png, bytes, append_bytes, no_flush);
    bool good = write_image(png, info, image);
    png_destroy_write_struct(&png, &info);
    if (!good)
        g_propagate_error(error, failure);
    return good ? g_steal_pointer(&bytes) : NULL;
}

#else

bool xtf_png_is_built(void)
{
    return false;
}

GByteArray *xtf_png_encode(const XtfIndexedImage *image, GError **error)
{
    xtf_fail(error, XTF_ERROR_UNSUPPORTED, "this xtf was built without libpng: build it with -Dpng=enabled");
    return NULL;
}

#endif

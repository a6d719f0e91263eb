/* PNG images, decoded by libpng's reader. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "libxtf/error.h"
#include "src/pictures/images/indexed-png.h"

enum { WIDTH = 7, HEIGHT = 5, N_COLOURS = 3 };

static const uint32_t colours[N_COLOURS] = {0x123456, 0xff0080, 0x00c0ff};

static void make_pixels(uint8_t pixels[WIDTH * HEIGHT])
{
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)(i * i % N_COLOURS);
}

#ifdef HAVE_PNG
#include <png.h>

/* Encodes an image, decodes it by libpng, which also compares the checksums, and compares all pixels. */
static void check_read_back(const XtfIndexedImage *image)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) bytes = xtf_png_encode(image, &error);
    cr_assert(bytes, "%s", error ? error->message : "");
    png_image reader = {.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_memory(&reader, bytes->data, bytes->len), "%s", reader.message);
    cr_assert_eq(reader.width, image->width);
    cr_assert_eq(reader.height, image->height);
    reader.format = PNG_FORMAT_RGBA;
    size_t n = (size_t)image->width * image->height;
    g_autofree uint8_t *read = g_malloc(4 * n);
    cr_assert(png_image_finish_read(&reader, NULL, read, (int)image->width * 4, NULL), "%s", reader.message);
    cr_assert_eq(reader.warning_or_error, 0, "%s", reader.message);
    for (size_t i = 0; i < n; i++) {
        uint32_t seen = (uint32_t)read[4 * i] << 16 | (uint32_t)read[4 * i + 1] << 8 | read[4 * i + 2];
        bool clear = image->first_is_clear && image->pixels[i] == 0;
        cr_assert_eq(read[4 * i + 3], clear ? 0 : 255, "pixel %zu", i);
        if (!clear)
            cr_assert_eq(seen, image->colours[image->pixels[i]], "pixel %zu", i);
    }
}

Test(png, an_image_is_read_back)
{
    uint8_t pixels[WIDTH * HEIGHT];
    make_pixels(pixels);
    check_read_back(&(XtfIndexedImage){WIDTH, HEIGHT, pixels, colours, N_COLOURS, true, "a title"});
    check_read_back(&(XtfIndexedImage){1, 1, pixels, colours, N_COLOURS, false, NULL});
}

/* Pixels at random do not shrink, so their chunks become full within rows; equal pixels fill no chunk. */
Test(png, images_of_many_chunks_are_read_back)
{
    enum { SIDE = 500 };
    uint32_t many[XTF_PNG_COLOURS_MAX];
    g_autofree uint8_t *pixels = g_malloc0(SIDE * SIDE);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);

    for (unsigned i = 0; i < XTF_PNG_COLOURS_MAX; i++)
        many[i] = g_rand_int(random) & 0xffffff;
    check_read_back(&(XtfIndexedImage){SIDE, SIDE, pixels, many, XTF_PNG_COLOURS_MAX, false, "equal pixels"});
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (uint8_t)g_rand_int(random);
    check_read_back(&(XtfIndexedImage){SIDE, SIDE, pixels, many, XTF_PNG_COLOURS_MAX, true, NULL});
    check_read_back(&(XtfIndexedImage){SIDE * SIDE, 1, pixels, many, XTF_PNG_COLOURS_MAX, false, NULL});
    check_read_back(&(XtfIndexedImage){1, SIDE * SIDE, pixels, many, XTF_PNG_COLOURS_MAX, false, NULL});
}
#endif

Test(png, invalid_images_are_refused)
{
    uint8_t pixels[WIDTH * HEIGHT];
    g_autoptr(GError) error = NULL;
    make_pixels(pixels);
    pixels[11] = N_COLOURS;
    XtfIndexedImage image = {WIDTH, HEIGHT, pixels, colours, N_COLOURS, false, NULL};
    cr_assert_null(xtf_png_encode(&image, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID));
    g_clear_error(&error);
    image.height = 0;
    cr_assert_null(xtf_png_encode(&image, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED));
}

/* PNG images, decoded by libpng's reader. */
#include <criterion/criterion.h>

#include "libxtf/error.h"
#include "src/pictures/images/indexed-png.h"

enum { WIDTH = 7, HEIGHT = 5, N_COLOURS = 3 };

static const uint32_t colours[N_COLOURS] = {0x123456, 0xff0080, 0x00c0ff};

static void make_pixels(uint8_t pixels[WIDTH * HEIGHT])
{
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)(i * i % N_COLOURS);
}

#ifdef XTF_WITH_PNG
#include <png.h>

Test(png, an_image_is_read_back)
{
    uint8_t pixels[WIDTH * HEIGHT], read[WIDTH * HEIGHT * 4];
    g_autoptr(GError) error = NULL;
    make_pixels(pixels);
    const XtfIndexedImage image = {WIDTH, HEIGHT, pixels, colours, N_COLOURS, true, "a title"};
    g_autoptr(GByteArray) bytes = xtf_png_encode(&image, &error);
    cr_assert(bytes, "%s", error ? error->message : "");
    png_image reader = {.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_memory(&reader, bytes->data, bytes->len));
    cr_assert_eq(reader.width, WIDTH);
    cr_assert_eq(reader.height, HEIGHT);
    reader.format = PNG_FORMAT_RGBA;
    cr_assert(png_image_finish_read(&reader, NULL, read, WIDTH * 4, NULL));
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t seen = (uint32_t)read[4 * i] << 16 | (uint32_t)read[4 * i + 1] << 8 | read[4 * i + 2];
        cr_assert_eq(read[4 * i + 3], pixels[i] ? 255 : 0, "pixel %u", i);
        if (pixels[i])
            cr_assert_eq(seen, colours[pixels[i]], "pixel %u", i);
    }
}

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

#else

Test(png, a_build_without_libpng_says_so)
{
    uint8_t pixels[WIDTH * HEIGHT];
    g_autoptr(GError) error = NULL;
    make_pixels(pixels);
    const XtfIndexedImage image = {WIDTH, HEIGHT, pixels, colours, N_COLOURS, true, NULL};
    cr_assert_not(xtf_png_is_built());
    cr_assert_null(xtf_png_encode(&image, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED));
}
#endif

#include "src/pictures/images/indexed-png.h"

#include <string.h>
#include <zlib.h>

#include "libxtf/error.h"

enum {
    SIDE_MAX = 1 << 20, /* most pixels of a side */
    CHUNK = 64 << 10,   /* most bytes of a chunk of pixels */
    DEPTH = 8,          /* bits a pixel */
    PALETTE = 3,        /* colour type: indices of a palette */
    COLOUR_BYTES = 3,
};

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

/* Appends a number of 32 bits, the highest first. */
static void append_number(GByteArray *file, uint32_t number)
{
    const uint32_t bytes = GUINT32_TO_BE(number);

    g_byte_array_append(file, (const guint8 *)&bytes, sizeof bytes);
}

/* Appends a chunk: the length of its data, its type of four letters, the data, and a checksum of type and data. */
static void append_chunk(GByteArray *file, const char *type, const uint8_t *data, size_t length)
{
    append_number(file, (uint32_t)length);
    size_t begin = file->len;
    g_byte_array_append(file, (const guint8 *)type, 4);
    if (length > 0)
        g_byte_array_append(file, data, (guint)length);
    append_number(file, (uint32_t)crc32(0, file->data + begin, (uInt)(file->len - begin)));
}

static void append_size(GByteArray *file, const XtfIndexedImage *image)
{
    const uint32_t size[] = {GUINT32_TO_BE(image->width), GUINT32_TO_BE(image->height)};
    uint8_t head[sizeof size + 5] = {0}; /* the last three: deflate, one filter for each row, not interlaced */

    memcpy(head, size, sizeof size);
    head[sizeof size] = DEPTH;
    head[sizeof size + 1] = PALETTE;
    append_chunk(file, "IHDR", head, sizeof head);
}

static void append_colours(GByteArray *file, const XtfIndexedImage *image)
{
    uint8_t palette[XTF_PNG_COLOURS_MAX * COLOUR_BYTES];
    const uint8_t clear = 0;

    for (uint32_t i = 0; i < image->n_colours; i++)
        for (unsigned part = 0; part < COLOUR_BYTES; part++)
            palette[i * COLOUR_BYTES + part] = (uint8_t)(image->colours[i] >> (16 - 8 * part));
    append_chunk(file, "PLTE", palette, (size_t)image->n_colours * COLOUR_BYTES);
    if (image->first_is_clear)
        append_chunk(file, "tRNS", &clear, sizeof clear);
}

/* Appends the title: a keyword, two bytes for "not compressed", no language, no other keyword, the text. */
static void append_title(GByteArray *file, const char *title)
{
    static const char head[] = "Title\0\0\0\0";
    g_autoptr(GByteArray) text = g_byte_array_new();

    g_byte_array_append(text, (const guint8 *)head, sizeof head);
    g_byte_array_append(text, (const guint8 *)title, (guint)strlen(title));
    append_chunk(file, "iTXt", text->data, text->len);
}

/* Compresses bytes. Appends chunks of pixels as they become full; if the bytes are the last, all that is left. */
static void compress_bytes(GByteArray *file, z_stream *stream, uint8_t *chunk, const uint8_t *bytes, size_t length,
                           bool last)
{
    int result = Z_OK;

    stream->next_in = (Bytef *)bytes;
    stream->avail_in = (uInt)length;
    do {
        result = deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
        if (stream->avail_out > 0 && !(last && result == Z_STREAM_END))
            continue;
        append_chunk(file, "IDAT", chunk, CHUNK - stream->avail_out);
        stream->next_out = chunk;
        stream->avail_out = CHUNK;
    } while (last ? result == Z_OK : stream->avail_in > 0);
}

/* Appends the pixels: rows one after another, each behind the number of its filter, 0 for none. */
static bool append_pixels(GByteArray *file, const XtfIndexedImage *image, GError **error)
{
    g_autofree uint8_t *chunk = g_malloc(CHUNK);
    z_stream stream = {.next_out = chunk, .avail_out = CHUNK};
    const uint8_t no_filter = 0;

    if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot compress an image: memory is short");
    for (uint32_t y = 0; y < image->height; y++) {
        compress_bytes(file, &stream, chunk, &no_filter, sizeof no_filter, false);
        compress_bytes(file, &stream, chunk, image->pixels + (size_t)y * image->width, image->width, false);
    }
    compress_bytes(file, &stream, chunk, NULL, 0, true);
    deflateEnd(&stream);
    return true;
}

GByteArray *xtf_png_encode(const XtfIndexedImage *image, GError **error)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

    if (!check_image(image, error))
        return NULL;
    g_autoptr(GByteArray) file = g_byte_array_new();
    g_byte_array_append(file, signature, sizeof signature);
    append_size(file, image);
    append_colours(file, image);
    if (image->title)
        append_title(file, image->title);
    if (!append_pixels(file, image, error))
        return NULL;
    append_chunk(file, "IEND", NULL, 0);
    return g_steal_pointer(&file);
}

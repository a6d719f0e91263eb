/*
 * Deflate by zlib.
 */
#include "libxtf/pack/deflate.h"

#include <limits.h>
#include <string.h>
#include <xtf-options.h>
#include <zlib.h>

#include "libxtf/base/thread-data.h"

enum {
    WINDOW_BITS = -15, /* raw deflate, full window */
    MEMORY_LEVEL = 8,
    FIXED_CODES = 0, /* in place of a level */
};

/* The states of a thread, each initialized at its first use; a state takes about 260 KiB. Before, a state is all zeros:
 * zlib refuses to reset or end it, and returns an error. */
typedef struct {
    z_stream deflaters[XTF_DEFLATE_LEVEL_MAX + 1]; /* number 0 has fixed codes, and level 1 */
    z_stream inflater;
} States;

static void free_states(gpointer data)
{
    States *states = data;

    for (unsigned level = 0; level <= XTF_DEFLATE_LEVEL_MAX; level++)
        deflateEnd(&states->deflaters[level]);
    inflateEnd(&states->inflater);
    g_free(states);
}

static States *thread_states(void)
{
    static GPrivate key = G_PRIVATE_INIT(free_states);

    return xtf_thread_data(&key, sizeof(States));
}

/* Returns the thread's deflate state for a level, or for fixed codes. Running out of memory ends the program, as in
 * GLib. */
static z_stream *get_deflater(unsigned level)
{
    z_stream *z = &thread_states()->deflaters[level];
    int strategy = level == FIXED_CODES ? Z_FIXED : Z_DEFAULT_STRATEGY;

    if (deflateReset(z) != Z_OK &&
        deflateInit2(z, (int)MAX(level, 1), Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL, strategy) != Z_OK)
        g_error("zlib: cannot set up a deflate state");
    return z;
}

static z_stream *get_inflater(void)
{
    z_stream *z = &thread_states()->inflater;

    if (inflateReset(z) != Z_OK && inflateInit2(z, WINDOW_BITS) != Z_OK)
        g_error("zlib: cannot set up an inflate state");
    return z;
}

static size_t zlib_deflate(unsigned level, const uint8_t *data, size_t length, uint8_t *out, size_t room)
{
    z_stream *z = get_deflater(level);

    if (length > UINT_MAX)
        return 0;
    z->next_in = (Bytef *)data;
    z->avail_in = (uInt)length;
    z->next_out = out;
    z->avail_out = (uInt)MIN(room, UINT_MAX);
    return deflate(z, Z_FINISH) == Z_STREAM_END ? z->total_out : 0;
}

static bool zlib_inflate(const uint8_t *stream, size_t stream_length, uint8_t *out, size_t length)
{
    z_stream *z = get_inflater();

    if (stream_length > UINT_MAX || length > UINT_MAX)
        return false;
    z->next_in = (Bytef *)stream;
    z->avail_in = (uInt)stream_length;
    z->next_out = out;
    z->avail_out = (uInt)length;
    return inflate(z, Z_FINISH) == Z_STREAM_END && z->avail_in == 0 && z->avail_out == 0;
}

size_t xtf_deflate_fixed(const uint8_t *data, size_t length, uint8_t *out, size_t room)
{
    return zlib_deflate(FIXED_CODES, data, length, out, room);
}

const XtfDeflateLibrary xtf_deflate_zlib = {"zlib", zlib_deflate, zlib_inflate};

#ifdef XTF_WITH_LIBDEFLATE
const XtfDeflateLibrary *const xtf_deflate = &xtf_deflate_libdeflate;
#else
const XtfDeflateLibrary *const xtf_deflate = &xtf_deflate_zlib;
#endif

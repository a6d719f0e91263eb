/*
 * Deflate by libdeflate.
 */
#include "libxtf/pack/deflate.h"

#include <libdeflate.h>

#include "libxtf/base/thread-data.h"

/* The states of a thread, each allocated at its first use. */
typedef struct {
    struct libdeflate_compressor *compressors[XTF_DEFLATE_LEVEL_MAX + 1];
    struct libdeflate_decompressor *decompressors[2]; /* for streams that begin with other codes, and with fixed ones */
} States;

static void free_states(gpointer data)
{
    States *states = data;

    for (unsigned level = 0; level <= XTF_DEFLATE_LEVEL_MAX; level++)
        libdeflate_free_compressor(states->compressors[level]);
    for (unsigned i = 0; i < G_N_ELEMENTS(states->decompressors); i++)
        libdeflate_free_decompressor(states->decompressors[i]);
    g_free(states);
}

static States *thread_states(void)
{
    static GPrivate key = G_PRIVATE_INIT(free_states);

    return xtf_thread_data(&key, sizeof(States));
}

static size_t libdeflate_deflate(unsigned level, const uint8_t *data, size_t length, uint8_t *out, size_t room)
{
    States *states = thread_states();

    if (!states->compressors[level])
        states->compressors[level] = libdeflate_alloc_compressor((int)level);
    if (!states->compressors[level])
        g_error("libdeflate: cannot set up a deflate state");
    return libdeflate_deflate_compress(states->compressors[level], data, length, out, room);
}

/* Returns the state for a stream. A state keeps the tables of the fixed codes until a stream has other codes. Short
 * streams of both kinds take turns. Making the tables again would take longer than inflating such a stream. */
static struct libdeflate_decompressor *decompressor_of(States *states, const uint8_t *stream, size_t stream_length)
{
    const bool fixed = stream_length > 0 && (*stream >> 1 & 3) == 1; /* RFC 1951, 3.2.3 */
    struct libdeflate_decompressor **state = &states->decompressors[fixed];

    if (!*state)
        *state = libdeflate_alloc_decompressor();
    if (!*state)
        g_error("libdeflate: cannot set up an inflate state");
    return *state;
}

static bool libdeflate_inflate(const uint8_t *stream, size_t stream_length, uint8_t *out, size_t length)
{
    struct libdeflate_decompressor *state = decompressor_of(thread_states(), stream, stream_length);
    size_t n_used, n_written;

    return libdeflate_deflate_decompress_ex(state, stream, stream_length, out, length, &n_used, &n_written) ==
               LIBDEFLATE_SUCCESS &&
           n_used == stream_length && n_written == length;
}

const XtfDeflateLibrary xtf_deflate_libdeflate = {"libdeflate", libdeflate_deflate, libdeflate_inflate};

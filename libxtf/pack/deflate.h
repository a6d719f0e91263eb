/*
 * Raw deflate streams (RFC 1951), without zlib's head and checksum: pages have their own checksum.
 *
 * Two libraries write and read the same format. libdeflate is about twice as fast; zlib is available everywhere. The
 * build of libxtf chooses one. All functions are thread-safe: each thread has its own states, allocated at the first
 * use and freed when the thread ends.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xtf-options.h>

typedef struct {
    const char *name;
    /* Returns the length of the stream, at most `room` bytes; 0 if the stream does not fit. `level` is from 1 to 9. */
    size_t (*deflate)(unsigned level, const uint8_t *data, size_t length, uint8_t *out, size_t room);
    /* True if `stream` is one whole deflate stream that inflates to exactly `length` bytes. Accepts any bytes. */
    bool (*inflate)(const uint8_t *stream, size_t stream_length, uint8_t *out, size_t length);
} XtfDeflateLibrary;

extern const XtfDeflateLibrary xtf_deflate_zlib;
#ifdef XTF_WITH_LIBDEFLATE
extern const XtfDeflateLibrary xtf_deflate_libdeflate;
#endif

/* The fastest library in the build. */
extern const XtfDeflateLibrary *const xtf_deflate;

/* Compresses with fixed codes (RFC 1951, 3.2.6) at the fastest level. Returns what `deflate` does. Uses zlib in every
 * build: libdeflate chooses the codes by itself. */
size_t xtf_deflate_fixed(const uint8_t *data, size_t length, uint8_t *out, size_t room);

enum {
    XTF_DEFLATE_LEVEL_MAX = 9,
    XTF_DEFLATE_RATIO_MAX = 1032, /* maximum output bytes per input byte: 258 bytes for two bits */
};

/*
 * Raw deflate streams (RFC 1951), without zlib's head and checksum: pages have a checksum of their own.
 *
 * Two libraries write and read the same format. libdeflate is about twice as fast; zlib is everywhere. The build of
 * libxtf chooses one. All functions may be called from any thread: each thread has its own states, made when it first
 * needs them and freed when it ends.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;
    /* The length of the stream, which is at most `room` bytes; 0 if it does not fit. `level` is from 1 to 9. */
    size_t (*deflate)(unsigned level, const uint8_t *data, size_t length, uint8_t *out, size_t room);
    /* True if `stream` is one whole deflate stream that inflates to exactly `length` bytes. Any bytes may be given. */
    bool (*inflate)(const uint8_t *stream, size_t stream_length, uint8_t *out, size_t length);
} XtfDeflateLibrary;

extern const XtfDeflateLibrary xtf_deflate_zlib;
#ifdef XTF_HAVE_LIBDEFLATE
extern const XtfDeflateLibrary xtf_deflate_libdeflate;
#endif

/* The fastest one that was built in. */
extern const XtfDeflateLibrary *const xtf_deflate;

enum {
    XTF_DEFLATE_LEVEL_MAX = 9,
    XTF_DEFLATE_RATIO_MAX = 1032, /* output bytes for a byte of input, at most: 258 for two bits */
};

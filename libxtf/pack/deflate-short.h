/*
 * Deflating short streams quickly.
 *
 * Pages are packed as many streams of a few kilobytes each, at the lowest level. A library takes most of its time for
 * such a stream to make its tables, which are meant for windows of 32 KiB. This makes small ones, of one thread's
 * stack.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { XTF_DEFLATE_SHORT_MAX = 16384 }; /* bytes of a stream */

/* A raw deflate stream (RFC 1951) of one block. `literal_bytes`: what the bytes would take as literals, about. The
 * length of the stream, which is at most `room` bytes; 0 if it does not fit. */
size_t xtf_deflate_short(const uint8_t *data, size_t length, double literal_bytes, uint8_t *out, size_t room);

/*
 * Reading a column of mode PLANES: a stream of the lowest bytes of all numbers, one of the second bytes, and so on.
 */
#pragma once

#include "libxtf/pack/read-streams.h"

/* Reads `count` numbers of n_planes bytes, 1 to 8. Number n becomes to[n * stride]. */
bool xtf_read_planes(XtfPackReader *reader, uint32_t count, unsigned n_planes, uint64_t *to, uint32_t stride);

/*
 * Traces that a bench opens with a cache that it names, and how long opening takes, in the library.
 */
#pragma once

#include "libxtf/xtf.h"

/* Opens a trace with a page cache of so many MiB (0: the default), or ends the bench. */
XtfTrace *bench_open(const char *path, uint64_t cache_mib);

/* "the default cache, 748 MiB", or "a cache of 64 MiB": of a trace that was opened like that. */
char *bench_cache_name(const XtfTrace *trace, uint64_t cache_mib);

/* Prints the figures for a file: cold and warm, alone and with a first count. */
void bench_opening(const char *path);

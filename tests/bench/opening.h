/* Traces that a bench opens with a given cache, and the time that opening takes in the library. */
#pragma once

#include "libxtf/xtf.h"

/* Opens a trace with a page cache of cache_mib MiB (0: the default). An error ends the bench. */
XtfTrace *bench_open(const char *path, uint64_t cache_mib);

/* Returns the name of a trace's cache: "the default cache, 748 MiB", or "a cache of 64 MiB". */
char *bench_cache_name(const XtfTrace *trace, uint64_t cache_mib);

/* Prints the figures of a file: cold and warm, with and without a first count. */
void bench_opening(const char *path);

/* A source that counts the reads of a base source. Like a store behind a network, it may answer one request by several
 * ranges. */
#pragma once

#include <inttypes.h>
#include <stdio.h>

#include "libxtf/source.h"

typedef struct {
    XtfSource source;
    XtfSource *base;                     /* owned */
    uint64_t n_reads, n_ranges, n_bytes; /* n_reads: number of requests */
    bool lists;                          /* print each range */
} CountedSource;

static bool counted_range(CountedSource *counted, uint64_t offset, void *buffer, size_t length, GError **error)
{
    counted->n_ranges++;
    counted->n_bytes += length;
    if (counted->lists)
        printf("%8" PRIu64 " %12" PRIu64 " %9zu\n", counted->n_reads, offset, length);
    return counted->base->ops->read(counted->base, offset, buffer, length, error);
}

static bool counted_read(XtfSource *self, uint64_t offset, void *buffer, size_t length, GError **error)
{
    CountedSource *counted = (CountedSource *)self;

    counted->n_reads++;
    return counted_range(counted, offset, buffer, length, error);
}

static bool counted_read_ranges(XtfSource *self, const XtfReadRange *ranges, size_t n, GError **error)
{
    CountedSource *counted = (CountedSource *)self;
    bool good = true;

    counted->n_reads++;
    for (size_t i = 0; i < n && good; i++)
        good = counted_range(counted, ranges[i].offset, ranges[i].buffer, ranges[i].length, error);
    return good;
}

static void counted_close(XtfSource *self)
{
    xtf_source_close(((CountedSource *)self)->base);
    g_free(self);
}

/* Opens a file as a counted source; NULL with an error. `many`: a request may ask for several ranges. The trace that is
 * opened from &source owns it. */
static inline CountedSource *counted_source_open(const char *path, bool many, GError **error)
{
    static const XtfSourceOps single = {.read = counted_read, .close = counted_close};
    static const XtfSourceOps multiple = {
        .read = counted_read, .close = counted_close, .read_ranges = counted_read_ranges};
    XtfSource *base = xtf_source_open_pread(path, error);
    CountedSource *counted = base ? g_new0(CountedSource, 1) : NULL;

    if (counted)
        *counted =
            (CountedSource){.source = {.ops = many ? &multiple : &single, .size = xtf_source_size(base)}, .base = base};
    return counted;
}

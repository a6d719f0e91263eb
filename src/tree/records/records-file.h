/*
 * Reading `records`: any bytes of the lines of a selection.
 *
 * A read has no link to earlier reads, because a mount does not open files. The kernel reads ahead, with several
 * requests at once and out of order. So a keeper holds idle streams. A read continues a stream that stopped at the
 * read's begin, or is about to stop there. Any other read begins a new stream, by a search.
 *
 * A request holds a stream only while it reads rows. It renders the rows afterwards. Several requests render at the
 * same time; a single request renders on all cores.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tables/format/format.h"
#include "src/trace/select/selection.h"

typedef struct {
    XtfResolver *resolver; /* borrowed */
    XtfFormats *formats;   /* borrowed */
    XtfKeeper streams;
    GMutex lock;        /* guards the fields below */
    GPtrArray *batches; /* idle XtfRowBatch */
    unsigned rendering; /* threads that render */
} XtfRecords;

void xtf_records_init(XtfRecords *records, XtfResolver *resolver, XtfFormats *formats);
void xtf_records_finish(XtfRecords *records);

/* Computes the size of `records` in bytes. */
bool xtf_records_size(XtfRecords *records, XtfSelection *selection, uint64_t *size, GError **error);
/* Fills `buffer` with `length` bytes from `offset`, all of which lie within the size. */
bool xtf_records_read(XtfRecords *records, XtfSelection *selection, uint64_t offset, char *buffer, size_t length,
                      GError **error);

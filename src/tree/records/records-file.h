/*
 * Reading `records`: any bytes of the lines of a selection.
 *
 * A read knows nothing of earlier reads: a mount does not open files, and the kernel reads ahead, several requests at
 * once and out of order. So a keeper holds streams that stopped somewhere. A read that begins where a stream stopped,
 * or will stop in a moment, goes on with that stream; any other read begins a new one, by a search.
 *
 * A stream is held only while its rows are read. They are rendered afterwards: of several requests side by side, and of
 * one alone by all cores.
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
    GMutex lock;        /* guards all below */
    GPtrArray *batches; /* XtfRowBatch: idle ones */
    unsigned rendering; /* threads */
} XtfRecords;

void xtf_records_init(XtfRecords *records, XtfResolver *resolver, XtfFormats *formats);
void xtf_records_finish(XtfRecords *records);

/* The size of `records`, bytes. */
bool xtf_records_size(XtfRecords *records, XtfSelection *selection, uint64_t *size, GError **error);
/* Fills `buffer` with `length` bytes from `offset`, all of which lie within the size. */
bool xtf_records_read(XtfRecords *records, XtfSelection *selection, uint64_t offset, char *buffer, size_t length,
                      GError **error);

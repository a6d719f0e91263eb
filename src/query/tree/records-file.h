/*
 * Reading `records`: any bytes of the lines of a selection.
 *
 * Reads have no memory of their own: a mount doesn't open files, and the kernel reads ahead, several requests at once
 * and out of order. So merges that stopped somewhere are kept for a while; whoever reads on where one stopped, or will
 * stop in a moment, takes it over. Others begin one by a search. The pool is bounded by the bytes that it holds.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/query/format/format.h"
#include "src/query/select/selection.h"

typedef struct {
    XtfResolver *resolver; /* borrowed */
    XtfFormats *formats;   /* borrowed */
    GMutex lock;
    GCond stopped;    /* a stream became idle */
    GQueue streams;   /* the idle ones and the busy ones, the latest used first */
    size_t bytes_max; /* that idle streams may hold together; the latest is kept whatever it holds */
} XtfRecords;

void xtf_records_init(XtfRecords *records, XtfResolver *resolver, XtfFormats *formats);
void xtf_records_finish(XtfRecords *records);

/* The size of `records`, bytes. */
bool xtf_records_size(XtfRecords *records, XtfSelection *selection, uint64_t *size, GError **error);
/* Fills `buffer` with `length` bytes from `offset`, all of which lie within the size. */
bool xtf_records_read(XtfRecords *records, XtfSelection *selection, uint64_t offset, char *buffer, size_t length,
                      GError **error);

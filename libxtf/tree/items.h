/*
 * Items that are read without the page cache, because the trace holds the decoded content for its life.
 */
#pragma once

#include "libxtf/tree/trace-private.h"

/* True if an item is within the source and correctly aligned; else an error that begins with `name`. */
bool xtf_trace_item_lies_within(const XtfSource *source, XtfRef ref, const char *name, GError **error);

/* Reads an item into `bytes`. XTF_ERROR_DAMAGED if its checksum is wrong. */
bool xtf_trace_read_item_to(XtfTrace *trace, XtfRef ref, const char *name, uint8_t *bytes, GError **error);

/* Reads an item and returns its bytes, which the caller frees. */
uint8_t *xtf_trace_read_item(XtfTrace *trace, XtfRef ref, const char *name, GError **error);

/* Returns the bytes of an item that the caller decodes at once. An item outside the opening run gets new bytes in *own,
 * which the caller frees. */
const uint8_t *xtf_trace_borrow_item(XtfTrace *trace, XtfRef ref, const char *name, uint8_t **own, GError **error);

/* Reads the rows of a table. The trace does not keep them; the caller frees them. */
uint8_t *xtf_trace_read_table(XtfTrace *trace, const XtfTableEntry *entry, GError **error);

/* Allocates `length` bytes; XTF_ERROR_TOO_LARGE, with `name` in the message, if there is no memory. */
uint8_t *xtf_trace_allocate(uint64_t length, const char *name, GError **error);

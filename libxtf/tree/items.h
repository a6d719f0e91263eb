/*
 * Items that are read outside of the page cache: what is made of them is held for the trace's life anyway.
 */
#pragma once

#include "libxtf/tree/trace-private.h"

/* Whether bytes lie in the source, as an item that `what` names. */
bool xtf_trace_item_lies_within(const XtfSource *source, XtfRef ref, const char *what, GError **error);

/* Reads an item into `bytes`. XTF_ERROR_DAMAGED if its checksum is wrong. */
bool xtf_trace_read_item_to(XtfTrace *trace, XtfRef ref, const char *what, uint8_t *bytes, GError **error);

/* The bytes of an item, which the caller frees. */
uint8_t *xtf_trace_read_item(XtfTrace *trace, XtfRef ref, const char *what, GError **error);

/* The rows of a table, which the trace does not hold: the caller frees them. */
uint8_t *xtf_trace_read_table(XtfTrace *trace, const XtfTableEntry *entry, GError **error);

/* Room for `length` bytes of what `what` names; XTF_ERROR_TOO_LARGE. */
uint8_t *xtf_trace_allocate(uint64_t length, const char *what, GError **error);

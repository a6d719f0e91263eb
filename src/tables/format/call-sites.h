/*
 * Call sites of records: the site of the call in which a record is, and that of the culprit's call of a wait.
 *
 * A site is a row of the table `sites`; XTF_NONE32 if the record is in no call, or its call has no site.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/model/schemas.h"
#include "src/trace/context/trace-context.h"

/* Returns the field of the call site of `enters_leaves`; NULL if the trace has none. */
const XtfField *xtf_call_site_field(const XtfTraceContext *context);

/* A reader of sites. It reads little if it gets the records of a location in order. For one thread at a time. */
typedef struct XtfSiteReader XtfSiteReader;

/* Makes a reader, which borrows the context and the locations. The trace must have sites. */
XtfSiteReader *xtf_site_reader_new(XtfTraceContext *context, const XtfLocations *locations);
void xtf_site_reader_free(XtfSiteReader *reader); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSiteReader, xtf_site_reader_free)

/* Unpins the pages that the reader holds. */
void xtf_site_reader_rest(XtfSiteReader *reader);
/* Returns the bytes of memory of a reader. Accepts NULL. */
size_t xtf_site_reader_bytes(const XtfSiteReader *reader);

/* Finds the site of the innermost call that is open at record `seq` of a location. An ENTER and a LEAVE are in their
 * own call. `location` is an index in XtfLocations. */
bool xtf_site_reader_find(XtfSiteReader *reader, uint32_t location, uint64_t seq, uint32_t *site, GError **error);
/* Finds the site of the innermost call that is open at the record in row `row`, which exists, of an array of the
 * location. */
bool xtf_site_reader_find_row(XtfSiteReader *reader, uint32_t location, const XtfSchema *schema, uint64_t row,
                              uint32_t *site, GError **error);
/* Finds the site of the innermost call that is open at a global time. A call is open when it is entered, and not when
 * it is left. */
bool xtf_site_reader_find_at(XtfSiteReader *reader, uint32_t location, uint64_t t, uint32_t *site, GError **error);
/* Finds the sites of a wait's own call and of its culprit's call, for row n of `waits` of location `waiter`. */
bool xtf_site_reader_find_wait(XtfSiteReader *reader, uint32_t waiter, const XtfSchema *schema, uint64_t n,
                               uint32_t *own, uint32_t *culprit, GError **error);
/* Finds the site of the culprit's call of a wait: a row of `waits` of location `waiter`. */
bool xtf_site_reader_find_culprit(XtfSiteReader *reader, uint32_t waiter, const XtfSchema *schema, const uint8_t *row,
                                  uint32_t *site, GError **error);

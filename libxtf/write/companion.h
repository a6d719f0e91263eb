/*
 * Writing a companion: a file that has arrays and tables of its own, and names another, its base, for all the rest; see
 * xtf_writer_create_companion().
 *
 * To the writer the base's arrays are closed ones that lie in other segments, and the base's strings are the first
 * ones. Where the base's pages stand behind the companion's is known when the catalog is encoded, which comes last.
 */
#pragma once

#include "libxtf/tree/trace-private.h"
#include "libxtf/write/commit-block.h"

struct XtfWriterBase {
    XtfTrace *trace;
    XtfPartFile file;     /* owns its name; its first page is known last */
    uint32_t *schemas;    /* the companion's schema, by the base's; UINT32_MAX: none */
    XtfSegment *segments; /* the companion's, then those of the base */
    XtfSegmentMap *maps;  /* of these */
    uint32_t n_segments;
    uint32_t n_strings; /* chunks of strings that lie in the base */
    XtfRef *strings;    /* all chunks, where they lie once the base's pages have their place */
};

void xtf_writer_base_free(XtfWriterBase *base); /* NULL is fine */

/* Stores what the catalog will name of a base's segments. */
bool xtf_writer_base_store(XtfCommitBlock *block, GError **error);
/* The pages that the base takes behind the companion's. */
uint64_t xtf_writer_base_pages(const XtfWriterBase *base);
/* Adds to the catalog of a companion, which has its own segment and strings, what lies in the base: its pages stand
 * behind all that are allotted now. What is added belongs to the writer, and is valid until the next call. */
void xtf_writer_base_name(const XtfWriter *writer, XtfCatalog *catalog);

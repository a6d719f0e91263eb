/*
 * Writing a companion. A companion has arrays and tables of its own, and refers to another file, its base, for all
 * other data; see xtf_writer_create_companion().
 *
 * The writer treats the base's arrays as closed arrays in other segments, and the base's strings as its own first
 * strings. The base's pages are numbered after the companion's. Their first number is known only when the catalog is
 * encoded, at the end of the commit.
 */
#pragma once

#include "libxtf/tree/trace-private.h"
#include "libxtf/write/commit-block.h"

struct XtfWriterBase {
    XtfTrace *trace;
    XtfPartFile file;     /* the base; owns its name; xtf_writer_base_name() sets first_page */
    uint32_t *schemas;    /* the companion's schema id by the base's; UINT32_MAX: none */
    XtfSegment *segments; /* the companion's segment, then the base's */
    XtfSegmentMap *maps;  /* maps of these segments */
    uint32_t n_segments;
    uint32_t n_strings; /* string chunks that are in the base */
    XtfRef *strings;    /* all string chunks; offsets in the base count from the companion's first byte */
};

void xtf_writer_base_free(XtfWriterBase *base); /* NULL is allowed */

/* Stores the items of the base's segment maps, which the catalog will name. */
bool xtf_writer_base_store(XtfCommitBlock *block, GError **error);
/* Returns the number of pages of the base. */
uint64_t xtf_writer_base_pages(const XtfWriterBase *base);
/* Adds the base's segments, strings and file to the catalog of a companion, which already has its own segment and
 * strings. The base's pages get the numbers after all pages allocated now. The writer owns the added arrays; they are
 * valid until the next call. */
void xtf_writer_base_name(const XtfWriter *writer, XtfCatalog *catalog);

/*
 * Writing files that refer to pages of other files.
 *
 * A companion has arrays and tables of its own, and refers to another file, its base, for all other data; see
 * xtf_writer_create_companion(). The writer treats the base's arrays as closed arrays in other segments.
 *
 * An anchor of runs has joined arrays, whose leaves are in its parts (write/parts).
 *
 * The strings of the other files are the first strings of the new one. The other files' pages are numbered after its
 * own. Their first number is known only when the catalog is encoded, at the end of the commit.
 */
#pragma once

#include "libxtf/tree/trace-private.h"
#include "libxtf/write/commit-block.h"

/* The map of a segment's table, in an anchor of runs. */
typedef struct {
    uint32_t segment, schema; /* the segment's number in the new file, and the table there */
    GByteArray *rows;         /* the item */
} XtfPartTable;

struct XtfWriterBase {
    XtfTrace *trace;       /* the base of a companion; NULL: the file is an anchor */
    uint32_t *schemas;     /* the companion's schema id by the base's; UINT32_MAX: none */
    GArray *files;         /* XtfPartFile; own their names. Pages count from the first page of all files */
    GArray *part_segments; /* XtfSegment: the files' segments. Pages count as above */
    uint64_t pages;        /* of all files */
    GArray *tables;        /* XtfPartTable, by segment, then schema; empty in a companion */
    XtfSegment *segments;  /* all segments, the new file's first; set when the catalog is encoded */
    XtfPartFile *named;    /* copies of `files` with pages numbered in the new file; made when the catalog is encoded.
                              Names are borrowed */
    XtfSegmentMap *maps;   /* by segment: what its numbers of rows and strings become in the new file */
    uint32_t n_segments;
    uint32_t n_strings; /* string chunks that are in other files */
    XtfRef *strings;    /* all string chunks; offsets of chunks in other files are in the combined numbering */
};

/* Returns a base without files; `trace` may be NULL. */
XtfWriterBase *xtf_writer_base_new(XtfTrace *trace);
/* Adds a file, and segments whose pages count from its beginning, to the base. Takes over the file's name. */
void xtf_writer_base_add_file(XtfWriterBase *base, XtfPartFile file);
void xtf_writer_base_add_segments(XtfWriterBase *base, const XtfSegment *segments, uint32_t n, uint64_t first_page);

void xtf_writer_base_free(XtfWriterBase *base); /* NULL is allowed */

/* Stores the items of the base's segment maps, which the catalog will name. */
bool xtf_writer_base_store(XtfCommitBlock *block, GError **error);
/* Adds the segments, strings and files of the base to a catalog that already has its own segment and strings. The
 * files' pages get the numbers after all pages allocated now. The writer owns the added arrays; they are valid until
 * the next call. */
void xtf_writer_base_name(const XtfWriter *writer, XtfCatalog *catalog);

/*
 * An import of OpenTS's XML: what its parts share.
 *
 *   prolog.c    the beginning of the file: which encoding, and whether it is OpenTS's at all
 *   feed.c      the file's bytes into the parser, in UTF-8
 *   elements.c  elements in their places: what belongs where, what is unknown, what is skipped after a fault
 *   rows.c      rows of a slice, into arrays once it is whole
 *   numbers.c, notation.c   numbers, and how the file writes them
 *   begin.c     definitions, and the output, once the first element was read
 *   import.c    the whole; what is known at the end, the report
 */
#pragma once

#include "src/import/job.h"
#include "src/import/opents/attributes.h"
#include "src/import/opents/rows.h"

enum {
    XTF_OPENTS_RANKS_MAX = 1 << 20,
    XTF_OPENTS_KINDS_MAX = 250, /* of messages */
    XTF_OPENTS_DEPTH = 6,       /* of elements that are known */
};

typedef struct {
    XtfImportJob *job;
    XtfDefinitions definitions;
    bool keep_going;
    char *identity;
    GMarkupParseContext *markup;

    /* Where the parser is. */
    XtfOpentsElement open[XTF_OPENTS_DEPTH];
    unsigned depth;
    unsigned skipping;        /* open elements that are passed over */
    bool slice_bad, rank_bad; /* what is left of it is passed over */
    bool ended;               /* </trace> was read */
    uint64_t calls;           /* of the parser, so far */

    XtfOpentsRows rows;   /* from <trace> on */
    uint64_t *seen_in;    /* by rank: the slice that it was in last, from 1 */
    uint64_t slices;      /* begun */
    uint64_t frame, time; /* of the slice */
    bool any_frame;
    uint32_t rank;
    guint rank_mark;
    int state; /* of the task */

    GHashTable *kinds;        /* of messages: name -> row + 1 */
    GPtrArray *kind_names;    /* borrowed from it */
    GHashTable *strange;      /* "element <x>" -> *uint64_t */
    uint64_t n_strange_names; /* others, that are not listed */
    XtfNotation notation;
    uint64_t rounded; /* times */
} XtfOpentsImport;

/* Of the file, after <trace> was read: definitions, output. `command` and `start` may be NULL. */
bool xtf_opents_begin(XtfOpentsImport *import, uint32_t n_ranks, const char *command, const char *start,
                      GError **error);

extern const GMarkupParser xtf_opents_parser; /* its data is the import */

/* Reads the whole file. A file that ends early is no error once <trace> was read: *cut says so. */
bool xtf_opents_feed(XtfOpentsImport *import, bool *cut, GError **error);

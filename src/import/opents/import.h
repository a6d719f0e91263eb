/*
 * The state of an import of OpenTS's XML, which these files share:
 *
 * - prolog.c: reads the beginning of the file: its encoding, and whether it is a trace of OpenTS.
 * - feed.c: converts the file's bytes to UTF-8 and passes them to the parser.
 * - elements.c: checks the nesting of elements, counts unknown elements, and skips elements with faults.
 * - rows.c: collects the rows of a slice, and appends them to arrays once the slice is complete.
 * - numbers.c, notation.c: read numbers, and note how the file writes them.
 * - begin.c: adds definitions and creates the output, after the first element.
 * - import.c: runs the import, and adds the properties and remarks that are known only at its end.
 */
#pragma once

#include "src/import/job.h"
#include "src/import/opents/attributes.h"
#include "src/import/opents/rows.h"

enum {
    XTF_OPENTS_RANKS_MAX = 1 << 20,
    XTF_OPENTS_KINDS_MAX = 250, /* most kinds of messages */
    XTF_OPENTS_DEPTH = 6,       /* deepest nesting of known elements */
};

typedef struct {
    XtfImportJob *job;
    XtfDefinitions definitions;
    bool keep_going;
    char *identity;
    GMarkupParseContext *markup;

    /* The parser's position. */
    XtfOpentsElement open[XTF_OPENTS_DEPTH];
    unsigned depth;
    unsigned skipping;        /* number of open elements that are skipped */
    bool slice_bad, rank_bad; /* the open slice or rank has a fault: its other elements are skipped */
    bool ended;               /* </trace> was read */
    uint64_t calls;           /* of the parser's callbacks so far */

    XtfOpentsRows rows;   /* initialized when <trace> is read */
    uint64_t *last_slice; /* by rank: the last slice that has it, from 1; NULL before <trace> */
    uint64_t slices;      /* number of slices begun */
    uint64_t frame, time; /* frame number and time of the open slice */
    bool has_frame;       /* a slice was read, so `frame` is set */
    uint32_t rank;
    guint rank_mark; /* where the rank's rows begin */
    int state;       /* state of the open task */

    GHashTable *kinds;     /* kinds of messages: name -> row + 1 */
    GPtrArray *kind_names; /* borrowed from `kinds` */
    GHashTable *unknown;   /* "elements <x>" -> *uint64_t, the number of such elements */
    uint64_t n_unlisted;   /* occurrences of unknown items that `unknown` has no entry for */
    XtfNotation notation;
    uint64_t rounded; /* number of times that were rounded */
} XtfOpentsImport;

/* Adds definitions and creates the output, after <trace> was read. `command` and `start` may be NULL. */
bool xtf_opents_begin(XtfOpentsImport *import, uint32_t n_ranks, const char *command, const char *start,
                      GError **error);

extern const GMarkupParser xtf_opents_parser; /* callbacks of the parser; their data is the XtfOpentsImport */

/* Reads the whole file. Sets *cut if the file ends early, which is an error only before <trace>. */
bool xtf_opents_feed(XtfOpentsImport *import, bool *cut, GError **error);

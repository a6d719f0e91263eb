/*
 * Arrows of a frame: who sent what to whom, by the letters that the OpenTS visualizer has for them.
 *
 *     a  all of it                  d  data: messages between two processes      s  sent in the window
 *     c  collective operations      m  messages of any kind: here as d           r  received in the window
 *
 * What the letters stand for in traces of MPI is ours: the visualizer's authors name them only.
 */
#pragma once

#include "src/query/views/registry.h"

/* The letters, in the order of the listing. */
extern const char xtf_arrow_letters[];

typedef struct {
    const char *kind; /* "message", "collective" */
    uint64_t from, to;
    bool has_to; /* a collective operation has none */
    uint64_t count, bytes;
} XtfArrow;

/* Whether a selection has arrows: of its messages and collective operations; narrowed by tag/, comm/ or peer/, too. */
bool xtf_arrows_exist(const XtfViews *views, const XtfSelection *selection);
/* Those of a letter, in the order of senders; XtfArrow, none that counts 0. NULL with an error. */
GArray *xtf_arrows_find(XtfViews *views, XtfSelection *selection, char letter, GError **error);
/* The same as a table. */
GString *xtf_arrows_text(XtfViews *views, XtfSelection *selection, char letter, GError **error);

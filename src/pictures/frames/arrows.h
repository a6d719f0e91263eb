/*
 * Arrows of a frame: who sent what to whom, by the letters that the OpenTS visualizer has for them.
 *
 *     a  all of it                  d  data: messages between two processes      s  sent in the window
 *     c  collective operations      m  messages of any kind: here as d           r  received in the window
 *
 * In a trace of OpenTS, which has samples of counters, they are
 *
 *     e  tasks exported            c  messages of the kind ctrl     s  messages sent, and
 *     i  tasks imported            d  messages of the kind data     r  received, of all kinds together
 *     a  all but s and r           m  messages by kind
 *
 * What the letters stand for is ours: the visualizer's authors name them only.
 */
#pragma once

#include "src/tables/views/registry.h"
#include "src/trace/text/table-output.h"

/* All letters. */
extern const char xtf_arrow_letters[];
/* Those that a trace has, in the order of the listing. */
const char *xtf_arrow_letters_of(const XtfTraceContext *context);

typedef struct {
    const char *kind; /* "message", "collective", "exported", "imported", or what the trace calls a kind of messages */
    uint64_t from, to;
    bool has_to; /* a collective operation has none */
    uint64_t count, bytes;
    bool no_from;  /* messages that were received, from whoever */
    bool is_tasks; /* they have no bytes */
} XtfArrow;

/* How wide an arrow is, among those of a picture. */
static inline uint64_t xtf_arrow_weight(const XtfArrow *arrow)
{
    return arrow->is_tasks ? arrow->count : arrow->bytes;
}

/* Whether a selection has arrows: of its messages and collective operations; narrowed by tag/, comm/ or peer/, too. */
bool xtf_arrows_exist(const XtfViews *views, const XtfSelection *selection);
/* Those of a letter, in the order of senders; XtfArrow, none that counts 0. NULL with an error. */
GArray *xtf_arrows_find(XtfViews *views, XtfSelection *selection, char letter, GError **error);
/* The same as a table. */
extern const XtfTableDeclaration xtf_table_arrows;
bool xtf_arrows_table(XtfViews *views, XtfSelection *selection, char letter, XtfTableOutput *output, GError **error);

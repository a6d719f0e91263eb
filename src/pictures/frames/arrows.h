/*
 * Arrows of a frame: messages, operations and tasks of processes, by the letters of the OpenTS visualizer.
 *
 *     a  all of it                  d  data: messages between two processes      s  sent in the window
 *     c  collective operations      m  messages of any kind: here as d           r  received in the window
 *
 * In an OpenTS trace, which has samples of counters, the letters are
 *
 *     e  tasks exported            c  messages of the kind ctrl     s  messages sent, and
 *     i  tasks imported            d  messages of the kind data     r  received, of all kinds together
 *     a  all but s and r           m  messages by kind
 *
 * The meanings are the project's own: the visualizer's authors only list the letters.
 */
#pragma once

#include "src/tables/views/registry.h"
#include "src/trace/text/table-output.h"

/* All letters of arrows. */
extern const char xtf_arrow_letters[];
/* Returns the letters that a trace has, in the order of the listing. */
const char *xtf_arrow_letters_of(const XtfTraceContext *context);

typedef struct {
    const char *kind; /* "message", "collective", "exported", "imported", or the trace's name of a kind of messages */
    uint64_t from, to;
    bool has_to; /* false for a collective operation */
    uint64_t count, bytes;
    bool no_from;  /* the sender of received messages is unknown */
    bool is_tasks; /* tasks, which have no bytes */
} XtfArrow;

/* Returns the weight of an arrow, from which pictures derive its width. */
static inline uint64_t xtf_arrow_weight(const XtfArrow *arrow)
{
    return arrow->is_tasks ? arrow->count : arrow->bytes;
}

/* True if a selection has arrows: of its messages and collective operations, also if narrowed by tag/, comm/ or peer/.
 */
bool xtf_arrows_exist(const XtfViews *views, const XtfSelection *selection);
/* Returns the arrows of a letter as XtfArrow, in the order of senders, without counts of 0. NULL with an error. */
GArray *xtf_arrows_find(XtfViews *views, XtfSelection *selection, char letter, GError **error);
/* The table of the arrows of a letter. */
extern const XtfTableDeclaration xtf_table_arrows;
bool xtf_arrows_table(XtfViews *views, XtfSelection *selection, char letter, XtfTableOutput *output, GError **error);

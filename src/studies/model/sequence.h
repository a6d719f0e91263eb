/*
 * Sequences of nodes that grow at their end, and are folded meanwhile: repeated parts become loops.
 *
 * Equal neighbouring parts become a loop, so that a regular program is folded exactly, nested loops included. If that
 * leaves too many nodes, the turns differ. A turn is then the part from one node of a shape to the next one, and the
 * loop has several bodies. Nodes are folded when the sequence ends or is long, so its length is bounded.
 */
#pragma once

#include "src/studies/model/node.h"

enum {
    /* If more than half of these nodes cannot be folded, their order is lost. XTF_PROGRAM_NODES_MAX bounds the nodes
     * below them as well. */
    XTF_PROGRAM_SEQUENCE_MAX = 128,
};

typedef struct {
    GPtrArray *nodes;  /* XtfProgramNode, owned */
    unsigned n_folded; /* nodes at the begin that are folded already */
    uint64_t size;     /* nodes in all nodes; since the last folding no less than in truth */
} XtfProgramSequence;

void xtf_program_sequence_init(XtfProgramSequence *sequence);
void xtf_program_sequence_finish(XtfProgramSequence *sequence); /* all zeros is fine */

/* Adds a node, which it takes. */
void xtf_program_sequence_add(XtfProgramSequence *sequence, XtfProgramNode *node);
/* Folds the nodes of a sequence that ends. */
void xtf_program_sequence_end(XtfProgramSequence *sequence);

/*
 * Nodes of a program's hierarchical model: what a process does, folded into sequences, loops and branches.
 *
 * A node represents successive executions at one place of the program, its turns. A call with several
 * turns is a loop of that call alone. A loop has no region: its turns are sequences of calls. Turns that differ in
 * their calls have different bodies. All times are sums, so that folding keeps the time of a run exactly.
 *
 * Only one thread at a time may use a node.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    XTF_PROGRAM_CALL,
    XTF_PROGRAM_LOOP,
    XTF_PROGRAM_BRANCH, /* after xtf_program_node_simplify(): one of its bodies each time */
} XtfProgramKind;

typedef struct XtfProgramNode XtfProgramNode;

/* A sequence of nodes that a turn consists of. */
typedef struct {
    uint64_t times; /* turns that have this body */
    bool mixed;     /* the order is lost: `items` are calls of different regions */
    GPtrArray *items;
} XtfProgramBody;

struct XtfProgramNode {
    XtfProgramKind kind;
    uint32_t region;                    /* of a call: row of definitions/regions, or XTF_PROGRAM_PROCESS */
    uint64_t shape;                     /* nodes of equal shape are folded. The numbers of turns do not matter */
    uint64_t visits;                    /* times that the place was reached */
    uint64_t turns, fewest, most_turns; /* of all visits; least and most of one visit */
    uint64_t before;                    /* ticks of the caller between the previous call and the first turn */
    uint64_t ticks;                     /* of all turns, and the caller's ticks between them */
    uint64_t shortest, longest;         /* ticks of a turn */
    uint64_t messages, bytes;           /* sent, received or moved in these calls themselves */
    uint64_t sent;                      /* messages that were sent */
    bool is_cut;                        /* the calls in it are left out: their time is its own */
    uint64_t empty;                     /* turns without a call */
    uint64_t size;                      /* nodes in the bodies, and this one; not up to date after simplifying */
    GArray *bodies;                     /* XtfProgramBody; NULL: none */
};

enum {
    /* Beyond these bounds the order of the calls in a node is lost. */
    XTF_PROGRAM_BODIES_MAX = 8,      /* different bodies */
    XTF_PROGRAM_NODES_MAX = 4096,    /* nodes below a node */
    XTF_PROGRAM_MIXED_MAX = 16384,   /* nodes below a node without order: with more, some calls are left out */
    XTF_PROGRAM_DIFFERING_MAX = 512, /* nodes below a node with different bodies */
};

#define XTF_PROGRAM_PROCESS UINT32_MAX /* region of a process as a whole */

/* Makes a call with one turn. */
XtfProgramNode *xtf_program_node_new_call(uint32_t region, uint64_t before);
/* Makes a loop without turns, that begins with a node of a shape. */
XtfProgramNode *xtf_program_node_new_loop(uint64_t first_shape, uint64_t before);
void xtf_program_node_free(XtfProgramNode *node); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfProgramNode, xtf_program_node_free)

/* Adds visits of the same place. Takes `added`, which has the same shape. */
void xtf_program_node_merge(XtfProgramNode *node, XtfProgramNode *added);
/* Adds the turns of a node of the same shape that follows at once. Takes it. Both have one visit. */
void xtf_program_node_join(XtfProgramNode *node, XtfProgramNode *next);
/* Adds `times` turns with a body, the nodes `items`, which it takes. Does not change the ticks. */
void xtf_program_node_add_body(XtfProgramNode *node, XtfProgramNode *const *items, unsigned n, uint64_t times);
/* Adds a turn of a loop: a body, and the ticks of its items. `first` is true for the first turn. */
void xtf_program_loop_add_turn(XtfProgramNode *loop, XtfProgramNode *const *items, unsigned n, bool first);
/* Makes all bodies one body without order. */
void xtf_program_node_mix(XtfProgramNode *node);
/* Makes the bodies of the node and of all nodes below it one body each. Nodes in the middle that differ are a branch.
 */
void xtf_program_node_simplify(XtfProgramNode *node);

static inline unsigned xtf_program_n_bodies(const XtfProgramNode *node)
{
    return node->bodies ? node->bodies->len : 0;
}

static inline XtfProgramBody *xtf_program_body(const XtfProgramNode *node, unsigned i)
{
    return &g_array_index(node->bodies, XtfProgramBody, i);
}

static inline XtfProgramNode *xtf_program_item(const XtfProgramBody *body, unsigned i)
{
    return body->items->pdata[i];
}

/* Returns the ticks that are of no node in the bodies: the own time of a call, or of the turns of a loop. */
uint64_t xtf_program_node_own(const XtfProgramNode *node);

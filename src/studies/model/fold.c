#include "src/studies/model/fold.h"

#include "src/studies/model/sequence.h"

/* An open call. */
typedef struct {
    XtfProgramNode *node;
    XtfProgramSequence calls; /* made in it; without nodes: none so far */
    uint64_t begin;
    uint64_t since; /* end of the last call in it, or `begin` */
} Frame;

struct XtfProgramFold {
    Frame frames[XTF_PROGRAM_DEPTH_MAX];
    unsigned depth;
    uint64_t n_deeper; /* open calls that have no frame */
};

static void push_frame(XtfProgramFold *fold, uint32_t region, uint64_t before, uint64_t t)
{
    fold->frames[fold->depth++] = (Frame){xtf_program_node_new_call(region, before), {0}, t, t};
}

XtfProgramFold *xtf_program_fold_new(uint64_t t)
{
    XtfProgramFold *fold = g_new0(XtfProgramFold, 1);

    push_frame(fold, XTF_PROGRAM_PROCESS, 0, t);
    return fold;
}

bool xtf_program_fold_enter(XtfProgramFold *fold, uint32_t region, uint64_t t)
{
    if (fold->depth == XTF_PROGRAM_DEPTH_MAX) {
        fold->n_deeper++;
        return false;
    }
    push_frame(fold, region, t - fold->frames[fold->depth - 1].since, t);
    return true;
}

/* Ends the innermost frame. Returns its node, with one turn. */
static XtfProgramNode *pop_frame(XtfProgramFold *fold, uint64_t t)
{
    Frame *frame = &fold->frames[--fold->depth];
    XtfProgramNode *node = g_steal_pointer(&frame->node);

    node->ticks = node->shortest = node->longest = t - frame->begin;
    if (!frame->calls.nodes) {
        node->empty = 1;
        return node;
    }
    xtf_program_sequence_end(&frame->calls);
    GPtrArray *calls = frame->calls.nodes;
    xtf_program_node_add_body(node, (XtfProgramNode *const *)calls->pdata, calls->len, 1);
    g_ptr_array_set_size(calls, 0);
    xtf_program_sequence_finish(&frame->calls);
    return node;
}

void xtf_program_fold_leave(XtfProgramFold *fold, uint64_t t)
{
    if (fold->n_deeper) {
        fold->n_deeper--;
        return;
    }
    if (fold->depth == 1)
        return;
    XtfProgramNode *node = pop_frame(fold, t);
    Frame *caller = &fold->frames[fold->depth - 1];
    if (!caller->calls.nodes)
        xtf_program_sequence_init(&caller->calls);
    xtf_program_sequence_add(&caller->calls, node);
    caller->since = t;
}

void xtf_program_fold_message(XtfProgramFold *fold, uint64_t bytes, bool is_sent)
{
    XtfProgramNode *node = fold->frames[fold->depth - 1].node;

    node->messages++;
    node->sent += is_sent;
    node->bytes += bytes;
}

XtfProgramNode *xtf_program_fold_end(XtfProgramFold *fold, uint64_t t)
{
    fold->n_deeper = 0;
    while (fold->depth > 1)
        xtf_program_fold_leave(fold, t);
    XtfProgramNode *process = pop_frame(fold, t);
    xtf_program_fold_free(fold);
    return process;
}

void xtf_program_fold_free(XtfProgramFold *fold)
{
    if (!fold)
        return;
    for (unsigned i = 0; i < fold->depth; i++) {
        xtf_program_sequence_finish(&fold->frames[i].calls);
        xtf_program_node_free(fold->frames[i].node);
    }
    g_free(fold);
}

#include "src/studies/model/sequence.h"

#include "libxtf/base/splitmix.h"

enum {
    ANCHORS_MAX = 32, /* shapes that are tried as the begin of turns */
    LOOSE_LEAST = 5,  /* a shorter sequence is not folded into turns that differ */
};

static XtfProgramNode *node_at(const GPtrArray *sequence, unsigned i)
{
    return sequence->pdata[i];
}

/* ---- Equal parts. */

/* True if the n nodes from a on have the same shapes as the n nodes from b on. */
static bool is_equal_part(const GPtrArray *sequence, unsigned a, unsigned b, unsigned n)
{
    for (unsigned i = n; i-- > 0;) {
        if (node_at(sequence, a + i)->shape != node_at(sequence, b + i)->shape)
            return false;
    }
    return true;
}

/* True if the nodes from `begin` to the end are a body of a loop. */
static bool is_body_of(const XtfProgramNode *loop, const GPtrArray *sequence, unsigned begin)
{
    unsigned n = sequence->len - begin;

    for (unsigned i = 0; i < xtf_program_n_bodies(loop); i++) {
        const XtfProgramBody *body = xtf_program_body(loop, i);
        unsigned k = 0;
        if (body->mixed || body->items->len != n)
            continue;
        while (k < n && xtf_program_item(body, k)->shape == node_at(sequence, begin + k)->shape)
            k++;
        if (k == n)
            return true;
    }
    return false;
}

/* Makes a loop of the parts before and behind `middle`, both of n nodes, at the end of the sequence. */
static void make_loop(GPtrArray *sequence, unsigned middle, unsigned n)
{
    XtfProgramNode **items = (XtfProgramNode **)sequence->pdata + middle - n;
    XtfProgramNode *loop = xtf_program_node_new_loop(items[0]->shape, items[0]->before);

    xtf_program_loop_add_turn(loop, items, n, true);
    xtf_program_loop_add_turn(loop, items + n, n, false);
    g_ptr_array_set_size(sequence, (gint)(middle - n));
    g_ptr_array_add(sequence, loop);
}

/* Folds the last nodes once. False if they fold no more. */
static bool fold_once(GPtrArray *sequence)
{
    unsigned end = sequence->len;
    const XtfProgramNode *last = end ? node_at(sequence, end - 1) : NULL;

    for (unsigned i = end; i-- > 1;) {
        XtfProgramNode *node = node_at(sequence, i - 1);
        if (i == end - 1 && node->kind == XTF_PROGRAM_LOOP && node->shape == last->shape) {
            xtf_program_node_join(node, g_ptr_array_steal_index(sequence, end - 1));
            return true;
        }
        if (node->kind == XTF_PROGRAM_LOOP && is_body_of(node, sequence, i)) {
            xtf_program_loop_add_turn(node, (XtfProgramNode *const *)sequence->pdata + i, end - i, false);
            g_ptr_array_set_size(sequence, (gint)i);
            return true;
        }
        if (node->shape == last->shape && i >= end - i && is_equal_part(sequence, 2 * i - end, i, end - i)) {
            make_loop(sequence, i, end - i);
            return true;
        }
    }
    return false;
}

/* ---- Parts that differ. */

/* How a sequence is divided into turns that begin with an anchor. */
typedef struct {
    uint64_t anchor;
    unsigned n_turns;
    unsigned begins[XTF_PROGRAM_SEQUENCE_MAX + 2]; /* of the turns, and the end of the last one */
    unsigned cost;                                 /* nodes that are left */
} Division;

/* Returns the shape that a node begins with. */
static uint64_t anchor_of(const XtfProgramNode *node)
{
    return node->kind == XTF_PROGRAM_LOOP && !xtf_program_body(node, 0)->mixed
               ? xtf_program_item(xtf_program_body(node, 0), 0)->shape
               : node->shape;
}

static uint64_t hash_part(const GPtrArray *sequence, unsigned begin, unsigned end)
{
    uint64_t hash = 0;

    for (unsigned i = begin; i < end; i++)
        hash = xtf_splitmix_step(hash, node_at(sequence, i)->shape);
    return hash;
}

/* Ends the last turn where it ceases to look like another one: the nodes behind that follow the loop. */
static void cut_last_turn(const GPtrArray *sequence, Division *division)
{
    unsigned last = division->begins[division->n_turns - 1], end = division->begins[division->n_turns], longest = 0;

    for (unsigned i = 0; i + 1 < division->n_turns; i++) {
        unsigned begin = division->begins[i], n = division->begins[i + 1] - begin;
        if (n <= end - last && n > longest && is_equal_part(sequence, begin, last, n))
            longest = n;
    }
    division->begins[division->n_turns] = longest ? last + longest : end;
}

/* Counts the nodes that are left: of different turns, and outside of the loop. False if there are too many different
 * turns. */
static bool count_cost(const GPtrArray *sequence, Division *division)
{
    uint64_t hashes[XTF_PROGRAM_BODIES_MAX];
    unsigned n = 0, end = division->begins[division->n_turns];

    division->cost = division->begins[0] + (sequence->len - end) + 1;
    for (unsigned i = 0; i < division->n_turns; i++) {
        unsigned begin = division->begins[i], behind = division->begins[i + 1], k = 0;
        uint64_t hash = hash_part(sequence, begin, behind);
        while (k < n && hashes[k] != hash)
            k++;
        if (k < n)
            continue;
        if (n == XTF_PROGRAM_BODIES_MAX)
            return false;
        hashes[n++] = hash;
        division->cost += behind - begin;
    }
    return true;
}

/* Divides the sequence by an anchor. A loop whose turns begin with it is several turns, which must end there. If the
 * sequence may continue, its last turn is left out, since it may be incomplete. */
static bool divide_sequence(const GPtrArray *sequence, uint64_t anchor, bool ends, Division *division)
{
    bool after_loop = false;
    unsigned end = sequence->len;

    division->anchor = anchor;
    division->n_turns = 0;
    for (unsigned i = 0; i < sequence->len; i++) {
        const XtfProgramNode *node = node_at(sequence, i);
        bool begins = anchor_of(node) == anchor;
        if (begins && end < i)
            return false;
        if (begins)
            division->begins[division->n_turns++] = i;
        else if (after_loop)
            end = i;
        after_loop = begins && node->kind == XTF_PROGRAM_LOOP;
    }
    division->begins[division->n_turns] = end;
    if (!ends && division->n_turns > 0)
        division->n_turns--;
    if (division->n_turns < 2)
        return false;
    if (ends)
        cut_last_turn(sequence, division);
    return count_cost(sequence, division);
}

/* Finds the division that leaves the fewest nodes. */
static bool find_division(const GPtrArray *sequence, bool ends, Division *best)
{
    uint64_t tried[ANCHORS_MAX];
    unsigned n = 0;
    Division division;

    best->cost = sequence->len - sequence->len / 4;
    best->n_turns = 0;
    for (unsigned i = 0; i < sequence->len && n < ANCHORS_MAX; i++) {
        uint64_t anchor = anchor_of(node_at(sequence, i));
        unsigned k = 0;
        while (k < n && tried[k] != anchor)
            k++;
        if (k < n)
            continue;
        tried[n++] = anchor;
        if (divide_sequence(sequence, anchor, ends, &division) && division.cost < best->cost)
            *best = division;
    }
    return best->n_turns > 0;
}

/* Replaces the turns of a division by a loop. */
static void apply_division(GPtrArray *sequence, const Division *division)
{
    unsigned begin = division->begins[0], end = division->begins[division->n_turns];
    XtfProgramNode **items = (XtfProgramNode **)sequence->pdata;
    XtfProgramNode *loop = xtf_program_node_new_loop(division->anchor, items[begin]->before);
    unsigned n_behind = sequence->len - end;

    for (unsigned i = 0; i < division->n_turns; i++) {
        unsigned first = division->begins[i], n = division->begins[i + 1] - first;
        if (items[first]->kind != XTF_PROGRAM_LOOP)
            xtf_program_loop_add_turn(loop, items + first, n, i == 0);
        else if (i == 0) {
            uint64_t before = items[first]->before;
            items[first]->before = 0;
            xtf_program_node_join(loop, items[first]);
            loop->before = before;
        } else
            xtf_program_node_join(loop, items[first]);
    }
    items[begin] = loop;
    memmove(items + begin + 1, items + end, n_behind * sizeof(XtfProgramNode *));
    g_ptr_array_set_size(sequence, (gint)(begin + 1 + n_behind));
}

/* Replaces turns that differ by loops, as long as that leaves fewer nodes. */
static void fold_loosely(GPtrArray *sequence, bool ends)
{
    Division division;

    while (sequence->len >= LOOSE_LEAST && find_division(sequence, ends, &division))
        apply_division(sequence, &division);
}

/* ---- The choice. */

/* True if a call may begin the next turn of the loop at the end. A loop is folded with nodes before it once it has
 * ended. */
static bool may_continue(const GPtrArray *sequence, const XtfProgramNode *call)
{
    const XtfProgramNode *node = sequence->len ? node_at(sequence, sequence->len - 1) : NULL;

    if (!node || node->kind != XTF_PROGRAM_LOOP)
        return false;
    while (node->kind == XTF_PROGRAM_LOOP && !xtf_program_body(node, 0)->mixed)
        node = xtf_program_item(xtf_program_body(node, 0), 0);
    return node->shape == call->shape;
}

/* Folds the nodes from `begin` on one after another into the nodes before them. */
static void fold_exactly(GPtrArray *sequence, unsigned begin)
{
    g_autofree XtfProgramNode **added = g_new(XtfProgramNode *, sequence->len - begin + 1);
    unsigned n = sequence->len - begin;

    memcpy(added, sequence->pdata + begin, n * sizeof *added);
    g_ptr_array_set_size(sequence, (gint)begin);
    for (unsigned i = 0; i < n; i++) {
        while (!may_continue(sequence, added[i]) && fold_once(sequence))
            continue;
        g_ptr_array_add(sequence, added[i]);
    }
}

/* Returns a copy of a node's shape: without the calls in it, and without times. */
static XtfProgramNode *copy_shape(const XtfProgramNode *node)
{
    XtfProgramNode *copy = g_new0(XtfProgramNode, 1);

    *copy = *node;
    copy->bodies = NULL;
    for (unsigned i = 0; node->kind == XTF_PROGRAM_LOOP && i < node->bodies->len; i++) {
        const XtfProgramBody *body = xtf_program_body(node, i);
        g_autoptr(GPtrArray) items = g_ptr_array_new();
        for (unsigned k = 0; k < body->items->len; k++)
            g_ptr_array_add(items, copy_shape(xtf_program_item(body, k)));
        xtf_program_node_add_body(copy, (XtfProgramNode *const *)items->pdata, items->len, body->times);
        xtf_program_body(copy, copy->bodies->len - 1)->mixed = body->mixed;
    }
    return copy;
}

/* Counts the nodes of a folded sequence. Sets *irregular if a loop has different numbers of turns. */
static unsigned count_nodes(const GPtrArray *items, bool *irregular)
{
    unsigned n = items->len;

    for (unsigned i = 0; i < items->len; i++) {
        const XtfProgramNode *node = node_at(items, i);
        if (node->kind != XTF_PROGRAM_LOOP)
            continue;
        *irregular |= node->fewest != node->most_turns;
        for (unsigned k = 0; k < node->bodies->len; k++)
            n += count_nodes(xtf_program_body(node, k)->items, irregular);
    }
    return n;
}

/* True if turns that differ describe the sequence better than equal parts: by fewer nodes. If the equal parts are
 * regular, by less than half of the nodes. */
static bool is_better_loosely(const XtfProgramSequence *sequence, bool ends)
{
    g_autoptr(GPtrArray) copy = g_ptr_array_new();
    bool irregular = false;
    Division division;

    if (sequence->nodes->len < LOOSE_LEAST || !find_division(sequence->nodes, ends, &division))
        return false;
    for (unsigned i = 0; i < sequence->nodes->len; i++)
        g_ptr_array_add(copy, copy_shape(node_at(sequence->nodes, i)));
    fold_exactly(copy, sequence->n_folded);
    while (fold_once(copy))
        continue;
    unsigned n = count_nodes(copy, &irregular);
    for (unsigned i = 0; i < copy->len; i++)
        xtf_program_node_free(node_at(copy, i));
    return n > division.cost * (irregular ? 1 : 2);
}

/* Folds the nodes. Nodes behind the last loop may begin a turn, and are folded again later. */
static void fold_nodes(XtfProgramSequence *sequence, bool ends)
{
    GPtrArray *nodes = sequence->nodes;

    if (!is_better_loosely(sequence, ends)) {
        fold_exactly(nodes, sequence->n_folded);
        sequence->n_folded = nodes->len;
        return;
    }
    fold_loosely(nodes, ends);
    sequence->n_folded = nodes->len;
    while (sequence->n_folded > 0 && node_at(nodes, sequence->n_folded - 1)->kind != XTF_PROGRAM_LOOP)
        sequence->n_folded--;
}

/* Makes all nodes one turn of a loop whose body has no order. */
static void mix_sequence(GPtrArray *sequence)
{
    XtfProgramNode *mixture = xtf_program_node_new_loop(0, node_at(sequence, 0)->before);

    xtf_program_loop_add_turn(mixture, (XtfProgramNode *const *)sequence->pdata, sequence->len, true);
    xtf_program_node_mix(mixture);
    g_ptr_array_set_size(sequence, 0);
    g_ptr_array_add(sequence, mixture);
}

void xtf_program_sequence_init(XtfProgramSequence *sequence)
{
    *sequence = (XtfProgramSequence){.nodes = g_ptr_array_new()};
}

void xtf_program_sequence_finish(XtfProgramSequence *sequence)
{
    for (unsigned i = 0; sequence->nodes && i < sequence->nodes->len; i++)
        xtf_program_node_free(node_at(sequence->nodes, i));
    g_clear_pointer(&sequence->nodes, g_ptr_array_unref);
}

static void count_size(XtfProgramSequence *sequence)
{
    sequence->size = 0;
    for (unsigned i = 0; i < sequence->nodes->len; i++)
        sequence->size += node_at(sequence->nodes, i)->size;
}

/* Folds a sequence that is too long, or has too many nodes. */
static void shorten_sequence(XtfProgramSequence *sequence)
{
    fold_nodes(sequence, false);
    count_size(sequence);
    if (sequence->nodes->len <= XTF_PROGRAM_SEQUENCE_MAX / 2 && sequence->size <= XTF_PROGRAM_NODES_MAX / 2)
        return;
    mix_sequence(sequence->nodes);
    sequence->n_folded = 1;
    count_size(sequence);
}

void xtf_program_sequence_add(XtfProgramSequence *sequence, XtfProgramNode *node)
{
    GPtrArray *nodes = sequence->nodes;
    XtfProgramNode *last = nodes->len ? node_at(nodes, nodes->len - 1) : NULL;

    if (last && last->shape == node->shape) {
        uint64_t before = last->size;
        xtf_program_node_join(last, node);
        sequence->size += last->size - before;
        return;
    }
    if (nodes->len == XTF_PROGRAM_SEQUENCE_MAX || (nodes->len > 1 && sequence->size > XTF_PROGRAM_NODES_MAX))
        shorten_sequence(sequence);
    sequence->size += node->size;
    g_ptr_array_add(nodes, node);
}

void xtf_program_sequence_end(XtfProgramSequence *sequence)
{
    fold_nodes(sequence, true);
    while (fold_once(sequence->nodes))
        continue;
    fold_loosely(sequence->nodes, true);
}

#include "src/studies/model/node.h"

#include "libxtf/base/splitmix.h"

/* ---- Nodes. */

static void free_node(gpointer node)
{
    xtf_program_node_free(node);
}

XtfProgramNode *xtf_program_node_new_call(uint32_t region, uint64_t before)
{
    XtfProgramNode *node = g_new0(XtfProgramNode, 1);

    *node = (XtfProgramNode){.kind = XTF_PROGRAM_CALL,
                             .region = region,
                             .shape = xtf_splitmix_step(0, region),
                             .visits = 1,
                             .turns = 1,
                             .size = 1,
                             .fewest = 1,
                             .most_turns = 1,
                             .before = before};
    return node;
}

XtfProgramNode *xtf_program_node_new_loop(uint64_t first_shape, uint64_t before)
{
    XtfProgramNode *node = g_new0(XtfProgramNode, 1);

    *node = (XtfProgramNode){.kind = XTF_PROGRAM_LOOP,
                             .shape = xtf_splitmix_step(first_shape, UINT64_MAX), /* no region has this number */
                             .visits = 1,
                             .size = 1,
                             .before = before,
                             .shortest = UINT64_MAX};
    return node;
}

void xtf_program_node_free(XtfProgramNode *node)
{
    if (!node)
        return;
    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++)
        g_ptr_array_unref(xtf_program_body(node, i)->items);
    g_clear_pointer(&node->bodies, g_array_unref);
    g_free(node);
}

/* ---- Bodies. */

static bool is_same_sequence(const XtfProgramBody *body, XtfProgramNode *const *items, unsigned n)
{
    if (body->mixed || body->items->len != n)
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (xtf_program_item(body, i)->shape != items[i]->shape)
            return false;
    }
    return true;
}

static XtfProgramBody *append_body(XtfProgramNode *node, bool mixed)
{
    XtfProgramBody body = {.mixed = mixed, .items = g_ptr_array_new_with_free_func(free_node)};

    if (!node->bodies)
        node->bodies = g_array_new(FALSE, FALSE, sizeof(XtfProgramBody));
    g_array_append_val(node->bodies, body);
    return xtf_program_body(node, node->bodies->len - 1);
}

/* Puts a node into a body without order. Takes the node. A loop is dissolved: its nodes are put there. */
static void add_to_mixture(XtfProgramBody *mixture, XtfProgramNode *node)
{
    if (node->kind != XTF_PROGRAM_CALL) {
        for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
            GPtrArray *items = xtf_program_body(node, i)->items;
            while (items->len)
                add_to_mixture(mixture, g_ptr_array_steal_index(items, items->len - 1));
        }
        xtf_program_node_free(node);
        return;
    }
    for (unsigned i = 0; i < mixture->items->len; i++) {
        if (xtf_program_item(mixture, i)->shape == node->shape) {
            xtf_program_node_merge(xtf_program_item(mixture, i), node);
            return;
        }
    }
    g_ptr_array_add(mixture->items, node);
}

static uint64_t count_body_nodes(XtfProgramNode *const *items, unsigned n)
{
    uint64_t nodes = 0;

    for (unsigned i = 0; i < n; i++)
        nodes += items[i]->size;
    return nodes;
}

static void count_mixture_nodes(XtfProgramNode *node)
{
    const GPtrArray *items = xtf_program_body(node, 0)->items;

    node->size = 1 + count_body_nodes((XtfProgramNode *const *)items->pdata, items->len);
}

/* Leaves out the calls in a call, or in the calls of a loop's turns. */
static void cut_node(XtfProgramNode *node)
{
    bool is_loop = node->kind == XTF_PROGRAM_LOOP;

    node->size = 1;
    node->is_cut = !is_loop;
    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
        GPtrArray *items = xtf_program_body(node, i)->items;
        for (unsigned k = 0; is_loop && k < items->len; k++) {
            cut_node(items->pdata[k]);
            node->size += ((XtfProgramNode *)items->pdata[k])->size;
        }
        if (!is_loop)
            g_ptr_array_unref(items);
    }
    if (!is_loop)
        g_clear_pointer(&node->bodies, g_array_unref);
}

/* Leaves out the calls in the calls that a node has. */
static void cut_second_level(XtfProgramNode *node)
{
    node->size = 1;
    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
        const GPtrArray *items = xtf_program_body(node, i)->items;
        for (unsigned k = 0; k < items->len; k++) {
            cut_node(items->pdata[k]);
            node->size += ((XtfProgramNode *)items->pdata[k])->size;
        }
    }
}

/* Leaves calls out if a node without order has too many nodes below it. */
static void bound_mixture(XtfProgramNode *node)
{
    const GPtrArray *items = xtf_program_body(node, 0)->items;

    count_mixture_nodes(node);
    if (node->size <= XTF_PROGRAM_MIXED_MAX)
        return;
    for (unsigned i = 0; i < items->len; i++)
        cut_second_level(items->pdata[i]);
    count_mixture_nodes(node);
    for (unsigned i = 0; i < items->len && node->size > XTF_PROGRAM_MIXED_MAX; i++)
        cut_node(items->pdata[i]);
    count_mixture_nodes(node);
}

void xtf_program_node_mix(XtfProgramNode *node)
{
    GArray *bodies = g_steal_pointer(&node->bodies);
    XtfProgramBody *mixture = append_body(node, true);

    for (unsigned i = 0; bodies && i < bodies->len; i++) {
        XtfProgramBody *body = &g_array_index(bodies, XtfProgramBody, i);
        mixture->times += body->times;
        g_ptr_array_set_free_func(body->items, NULL);
        for (unsigned k = 0; k < body->items->len; k++)
            add_to_mixture(mixture, body->items->pdata[k]);
        g_ptr_array_unref(body->items);
    }
    g_clear_pointer(&bodies, g_array_unref);
    bound_mixture(node);
}

static XtfProgramBody *find_mixture(const XtfProgramNode *node)
{
    return xtf_program_n_bodies(node) == 1 && xtf_program_body(node, 0)->mixed ? xtf_program_body(node, 0) : NULL;
}

static XtfProgramBody *find_body(const XtfProgramNode *node, XtfProgramNode *const *items, unsigned n)
{
    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
        if (is_same_sequence(xtf_program_body(node, i), items, n))
            return xtf_program_body(node, i);
    }
    return NULL;
}

/* Merges the nodes of a body into an equal one. */
static void merge_body(XtfProgramNode *node, XtfProgramBody *body, XtfProgramNode *const *items)
{
    for (unsigned i = 0; i < body->items->len; i++) {
        XtfProgramNode *item = xtf_program_item(body, i);
        uint64_t before = item->size;
        xtf_program_node_merge(item, items[i]);
        node->size += item->size - before;
    }
}

void xtf_program_node_add_body(XtfProgramNode *node, XtfProgramNode *const *items, unsigned n, uint64_t times)
{
    XtfProgramBody *body = find_mixture(node);

    if (node->is_cut) {
        for (unsigned i = 0; i < n; i++)
            xtf_program_node_free(items[i]);
        return;
    }
    if (body) {
        for (unsigned i = 0; i < n; i++)
            add_to_mixture(body, items[i]);
        body->times += times;
        bound_mixture(node);
        return;
    }
    body = find_body(node, items, n);
    if (body) {
        merge_body(node, body, items);
    } else {
        body = append_body(node, false);
        node->size += count_body_nodes(items, n);
        for (unsigned i = 0; i < n; i++)
            g_ptr_array_add(body->items, items[i]);
    }
    body->times += times;
    if (node->bodies->len > XTF_PROGRAM_BODIES_MAX || node->size > XTF_PROGRAM_NODES_MAX ||
        (node->bodies->len > 1 && node->size > XTF_PROGRAM_DIFFERING_MAX))
        xtf_program_node_mix(node);
}

/* Adds the bodies of another node, which it empties. */
static void add_bodies(XtfProgramNode *node, XtfProgramNode *added)
{
    if (added->is_cut)
        cut_node(node);
    if (find_mixture(added) && !node->is_cut)
        xtf_program_node_mix(node);
    for (unsigned i = 0; i < xtf_program_n_bodies(added); i++) {
        XtfProgramBody *body = xtf_program_body(added, i);
        g_ptr_array_set_free_func(body->items, NULL);
        xtf_program_node_add_body(node, (XtfProgramNode *const *)body->items->pdata, body->items->len, body->times);
        g_ptr_array_set_size(body->items, 0);
    }
}

/* ---- Turns. */

/* Adds the turns of another node: its bodies and ticks. */
static void add_turns(XtfProgramNode *node, XtfProgramNode *added)
{
    node->turns += added->turns;
    node->ticks += added->ticks;
    node->shortest = MIN(node->shortest, added->shortest);
    node->longest = MAX(node->longest, added->longest);
    node->messages += added->messages;
    node->sent += added->sent;
    node->bytes += added->bytes;
    node->empty += added->empty;
    add_bodies(node, added);
}

void xtf_program_node_merge(XtfProgramNode *node, XtfProgramNode *added)
{
    add_turns(node, added);
    node->visits += added->visits;
    node->fewest = MIN(node->fewest, added->fewest);
    node->most_turns = MAX(node->most_turns, added->most_turns);
    node->before += added->before;
    xtf_program_node_free(added);
}

void xtf_program_node_join(XtfProgramNode *node, XtfProgramNode *next)
{
    add_turns(node, next);
    node->ticks += next->before;
    node->fewest = node->most_turns = node->turns;
    xtf_program_node_free(next);
}

void xtf_program_loop_add_turn(XtfProgramNode *loop, XtfProgramNode *const *items, unsigned n, bool first)
{
    uint64_t ticks = 0;

    for (unsigned i = 0; i < n; i++)
        ticks += items[i]->ticks + (first && i == 0 ? 0 : items[i]->before);
    loop->ticks += ticks;
    loop->shortest = MIN(loop->shortest, ticks);
    loop->longest = MAX(loop->longest, ticks);
    loop->turns++;
    loop->fewest = loop->most_turns = loop->turns;
    xtf_program_node_add_body(loop, items, n, 1);
}

uint64_t xtf_program_node_own(const XtfProgramNode *node)
{
    uint64_t inside = 0;

    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
        const XtfProgramBody *body = xtf_program_body(node, i);
        for (unsigned k = 0; k < body->items->len; k++)
            inside += xtf_program_item(body, k)->ticks;
    }
    return node->ticks - inside;
}

/* ---- Simplifying. */

/* Returns the number of nodes, at most `most`, that all bodies have in common at their begin, or at their end. */
static unsigned count_common(const XtfProgramNode *node, bool at_end, unsigned most)
{
    for (unsigned k = 0; k < most; k++) {
        const GPtrArray *items = xtf_program_body(node, 0)->items;
        uint64_t shape = ((XtfProgramNode *)items->pdata[at_end ? items->len - 1 - k : k])->shape;
        for (unsigned i = 1; i < node->bodies->len; i++) {
            items = xtf_program_body(node, i)->items;
            if (((XtfProgramNode *)items->pdata[at_end ? items->len - 1 - k : k])->shape != shape)
                return k;
        }
    }
    return most;
}

/* Moves a node that all bodies have at a place to the end of `items`. */
static void move_common(XtfProgramNode *node, unsigned from_end, bool at_end, GPtrArray *items)
{
    XtfProgramNode *sum = NULL;

    for (unsigned i = 0; i < node->bodies->len; i++) {
        GPtrArray *of_body = xtf_program_body(node, i)->items;
        XtfProgramNode *item = g_ptr_array_steal_index(of_body, at_end ? of_body->len - from_end : 0);
        if (sum)
            xtf_program_node_merge(sum, item);
        else
            sum = item;
    }
    g_ptr_array_add(items, sum);
}

/* Moves the rest of the bodies into a branch. */
static XtfProgramNode *make_branch(XtfProgramNode *node)
{
    XtfProgramNode *branch = g_new0(XtfProgramNode, 1);
    uint64_t shortest = UINT64_MAX, longest = 0;

    *branch = (XtfProgramNode){.kind = XTF_PROGRAM_BRANCH, .bodies = g_steal_pointer(&node->bodies)};
    for (unsigned i = 0; i < branch->bodies->len; i++) {
        const XtfProgramBody *body = xtf_program_body(branch, i);
        uint64_t ticks = 0;
        for (unsigned k = 0; k < body->items->len; k++)
            ticks += xtf_program_item(body, k)->ticks;
        branch->ticks += ticks;
        branch->visits += body->times;
        shortest = MIN(shortest, ticks / MAX(body->times, 1));
        longest = MAX(longest, ticks / MAX(body->times, 1));
    }
    branch->turns = branch->visits;
    branch->fewest = branch->most_turns = 1;
    branch->shortest = shortest;
    branch->longest = longest;
    return branch;
}

static void simplify_bodies(XtfProgramNode *node)
{
    unsigned least = UINT_MAX, n_front, n_back;
    uint64_t times = 0;
    GPtrArray *items = g_ptr_array_new_with_free_func(free_node);

    for (unsigned i = 0; i < node->bodies->len; i++) {
        least = MIN(least, xtf_program_body(node, i)->items->len);
        times += xtf_program_body(node, i)->times;
    }
    n_front = count_common(node, false, least);
    n_back = count_common(node, true, least - n_front);
    for (unsigned i = 0; i < n_front; i++)
        move_common(node, 0, false, items);
    g_autoptr(GPtrArray) back = g_ptr_array_new();
    for (unsigned i = n_back; i > 0; i--)
        move_common(node, i, true, back);
    g_ptr_array_add(items, make_branch(node));
    for (unsigned i = 0; i < back->len; i++)
        g_ptr_array_add(items, back->pdata[i]);
    XtfProgramBody *body = append_body(node, false);
    g_ptr_array_unref(body->items);
    *body = (XtfProgramBody){.times = times, .items = items};
}

void xtf_program_node_simplify(XtfProgramNode *node)
{
    if (node->empty && xtf_program_n_bodies(node) > 0 && !find_mixture(node)) {
        append_body(node, false)->times = node->empty;
        node->empty = 0;
    }
    if (node->kind != XTF_PROGRAM_BRANCH && xtf_program_n_bodies(node) > 1)
        simplify_bodies(node);
    for (unsigned i = 0; i < xtf_program_n_bodies(node); i++) {
        const XtfProgramBody *body = xtf_program_body(node, i);
        for (unsigned k = 0; k < body->items->len; k++)
            xtf_program_node_simplify(xtf_program_item(body, k));
    }
}

#include "src/pictures/charts/measured-calls.h"

#include "libxtf/slices.h"

#include "src/pictures/charts/stored-calls.h"
#include "src/pictures/timeline/rows/picture-calls.h"
#include "src/trace/select/aggregate-ref.h"

enum {
    WALKED_MAX = 2000000, /* most calls to walk; if there are more, the stack is sampled */
    INSTANTS = 10000,     /* instants of all locations together, roughly */
    LEVELS_MAX = 1000,    /* deeper calls are omitted */
};

/* ---- Walking. */

typedef struct {
    XtfCallTree *tree;
    const XtfRegions *regions;
    uint64_t from, to;
    GArray **stacks; /* by location: Entered, the calls around the one that began last, and that one */
} Walk;

/* A call on the stack. If only some regions are selected, levels are missing. Then the next call of a level does not
 * show where this call ends. */
typedef struct {
    uint32_t level, node;
    uint64_t end; /* global ticks */
} Entered;

/* True if `entered`, which began before `call`, is around it. */
static bool is_around(const Entered *entered, const XtfPictureCall *call)
{
    return entered->level < call->level && call->end <= entered->end;
}

static void walk_call(const XtfPictureCall *call, void *data)
{
    Walk *walk = data;
    GArray *stack = walk->stacks[call->location];
    uint64_t begin = CLAMP(call->begin, walk->from, walk->to), end = CLAMP(call->end, begin, walk->to);

    if (call->level >= LEVELS_MAX)
        return;
    while (stack->len > 0 && !is_around(&g_array_index(stack, Entered, stack->len - 1), call))
        g_array_set_size(stack, stack->len - 1);
    uint32_t parent = stack->len > 0 ? g_array_index(stack, Entered, stack->len - 1).node : 0;
    uint32_t node = xtf_call_tree_child(walk->tree, parent, xtf_region_line(walk->regions, call->line));
    const Entered entered = {call->level, node, call->end};
    g_array_append_val(stack, entered);
    if (node == parent)
        return;
    xtf_call_node(walk->tree, node)->amount += end - begin;
    xtf_call_node(walk->tree, node)->calls += call->begin >= walk->from;
}

static bool walk_all(XtfCallTree *tree, XtfViews *views, XtfSelection *selection, const XtfSelectedLocations *selected,
                     const XtfRegions *regions, GError **error)
{
    Walk walk = {.tree = tree, .regions = regions, .stacks = g_new(GArray *, selected->n)};

    xtf_selection_window(selection, &views->context->scale, &walk.from, &walk.to);
    for (uint32_t i = 0; i < selected->n; i++)
        walk.stacks[i] = g_array_new(FALSE, FALSE, sizeof(Entered));
    bool good = xtf_picture_calls(views->resolver, selection, selected, walk_call, &walk, error);
    for (uint32_t i = 0; i < selected->n; i++)
        g_array_unref(walk.stacks[i]);
    g_free(walk.stacks);
    return good;
}

/* ---- Sampling. */

/* Returns a number in [0, stride) that is always the same for the i-th instant. */
static uint64_t jitter_at(uint64_t i, uint64_t stride)
{
    uint64_t hash = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return stride > 0 ? (hash ^ hash >> 31) % stride : 0;
}

typedef struct {
    XtfCallTree *tree;
    const XtfRegions *regions;
    const XtfNumberSet *regions_only;
    XtfAggregateRef frames;
    XtfLocationArrays arrays;
} Sampling;

/* Adds the stack at an instant. */
static bool add_stack(size_t i, uint64_t n, const XtfOpenFrame *frames, size_t n_frames, void *data, GError **error)
{
    Sampling *sampling = data;
    uint32_t node = 0;

    for (size_t at = 0; at < n_frames && at < LEVELS_MAX; at++) {
        if (!xtf_number_set_contains(sampling->regions_only, frames[at].key))
            continue;
        uint32_t child = xtf_call_tree_child(sampling->tree, node, xtf_region_line(sampling->regions, frames[at].key));
        if (child != node)
            xtf_call_node(sampling->tree, child)->amount++;
        node = child;
    }
    return true;
}

static bool sample_location(Sampling *sampling, const XtfTraceContext *context, const XtfLocation *location, uint64_t a,
                            uint64_t b, uint64_t salt, GError **error)
{
    uint64_t n = sampling->tree->n_instants;
    g_autoptr(GArray) instants = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    if (!xtf_location_arrays_load(&sampling->arrays, context, location, error))
        return false;
    const XtfArray *calls = xtf_location_arrays_find(&sampling->arrays, sampling->frames.schema);
    for (uint64_t i = 0; calls && i < n; i++) {
        uint64_t from = xtf_time_bin_bound(a, b, i, n), to = xtf_time_bin_bound(a, b, i + 1, n);
        uint64_t t = from + jitter_at(salt * n + i, to - from), gaps;
        if (t < sampling->arrays.first || t >= sampling->arrays.last)
            continue;
        if (!xtf_location_gap_ticks(&sampling->arrays, false, t, t + 1, &gaps, error))
            return false;
        if (gaps > 0)
            continue;
        xtf_call_node(sampling->tree, 0)->amount++;
        t++; /* the stack after the rows of this tick */
        g_array_append_val(instants, t);
    }
    return !calls || xtf_array_stacks(calls, sampling->frames.number, (const uint64_t *)(void *)instants->data,
                                      instants->len, add_stack, sampling, error);
}

static bool sample_all(XtfCallTree *tree, XtfViews *views, const XtfSelection *selection,
                       const XtfSelectedLocations *selected, const XtfRegions *regions, GError **error)
{
    Sampling sampling = {.tree = tree, .regions = regions, .regions_only = selection->by[XTF_BY_REGION]};
    uint64_t from, to;
    bool good = xtf_aggregate_ref_frames(&sampling.frames, views->context);

    tree->source = XTF_CALL_TREE_SAMPLED;
    tree->n_instants = MAX(INSTANTS / MAX(selected->n, 1), 1);
    xtf_selection_window(selection, &views->context->scale, &from, &to);
    for (uint32_t i = 0; good && i < selected->n; i++)
        good = sample_location(&sampling, views->context, xtf_selected_location(selected, i), from, to, i, error);
    xtf_location_arrays_finish(&sampling.arrays);
    return good;
}

/* ---- The choice between both. */

/* Adds the lifetimes of all locations in the window: 100 % of a tree that was walked. */
static bool add_lifetimes(XtfCallTree *tree, XtfViews *views, const XtfSelection *selection,
                          const XtfSelectedLocations *selected, GError **error)
{
    g_auto(XtfLocationArrays) arrays = {0};
    uint64_t from, to;

    xtf_selection_window(selection, &views->context->scale, &from, &to);
    for (uint32_t i = 0; i < selected->n; i++) {
        if (!xtf_location_arrays_load(&arrays, views->context, xtf_selected_location(selected, i), error))
            return false;
        uint64_t first = MAX(from, arrays.first), last = MIN(to, arrays.last), gaps;
        if (!xtf_location_gap_ticks(&arrays, false, first, last, &gaps, error))
            return false;
        xtf_call_node(tree, 0)->amount += last > first ? last - first - gaps : 0;
    }
    return true;
}

static bool is_whole(const XtfSelection *selection, const XtfTimeScale *scale)
{
    uint64_t from, to;

    xtf_selection_window(selection, scale, &from, &to);
    return from <= scale->origin && to >= scale->end;
}

bool xtf_call_tree_measure(XtfCallTree *tree, XtfViews *views, XtfSelection *selection, GError **error)
{
    g_autoptr(XtfSelection) calls = xtf_selection_in_calls(selection, views->context);
    g_auto(XtfSelectedLocations) selected = {0};
    XtfAggregateRef frames;
    XtfStoredCalls stored;
    XtfRegions regions;
    uint64_t n;

    xtf_call_tree_init(tree);
    xtf_aggregate_ref_frames(&frames, views->context);
    if (!xtf_selected_locations_init(&selected, views->context, selection, error) ||
        !xtf_regions_load(&regions, views->formats, selection, &frames, error) ||
        !xtf_resolver_count(views->resolver, calls, &n, error))
        return false;
    tree->n_locations = selected.n;
    if (n <= WALKED_MAX)
        return add_lifetimes(tree, views, selection, &selected, error) &&
               walk_all(tree, views, selection, &selected, &regions, error);
    if (!xtf_stored_calls_find(&stored, views->context, error))
        return false;
    tree->is_analysed = stored.schema;
    if (!stored.schema || !is_whole(selection, &views->context->scale))
        return sample_all(tree, views, selection, &selected, &regions, error);
    tree->source = XTF_CALL_TREE_STORED;
    return add_lifetimes(tree, views, selection, &selected, error) &&
           xtf_stored_calls_add(&stored, tree, selection, &selected, &regions, error);
}

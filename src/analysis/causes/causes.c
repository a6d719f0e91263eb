#include "src/analysis/causes/causes.h"

#include "libxtf/trace.h"
#include "src/analysis/causes/causes-private.h"
#include "src/analysis/kinds/kind-rows.h"
#include "src/model/schemas.h"

/* HELD_MAX: most waits in memory before turns get short. TURN_MIN, TURN_MAX: least and most points of one location's
 * turn. TURNS_MAX: points of the turns of all locations together. */
enum { HELD_MAX = 1 << 15, TURN_MIN = 4, TURN_MAX = 256, TURNS_MAX = 1 << 15 };
/* Points between checks for an interrupt: very many locations may wait for one point. */
enum { POINTS_PER_CHECK = 16 };

/* The state of a location's walk backward. */
typedef struct {
    uint64_t at; /* number of points left */
    bool queued, is_set;
} Walk;

/* The members of an operation that the pass has reached. `waiters`: XtfWaiter, of members that waited. */
typedef struct {
    GArray *waiters;
    uint32_t arrived;
    uint32_t blocked; /* the culprit's location, if it is blocked until all others have arrived; UINT32_MAX: none */
} Operation;

typedef struct {
    uint32_t location, unused;
    uint64_t i;
} Place;

/* The costs and the result of a wait until the pass reaches the other side. */
typedef struct {
    XtfCosts costs;
    XtfPointResult result;
} Passed;

/* The tree of the points' call paths. */
typedef struct {
    const XtfPoints *points;
    uint8_t *regions; /* XtfKindRegion, by region; NULL: no region is parallel */
    uint64_t n_regions;
} PointTree;

typedef struct {
    XtfCulpritWork work;
    PointTree tree;
    XtfPrefixes prefixes;
    XtfOperationHeads heads;
    Walk *walks;
    uint32_t n_locations;
    GQueue ready;           /* locations to walk, plus 1 */
    GHashTable *passed;     /* Place of a wait for one location that has costs to pass on -> Passed */
    GHashTable *blocked;    /* Place of a wait -> location that is blocked until the pass reaches it, plus 1 */
    GHashTable *operations; /* guint64 -> Operation */
    uint64_t n_held;        /* number of waiters in all of `operations` */
    uint64_t n_done;        /* points that the pass has done */
    XtfCausesCounts counts;
    bool *counts_outside; /* by location: true if its time outside of all calls counts */
    uint32_t turn;        /* points of one turn */
    uint32_t first;       /* lowest location that may have points left */
    bool forced;          /* true if the current point is done without unknown costs */
} Pass;

typedef enum { DONE, BLOCKED, FAILED } Step;

static guint hash_place(gconstpointer key)
{
    const Place *place = key;

    return (guint)((place->i * UINT64_C(0x9e3779b97f4a7c15) + place->location) >> 16);
}

static gboolean equal_places(gconstpointer a, gconstpointer b)
{
    const Place *one = a, *second = b;

    return one->location == second->location && one->i == second->i;
}

static void operation_free(gpointer data)
{
    Operation *operation = data;

    g_array_unref(operation->waiters);
    g_free(operation);
}

static void queue_location(Pass *pass, uint32_t location)
{
    if (!pass->walks[location].queued) {
        pass->walks[location].queued = true;
        g_queue_push_tail(&pass->ready, GUINT_TO_POINTER(location + 1));
    }
}

/* Computes the costs that a wait passes on, and its propagating part. */
static void set_result(Pass *pass, XtfWaiter *waiter)
{
    const XtfPoint *point = &waiter->point;
    XtfRemainders *remainders = &pass->work.remainders[waiter->location];
    XtfCostKind cost = xtf_cost_kind(point->kind);
    double propagating, passed = 0;

    waiter->result = XTF_POINT_RESULT_NONE;
    if (!xtf_is_synchronising_wait(point))
        return;
    xtf_pass_tree_costs(&pass->work.pool, &pass->work.pass_trees[waiter->location], waiter->i, point->wait,
                        &waiter->costs, &propagating);
    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        passed += waiter->costs.of[kind];
    waiter->result.passed =
        xtf_share_round(remainders, xtf_share_key(point->callpath, XTF_SHARE_PASSED + cost), passed, UINT64_MAX);
    waiter->result.propagating = xtf_share_round(
        remainders, xtf_share_key(point->callpath, XTF_SHARE_PROPAGATING + cost), propagating, point->wait);
}

static bool put_result(Pass *pass, const XtfWaiter *waiter, GError **error)
{
    uint64_t number = xtf_point_cache_number(pass->work.intervals.cache, waiter->location, waiter->i);

    if (waiter->result.passed == 0 && waiter->result.propagating == 0) /* the stored result is the initial one */
        return true;
    return xtf_points_put_result(pass->work.intervals.points, number, &waiter->result, error);
}

/* Keeps the result of a wait for one location, and wakes that location if the wait blocks it. */
static Step pass_single_wait(Pass *pass, const XtfWaiter *waiter, GError **error)
{
    const Place place = {.location = waiter->location, .i = waiter->i};
    const Passed passed = {waiter->costs, waiter->result};
    bool no_costs = waiter->result.propagating == 0;

    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        no_costs &= waiter->costs.of[kind] <= 0;
    if (!put_result(pass, waiter, error))
        return FAILED;
    if (!no_costs)
        g_hash_table_insert(pass->passed, g_memdup2(&place, sizeof place), g_memdup2(&passed, sizeof passed));
    uint32_t blocked = GPOINTER_TO_UINT(g_hash_table_lookup(pass->blocked, &place));
    if (blocked > 0) {
        g_hash_table_remove(pass->blocked, &place);
        queue_location(pass, blocked - 1);
    }
    return DONE;
}

/* Handles a point that another location waited for. Blocks until the pass has reached the waiting point. */
static Step pass_late(Pass *pass, uint32_t location, uint64_t i, const XtfPoint *awaited, GError **error)
{
    XtfWaiter waiter;
    bool found;

    if (!xtf_find_waiter(&pass->work, location, awaited, &waiter, &found, error))
        return FAILED;
    if (!found) {
        pass->counts.lost++;
        return DONE;
    }
    const Place place = {.location = waiter.location, .i = waiter.i};
    if (pass->walks[waiter.location].at > waiter.i && !pass->forced) {
        g_hash_table_insert(pass->blocked, g_memdup2(&place, sizeof place), GUINT_TO_POINTER(location + 1));
        return BLOCKED;
    }
    const Passed *passed = g_hash_table_lookup(pass->passed, &place);
    if (passed) {
        waiter.costs = passed->costs;
        waiter.result = passed->result;
    }
    g_hash_table_remove(pass->passed, &place);
    pass->counts.explained++;
    return xtf_charge_culprit(&pass->work, location, i, xtf_cost_kind(waiter.point.kind), NULL, &waiter, 1, error)
               ? DONE
               : FAILED;
}

static Operation *operation_of(Pass *pass, uint64_t number)
{
    Operation *operation = g_hash_table_lookup(pass->operations, &number);

    if (!operation) {
        operation = g_new0(Operation, 1);
        operation->waiters = g_array_new(false, false, sizeof(XtfWaiter));
        operation->blocked = UINT32_MAX;
        g_hash_table_insert(pass->operations, g_memdup2(&number, sizeof number), operation);
    }
    return operation;
}

static Step pass_member(Pass *pass, const XtfWaiter *waiter, GError **error)
{
    const XtfPoint *point = &waiter->point;
    XtfOperation all;

    if (!xtf_operation_heads_get(&pass->heads, point->instance, &all, error))
        return FAILED;
    if (all.n_points == 0) {
        pass->counts.lost++;
        return put_result(pass, waiter, error) ? DONE : FAILED;
    }
    Operation *operation = operation_of(pass, point->instance);
    if (all.culprit != waiter->location || all.culprit_seq != point->seq) {
        if (point->wait > 0) {
            g_array_append_val(operation->waiters, *waiter);
            pass->n_held++;
        }
        if (++operation->arrived + 1 == all.n_points && operation->blocked != UINT32_MAX)
            queue_location(pass, operation->blocked);
        return DONE;
    }
    if (operation->arrived + 1 < all.n_points && !pass->forced) {
        operation->blocked = waiter->location;
        return BLOCKED;
    }
    pass->counts.explained += operation->waiters->len;
    XtfWaiter *waiters = (XtfWaiter *)(void *)operation->waiters->data;
    bool good = operation->waiters->len == 0 ||
                xtf_charge_culprit(&pass->work, waiter->location, waiter->i, xtf_cost_kind(point->kind), &all, waiters,
                                   operation->waiters->len, error);
    pass->n_held -= operation->waiters->len;
    g_hash_table_remove(pass->operations, &point->instance);
    return good ? DONE : FAILED;
}

/* Handles the last point left of a location. */
static Step handle_point(Pass *pass, uint32_t location, GError **error)
{
    Walk *walk = &pass->walks[location];
    XtfWaiter waiter = {.location = location, .i = walk->at - 1};
    const XtfPoint *point = xtf_point_cache_get(pass->work.intervals.cache, location, waiter.i, error);

    if (!point)
        return FAILED;
    waiter.point = *point;
    if (xtf_is_awaited(point))
        return pass_late(pass, location, waiter.i, &waiter.point, error);
    if (!walk->is_set)
        set_result(pass, &waiter);
    walk->is_set = true; /* a blocked point is handled again later */
    switch ((XtfPointSide)waiter.point.side) {
    case XTF_POINT_WAITS:
    case XTF_POINT_MEETS:
        return pass_single_wait(pass, &waiter, error);
    case XTF_POINT_ALL:
    case XTF_POINT_ROOT:
    case XTF_POINT_LEAF:
    case XTF_POINT_PAIR:
    case XTF_POINT_TEAM:
        return pass_member(pass, &waiter, error);
    case XTF_POINT_FORKS:
        return xtf_charge_fork(&pass->work, location, waiter.i, error) ? DONE : FAILED;
    default:
        return put_result(pass, &waiter, error) ? DONE : FAILED;
    }
}

/* Walks a location backward until it is blocked. If many waits are in memory whose culprits are not reached yet,
 * turns are short, so that no location gets far ahead of the others. */
static bool walk_back(Pass *pass, uint32_t location, XtfSteps *steps, GError **error)
{
    Walk *walk = &pass->walks[location];

    for (uint32_t turn = 0; walk->at > 0; turn++) {
        if (turn >= pass->turn && pass->n_held + g_hash_table_size(pass->passed) > HELD_MAX) {
            queue_location(pass, location);
            return true;
        }
        switch (handle_point(pass, location, error)) {
        case FAILED:
            return false;
        case BLOCKED:
            return true;
        case DONE:
            walk->at--;
            walk->is_set = pass->forced = false;
            if (++pass->n_done % POINTS_PER_CHECK == 0 && !xtf_steps_advance(steps, POINTS_PER_CHECK, error))
                return false;
        }
    }
    return true;
}

/* Breaks a circle in which all locations are blocked: the lowest one continues without unknown costs. False if no
 * location has points left. */
static bool break_circle(Pass *pass)
{
    while (pass->first < pass->n_locations && pass->walks[pass->first].at == 0)
        pass->first++;
    if (pass->first == pass->n_locations)
        return false;
    pass->counts.circles++;
    pass->forced = true;
    queue_location(pass, pass->first);
    return true;
}

static bool run_pass(Pass *pass, XtfSteps *steps, GError **error)
{
    xtf_steps_begin(steps, "causes", xtf_points_n(pass->work.intervals.points));
    for (uint32_t location = pass->n_locations; location-- > 0;)
        queue_location(pass, location);
    do {
        gpointer next;
        while ((next = g_queue_pop_head(&pass->ready))) {
            uint32_t location = GPOINTER_TO_UINT(next) - 1;
            pass->walks[location].queued = false;
            if (!walk_back(pass, location, steps, error))
                return false;
        }
    } while (break_circle(pass));
    return true;
}

static void pass_finish(Pass *pass)
{
    for (uint32_t location = 0; location < pass->n_locations; location++) {
        xtf_pass_tree_finish(&pass->work.pass_trees[location]);
        xtf_remainders_finish(&pass->work.remainders[location]);
    }
    xtf_pass_pool_finish(&pass->work.pool);
    g_free(pass->work.pass_trees);
    g_free(pass->work.remainders);
    g_free(pass->work.charges);
    g_free(pass->work.members);
    xtf_team_paths_free(pass->work.teams);
    g_free(pass->tree.regions);
    g_free(pass->work.calls);
    xtf_flights_finish(&pass->work.meets);
    g_free(pass->work.waiter_of);
    g_array_unref(pass->work.later);
    xtf_intervals_finish(&pass->work.intervals);
    xtf_prefixes_finish(&pass->prefixes);
    g_free(pass->counts_outside);
    xtf_point_cache_free(pass->work.intervals.cache);
    xtf_callpath_sums_finish(&pass->work.all);
    xtf_callpath_sums_finish(&pass->work.culprit_work);
    xtf_callpath_sums_finish(&pass->work.waiter_work);
    g_hash_table_unref(pass->passed);
    g_hash_table_unref(pass->blocked);
    g_hash_table_unref(pass->operations);
    g_queue_clear(&pass->ready);
    g_free(pass->walks);
}

static void pass_init(Pass *pass, XtfPoints *points, XtfDelays *delays)
{
    uint32_t n = xtf_points_n_locations(points), n_callpaths = xtf_points_n_callpaths(points) + 1;

    *pass = (Pass){
        .work = {.delays = delays,
                 .pass_trees = g_new0(XtfPassTree, n),
                 .remainders = g_new0(XtfRemainders, n),
                 .charges = g_new0(double, (size_t)n_callpaths *XTF_CHARGES),
                 .later = g_array_new(false, false, sizeof(XtfMeeting)),
                 .calls = g_new0(XtfCallSpan, n),
                 .meets.few_words = 1,
                 .waiter_of = g_new0(uint32_t, MAX(n, 1))},
        .tree.points = points,
        .prefixes = XTF_PREFIXES_NONE,
        .walks = g_new0(Walk, n),
        .n_locations = n,
        .turn = CLAMP(TURNS_MAX / MAX(n, 1), TURN_MIN, TURN_MAX),
        .counts_outside = g_new0(bool, n),
        .passed = g_hash_table_new_full(hash_place, equal_places, g_free, g_free),
        .blocked = g_hash_table_new_full(hash_place, equal_places, g_free, NULL),
        .operations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, operation_free),
    };
    pass->work.intervals = (XtfIntervals){
        .points = points,
        .prefixes = &pass->prefixes,
        .cache = xtf_point_cache_new(points, &pass->prefixes),
        .outside = n_callpaths - 1,
        .counts_outside = pass->counts_outside,
    };
    xtf_operation_heads_init(&pass->heads, xtf_points_operations(points));
    xtf_callpath_sums_init(&pass->work.all, n_callpaths);
    xtf_callpath_sums_init(&pass->work.culprit_work, n_callpaths);
    xtf_callpath_sums_init(&pass->work.waiter_work, n_callpaths);
    for (uint32_t location = 0; location < n; location++)
        pass->walks[location].at = xtf_point_cache_n(pass->work.intervals.cache, location);
}

static uint32_t parent_of(const void *data, uint32_t callpath)
{
    return xtf_points_callpath_parent(((const PointTree *)data)->points, callpath);
}

static uint32_t callpath_region_of(const void *data, uint32_t callpath)
{
    return xtf_points_callpath_region(((const PointTree *)data)->points, callpath);
}

static bool is_parallel(const void *data, uint32_t region)
{
    const PointTree *tree = data;
    return region < tree->n_regions && tree->regions[region] == XTF_KIND_REGION_PARALLEL;
}

/* Finds which regions are OpenMP's parallel regions. `context` NULL: none is. */
static bool find_teams(Pass *pass, XtfTraceContext *context, GError **error)
{
    PointTree *tree = &pass->tree;
    const XtfCallpathTree callpaths = {tree, xtf_points_n_callpaths(tree->points), parent_of, callpath_region_of,
                                       is_parallel};

    pass->work.teams = xtf_team_paths_new(&callpaths);
    return !context || xtf_kind_regions(context, &tree->regions, &tree->n_regions, error);
}

/* Finds the locations whose records say where a program began. */
static bool find_programs(Pass *pass, XtfTrace *trace, GError **error)
{
    const XtfSchema *programs = xtf_trace_find_schema(trace, xtf_model_schema(XTF_MODEL_PROGRAMS)->name);
    XtfArray array;

    for (uint32_t i = 0; programs && i < pass->n_locations; i++) {
        uint64_t id = xtf_points_location(pass->work.intervals.points, i)->id;
        xtf_points_page_out_sometimes(pass->work.intervals.points, i);
        if (!xtf_trace_find_array(trace, id, programs->id, &array, &pass->counts_outside[i], error))
            return false;
    }
    return true;
}

bool xtf_causes_find(XtfTraceContext *context, XtfPoints *points, XtfSteps *steps, XtfDelays **delays,
                     XtfCausesCounts *counts, GError **error)
{
    g_autoptr(XtfDelays) found = xtf_delays_new(xtf_points_n_locations(points), error);
    Pass pass;

    if (!found)
        return false;
    pass_init(&pass, points, found);
    bool good = (!context || find_programs(&pass, context->trace, error)) && find_teams(&pass, context, error) &&
                xtf_prefixes_find(&pass.prefixes, points, steps, error) && run_pass(&pass, steps, error);
    if (good) {
        *counts = pass.counts;
        counts->looked = pass.work.n_looked;
        *delays = g_steal_pointer(&found);
    }
    pass_finish(&pass);
    return good;
}

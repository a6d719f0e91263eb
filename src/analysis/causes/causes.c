#include "src/analysis/causes/causes.h"

#include "libxtf/trace.h"
#include "src/analysis/causes/pass.h"
#include "src/analysis/kinds/kind-rows.h"
#include "src/model/schemas.h"

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
    uint32_t n_locations;
    bool *counts_outside; /* by location: true if its time outside of all calls counts */
} Search;

static void finish_causes(Search *search)
{
    XtfCulpritWork *work = &search->work;

    for (uint32_t location = 0; location < search->n_locations; location++) {
        xtf_pass_tree_finish(&work->pass_trees[location]);
        xtf_remainders_finish(&work->remainders[location]);
    }
    xtf_pass_pool_finish(&work->pool);
    g_free(work->pass_trees);
    g_free(work->remainders);
    g_free(work->charges);
    g_free(work->members);
    xtf_team_paths_free(work->teams);
    g_free(search->tree.regions);
    g_free(work->calls);
    g_free(work->waiter_of);
    g_array_unref(work->later);
    xtf_intervals_finish(&work->intervals);
    xtf_prefixes_finish(&search->prefixes);
    g_free(search->counts_outside);
    xtf_point_cache_free(work->intervals.cache);
    xtf_callpath_sums_finish(&work->all);
    xtf_callpath_sums_finish(&work->culprit_work);
    xtf_callpath_sums_finish(&work->waiter_work);
}

static void init_causes(Search *search, XtfPoints *points, XtfDelays *delays)
{
    uint32_t n = xtf_points_n_locations(points), n_callpaths = xtf_points_n_callpaths(points) + 1;

    *search = (Search){
        .work = {.delays = delays,
                 .pass_trees = g_new0(XtfPassTree, n),
                 .remainders = g_new0(XtfRemainders, n),
                 .charges = g_new0(double, (size_t)n_callpaths *XTF_CHARGES),
                 .later = g_array_new(false, false, sizeof(XtfMeeting)),
                 .calls = g_new0(XtfCallSpan, n),
                 .waiter_of = g_new0(uint32_t, MAX(n, 1))},
        .tree.points = points,
        .prefixes = XTF_PREFIXES_NONE,
        .n_locations = n,
        .counts_outside = g_new0(bool, n),
    };
    search->work.intervals = (XtfIntervals){
        .points = points,
        .prefixes = &search->prefixes,
        .cache = xtf_point_cache_new(points, &search->prefixes),
        .outside = n_callpaths - 1,
        .counts_outside = search->counts_outside,
    };
    xtf_callpath_sums_init(&search->work.all, n_callpaths);
    xtf_callpath_sums_init(&search->work.culprit_work, n_callpaths);
    xtf_callpath_sums_init(&search->work.waiter_work, n_callpaths);
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
static bool find_teams(Search *search, XtfTraceContext *context, GError **error)
{
    PointTree *tree = &search->tree;
    const XtfCallpathTree callpaths = {tree, xtf_points_n_callpaths(tree->points), parent_of, callpath_region_of,
                                       is_parallel};

    search->work.teams = xtf_team_paths_new(&callpaths);
    return !context || xtf_kind_regions(context, &tree->regions, &tree->n_regions, error);
}

/* Finds the locations of the share whose records say where a program began. */
static bool find_programs(Search *search, XtfTrace *trace, const XtfPassShares *shares, GError **error)
{
    const XtfSchema *programs = xtf_trace_find_schema(trace, xtf_model_schema(XTF_MODEL_PROGRAMS)->name);
    XtfArray array;

    for (uint32_t i = shares->borders[shares->self]; programs && i < shares->borders[shares->self + 1]; i++) {
        uint64_t id = xtf_points_location(search->work.intervals.points, i)->id;
        xtf_points_page_out_sometimes(search->work.intervals.points, i);
        if (!xtf_trace_find_array(trace, id, programs->id, &array, &search->counts_outside[i], error))
            return false;
    }
    return true;
}

/* Finds the causes of waits in the locations of a share. */
static bool find_causes(Search *search, XtfTraceContext *context, const XtfPassShares *shares, XtfSteps *steps,
                        XtfCausesCounts *counts, GError **error)
{
    XtfPoints *points = search->work.intervals.points;

    if ((context && !find_programs(search, context->trace, shares, error)) || !find_teams(search, context, error) ||
        !xtf_prefixes_find(&search->prefixes, points, steps, error))
        return false;
    XtfPass *pass = xtf_pass_new(&search->work, shares, steps);
    bool good = xtf_pass_run(pass, error);
    const XtfPassCounts *passed = xtf_pass_counts(pass);
    *counts = (XtfCausesCounts){passed->explained, passed->circles, passed->lost, search->work.n_looked};
    xtf_pass_free(pass);
    return good;
}

/* Adds up the counts of all ranks. */
static void join_counts(XtfWorld *world, XtfCausesCounts *counts)
{
    uint64_t numbers[] = {counts->explained, counts->circles, counts->lost, counts->looked};

    xtf_world_sum(world, numbers, G_N_ELEMENTS(numbers));
    *counts = (XtfCausesCounts){numbers[0], numbers[1], numbers[2], numbers[3]};
}

bool xtf_causes_find(XtfTraceContext *context, XtfPoints *points, XtfWorld *world, const uint32_t *borders,
                     XtfSteps *steps, XtfDelays **delays, XtfCausesCounts *counts, GError **error)
{
    const uint32_t whole[] = {0, xtf_points_n_locations(points)};
    const XtfPassShares shares = {.world = world,
                                  .borders = world ? borders : whole,
                                  .self = world ? xtf_world_rank(world) : 0,
                                  .n = world ? xtf_world_size(world) : 1};
    XtfCausesCounts found = {0};
    GError *own = NULL;
    Search search;

    g_autoptr(XtfDelays) all = xtf_delays_new(xtf_points_n_locations(points), &own);
    if (all) {
        init_causes(&search, points, all);
        find_causes(&search, context, &shares, steps, &found, &own);
        finish_causes(&search);
    }
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    if (world)
        join_counts(world, &found);
    *counts = found;
    *delays = g_steal_pointer(&all);
    return true;
}

#include "src/analysis/causes/causes.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/causes/pass.h"
#include "src/analysis/kinds/kind-rows.h"
#include "src/model/schemas.h"
#include "src/trace/select/parallel.h"

enum {
    THREADS_MAX = 16,       /* each needs memory, and there is little to do beside */
    LOCATIONS_MANY = 10000, /* more are of one thread: two threads took 560 bytes more for each location */
};

/* The tree of the points' call paths. */
typedef struct {
    const XtfPoints *points;
    uint8_t *regions; /* XtfKindRegion, by region; NULL: no region is parallel */
    uint64_t n_regions;
} PointTree;

/* The data of all shares of this process. A location's are used by its share alone. */
typedef struct {
    XtfPoints *points;
    XtfDelays *delays;
    XtfSteps *steps;
    PointTree tree;
    XtfPrefixes prefixes;
    uint32_t n_locations;
    bool *counts_outside; /* by location: true if its time outside of all calls counts */
    XtfPassTree *pass_trees;
    XtfRemainders *remainders;
    XtfCallSpan *calls;
} Search;

/* A share of this process. */
typedef struct {
    XtfPassShares shares;
    XtfCulpritWork work;
    XtfPass *pass;
    GError *error;
} Share;

static void init_search(Search *search, XtfPoints *points, XtfDelays *delays, XtfSteps *steps)
{
    uint32_t n = xtf_points_n_locations(points);

    *search = (Search){
        .points = points,
        .delays = delays,
        .steps = steps,
        .tree.points = points,
        .prefixes = XTF_PREFIXES_NONE,
        .n_locations = n,
        .counts_outside = g_new0(bool, n),
        .pass_trees = g_new0(XtfPassTree, n),
        .remainders = g_new0(XtfRemainders, n),
        .calls = g_new0(XtfCallSpan, n),
    };
}

static void finish_search(Search *search)
{
    for (uint32_t location = 0; location < search->n_locations; location++) {
        xtf_pass_tree_finish(&search->pass_trees[location]);
        xtf_remainders_finish(&search->remainders[location]);
    }
    g_free(search->pass_trees);
    g_free(search->remainders);
    g_free(search->calls);
    g_free(search->tree.regions);
    g_free(search->counts_outside);
    xtf_prefixes_finish(&search->prefixes);
}

/* Initializes the work on the locations from `first` up to `end`, of one of n_threads. */
static void init_work(Search *search, XtfCulpritWork *work, uint32_t first, uint32_t end, uint32_t n_threads)
{
    uint32_t n_callpaths = xtf_points_n_callpaths(search->points) + 1;

    *work = (XtfCulpritWork){
        .delays = search->delays,
        .pass_trees = search->pass_trees,
        .remainders = search->remainders,
        .charges = g_new0(double, (size_t)n_callpaths *XTF_CHARGES),
        .later = g_array_new(false, false, sizeof(XtfMeeting)),
        .calls = search->calls,
        .waiter_of = g_new0(uint32_t, MAX(search->n_locations, 1)),
        .intervals = {.points = search->points,
                      .prefixes = &search->prefixes,
                      .cache = xtf_point_cache_new(search->points, &search->prefixes, first, end, n_threads),
                      .outside = n_callpaths - 1,
                      .counts_outside = search->counts_outside},
    };
    xtf_callpath_sums_init(&work->all, n_callpaths);
    xtf_callpath_sums_init(&work->culprit_work, n_callpaths);
    xtf_callpath_sums_init(&work->waiter_work, n_callpaths);
}

static void finish_work(XtfCulpritWork *work)
{
    xtf_pass_pool_finish(&work->pool);
    g_free(work->charges);
    g_free(work->members);
    xtf_team_paths_free(work->teams);
    g_free(work->waiter_of);
    g_array_unref(work->later);
    xtf_intervals_finish(&work->intervals);
    xtf_point_cache_free(work->intervals.cache);
    xtf_callpath_sums_finish(&work->all);
    xtf_callpath_sums_finish(&work->culprit_work);
    xtf_callpath_sums_finish(&work->waiter_work);
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

static XtfTeamPaths *find_team_paths(const PointTree *tree)
{
    const XtfCallpathTree callpaths = {tree, xtf_points_n_callpaths(tree->points), parent_of, callpath_region_of,
                                       is_parallel};

    return xtf_team_paths_new(&callpaths);
}

/* Finds the locations from `first` up to `end` whose records say where a program began. */
static bool find_programs(Search *search, XtfTrace *trace, uint32_t first, uint32_t end, GError **error)
{
    const XtfSchema *programs = xtf_trace_find_schema(trace, xtf_model_schema(XTF_MODEL_PROGRAMS)->name);
    XtfArray array;

    for (uint32_t i = first; programs && i < end; i++) {
        uint64_t id = xtf_points_location(search->points, i)->id;
        xtf_points_page_out_sometimes(search->points, i);
        if (!xtf_trace_find_array(trace, id, programs->id, &array, &search->counts_outside[i], error))
            return false;
    }
    return true;
}

/* Finds what the passes of the locations from `first` up to `end` need. Without a context, no region is parallel. */
static bool prepare_search(Search *search, XtfTraceContext *context, uint32_t first, uint32_t end, GError **error)
{
    PointTree *tree = &search->tree;

    return (!context || (find_programs(search, context->trace, first, end, error) &&
                         xtf_kind_regions(context, &tree->regions, &tree->n_regions, error))) &&
           xtf_prefixes_find(&search->prefixes, search->points, search->steps, error);
}

/* ---- Shares. */

static gpointer run_share(gpointer data)
{
    Share *share = data;

    xtf_pass_run(share->pass, &share->error);
    return NULL;
}

/* Adds the counts of a share, and frees its data. Keeps the first error. */
static void end_share(Share *share, XtfCausesCounts *counts, GError **error)
{
    const XtfPassCounts *passed = xtf_pass_counts(share->pass);

    counts->explained += passed->explained;
    counts->circles += passed->circles;
    counts->lost += passed->lost;
    counts->looked += share->work.n_looked;
    if (share->error && *error)
        g_clear_error(&share->error);
    else if (share->error)
        g_propagate_error(error, g_steal_pointer(&share->error));
    xtf_pass_free(share->pass);
    finish_work(&share->work);
}

/* Runs the shares of this process: `all->self` in a job, else all. *error is unset before. */
static void run_shares(Search *search, const XtfPassShares *all, XtfCausesCounts *counts, GError **error)
{
    uint32_t n = all->world ? 1 : all->n;
    uint64_t n_points = 0;
    g_autofree Share *shares = g_new0(Share, n);
    g_autofree XtfMailThread *threads = g_new(XtfMailThread, n);

    for (uint32_t i = 0; i < n; i++) {
        Share *share = &shares[i];
        threads[i] = (XtfMailThread){share, &share->error};
        share->shares = *all;
        if (!all->world)
            share->shares.self = i;
        uint32_t self = share->shares.self;
        init_work(search, &share->work, all->borders[self], all->borders[self + 1], n);
        share->work.teams = find_team_paths(&search->tree);
        all->passes[i] = share->pass = xtf_pass_new(&share->work, &share->shares, search->steps);
        n_points += xtf_pass_n_points(share->pass);
    }
    xtf_steps_begin(search->steps, "causes", n_points);
    xtf_mail_run_threads(all->mail, "causes", run_share, threads, n);
    for (uint32_t i = 0; i < n; i++)
        end_share(&shares[i], counts, error);
}

/* Divides the locations among n threads, with about equally many points each. The caller frees the borders. */
static uint32_t *divide_locations(const XtfPoints *points, uint32_t n)
{
    uint32_t *borders = g_new(uint32_t, n + 1), location = 0;
    uint64_t all = xtf_points_n(points);

    borders[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        while (location < xtf_points_n_locations(points) &&
               xtf_points_location(points, location)->first < (uint64_t)((unsigned __int128)all * i / n))
            xtf_points_page_out_sometimes(points, location++);
        borders[i] = location;
    }
    borders[n] = xtf_points_n_locations(points);
    return borders;
}

/* Adds up the counts of all ranks. */
static void join_counts(XtfWorld *world, XtfCausesCounts *counts)
{
    uint64_t numbers[] = {counts->explained, counts->circles, counts->lost, counts->looked};

    xtf_world_sum(world, numbers, G_N_ELEMENTS(numbers));
    *counts = (XtfCausesCounts){numbers[0], numbers[1], numbers[2], numbers[3]};
}

/* Finds the causes of this process's locations. In a job, these are of one share. */
static void find_causes(XtfTraceContext *context, XtfPoints *points, XtfWorld *world, const uint32_t *borders,
                        XtfSteps *steps, XtfDelays *delays, XtfCausesCounts *counts, GError **error)
{
    uint32_t n_locations = xtf_points_n_locations(points);
    uint32_t n_threads = n_locations > LOCATIONS_MANY ? 1 : MIN(xtf_parallel_threads(), THREADS_MAX);
    uint32_t n = world ? xtf_world_size(world) : CLAMP(n_locations, 1, n_threads);
    uint32_t self = world ? xtf_world_rank(world) : 0;
    g_autofree uint32_t *of_threads = world ? NULL : divide_locations(points, n);
    g_autofree XtfPass **passes = g_new0(XtfPass *, n);
    g_autoptr(XtfMail) mail = world ? xtf_mail_new_of_ranks(world) : n > 1 ? xtf_mail_new(n) : NULL;
    const XtfPassShares shares = {
        .world = world, .mail = mail, .borders = world ? borders : of_threads, .self = self, .n = n, .passes = passes};
    Search search;

    init_search(&search, points, delays, steps);
    if (prepare_search(&search, context, world ? borders[self] : 0, world ? borders[self + 1] : n_locations, error))
        run_shares(&search, &shares, counts, error);
    finish_search(&search);
}

bool xtf_causes_find(XtfTraceContext *context, XtfPoints *points, XtfWorld *world, const uint32_t *borders,
                     XtfSteps *steps, XtfDelays **delays, XtfCausesCounts *counts, GError **error)
{
    XtfCausesCounts found = {0};
    GError *own = NULL;

    g_autoptr(XtfDelays) all = xtf_delays_new(xtf_points_n_locations(points), &own);
    if (all)
        find_causes(context, points, world, borders, steps, all, &found, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    if (world)
        join_counts(world, &found);
    *counts = found;
    *delays = g_steal_pointer(&all);
    return true;
}

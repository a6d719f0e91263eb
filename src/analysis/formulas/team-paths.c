#include "src/analysis/formulas/team-paths.h"

#include "src/analysis/formulas/callpath-numbers.h"

enum { DEPTHS = 8 }; /* greatest depth of nested teams */

/* Call paths from a parallel region on. Numbers are stored plus 1; 0: not computed yet. */
struct XtfTeamPaths {
    XtfCallpathTree tree;
    uint32_t *n_parallel;     /* by call path: number of parallel regions on it; NULL: no query yet */
    uint32_t *paths[DEPTHS];  /* by depth, from 1, and call path: the number of the path from that parallel region on */
    XtfCallpathNumbers known; /* numbers of the paths in `paths` */
    XtfCallpathSums subtrahend; /* ticks of the other thread, by number of a path */
    GArray *stack;              /* uint32_t: call paths from an inner one outward */
};

XtfTeamPaths *xtf_team_paths_new(const XtfCallpathTree *tree)
{
    XtfTeamPaths *paths = g_new0(XtfTeamPaths, 1);

    paths->tree = *tree;
    return paths;
}

void xtf_team_paths_free(XtfTeamPaths *paths)
{
    if (!paths)
        return;
    if (paths->stack) {
        g_array_unref(paths->stack);
        xtf_callpath_sums_finish(&paths->subtrahend);
    }
    xtf_callpath_numbers_finish(&paths->known);
    for (unsigned depth = 0; depth < DEPTHS; depth++)
        g_free(paths->paths[depth]);
    g_free(paths->n_parallel);
    g_free(paths);
}

static void prepare_tables(XtfTeamPaths *paths)
{
    if (paths->stack)
        return;
    xtf_callpath_numbers_init(&paths->known);
    paths->stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    paths->n_parallel = g_new0(uint32_t, (size_t)paths->tree.n + 1);
}

static bool is_parallel(const XtfTeamPaths *paths, uint32_t callpath)
{
    const XtfCallpathTree *tree = &paths->tree;
    return tree->is_parallel(tree->data, tree->region(tree->data, callpath));
}

/* Returns the parent of a call path; UINT32_MAX: none. */
static uint32_t parent_of(const XtfTeamPaths *paths, uint32_t callpath)
{
    uint32_t parent = paths->tree.parent(paths->tree.data, callpath);
    return parent < callpath ? parent : UINT32_MAX;
}

static uint32_t n_parallel_of(XtfTeamPaths *paths, uint32_t callpath)
{
    uint32_t *n_parallel = paths->n_parallel, count = 0;

    g_array_set_size(paths->stack, 0);
    for (; callpath != UINT32_MAX; callpath = parent_of(paths, callpath)) {
        if (n_parallel[callpath]) {
            count = n_parallel[callpath] - 1;
            break;
        }
        g_array_append_val(paths->stack, callpath);
    }
    for (guint i = paths->stack->len; i-- > 0;) {
        callpath = g_array_index(paths->stack, uint32_t, i);
        count += is_parallel(paths, callpath);
        n_parallel[callpath] = count + 1;
    }
    return count;
}

unsigned xtf_team_paths_depth(XtfTeamPaths *paths, uint32_t callpath)
{
    prepare_tables(paths);
    return callpath < paths->tree.n ? n_parallel_of(paths, callpath) : 0;
}

/* Returns the number, plus 1, of the path on which `around`, a number plus 1, calls a region. 0: no call around it. */
static uint32_t path_number(XtfTeamPaths *paths, uint32_t around, uint32_t region)
{
    uint32_t number = 0;

    xtf_callpath_number(&paths->known, around ? around - 1 : XTF_CALLPATH_NONE, region, UINT32_MAX - 1, &number);
    return number + 1;
}

/* True if the path from the parallel region of a depth begins at this call path. A path with fewer parallel regions
 * counts from its root. */
static bool begins_at(XtfTeamPaths *paths, uint32_t callpath, unsigned depth)
{
    return paths->n_parallel[callpath] == depth + 1 && is_parallel(paths, callpath);
}

/* Finds the number, plus 1, of the path from a depth's parallel region on. */
static uint32_t find_path(XtfTeamPaths *paths, uint32_t *numbers, uint32_t callpath, unsigned depth)
{
    uint32_t number = 0;

    if (callpath == paths->tree.n)
        return numbers[callpath] = path_number(paths, 0, UINT32_MAX);
    n_parallel_of(paths, callpath);
    g_array_set_size(paths->stack, 0);
    for (; callpath != UINT32_MAX && !(number = numbers[callpath]); callpath = parent_of(paths, callpath)) {
        g_array_append_val(paths->stack, callpath);
        if (begins_at(paths, callpath, depth))
            break;
    }
    for (guint i = paths->stack->len; i-- > 0;) {
        callpath = g_array_index(paths->stack, uint32_t, i);
        number = path_number(paths, number, paths->tree.region(paths->tree.data, callpath));
        numbers[callpath] = number;
    }
    return number;
}

static uint32_t *numbers_of(XtfTeamPaths *paths, unsigned depth)
{
    uint32_t **numbers = &paths->paths[depth - 1];

    if (!*numbers)
        *numbers = g_new0(uint32_t, (size_t)paths->tree.n + 1);
    return *numbers;
}

static inline uint32_t team_path_number(XtfTeamPaths *paths, uint32_t *numbers, uint32_t callpath, unsigned depth)
{
    uint32_t number = numbers[callpath];
    return (G_LIKELY(number) ? number : find_path(paths, numbers, callpath, depth)) - 1;
}

void xtf_team_paths_subtract(XtfTeamPaths *paths, XtfCallpathSums *sums, unsigned depth,
                             const XtfCallpathSums *subtracted, unsigned other_depth)
{
    depth = CLAMP(depth, 1, DEPTHS);
    other_depth = CLAMP(other_depth, 1, DEPTHS);
    prepare_tables(paths);
    uint32_t *own_numbers = numbers_of(paths, depth), *other_numbers = numbers_of(paths, other_depth);
    for (uint32_t i = 0; i < subtracted->n_touched; i++)
        team_path_number(paths, other_numbers, subtracted->touched[i], other_depth);
    for (uint32_t i = 0; i < sums->n_touched; i++)
        team_path_number(paths, own_numbers, sums->touched[i], depth);
    xtf_callpath_sums_clear(&paths->subtrahend);
    xtf_callpath_sums_reserve(&paths->subtrahend, xtf_callpath_numbers_n(&paths->known));
    for (uint32_t i = 0; i < subtracted->n_touched; i++) {
        uint32_t callpath = subtracted->touched[i];
        xtf_callpath_sums_add(&paths->subtrahend, other_numbers[callpath] - 1, subtracted->ticks[callpath]);
    }
    for (uint32_t i = 0; i < sums->n_touched; i++) {
        int64_t *ticks = &sums->ticks[sums->touched[i]],
                *other_ticks = &paths->subtrahend.ticks[own_numbers[sums->touched[i]] - 1];
        int64_t common = CLAMP(*other_ticks, 0, MAX(*ticks, 0));
        *ticks -= common;
        *other_ticks -= common;
    }
}

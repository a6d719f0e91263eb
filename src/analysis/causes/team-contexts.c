#include "src/analysis/causes/team-contexts.h"

#include "src/analysis/kinds/kind-rows.h"

enum { DEPTHS = 8 }; /* of teams in teams that are told apart */

struct XtfTeamContexts {
    const XtfPoints *points;
    uint8_t *regions; /* XtfKindRegion */
    uint64_t n_regions;
    /* By depth, from 1, and context: the number of the path from that parallel region on; NULL: not asked for yet. */
    uint32_t *paths[DEPTHS];
    GHashTable *known;     /* guint64, number of the path around and region -> number of a path, plus 1 */
    XtfCallpathSums other; /* by path */
};

XtfTeamContexts *xtf_team_contexts_new(XtfTraceContext *context, const XtfPoints *points, GError **error)
{
    XtfTeamContexts *contexts = g_new0(XtfTeamContexts, 1);

    contexts->points = points;
    if (context && !xtf_kind_regions(context, &contexts->regions, &contexts->n_regions, error)) {
        g_free(contexts);
        return NULL;
    }
    return contexts;
}

void xtf_team_contexts_free(XtfTeamContexts *contexts)
{
    if (!contexts)
        return;
    if (contexts->known) {
        g_hash_table_unref(contexts->known);
        xtf_callpath_sums_finish(&contexts->other);
    }
    for (unsigned depth = 0; depth < DEPTHS; depth++)
        g_free(contexts->paths[depth]);
    g_free(contexts->regions);
    g_free(contexts);
}

static uint32_t path_number(XtfTeamContexts *contexts, uint32_t around, uint32_t region)
{
    const uint64_t key = (uint64_t)around << 32 | region;
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(contexts->known, &key));

    if (number == 0) {
        number = g_hash_table_size(contexts->known) + 1;
        g_hash_table_insert(contexts->known, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(number));
    }
    return number - 1;
}

/* Parents come before their children. Paths with fewer parallel regions are whole. */
static uint32_t *find_paths(XtfTeamContexts *contexts, unsigned depth)
{
    uint32_t n = xtf_points_n_contexts(contexts->points);
    uint32_t *paths = g_new(uint32_t, (size_t)n + 1);
    g_autofree uint32_t *n_parallel = g_new0(uint32_t, (size_t)n + 1);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = xtf_points_context_parent(contexts->points, i);
        uint32_t region = xtf_points_context_region(contexts->points, i);
        bool parallel = region < contexts->n_regions && contexts->regions[region] == XTF_KIND_REGION_PARALLEL;
        n_parallel[i] = (parent < i ? n_parallel[parent] : 0) + parallel;
        bool begins = parent >= i || (parallel && n_parallel[i] == depth);
        paths[i] = path_number(contexts, begins ? UINT32_MAX : paths[parent], region);
    }
    paths[n] = path_number(contexts, UINT32_MAX, UINT32_MAX);
    return paths;
}

static const uint32_t *paths_of(XtfTeamContexts *contexts, unsigned depth)
{
    unsigned i = CLAMP(depth, 1, DEPTHS) - 1;

    if (!contexts->known)
        contexts->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    else if (!contexts->paths[i])
        xtf_callpath_sums_finish(&contexts->other);
    if (!contexts->paths[i]) {
        contexts->paths[i] = find_paths(contexts, i + 1);
        xtf_callpath_sums_init(&contexts->other, g_hash_table_size(contexts->known));
    }
    return contexts->paths[i];
}

void xtf_team_contexts_subtract(XtfTeamContexts *contexts, XtfCallpathSums *times, unsigned depth,
                                const XtfCallpathSums *other, unsigned other_depth)
{
    const uint32_t *mine = paths_of(contexts, depth), *theirs = paths_of(contexts, other_depth);

    xtf_callpath_sums_clear(&contexts->other);
    for (uint32_t i = 0; i < other->n_touched; i++)
        xtf_callpath_sums_add(&contexts->other, theirs[other->touched[i]], other->ticks[other->touched[i]]);
    for (uint32_t i = 0; i < times->n_touched; i++) {
        int64_t *ticks = &times->ticks[times->touched[i]];
        int64_t *less = &contexts->other.ticks[mine[times->touched[i]]];
        int64_t both = CLAMP(*less, 0, *ticks);
        *ticks -= both;
        *less -= both;
    }
}

/*
 * Compares activities with the critical path, as Scalasca does (D. Boehme, B. R. de Supinski, M. Geimer, M. Schulz, F.
 * Wolf: Scalable critical-path based performance analysis, IPDPS 2012).
 *
 * Activity is time without waiting. A location's activity on a call path is split in two parts: activity up to the
 * critical path's time there, and activity beyond that time.
 *
 * A location whose activity is shorter than the critical path waits for the difference. The costs of this waiting go to
 * the call paths on which the location lacks activity, in proportion to the lack. On a call path, each location gets
 * costs in proportion to its part of the critical path.
 */
#include "src/export/cube/profile.h"

static double on_path(const XtfCubeMatrix *critical, uint32_t path)
{
    double ticks = 0;

    for (uint32_t i = 0; xtf_cube_matrix_has(critical, path) && i < critical->n_columns; i++)
        ticks += (double)xtf_cube_matrix_row(critical, path)[i];
    return ticks;
}

static double active(const XtfCubeProfile *profile, uint32_t path, uint32_t column)
{
    const XtfCubeMatrix *matrix = &profile->matrices[XTF_CUBE_ACTIVITIES];

    return xtf_cube_matrix_has(matrix, path) ? (double)xtf_cube_matrix_row(matrix, path)[column] : 0;
}

/* Adds the waiting time of a location to `costs`, by call path. */
static void add_costs(const XtfCubeProfile *profile, uint32_t column, const double *on, double length, double *costs)
{
    const uint32_t n = xtf_cube_tree_n(&profile->tree);
    double lacks = 0, has = 0;

    for (uint32_t path = 0; path < n; path++) {
        xtf_export_beat(profile->job);
        double activity = active(profile, path, column);
        lacks += MAX(0, on[path] - activity);
        has += activity;
    }
    for (uint32_t path = 0; lacks > 0 && path < n; path++)
        costs[path] += MAX(0, on[path] - active(profile, path, column)) * (length - has) / lacks;
}

static bool spread_costs(XtfCubeProfile *profile, const double *on, const double *costs, GError **error)
{
    const XtfCubeMatrix *critical = &profile->matrices[XTF_CUBE_CRITICAL_PATH];

    for (uint32_t path = 0; path < xtf_cube_tree_n(&profile->tree); path++) {
        xtf_export_beat(profile->job);
        for (uint32_t i = 0; on[path] > 0 && costs[path] > 0 && i < critical->n_columns; i++) {
            double ticks = costs[path] * (double)xtf_cube_matrix_row(critical, path)[i] / on[path];
            if (!xtf_cube_add(profile, XTF_CUBE_IMPACT, path, i, (uint64_t)(ticks + 0.5), error))
                return false;
        }
    }
    return true;
}

/* Moves activity beyond the critical path's time on a call path, `on`, to OTHER_ACTIVITIES. */
static bool split(XtfCubeProfile *profile, uint32_t path, double on, GError **error)
{
    XtfCubeMatrix *matrix = &profile->matrices[XTF_CUBE_ACTIVITIES];

    xtf_export_beat(profile->job);
    for (uint32_t i = 0; xtf_cube_matrix_has(matrix, path) && i < matrix->n_columns; i++) {
        uint64_t *activity = &matrix->cells[(size_t)path * matrix->n_columns + i];
        uint64_t more = *activity - MIN(*activity, (uint64_t)on);
        *activity -= more;
        if (!xtf_cube_add(profile, XTF_CUBE_OTHER_ACTIVITIES, path, i, more, error))
            return false;
    }
    return true;
}

bool xtf_cube_weigh_activities(XtfCubeProfile *profile, GError **error)
{
    const uint32_t n = xtf_cube_tree_n(&profile->tree);
    const bool has =
        xtf_export_is_whole(profile->job) && profile->has[XTF_CUBE_ACTIVITIES] && profile->has[XTF_CUBE_CRITICAL_PATH];
    double length = 0;

    profile->has[XTF_CUBE_ACTIVITIES] = profile->has[XTF_CUBE_OTHER_ACTIVITIES] = profile->has[XTF_CUBE_IMPACT] = has;
    if (!has)
        return true;
    g_autofree double *on = g_new0(double, (gsize)n + 1), *costs = g_new0(double, (gsize)n + 1);
    for (uint32_t path = 0; path < n; path++)
        length += on[path] = on_path(&profile->matrices[XTF_CUBE_CRITICAL_PATH], path);
    for (uint32_t i = 0; i < profile->locations.n; i++)
        add_costs(profile, i, on, length, costs);
    if (!spread_costs(profile, on, costs, error))
        return false;
    for (uint32_t path = 0; path < n; path++)
        if (!split(profile, path, on[path], error))
            return false;
    return true;
}

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

static double sum_row_ticks(const XtfCubeMatrix *critical, uint32_t path)
{
    double ticks = 0;

    for (uint32_t i = 0; xtf_cube_matrix_has(critical, path) && i < critical->n_columns; i++)
        ticks += (double)xtf_cube_matrix_row(critical, path)[i];
    return ticks;
}

static double location_activity(const XtfCubeProfile *profile, uint32_t path, uint32_t column)
{
    const XtfCubeMatrix *matrix = &profile->matrices[XTF_CUBE_ACTIVITIES];

    return xtf_cube_matrix_has(matrix, path) ? (double)xtf_cube_matrix_row(matrix, path)[column] : 0;
}

/* Adds the waiting time of a location to `costs`, by call path. */
static void add_location_costs(const XtfCubeProfile *profile, uint32_t column, const double *path_ticks, double length,
                               double *costs)
{
    const uint32_t n = xtf_cube_tree_n(&profile->tree);
    double lack = 0, activity_sum = 0;

    for (uint32_t path = 0; path < n; path++) {
        xtf_export_beat(profile->job);
        double activity = location_activity(profile, path, column);
        lack += MAX(0, path_ticks[path] - activity);
        activity_sum += activity;
    }
    for (uint32_t path = 0; lack > 0 && path < n; path++)
        costs[path] +=
            MAX(0, path_ticks[path] - location_activity(profile, path, column)) * (length - activity_sum) / lack;
}

static bool spread_costs(XtfCubeProfile *profile, const double *path_ticks, const double *costs, GError **error)
{
    const XtfCubeMatrix *critical = &profile->matrices[XTF_CUBE_CRITICAL_PATH];

    for (uint32_t path = 0; path < xtf_cube_tree_n(&profile->tree); path++) {
        xtf_export_beat(profile->job);
        for (uint32_t i = 0; path_ticks[path] > 0 && costs[path] > 0 && i < critical->n_columns; i++) {
            double ticks = costs[path] * (double)xtf_cube_matrix_row(critical, path)[i] / path_ticks[path];
            if (!xtf_cube_add(profile, XTF_CUBE_IMPACT, path, i, (uint64_t)(ticks + 0.5), error))
                return false;
        }
    }
    return true;
}

/* Moves activity beyond the critical path's time on a call path, `path_ticks`, to OTHER_ACTIVITIES. */
static bool split_activity(XtfCubeProfile *profile, uint32_t path, double path_ticks, GError **error)
{
    XtfCubeMatrix *matrix = &profile->matrices[XTF_CUBE_ACTIVITIES];

    xtf_export_beat(profile->job);
    for (uint32_t i = 0; xtf_cube_matrix_has(matrix, path) && i < matrix->n_columns; i++) {
        uint64_t *activity = &matrix->cells[(size_t)path * matrix->n_columns + i];
        uint64_t excess = *activity - MIN(*activity, (uint64_t)path_ticks);
        *activity -= excess;
        if (!xtf_cube_add(profile, XTF_CUBE_OTHER_ACTIVITIES, path, i, excess, error))
            return false;
    }
    return true;
}

bool xtf_cube_weigh_activities(XtfCubeProfile *profile, GError **error)
{
    const uint32_t n = xtf_cube_tree_n(&profile->tree);
    const bool has_metrics =
        xtf_export_is_whole(profile->job) && profile->has[XTF_CUBE_ACTIVITIES] && profile->has[XTF_CUBE_CRITICAL_PATH];
    double length = 0;

    profile->has[XTF_CUBE_ACTIVITIES] = profile->has[XTF_CUBE_OTHER_ACTIVITIES] = profile->has[XTF_CUBE_IMPACT] =
        has_metrics;
    if (!has_metrics)
        return true;
    g_autofree double *path_ticks = g_new0(double, (gsize)n + 1), *costs = g_new0(double, (gsize)n + 1);
    for (uint32_t path = 0; path < n; path++)
        length += path_ticks[path] = sum_row_ticks(&profile->matrices[XTF_CUBE_CRITICAL_PATH], path);
    for (uint32_t i = 0; i < profile->locations.n; i++)
        add_location_costs(profile, i, path_ticks, length, costs);
    if (!spread_costs(profile, path_ticks, costs, error))
        return false;
    for (uint32_t path = 0; path < n; path++)
        if (!split_activity(profile, path, path_ticks[path], error))
            return false;
    return true;
}

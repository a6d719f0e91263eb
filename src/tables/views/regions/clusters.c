/*
 * clusters: groups of processes that call the same regions as often, and spend as much time in them.
 */
#include "src/tables/alike/process-groups.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("cluster", XTF_COLUMN_NUMBER, NULL, "number of the cluster, the largest first"),
    XTF_COLUMN("processes", XTF_COLUMN_NUMBER, NULL, "processes of the cluster"),
    XTF_COLUMN("first", XTF_COLUMN_NUMBER, NULL, "first process of the cluster"),
    XTF_COLUMN("distance", XTF_COLUMN_PERCENT, NULL, "greatest distance of a process from the first"),
    XTF_COLUMN("calls", XTF_COLUMN_REAL, NULL, "mean number of calls of a process"),
    XTF_COLUMN("program", XTF_COLUMN_TIME, NULL, "mean time of a process in the program itself"),
    XTF_COLUMN("communication", XTF_COLUMN_TIME, NULL, "mean time of a process in MPI and the like"),
    XTF_COLUMN("proc_set", XTF_COLUMN_TEXT, NULL, "processes of the cluster, as proc/ takes them"),
};

enum {
    REAL_WIDTH = 12,
    PROCS_WIDTH = 64, /* bytes; CSV and JSON have all processes */
    HUNDREDTHS = 10000,
};

/* Sets widths and the number of lines without measuring processes. So a set of processes has at most PROCS_WIDTH bytes,
 * and lines without a cluster follow. */
static bool shape_clusters(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfRegionTimes) times = {0};
    g_auto(XtfSelectedLocations) selected = {0};

    if (!xtf_region_times_init(&times, views->formats, selection, error) ||
        !xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    size_t time = xtf_region_times_width(&times) + 1; /* for rounding up means */
    size_t proc = times.locations->proc_width;
    shape->n_lines = shape->at_once = MIN(selected.n_procs, (uint32_t)XTF_PROCESS_GROUPS_MAX);
    xtf_grid_add(&shape->grid, "cluster", xtf_count_digits(XTF_PROCESS_GROUPS_MAX - 1));
    xtf_grid_add(&shape->grid, "processes", xtf_count_digits(selected.n_procs));
    xtf_grid_add(&shape->grid, "first", proc);
    xtf_grid_add(&shape->grid, "distance", 0);
    xtf_grid_add(&shape->grid, "calls", REAL_WIDTH);
    xtf_grid_add(&shape->grid, "program", time);
    xtf_grid_add(&shape->grid, "communication", time);
    xtf_grid_add(&shape->grid, "proc_set", PROCS_WIDTH);
    return true;
}

/* Makes the set of a cluster's processes. */
static XtfNumberSet *processes_of(const XtfProcessGroups *groups, const XtfProcessProfiles *profiles, unsigned cluster)
{
    g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));

    for (uint32_t i = 0; i < profiles->n; i++) {
        const XtfNumberRange range = {profiles->all[i].proc, profiles->all[i].proc};
        if (groups->of[i] == cluster)
            g_array_append_val(ranges, range);
    }
    return xtf_number_set_from_ranges((const XtfNumberRange *)(void *)ranges->data, ranges->len);
}

static void add_cluster_line(const XtfProcessGroups *groups, const XtfProcessProfiles *profiles, unsigned cluster,
                             XtfLines *lines)
{
    const XtfProcessGroup *group = &groups->all[cluster];
    g_autoptr(XtfNumberSet) procs = processes_of(groups, profiles, cluster);
    g_autoptr(GString) text = g_string_new(NULL);
    double calls = 0, program = 0, communication = 0;
    double tick = (double)lines->scale->den / (double)lines->scale->num;

    for (uint32_t i = 0; i < profiles->n; i++) {
        if (groups->of[i] != cluster)
            continue;
        calls += (double)profiles->all[i].calls.total;
        program += (double)profiles->all[i].program;
        communication += (double)profiles->all[i].communication;
    }
    xtf_number_set_print(procs, text);
    xtf_lines_number(lines, cluster);
    xtf_lines_number(lines, group->n);
    xtf_lines_number(lines, profiles->all[group->first].proc);
    xtf_lines_percent(lines, (unsigned __int128)(group->distance * HUNDREDTHS + 0.5), HUNDREDTHS);
    xtf_lines_real(lines, "%.10g", calls / group->n);
    xtf_lines_seconds(lines, program / group->n * tick);
    xtf_lines_seconds(lines, communication / group->n * tick);
    xtf_lines_text(lines, text->str, cluster);
}

static bool fill_clusters(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                          GError **error)
{
    g_auto(XtfProcessProfiles) profiles = {0};
    g_auto(XtfProcessGroups) groups = {0};

    if (!xtf_process_profiles_load(&profiles, views->formats, selection, error))
        return false;
    xtf_process_groups_find(&groups, &profiles);
    for (unsigned i = 0; i < groups.n; i++)
        add_cluster_line(&groups, &profiles, i, lines);
    for (uint64_t i = groups.n; i < count; i++) {
        for (unsigned k = 0; k < lines->grid->n; k++)
            xtf_lines_none(lines);
    }
    return true;
}

const XtfView xtf_view_clusters = {
    .table = XTF_TABLE("clusters", "processes that behave alike, at most 16 clusters", columns),
    .by_location = true,
    .subject = &xtf_about_calls,
    .exists = xtf_region_times_exist,
    .shape = shape_clusters,
    .fill = fill_clusters,
    .refused_keys = UINT_MAX};

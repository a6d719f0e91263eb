#include "src/tables/alike/process-groups.h"

static const double thresholds[] = {0.05, 0.1, 0.2, 0.4, 0.8, 1};

/* Adds a process to the first group near enough, or to a new one. Returns false if there are too many groups. */
static bool add_to_group(XtfProcessGroups *groups, const XtfProcessProfiles *profiles, uint32_t process)
{
    unsigned i = 0;
    double distance = 0;

    for (; i < groups->n; i++) {
        distance = xtf_process_profiles_distance(&profiles->all[groups->all[i].first], &profiles->all[process]);
        if (distance <= groups->threshold)
            break;
    }
    if (i == XTF_PROCESS_GROUPS_MAX)
        return false;
    if (i == groups->n)
        groups->all[groups->n++] = (XtfProcessGroup){.first = process, .n = 1};
    else
        groups->all[i] =
            (XtfProcessGroup){groups->all[i].first, groups->all[i].n + 1, MAX(groups->all[i].distance, distance)};
    groups->of[process] = (uint8_t)i;
    return true;
}

static bool try_threshold(XtfProcessGroups *groups, const XtfProcessProfiles *profiles, double threshold)
{
    groups->threshold = threshold;
    groups->n = 0;
    for (uint32_t process = 0; process < profiles->n; process++) {
        if (!add_to_group(groups, profiles, process))
            return false;
    }
    return true;
}

static int compare_groups(gconstpointer a, gconstpointer b)
{
    const XtfProcessGroup *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts the groups, and numbers processes by the new order. */
static void sort_groups(XtfProcessGroups *groups, uint32_t n_processes)
{
    uint32_t first[XTF_PROCESS_GROUPS_MAX];
    uint8_t number[XTF_PROCESS_GROUPS_MAX] = {0};

    for (unsigned i = 0; i < groups->n; i++)
        first[i] = groups->all[i].first;
    qsort(groups->all, groups->n, sizeof *groups->all, compare_groups);
    for (unsigned i = 0; i < groups->n; i++) {
        for (unsigned before = 0; before < groups->n; before++) {
            if (first[before] == groups->all[i].first)
                number[before] = (uint8_t)i;
        }
    }
    for (uint32_t process = 0; process < n_processes; process++)
        groups->of[process] = number[groups->of[process]];
}

void xtf_process_groups_find(XtfProcessGroups *groups, const XtfProcessProfiles *profiles)
{
    *groups = (XtfProcessGroups){.of = g_new0(uint8_t, profiles->n + 1)};
    for (unsigned i = 0; i < G_N_ELEMENTS(thresholds) && !try_threshold(groups, profiles, thresholds[i]); i++)
        continue;
    sort_groups(groups, profiles->n);
}

void xtf_process_groups_finish(XtfProcessGroups *groups)
{
    g_clear_pointer(&groups->of, g_free);
}

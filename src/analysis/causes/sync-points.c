#include "src/analysis/causes/sync-points.h"

#include "libxtf/error.h"
#include "src/analysis/causes/scratch-file.h"

/* Rows of files: members of an operation, in the order of their processes; they are 8 bytes, as memory has them. */
struct XtfSyncPoints {
    uint32_t n_locations;
    uint32_t *processes;
    XtfSortedFile *points;
    XtfScratchFile *operations, *members;
};

XtfSyncPoints *xtf_sync_points_new(uint32_t n_locations, const uint32_t *processes, const char *folder, GError **error)
{
    g_autoptr(XtfSyncPoints) points = g_new0(XtfSyncPoints, 1);

    points->n_locations = n_locations;
    points->processes = g_memdup2(processes, n_locations * sizeof *processes);
    points->points = xtf_sorted_file_new(sizeof(XtfSyncPoint), n_locations, folder, error);
    points->operations = points->points ? xtf_scratch_file_new(sizeof(XtfSyncOperation), folder, error) : NULL;
    points->members = points->operations ? xtf_scratch_file_new(sizeof(XtfSyncMember), folder, error) : NULL;
    return points->members ? g_steal_pointer(&points) : NULL;
}

void xtf_sync_points_free(XtfSyncPoints *points)
{
    if (!points)
        return;
    xtf_sorted_file_free(points->points);
    xtf_scratch_file_free(points->operations);
    xtf_scratch_file_free(points->members);
    g_free(points->processes);
    g_free(points);
}

uint32_t xtf_sync_points_n_locations(const XtfSyncPoints *points)
{
    return points->n_locations;
}

uint32_t xtf_sync_points_process(const XtfSyncPoints *points, uint32_t location)
{
    return points->processes[location];
}

bool xtf_sync_points_add(XtfSyncPoints *points, const XtfSyncPoint *point, GError **error)
{
    return xtf_sorted_file_add(points->points, point, error);
}

static int compare_members(const void *a, const void *b, G_GNUC_UNUSED void *data)
{
    uint32_t one = ((const XtfSyncMember *)a)->process, other = ((const XtfSyncMember *)b)->process;

    return (one > other) - (one < other);
}

bool xtf_sync_points_add_operation(XtfSyncPoints *points, const XtfSyncOperation *operation,
                                   const XtfSyncMember *members, uint64_t *number, GError **error)
{
    XtfSyncOperation added = *operation;
    g_autofree XtfSyncMember *sorted = g_memdup2(members, operation->n_members * sizeof *members);

    g_qsort_with_data(sorted, (int)operation->n_members, sizeof *sorted, compare_members, NULL);
    added.first = xtf_scratch_file_n(points->members);
    added.n_points = 0;
    for (uint32_t i = 0; i < operation->n_members; i++) {
        added.n_points += sorted[i].synchronises;
        if (!xtf_scratch_file_append(points->members, &sorted[i], error))
            return false;
    }
    *number = xtf_scratch_file_n(points->operations);
    return xtf_scratch_file_append(points->operations, &added, error);
}

bool xtf_sync_points_sort(XtfSyncPoints *points, GError **error)
{
    return xtf_sorted_file_sort(points->points, error);
}

uint64_t xtf_sync_points_n(const XtfSyncPoints *points, uint32_t location)
{
    return xtf_sorted_file_n(points->points, location);
}

bool xtf_sync_points_get(XtfSyncPoints *points, uint32_t location, uint64_t i, XtfSyncPoint *point, GError **error)
{
    return xtf_sorted_file_get(points->points, location, i, point, error);
}

bool xtf_sync_points_put(XtfSyncPoints *points, uint32_t location, uint64_t i, const XtfSyncPoint *point,
                         GError **error)
{
    return xtf_sorted_file_put(points->points, location, i, point, error);
}

bool xtf_sync_points_find(XtfSyncPoints *points, uint32_t location, uint64_t seq, uint64_t *i, GError **error)
{
    return xtf_sorted_file_find(points->points, location, seq, i, error);
}

bool xtf_sync_points_operation(XtfSyncPoints *points, uint64_t number, XtfSyncOperation *operation, GError **error)
{
    if (number >= xtf_scratch_file_n(points->operations))
        return xtf_fail(error, XTF_ERROR_INVALID, "a point of operation %" PRIu64 ", which is none", number);
    return xtf_scratch_file_get(points->operations, number, operation, error);
}

bool xtf_sync_points_member(XtfSyncPoints *points, const XtfSyncOperation *operation, uint32_t i, XtfSyncMember *member,
                            GError **error)
{
    return xtf_scratch_file_get(points->members, operation->first + i, member, error);
}

/* Finds a process among the members of an operation. */
static bool synchronises(XtfSyncPoints *points, const XtfSyncOperation *operation, uint32_t process, bool *answer,
                         GError **error)
{
    uint32_t low = 0, high = operation->n_members;
    XtfSyncMember member = {.process = UINT32_MAX};

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (!xtf_sync_points_member(points, operation, middle, &member, error))
            return false;
        if (member.process == process)
            break;
        if (member.process < process)
            low = middle + 1;
        else
            high = middle;
    }
    *answer = low < high && member.synchronises;
    return true;
}

bool xtf_sync_points_meets(XtfSyncPoints *points, const XtfSyncPoint *point, uint32_t process, bool *meets,
                           GError **error)
{
    XtfSyncOperation operation;

    *meets = false;
    switch (point->kind) {
    case XTF_SYNC_ALL:
        *meets = true;
        return true;
    case XTF_SYNC_NONE:
        return true;
    case XTF_SYNC_MEMBER:
        if (!xtf_sync_points_operation(points, point->operation, &operation, error))
            return false;
        /* One to all, all to one: only with the root, or with the one that is last. */
        bool one = operation.cost == XTF_COST_ONE_TO_ALL || operation.cost == XTF_COST_ALL_TO_ONE;
        if (one && point->key.location != operation.late) {
            *meets = process == points->processes[operation.late];
            return true;
        }
        return synchronises(points, &operation, process, meets, error);
    default:
        *meets = point->other != UINT32_MAX && process == points->processes[point->other];
        return true;
    }
}

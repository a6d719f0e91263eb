#include "src/analysis/predict/schedule.h"

#include <glib.h>

static const struct {
    const char *operation;
    XtfScheduleKind kind;
} kinds[] = {
    {"BARRIER", XTF_SCHEDULE_BARRIER},
    {"ALLREDUCE", XTF_SCHEDULE_ALLREDUCE},
    {"ALLGATHER", XTF_SCHEDULE_ALLGATHER},
    {"ALLGATHERV", XTF_SCHEDULE_ALLGATHER},
    {"REDUCE_SCATTER", XTF_SCHEDULE_REDUCE_SCATTER},
    {"REDUCE_SCATTER_BLOCK", XTF_SCHEDULE_REDUCE_SCATTER},
    {"ALLTOALL", XTF_SCHEDULE_ALLTOALL},
    {"ALLTOALLV", XTF_SCHEDULE_ALLTOALL},
    {"ALLTOALLW", XTF_SCHEDULE_ALLTOALL},
    {"BCAST", XTF_SCHEDULE_BCAST},
    {"SCATTER", XTF_SCHEDULE_SCATTER},
    {"SCATTERV", XTF_SCHEDULE_SCATTER},
    {"REDUCE", XTF_SCHEDULE_REDUCE},
    {"GATHER", XTF_SCHEDULE_GATHER},
    {"GATHERV", XTF_SCHEDULE_GATHER},
    {"SCAN", XTF_SCHEDULE_SCAN},
    {"EXSCAN", XTF_SCHEDULE_SCAN},
};

XtfScheduleKind xtf_schedule_kind(const char *operation, XtfCollectiveShape shape)
{
    if (shape == XTF_COLLECTIVE_SOME_TO_SOME)
        return XTF_SCHEDULE_NONE;
    for (gsize i = 0; operation && i < G_N_ELEMENTS(kinds); i++)
        if (g_str_equal(operation, kinds[i].operation))
            return kinds[i].kind;
    return XTF_SCHEDULE_NONE;
}

uint32_t xtf_schedule_rounds(uint32_t n)
{
    return n > 1 ? (uint32_t)g_bit_storage(n - 1) : 0;
}

uint64_t xtf_schedule_block(XtfScheduleKind kind, uint64_t sent, uint32_t rank, uint32_t n)
{
    switch (kind) {
    case XTF_SCHEDULE_NONE:
    case XTF_SCHEDULE_BARRIER:
        return 0;
    case XTF_SCHEDULE_REDUCE:
    case XTF_SCHEDULE_GATHER:
        return sent;
    case XTF_SCHEDULE_SCAN:
        return sent / (n - MIN(rank, n - 1));
    case XTF_SCHEDULE_ALLREDUCE:
    case XTF_SCHEDULE_ALLGATHER:
    case XTF_SCHEDULE_REDUCE_SCATTER:
    case XTF_SCHEDULE_ALLTOALL:
    case XTF_SCHEDULE_BCAST:
    case XTF_SCHEDULE_SCATTER:
        break;
    }
    return sent / MAX(n, 1);
}

/* Returns (rank + distance) modulo n. */
static uint32_t shifted(const XtfSchedule *schedule, uint64_t distance)
{
    return (uint32_t)((schedule->rank + distance) % schedule->n);
}

/* Returns the bytes that a member sends in a step of dissemination. */
static uint64_t disseminated(const XtfSchedule *schedule, uint32_t number)
{
    uint64_t distance = UINT64_C(1) << number;

    if (schedule->kind == XTF_SCHEDULE_ALLGATHER)
        return schedule->block * MIN(distance, schedule->n - distance);
    if (schedule->kind == XTF_SCHEDULE_REDUCE_SCATTER)
        return schedule->block * schedule->n >> (number + 1);
    return schedule->block;
}

static bool find_dissemination(const XtfSchedule *schedule, uint32_t number, XtfScheduleStep *step)
{
    uint32_t n = schedule->n, rank = schedule->rank;

    if (number >= xtf_schedule_rounds(n))
        return false;
    uint64_t distance = UINT64_C(1) << number;
    *step = (XtfScheduleStep){
        .to = shifted(schedule, distance), .from = shifted(schedule, n - distance), disseminated(schedule, number)};
    if (schedule->kind != XTF_SCHEDULE_SCAN)
        return true;
    if (rank + distance >= n)
        step->to = XTF_SCHEDULE_NOBODY;
    if (rank < distance)
        step->from = XTF_SCHEDULE_NOBODY;
    return true;
}

/* Finds a step of a binomial tree. A member has the rank v relative to the root. Its parent has the rank v without its
 * lowest bit, and its children have v plus each power of two below that bit. Data to the root go up: children first,
 * small ones before great ones. Data from the root go the other way. */
static bool find_tree_step(const XtfSchedule *schedule, uint32_t number, XtfScheduleStep *step)
{
    uint64_t v = (schedule->rank + (uint64_t)schedule->n - schedule->root) % schedule->n;
    uint64_t lowest = v ? v & -v : UINT64_C(1) << xtf_schedule_rounds(schedule->n);
    uint32_t n_children = 0, has_parent = v != 0;
    bool up = schedule->kind == XTF_SCHEDULE_REDUCE || schedule->kind == XTF_SCHEDULE_GATHER;
    bool grows = schedule->kind == XTF_SCHEDULE_GATHER || schedule->kind == XTF_SCHEDULE_SCATTER;

    while ((UINT64_C(1) << n_children) < lowest && v + (UINT64_C(1) << n_children) < schedule->n)
        n_children++;
    if (number >= n_children + has_parent)
        return false;
    bool is_parent = has_parent && number == (up ? n_children : 0);
    uint32_t child = up ? number : n_children - 1 - (number - has_parent);
    uint64_t distance = UINT64_C(1) << (is_parent ? 0 : child);
    uint64_t other = is_parent ? v - lowest : v + distance;
    uint64_t top = is_parent ? v : other, below = is_parent ? lowest : distance; /* the subtree whose data move */
    uint32_t rank = (uint32_t)((other + schedule->root) % schedule->n);
    uint64_t bytes = schedule->block * (grows ? MIN(below, schedule->n - top) : 1);
    *step = up == is_parent ? (XtfScheduleStep){.to = rank, .from = XTF_SCHEDULE_NOBODY, .bytes = bytes}
                            : (XtfScheduleStep){.to = XTF_SCHEDULE_NOBODY, .from = rank};
    return true;
}

bool xtf_schedule_step(const XtfSchedule *schedule, uint32_t number, XtfScheduleStep *step)
{
    uint32_t n = schedule->n;

    switch (schedule->kind) {
    case XTF_SCHEDULE_NONE:
        return false;
    case XTF_SCHEDULE_ALLTOALL:
        if (n < 2 || number >= n - 1)
            return false;
        *step = (XtfScheduleStep){shifted(schedule, number + UINT64_C(1)), shifted(schedule, n - UINT64_C(1) - number),
                                  schedule->block};
        return true;
    case XTF_SCHEDULE_BCAST:
    case XTF_SCHEDULE_SCATTER:
    case XTF_SCHEDULE_REDUCE:
    case XTF_SCHEDULE_GATHER:
        return find_tree_step(schedule, number, step);
    case XTF_SCHEDULE_BARRIER:
    case XTF_SCHEDULE_ALLREDUCE:
    case XTF_SCHEDULE_ALLGATHER:
    case XTF_SCHEDULE_REDUCE_SCATTER:
    case XTF_SCHEDULE_SCAN:
        break;
    }
    return find_dissemination(schedule, number, step);
}

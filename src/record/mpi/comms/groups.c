#include "src/record/mpi/comms/groups.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/partial.h"
#include "src/record/mpi/comms/world.h"

enum { GROUPS_MAX = 1 << 16 }; /* number of groups that a process keeps */

typedef struct {
    uint32_t id, n;
    uint32_t *members;
} Group;

/* Groups of RMA epochs, of which a program makes few. They are never removed, since records name them. */
static struct {
    pthread_mutex_t lock;
    Group *at;
    uint32_t n, room;
} groups = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void define_members(XtfRing *ring, uint32_t id, uint32_t n, const uint32_t *members)
{
    const XtfDefineGroup head = {n, 0};
    char *data;

    if (!ring)
        return;
    data = malloc(sizeof head + 4 * (size_t)n);
    if (!data)
        return;
    memcpy(data, &head, sizeof head);
    if (n > 0)
        memcpy(data + sizeof head, members, 4 * (size_t)n);
    xtf_core_define(ring, XTF_DEFINE_GROUP, id, data, sizeof head + 4 * (size_t)n);
    free(data);
}

void xtf_mpi_name_group(XtfRing *ring, uint32_t id)
{
    define_members(ring, id, 0, NULL);
}

/* Translates the members of a group to process numbers of the job, in allocated *numbers. Members of other worlds
 * get XTF_WIRE_NONE. Returns the number of members, 0 if it fails. */
static int translate_members(MPI_Group group, uint32_t **numbers)
{
    int n = 0, *ranks, *world_ranks;

    *numbers = NULL;
    if (XTF_PMPI(Group_size)(group, &n) != MPI_SUCCESS || n <= 0)
        return 0;
    *numbers = malloc(4 * (size_t)n);
    ranks = malloc(2 * sizeof *ranks * (size_t)n);
    if (*numbers && ranks) {
        world_ranks = ranks + n;
        for (int i = 0; i < n; i++)
            ranks[i] = i;
        if (XTF_PMPI(Group_translate_ranks)(group, n, ranks, xtf_mpi_world_group, world_ranks) != MPI_SUCCESS)
            n = 0;
        for (int i = 0; i < n; i++)
            (*numbers)[i] = world_ranks[i] >= 0 ? xtf_mpi_world.base + (uint32_t)world_ranks[i] : XTF_WIRE_NONE;
    } else {
        n = 0;
    }
    free(ranks);
    return n;
}

void xtf_mpi_define_group(XtfRing *ring, uint32_t id, MPI_Group group)
{
    uint32_t *numbers;
    int n = translate_members(group, &numbers);

    define_members(ring, id, (uint32_t)n, numbers);
    free(numbers);
}

void xtf_mpi_define_world_groups(XtfRing *ring)
{
    uint32_t n = xtf_mpi_world.rank == xtf_mpi_partial_first() ? xtf_mpi_world.size : 0;
    uint32_t *numbers = malloc(4 * ((size_t)n + 1));

    if (!numbers)
        return;
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = xtf_mpi_world.base + i;
    define_members(ring, xtf_mpi_world_id, n, numbers);
    free(numbers);
}

void xtf_mpi_define_mixed_group(XtfRing *ring, uint32_t id, MPI_Comm comm, MPI_Group group)
{
    uint32_t *numbers, own = xtf_mpi_world.base + xtf_mpi_world.rank;
    int n = translate_members(group, &numbers), rank = 0;

    XTF_PMPI(Comm_rank)(comm, &rank);
    if (xtf_mpi_is_mixed(group))
        XTF_PMPI(Gather)(&own, sizeof own, MPI_BYTE, numbers, sizeof own, MPI_BYTE, 0, comm);
    define_members(ring, id, rank == 0 ? (uint32_t)n : 0, numbers);
    free(numbers);
}

bool xtf_mpi_is_mixed(MPI_Group group)
{
    uint32_t *numbers;
    int n = translate_members(group, &numbers);
    bool mixed = false;

    for (int i = 0; i < n; i++)
        mixed |= numbers[i] == XTF_WIRE_NONE;
    free(numbers);
    return mixed;
}

void xtf_mpi_define_remote_group(XtfRing *ring, uint32_t id, MPI_Comm comm)
{
    uint32_t own = xtf_mpi_world.base + xtf_mpi_world.rank, *numbers;
    int n = 0, rank = 0;

    XTF_PMPI(Comm_remote_size)(comm, &n);
    XTF_PMPI(Comm_rank)(comm, &rank);
    numbers = malloc(4 * (size_t)n + 4);
    if (!numbers)
        abort(); /* the other members would wait for this one */
    bool known_group =
        XTF_PMPI(Allgather)(&own, sizeof own, MPI_BYTE, numbers, sizeof own, MPI_BYTE, comm) == MPI_SUCCESS;
    define_members(ring, id, rank == 0 && known_group ? (uint32_t)n : 0, numbers);
    free(numbers);
}

/* ---- Groups of epochs. */

static const Group *find_group(const uint32_t *members, uint32_t n)
{
    for (uint32_t i = 0; i < groups.n; i++)
        if (groups.at[i].n == n && memcmp(groups.at[i].members, members, 4 * (size_t)n) == 0)
            return &groups.at[i];
    return NULL;
}

/* Adds a group and returns its new id. Takes ownership of `members`. */
static uint32_t add_epoch_group(XtfRing *ring, uint32_t *members, uint32_t n)
{
    uint32_t id = xtf_mpi_new_id();

    define_members(ring, id, n, members);
    if (groups.n == groups.room && groups.room < GROUPS_MAX) {
        uint32_t room = groups.room ? 2 * groups.room : 16;
        Group *at = realloc(groups.at, room * sizeof *at);
        if (at) {
            groups.at = at;
            groups.room = room;
        }
    }
    if (groups.n < groups.room)
        groups.at[groups.n++] = (Group){id, n, members};
    else
        free(members);
    return id;
}

uint32_t xtf_mpi_group_id(XtfRing *ring, MPI_Group group)
{
    uint32_t *members, id;
    int n = translate_members(group, &members);
    const Group *known_group;

    if (n == 0) {
        free(members);
        return XTF_WIRE_NONE;
    }
    pthread_mutex_lock(&groups.lock);
    known_group = find_group(members, (uint32_t)n);
    if (known_group) {
        id = known_group->id;
        free(members);
    } else {
        id = add_epoch_group(ring, members, (uint32_t)n);
    }
    pthread_mutex_unlock(&groups.lock);
    return id;
}

/*
 * MPI_Init to MPI_Finalize.
 */
#include "src/record/mpi/creation/start.h"

#include <stdlib.h>

#include "src/record/mpi/comms/clocks.h"
#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/groups.h"
#include "src/record/mpi/comms/partial.h"
#include "src/record/mpi/comms/together.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/creation/create.h"
#include "src/record/mpi/creation/spawn.h"
#include "src/record/mpi/library/records.h"
#include "src/record/mpi/messages/messages.h"

/* ---- Starting. */

/* True if MPI_Init was seen, before or after a session started. */
static bool has_world(void)
{
    return xtf_mpi_world_handle != (MPI_Comm)0;
}

static bool find_world(void)
{
    int rank, size;

    if (XTF_PMPI(Comm_rank)(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        XTF_PMPI(Comm_size)(MPI_COMM_WORLD, &size) != MPI_SUCCESS ||
        XTF_PMPI(Comm_group)(MPI_COMM_WORLD, &xtf_mpi_world_group) != MPI_SUCCESS)
        return false;
    xtf_mpi_world = (XtfMpiWorld){.rank = (uint32_t)rank, .size = (uint32_t)size};
    return true;
}

/* Sets the place of this world in its job. All members of a spawned world take part. With a session, the partial
 * world is known already. */
static void find_place_in_job(bool has_session)
{
    MPI_Comm parent = MPI_COMM_NULL;

    if (XTF_PMPI(Comm_get_parent)(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL) {
        if (!has_session)
            xtf_mpi_partial_find();
        if (xtf_mpi_world.rank == xtf_mpi_partial_first())
            xtf_mpi_world_announce(xtf_mpi_world.size);
        return;
    }
    uint32_t place[2] = {0};
    if (xtf_mpi_world.rank == 0) {
        xtf_mpi_world_take(&xtf_mpi_world);
        place[0] = xtf_mpi_world.number;
        place[1] = xtf_mpi_world.base;
    }
    XTF_PMPI(Bcast)(place, sizeof place, MPI_BYTE, 0, MPI_COMM_WORLD);
    xtf_mpi_world.number = place[0];
    xtf_mpi_world.base = place[1];
    xtf_mpi_met_others = true;
}

static void define_world(XtfRing *ring)
{
    XtfMpiWorld first = xtf_mpi_world;

    first.rank = 0;
    xtf_mpi_world_handle = MPI_COMM_WORLD;
    xtf_mpi_world_id = first.number == 0 ? (uint32_t)XTF_MPI_FIRST_WORLD : xtf_mpi_world_make_id(&first, 0);
    xtf_mpi_define_world_groups(ring);
    xtf_mpi_define_comm(ring, xtf_mpi_world_id, xtf_mpi_world_id, XTF_WIRE_NONE, XTF_WIRE_NONE, "MPI_COMM_WORLD");
    xtf_mpi_define_comm(ring, XTF_MPI_SELF, XTF_WIRE_NONE, XTF_WIRE_NONE, XTF_WIRE_NONE, "MPI_COMM_SELF");
}

/* Names the functions that the MPI has and the recorder does not wrap, so that a reader does not take them for never
 * called. */
static void define_not_wrapped(XtfRing *ring)
{
    static const char names[] = XTF_MPI_NOT_WRAPPED;

    if (ring && sizeof names > 1)
        xtf_core_define(ring, XTF_DEFINE_NOT_WRAPPED, 0, names, sizeof names - 1);
}

/* Publishes the thread level that MPI has provided, if the calling thread is the main thread. */
static void publish_level(const XtfRing *ring)
{
    static const struct {
        int level;
        XtfWireLevel published;
    } levels[] = {{MPI_THREAD_SINGLE, XTF_WIRE_LEVEL_SINGLE},
                  {MPI_THREAD_FUNNELED, XTF_WIRE_LEVEL_FUNNELED},
                  {MPI_THREAD_SERIALIZED, XTF_WIRE_LEVEL_SERIALIZED},
                  {MPI_THREAD_MULTIPLE, XTF_WIRE_LEVEL_MULTIPLE}};
    int provided, is_main = 0;

    if (XTF_PMPI(Query_thread)(&provided) != MPI_SUCCESS || XTF_PMPI(Is_thread_main)(&is_main) != MPI_SUCCESS ||
        !is_main)
        return;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i].level == provided) {
            atomic_store(&xtf_core_process->main_thread, atomic_load(&ring->shared->thread));
            atomic_store(&xtf_core_process->level, levels[i].published);
        }
}

/* Sets up the world. Returns false if there is no world, or it is set up already. */
static bool start_world(XtfRing *ring)
{
    XtfRing *definitions = xtf_mpi_ring(ring);
    bool has_session = xtf_mpi_agreeing;

    if (has_world() || !find_world())
        return false;
    xtf_mpi_agreeing = true;
    xtf_mpi_messages_begin();
    find_place_in_job(has_session);
    if (definitions) {
        if (!has_session)
            publish_level(definitions);
        xtf_core_set_rank(xtf_mpi_world.base + xtf_mpi_world.rank, xtf_mpi_world.size);
    }
    define_world(definitions);
    if (!has_session) {
        define_not_wrapped(definitions);
        xtf_mpi_comms_begin();
    }
    if (xtf_mpi_is_partial)
        xtf_mpi_comm_set_apart(MPI_COMM_WORLD);
    xtf_mpi_together_start();
    if (ring) {
        uint64_t now = xtf_core_now();
        xtf_core_record(ring, now, XTF_WIRE_COMM_CREATE, 0, xtf_mpi_world_id);
        xtf_core_record(ring, now, XTF_WIRE_COMM_CREATE, 0, XTF_MPI_SELF);
    }
    xtf_mpi_find_parents(ring);
    return true;
}

void xtf_mpi_started(XtfRing *ring, uint64_t *left, int result)
{
    if (result != MPI_SUCCESS || !start_world(ring))
        return;
    xtf_mpi_clocks_begin(ring);
    *left = xtf_core_now();
}

/* Processes get here at different times, so they cannot read their clocks together. */
void xtf_mpi_attach(XtfRing *ring)
{
    start_world(ring);
}

/* ---- Sessions: there may be no MPI_COMM_WORLD, but there is its group. */

#ifdef XTF_MPI_HAS_Session_init
/* True if other processes of the job spawned this one. MPI itself says so only after MPI_Init. */
static bool is_spawned(void)
{
    const char *spawned = getenv("PMI_SPAWNED");

    return spawned && atoi(spawned) != 0; /* as MPICH reads it */
}

void xtf_mpi_session_started(XtfRing *ring, int result, MPI_Session session)
{
    MPI_Group group;
    int rank, size;

    if (result == MPI_SUCCESS && xtf_core_process) /* the session may have a higher level than MPI_Init */
        atomic_store(&xtf_core_process->level, XTF_WIRE_LEVEL_UNKNOWN);
    /* All processes of a spawned world agree on its place in the job, which is possible only in MPI_Init. */
    if (result != MPI_SUCCESS || xtf_mpi_agreeing || is_spawned() || !XTF_PMPI(Group_from_session_pset) ||
        XTF_PMPI(Group_from_session_pset)(session, "mpi://WORLD", &group) != MPI_SUCCESS)
        return;
    if (XTF_PMPI(Group_rank)(group, &rank) != MPI_SUCCESS || XTF_PMPI(Group_size)(group, &size) != MPI_SUCCESS)
        return;
    xtf_mpi_world_group = group;
    xtf_mpi_world = (XtfMpiWorld){.rank = (uint32_t)rank, .size = (uint32_t)size};
    xtf_mpi_agreeing = true;
    xtf_mpi_messages_begin();
    xtf_mpi_partial_find();
    xtf_mpi_world_id = XTF_MPI_FIRST_WORLD;
    if (xtf_mpi_ring(ring)) {
        xtf_core_set_rank(xtf_mpi_world.rank, xtf_mpi_world.size);
        xtf_mpi_define_world_groups(xtf_mpi_ring(ring));
    }
    define_not_wrapped(xtf_mpi_ring(ring));
    xtf_mpi_comms_begin();
    xtf_mpi_together_start();
}

void xtf_mpi_session_ends(void)
{
    /* A program without MPI_Init never calls MPI_Finalize. */
    if (has_world())
        xtf_core_drain();
    else
        xtf_core_finish();
}
#endif

/* ---- Ending. */

void xtf_mpi_world_ends(XtfRing *ring, uint64_t entered)
{
    uint64_t begin = entered;

    xtf_mpi_awaits_members(ring, entered, xtf_mpi_world_id);
    if (xtf_mpi_clocks_end(ring)) {
        begin = xtf_core_now();
        xtf_core_show(ring, entered, XTF_MPI_REGION_Finalize);
    }
    xtf_mpi_collective_begin(ring, begin);
    /* The end of the job may also end the collector: it has to store all records before. */
    xtf_core_drain();
}

void xtf_mpi_world_ended(XtfRing *ring, uint64_t *left, int result)
{
    *left = xtf_core_now();
    if (result == MPI_SUCCESS) {
        xtf_core_record(ring, *left, XTF_WIRE_COMM_DESTROY, 0, XTF_MPI_SELF);
        xtf_core_record(ring, *left, XTF_WIRE_COMM_DESTROY, 0, xtf_mpi_world_id);
        xtf_mpi_collective_end(ring, *left, XTF_MPI_OP_DESTROY_HANDLE, xtf_mpi_world_id);
    }
}

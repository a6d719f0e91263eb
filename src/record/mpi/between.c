#include "src/record/mpi/between.h"

#include <time.h>

#include "src/record/mpi/comms.h"
#include "src/record/mpi/create.h"
#include "src/record/mpi/groups.h"
#include "src/record/mpi/records.h"

enum {
    TAG = 0x5846,  /* of the message, below the least MPI_TAG_UB that the standard allows */
    PATIENCE = 10, /* seconds */
};

void xtf_mpi_between_begins(XtfRing *ring, MPI_Comm comm, const XtfMpiBetween *ids, uint32_t from)
{
    xtf_mpi_comm_set_id(comm, ids->comm);
    xtf_mpi_define_comm(xtf_mpi_ring(ring), ids->comm, ids->giver, ids->other, from, "");
    if (ring)
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_COMM_CREATE, 0, ids->comm);
}

void xtf_mpi_between_tell(MPI_Comm comm, int dest, const XtfMpiBetween *ids)
{
    XTF_PMPI(Send)(ids, sizeof *ids, MPI_BYTE, dest, TAG, comm);
}

bool xtf_mpi_between_hear(MPI_Comm comm, int source, XtfMpiBetween *ids)
{
    struct timespec now, end, pause = {.tv_nsec = 100000};
    MPI_Status status;
    int arrived = 0;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PATIENCE;
    for (;;) {
        if (XTF_PMPI(Iprobe)(source, TAG, comm, &arrived, &status) != MPI_SUCCESS)
            return false;
        if (arrived)
            return XTF_PMPI(Recv)(ids, sizeof *ids, MPI_BYTE, status.MPI_SOURCE, TAG, comm, MPI_STATUS_IGNORE) ==
                   MPI_SUCCESS;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec > end.tv_nsec))
            return false;
        nanosleep(&pause, NULL);
    }
}

void xtf_mpi_between_define(XtfRing *ring, uint32_t group, MPI_Comm local)
{
    MPI_Group members;

    if (XTF_PMPI(Comm_group)(local, &members) != MPI_SUCCESS)
        return;
    xtf_mpi_define_mixed_group(xtf_mpi_ring(ring), group, local, members);
    XTF_PMPI(Group_free)(&members);
}

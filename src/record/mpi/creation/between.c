#include "src/record/mpi/creation/between.h"

#include <stdlib.h>
#include <time.h>

#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/groups.h"
#include "src/record/mpi/creation/create.h"
#include "src/record/mpi/library/records.h"

enum {
    TAG = 0x5846,   /* tag of the message, below the least MPI_TAG_UB that the standard allows */
    TIMEOUT_S = 10, /* longest wait for the message to be sent, or to arrive, in seconds */
};

void xtf_mpi_between_start(XtfRing *ring, MPI_Comm comm, const XtfMpiBetween *ids, uint32_t from)
{
    xtf_mpi_comm_set_id(comm, ids->comm);
    xtf_mpi_define_comm(xtf_mpi_ring(ring), ids->comm, ids->giver, ids->receiver, from, "");
    if (ring)
        xtf_core_record(ring, xtf_core_now(), XTF_WIRE_COMM_CREATE, 0, ids->comm);
}

static uint64_t deadline(void)
{
    return xtf_monotonic_ns() + TIMEOUT_S * UINT64_C(1000000000);
}

static void pause_briefly(void)
{
    const struct timespec pause_time = {.tv_nsec = 100000};

    nanosleep(&pause_time, NULL);
}

void xtf_mpi_between_send(MPI_Comm comm, int dest, const XtfMpiBetween *ids)
{
    XtfMpiBetween *message = malloc(sizeof *message);
    MPI_Request request;
    uint64_t end = deadline();
    int sent = 0;

    if (!message)
        return;
    *message = *ids;
    if (XTF_PMPI(Isend)(message, sizeof *message, MPI_BYTE, dest, TAG, comm, &request) != MPI_SUCCESS) {
        free(message);
        return;
    }
    while (XTF_PMPI(Test)(&request, &sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !sent && xtf_monotonic_ns() <= end)
        pause_briefly();
    if (sent)
        free(message);
    else
        XTF_PMPI(Request_free)(&request); /* MPI may send it later: the message is never freed */
}

bool xtf_mpi_between_receive(MPI_Comm comm, int source, XtfMpiBetween *ids)
{
    uint64_t end = deadline();
    MPI_Status status;
    int arrived = 0;

    for (;;) {
        if (XTF_PMPI(Iprobe)(source, TAG, comm, &arrived, &status) != MPI_SUCCESS)
            return false;
        if (arrived)
            return XTF_PMPI(Recv)(ids, sizeof *ids, MPI_BYTE, status.MPI_SOURCE, TAG, comm, MPI_STATUS_IGNORE) ==
                   MPI_SUCCESS;
        if (xtf_monotonic_ns() > end)
            return false;
        pause_briefly();
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

#include "src/record/mpi/creation/connect.h"

#include <stdio.h>

#include "libxtf/base/fnv.h"
#include "src/record/job.h"
#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/groups.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/creation/between.h"
#include "src/record/mpi/library/records.h"

/* Rank on the accepting side that receives the ids: the connecting side does not know the accepting side's root. */
enum { RECEIVING_ROOT = 0 };

/* Makes the name of the file by which one side of a port announces itself. */
static void name_mark(const char *port, bool accepts, char name[40])
{
    snprintf(name, 40, "%s%016llx", accepts ? XTF_JOB_ACCEPTS : XTF_JOB_CONNECTS,
             (unsigned long long)xtf_fnv64(XTF_FNV64, port));
}

/* True if all members of this side take part in agreements on ids. A handle without an id may be invalid before the
 * call, so MPI is not asked about it. */
static bool side_agrees(MPI_Comm local)
{
    return xtf_mpi_agreeing && xtf_mpi_comm_id(local) != XTF_WIRE_NONE && !xtf_mpi_comm_is_apart(local);
}

void xtf_mpi_connects(const char *port, int root, MPI_Comm local, bool accepts)
{
    char name[40];
    int rank;

    if (!side_agrees(local) || XTF_PMPI(Comm_rank)(local, &rank) != MPI_SUCCESS || rank != root ||
        (accepts && root != RECEIVING_ROOT))
        return;
    name_mark(port, accepts, name);
    xtf_mpi_job_mark(name);
}

/* Makes the ids of a connection, or receives them from the other side. The root calls it. *given: this side made them.
 * *met: the other side has the same ids. */
static void find_ids(const char *port, int root, bool accepts, MPI_Comm made, XtfMpiBetween *ids, bool *given,
                     bool *met)
{
    char other_mark[40];
    bool known = false;

    if (port) {
        name_mark(port, !accepts, other_mark);
        known = xtf_mpi_job_is_marked(other_mark);
    }
    *met = known && !accepts;
    *given = !(known && accepts && root == RECEIVING_ROOT && xtf_mpi_between_receive(made, MPI_ANY_SOURCE, ids));
    if (!*given) {
        *met = true;
        return;
    }
    uint32_t own = xtf_mpi_new_id();
    *ids = (XtfMpiBetween){own, own, xtf_mpi_new_id()};
    if (*met)
        xtf_mpi_between_send(made, RECEIVING_ROOT, ids);
}

void xtf_mpi_connected(XtfRing *ring, uint64_t *left, int result, const char *port, int root, MPI_Comm local,
                       bool accepts, MPI_Comm made)
{
    struct {
        XtfMpiBetween ids;
        bool given, met;
    } answer = {.given = true};
    int rank = 0;

    if (result == MPI_SUCCESS && xtf_mpi_agreeing && made != MPI_COMM_NULL && !side_agrees(local)) {
        xtf_mpi_met_others = true;
        xtf_mpi_comm_set_apart(made);
    } else if (result == MPI_SUCCESS && xtf_mpi_agreeing && made != MPI_COMM_NULL) {
        xtf_mpi_met_others = true;
        XTF_PMPI(Comm_rank)(local, &rank);
        if (rank == root)
            find_ids(port, root, accepts, made, &answer.ids, &answer.given, &answer.met);
        XTF_PMPI(Bcast)(&answer, sizeof answer, MPI_BYTE, root, local);
        if (!answer.met)
            xtf_mpi_comm_set_apart(made);
        if (answer.ids.receiver != XTF_WIRE_NONE && answer.ids.comm != XTF_WIRE_NONE) {
            xtf_mpi_between_define(ring, answer.given ? answer.ids.giver : answer.ids.receiver, local);
            xtf_mpi_name_group(xtf_mpi_ring(ring), answer.given ? answer.ids.receiver : answer.ids.giver);
            xtf_mpi_between_start(ring, made, &answer.ids, xtf_mpi_comm_id(local));
        }
    }
    *left = xtf_core_now();
    xtf_mpi_collective_end(ring, *left, XTF_MPI_OP_CREATE_HANDLE, xtf_mpi_comm_id(local));
}

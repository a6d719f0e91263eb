#include "src/record/mpi/creation/connect.h"

#include <stdio.h>

#include "libxtf/base/fnv.h"
#include "src/record/job.h"
#include "src/record/mpi/comms/comms.h"
#include "src/record/mpi/comms/groups.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/creation/between.h"
#include "src/record/mpi/library/records.h"

/* Whom the side that connects tells of its ids: it does not know the other side's root. */
enum { HEARS = 0 };

/* The name of the file that tells of one side of a port. */
static void mark_of(const char *port, bool accepts, char name[40])
{
    snprintf(name, 40, "%s%016llx", accepts ? XTF_JOB_ACCEPTS : XTF_JOB_CONNECTS,
             (unsigned long long)xtf_fnv64(XTF_FNV64, port));
}

/* Whether all members of this side agree with one another, and with the other side. Of a communicator without a number
 * nothing is asked: before the call it may be none. */
static bool agrees(MPI_Comm local)
{
    return xtf_mpi_agreeing && xtf_mpi_comm_id(local) != XTF_WIRE_NONE && !xtf_mpi_comm_is_apart(local);
}

void xtf_mpi_connects(const char *port, int root, MPI_Comm local, bool accepts)
{
    char name[40];
    int rank;

    if (!agrees(local) || XTF_PMPI(Comm_rank)(local, &rank) != MPI_SUCCESS || rank != root ||
        (accepts && root != HEARS))
        return;
    mark_of(port, accepts, name);
    xtf_mpi_job_mark(name);
}

/* What the root gives or hears. *met: the other side has the same ids. */
static void find_ids(const char *port, int root, bool accepts, MPI_Comm made, XtfMpiBetween *ids, bool *given,
                     bool *met)
{
    char other[40];
    bool known = false;

    if (port) {
        mark_of(port, !accepts, other);
        known = xtf_mpi_job_is_marked(other);
    }
    *met = known && !accepts;
    *given = !(known && accepts && root == HEARS && xtf_mpi_between_hear(made, MPI_ANY_SOURCE, ids));
    if (!*given) {
        *met = true;
        return;
    }
    uint32_t own = xtf_mpi_new_id();
    *ids = (XtfMpiBetween){own, own, xtf_mpi_new_id()};
    if (*met)
        xtf_mpi_between_tell(made, HEARS, ids);
}

void xtf_mpi_connected(XtfRing *ring, uint64_t *left, int result, const char *port, int root, MPI_Comm local,
                       bool accepts, MPI_Comm made)
{
    struct {
        XtfMpiBetween ids;
        bool given, met;
    } told = {.given = true};
    int rank = 0;

    if (result == MPI_SUCCESS && xtf_mpi_agreeing && made != MPI_COMM_NULL && !agrees(local)) {
        xtf_mpi_met_others = true;
        xtf_mpi_comm_set_apart(made);
    } else if (result == MPI_SUCCESS && xtf_mpi_agreeing && made != MPI_COMM_NULL) {
        xtf_mpi_met_others = true;
        XTF_PMPI(Comm_rank)(local, &rank);
        if (rank == root)
            find_ids(port, root, accepts, made, &told.ids, &told.given, &told.met);
        XTF_PMPI(Bcast)(&told, sizeof told, MPI_BYTE, root, local);
        if (!told.met)
            xtf_mpi_comm_set_apart(made);
        if (told.ids.other != XTF_WIRE_NONE && told.ids.comm != XTF_WIRE_NONE) {
            xtf_mpi_between_define(ring, told.given ? told.ids.giver : told.ids.other, local);
            xtf_mpi_name_group(xtf_mpi_ring(ring), told.given ? told.ids.other : told.ids.giver);
            xtf_mpi_between_begins(ring, made, &told.ids, xtf_mpi_comm_id(local));
        }
    }
    *left = xtf_core_now();
    xtf_mpi_collective_end(ring, *left, XTF_MPI_OP_CREATE_HANDLE, xtf_mpi_comm_id(local));
}

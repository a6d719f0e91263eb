#include "src/record/mpi/comms/together.h"

#include "src/record/core/core.h"
#include "src/record/mpi/comms/partial.h"
#include "src/record/mpi/comms/world.h"
#include "src/record/mpi/library/valid.h"
#include "src/record/mpi/library/wrapper.h"

bool xtf_mpi_begins_together;

void xtf_mpi_together_start(void)
{
    xtf_mpi_begins_together = xtf_core_window_waits() && xtf_mpi_world.size > 1 && !xtf_mpi_is_partial;
    xtf_core_window_set_together(xtf_mpi_begins_together);
}

/* True if all processes of the world are members, in one group. If several threads call MPI, operations on different
 * communicators have no common order, so only MPI_COMM_WORLD will do. */
static bool has_all_processes(MPI_Comm comm)
{
    int size, between;

    if (comm == MPI_COMM_WORLD)
        return true;
    return !xtf_mpi_threads && xtf_mpi_valid_has((uint64_t)(uintptr_t)comm) &&
           XTF_PMPI(Comm_test_inter)(comm, &between) == MPI_SUCCESS && !between &&
           XTF_PMPI(Comm_size)(comm, &size) == MPI_SUCCESS && (uint32_t)size == xtf_mpi_world.size;
}

bool xtf_mpi_begin_together(MPI_Comm comm)
{
    int due = xtf_core_window_is_due(), any = 0;
    uint32_t busy = xtf_core_thread.busy;

    if (busy == XTF_CORE_BUSY) /* a call that MPI itself makes */
        return false;
    xtf_mpi_wrapper.frame = NULL;
    xtf_core_thread.busy = XTF_CORE_BUSY;
    if (has_all_processes(comm) && XTF_PMPI(Allreduce)(&due, &any, 1, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS && any) {
        xtf_mpi_begins_together = false;
        xtf_core_window_begin();
    }
    xtf_core_thread.busy = busy;
    return any;
}

/* Variables that each wrapper reads. creation/state.c sets them. */
#include "src/record/mpi/library/wrapper.h"

_Atomic int xtf_mpi_state;
bool xtf_mpi_wanted[XTF_MPI_N_REGIONS], xtf_mpi_wants_tests, xtf_mpi_threads;
__thread const void *xtf_mpi_caller __attribute__((tls_model("initial-exec")));
__thread XtfMpiWrapper xtf_mpi_wrapper __attribute__((tls_model("initial-exec")));

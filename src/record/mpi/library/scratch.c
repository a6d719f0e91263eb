#include <stdlib.h>

#include "src/record/mpi/library/wrapper.h"

static __thread struct {
    MPI_Status *many;
    int n;
    MPI_Status few[8];
} scratch __attribute__((tls_model("initial-exec")));

MPI_Status *xtf_mpi_scratch_statuses(int n)
{
    MPI_Status *more;

    if (n <= 8)
        return scratch.few;
    if (n > scratch.n) {
        more = realloc(scratch.many, (size_t)n * sizeof *more);
        if (!more)
            abort();
        scratch.many = more;
        scratch.n = n;
    }
    return scratch.many;
}

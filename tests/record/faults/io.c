/*
 * Processes that write their parts of a file one after the other. One of them compresses longest before it writes.
 *
 *     io RANK STEPS EXTRA FILE      the rank, and the milliseconds that it takes longer
 */
#include <mpi.h>

#include "fault.h"

enum { PART = 1024 };

static char part[PART];

int main(int argc, char **argv)
{
    int slow = atoi(argv[1]), steps = atoi(argv[2]), rank, size, turn = 0;
    double extra = atof(argv[3]);
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File_open(MPI_COMM_WORLD, argv[4], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int step = 0; step < steps; step++) {
        if (rank > 0)
            MPI_Recv(&turn, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(rank == slow ? extra : 0.2);
        MPI_File_write_at(file, (MPI_Offset)(step * size + rank) * PART, part, PART, MPI_BYTE, MPI_STATUS_IGNORE);
        if (rank + 1 < size)
            MPI_Send(&turn, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}

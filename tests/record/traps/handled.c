/*
 * A program that handles its own errors: what it sends has no valid type, and then no valid communicator. It prints how
 * often its handlers were called. test_traps.py compares that with what it prints without a recorder.
 */
#include <mpi.h>
#include <stdio.h>

static int of_world, of_duplicate;

static void count_world(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    of_world++;
}

static void count_duplicate(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    of_duplicate++;
}

int main(int argc, char **argv)
{
    int data = 0, failed = 0;
    MPI_Errhandler world, own;
    MPI_Comm duplicate;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_create_errhandler(count_world, &world);
    MPI_Comm_create_errhandler(count_duplicate, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
    MPI_Comm_set_errhandler(duplicate, own);
    failed += MPI_Send(&data, 1, (MPI_Datatype)0, 0, 0, duplicate) != MPI_SUCCESS;
    failed += MPI_Sendrecv(&data, 1, (MPI_Datatype)0, 0, 0, &data, 1, MPI_INT, 0, 0, duplicate, MPI_STATUS_IGNORE) !=
              MPI_SUCCESS;
    failed += MPI_Send(&data, 1, MPI_INT, 0, 0, (MPI_Comm)0) != MPI_SUCCESS;
    printf("%d failed, handled: %d of MPI_COMM_WORLD, %d of the duplicate\n", failed, of_world, of_duplicate);
    MPI_Finalize();
    return 0;
}

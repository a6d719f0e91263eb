/*
 * Calls of MPI that are difficult for a recorder: as a program, and as a plugin that has a function `run`. The first
 * argument selects the calls.
 */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static jmp_buf back;

static void jump_back(MPI_Comm *comm, int *code, ...)
{
    longjmp(back, 1);
}

static void __attribute__((noinline)) fail(void)
{
    int data = 0;

    MPI_Send(&data, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
}

/* Leaves calls by error handlers that jump, as MPI's handlers need not return. */
static void leave_by_jump(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(jump_back, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < 3; i++)
        if (!setjmp(back))
            fail();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void switch_off(void)
{
    MPI_Comm comm;
    int data = 1;

    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    /* Only process 0 records MPI_Comm_dup, in which all processes take part. */
    if (rank == 0)
        MPI_Pcontrol(1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Pcontrol(1);
    MPI_Bcast(&data, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    MPI_Pcontrol(2);
    /* MPI_Finalize is recorded nevertheless. */
    MPI_Pcontrol(0);
}

static void finalize(void)
{
    MPI_Finalize();
}

/* Returns answer + 1. Some libraries, such as R's bindings, have own functions with the names that some Fortran
 * compilers give to MPI's. The recorder must not replace them. */
int mpi_barrier(int answer)
{
    return answer + 1;
}

double mpi_wtime(void)
{
    return -1;
}

static void call_own(void)
{
    if (mpi_barrier(41) != 42 || mpi_wtime() != -1)
        MPI_Abort(MPI_COMM_WORLD, 4);
}

int run(const char *way)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int flag, length, version, subversion;

    if (strcmp(way, "early") == 0) {
        MPI_Initialized(&flag);
        MPI_Finalized(&flag);
        MPI_Get_version(&version, &subversion);
        MPI_Get_library_version(text, &length);
    }
    if (strcmp(way, "hidden-init") == 0)
        PMPI_Init(NULL, NULL);
    else
        MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    call_own();
    if (strcmp(way, "jump") == 0)
        leave_by_jump();
    if (strcmp(way, "off") == 0)
        switch_off();
    if (strcmp(way, "atexit") == 0) {
        atexit(finalize);
        return 0;
    }
    MPI_Finalize();
    if (strcmp(way, "early") == 0) {
        MPI_Finalized(&flag);
        MPI_Get_version(&version, &subversion);
    }
    return 0;
}

#ifndef PLUGIN
int main(int argc, char **argv)
{
    return run(argv[1]);
}
#endif

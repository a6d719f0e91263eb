/*
 * Blocking messages between two processes: all modes, no data, no peer, derived types, wildcards, probes, failures.
 * test_messages.py has the expected records.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;

/* Sends messages of all modes from rank 0 to rank 1. A message of tag 99 says that a receive is posted. */
static void send_modes(void)
{
    int data[3] = {1, 2, 3};
    MPI_Request request;

    if (rank == 0) {
        int size;
        MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &size);
        size += MPI_BSEND_OVERHEAD;
        void *buffer = malloc((size_t)size);
        MPI_Send(data, 3, MPI_INT, 1, 10, MPI_COMM_WORLD);
        MPI_Ssend(data, 2, MPI_INT, 1, 11, MPI_COMM_WORLD);
        MPI_Buffer_attach(buffer, size);
        MPI_Bsend(data, 1, MPI_INT, 1, 12, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
        free(buffer);
        MPI_Recv(NULL, 0, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(data, 3, MPI_INT, 1, 13, MPI_COMM_WORLD);
    } else {
        for (int tag = 10; tag < 13; tag++)
            MPI_Recv(data, 3, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 3, MPI_INT, 0, 13, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_INT, 0, 99, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void send_nothing(void)
{
    MPI_Request requests[2];
    int data = 0;

    if (rank == 0)
        MPI_Send(NULL, 0, MPI_DOUBLE, 1, 20, MPI_COMM_WORLD);
    else
        MPI_Recv(NULL, 0, MPI_DOUBLE, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, 21, MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, 22, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&data, 1, MPI_INT, MPI_PROC_NULL, 22, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void send_types(void)
{
    double data[100] = {0};
    MPI_Datatype column, freed;

    MPI_Type_vector(4, 2, 5, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_contiguous(3, MPI_SHORT, &freed);
    MPI_Type_commit(&freed);
    if (rank == 0) {
        MPI_Send(data, 5, column, 1, 30, MPI_COMM_WORLD);
        MPI_Send(data, 2, freed, 1, 31, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Recv(data, 40, MPI_DOUBLE, 0, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 10, freed, 0, 31, MPI_COMM_WORLD, &request);
        MPI_Type_free(&freed);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Type_free(&freed);
    MPI_Type_free(&column);
}

static void wildcards(void)
{
    char data[8] = {0};

    if (rank == 0)
        MPI_Send(data, 7, MPI_CHAR, 1, 40, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 8, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchanges(void)
{
    int sent[4] = {0}, received[4];
    int peer = 1 - rank;

    MPI_Sendrecv(sent, 1 + rank, MPI_INT, peer, 50 + rank, received, 4, MPI_INT, peer, 50 + peer, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(sent, 3, MPI_INT, peer, 52, peer, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Sendrecv(sent, 2, MPI_INT, 1, 53, received, 4, MPI_INT, MPI_PROC_NULL, 53, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(sent, 2, MPI_INT, MPI_PROC_NULL, 53, received, 4, MPI_INT, 0, 53, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void probes(void)
{
    int data[4] = {0}, flag = 0;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;

    if (rank == 0) {
        /* No message has arrived: the other process waits for tag 60. */
        for (int i = 0; i < 3; i++)
            MPI_Iprobe(1, 61, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Send(data, 1, MPI_INT, 1, 60, MPI_COMM_WORLD);
        MPI_Probe(1, 61, MPI_COMM_WORLD, &status);
        MPI_Iprobe(1, 61, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(data, 4, MPI_INT, 1, 61, MPI_COMM_WORLD, &status);
        MPI_Mprobe(1, 62, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_ANY_SOURCE, 63, MPI_COMM_WORLD, &message, &status);
        MPI_Imrecv(data, 4, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        for (flag = 0; !flag;)
            MPI_Improbe(1, 64, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, 4, MPI_INT, &message, &status);
        MPI_Mprobe(MPI_PROC_NULL, 65, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(data, 4, MPI_INT, &message, &status);
    } else {
        MPI_Recv(data, 1, MPI_INT, 0, 60, MPI_COMM_WORLD, &status);
        for (int i = 1; i <= 4; i++)
            MPI_Send(data, i, MPI_INT, 0, 60 + i, MPI_COMM_WORLD);
    }
}

static void failures(void)
{
    char data[8] = {0};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Send(data, 1, MPI_CHAR, 99, 70, MPI_COMM_WORLD) == MPI_SUCCESS)
        printf("a send to rank 99 succeeded\n");
    if (rank == 0)
        MPI_Send(data, 8, MPI_CHAR, 1, 71, MPI_COMM_WORLD);
    else if (MPI_Recv(data, 4, MPI_CHAR, 0, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        printf("8 bytes were received as 4\n");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    send_modes();
    send_nothing();
    send_types();
    wildcards();
    exchanges();
    probes();
    failures();
    MPI_Finalize();
    return 0;
}

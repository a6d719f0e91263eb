/*
 * alltoallv PLAN LATE MILLISECONDS: plays a plan.
 *
 * Each line of the plan is an exchange: its kind, and the numbers of ints that each process sends to each other, by
 * rows. -1 means one element of a type of size 0. All processes meet in a barrier before each exchange, and process
 * LATE arrives later.
 *
 * Kinds of exchanges:
 * - v, w: MPI_Alltoallv, MPI_Alltoallw
 * - p, q: the same in place
 * - i, j: non-blocking
 * - s: persistent if MPI has it, otherwise as i
 * - x: between the processes of even and of odd rank
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_PROCESSES = 16, BUFFER_INTS = 64 };

static int rank, size;
static int data[MAX_PROCESSES * BUFFER_INTS], buffer[MAX_PROCESSES * BUFFER_INTS];
static int sent[MAX_PROCESSES], received[MAX_PROCESSES], places[MAX_PROCESSES], bytes_at[MAX_PROCESSES];
static MPI_Datatype sent_types[MAX_PROCESSES], received_types[MAX_PROCESSES], empty;

static void set_counts(const int *plan)
{
    for (int i = 0; i < size; i++) {
        int to = plan[rank * size + i], from = plan[i * size + rank];
        sent[i] = abs(to);
        received[i] = abs(from);
        sent_types[i] = to < 0 ? empty : MPI_INT;
        received_types[i] = from < 0 ? empty : MPI_INT;
        places[i] = i * BUFFER_INTS;
        bytes_at[i] = i * BUFFER_INTS * (int)sizeof(int);
    }
}

/* Sends an int from each process to each process of the other group. */
static void exchange_between_groups(void)
{
    MPI_Comm side, inter;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
    for (int i = 0; i < size; i++)
        sent[i] = received[i] = 1;
    MPI_Alltoallv(data, sent, places, MPI_INT, buffer, received, places, MPI_INT, inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
}

static void exchange_persistently(MPI_Comm comm)
{
    MPI_Request request;

#if MPI_VERSION >= 4
    MPI_Alltoallv_init(data, sent, places, MPI_INT, buffer, received, places, MPI_INT, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
#else
    MPI_Ialltoallv(data, sent, places, MPI_INT, buffer, received, places, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}

static void run_exchange(char kind)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;

    switch (kind) {
    case 'v':
        MPI_Alltoallv(data, sent, places, MPI_INT, buffer, received, places, MPI_INT, comm);
        break;
    case 'w':
        MPI_Alltoallw(data, sent, bytes_at, sent_types, buffer, received, bytes_at, received_types, comm);
        break;
    case 'p':
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, buffer, received, places, MPI_INT, comm);
        break;
    case 'q':
        MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, buffer, received, bytes_at, received_types, comm);
        break;
    case 'i':
        MPI_Ialltoallv(data, sent, places, MPI_INT, buffer, received, places, MPI_INT, comm, &request);
        break;
    case 'j':
        MPI_Ialltoallw(data, sent, bytes_at, sent_types, buffer, received, bytes_at, received_types, comm, &request);
        break;
    case 's':
        exchange_persistently(comm);
        break;
    case 'x':
        exchange_between_groups();
        break;
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int late_rank = atoi(argv[2]), plan[MAX_PROCESSES * MAX_PROCESSES];
    const struct timespec time = {.tv_nsec = atoi(argv[3]) * 1000000L};
    FILE *file = fopen(argv[1], "r");
    char kind;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    while (fscanf(file, " %c", &kind) == 1) {
        for (int i = 0; i < size * size; i++)
            if (fscanf(file, "%d", &plan[i]) != 1)
                return 1;
        set_counts(plan);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == late_rank)
            nanosleep(&time, NULL);
        run_exchange(kind);
    }
    fclose(file);
    MPI_Type_free(&empty);
    MPI_Finalize();
    return 0;
}

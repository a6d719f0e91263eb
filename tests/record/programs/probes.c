/*
 * Messages of one group, received in another order than they were sent, some of them after a matched probe. Process 1
 * prints the numbers of the messages as it receives them. Numbers of messages that went through a probe end with "p".
 */
#include <mpi.h>
#include <stdio.h>

enum { TAG = 5, ROUNDS = 3, MESSAGES = 4 };

static int number;

static void send_next(void)
{
    MPI_Send(&number, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    number++;
}

static void send_all(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        send_next();
        send_next();
        /* Here a receive is posted for the next message. Both earlier messages are matched by probes, and not received
         * yet. */
        MPI_Barrier(MPI_COMM_WORLD);
        send_next();
        send_next();
    }
}

static void receive_round(void)
{
    int data[MESSAGES] = {-1, -1, -1, -1}, flag = 0;
    MPI_Message first, second;
    MPI_Request posted, matched;

    MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, &second, MPI_STATUS_IGNORE);
    MPI_Irecv(&data[2], 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &posted);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&posted, MPI_STATUS_IGNORE);
    printf("%d\n", data[2]);
    MPI_Imrecv(&data[1], 1, MPI_INT, &second, &matched);
    MPI_Recv(&data[3], 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d\n", data[3]);
    MPI_Mrecv(&data[0], 1, MPI_INT, &first, MPI_STATUS_IGNORE);
    printf("%dp\n", data[0]);
    MPI_Wait(&matched, MPI_STATUS_IGNORE);
    printf("%dp\n", data[1]);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        send_all();
    for (int round = 0; rank == 1 && round < ROUNDS; round++)
        receive_round();
    MPI_Finalize();
    return 0;
}

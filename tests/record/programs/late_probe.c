/*
 * Process 1 waits in a blocking probe for messages that process 0 sends late. One is received at once, one by
 * MPI_Imrecv and MPI_Wait after another message was sent. For a third one it polls until the message is there, which is
 * no wait.
 */
#include <mpi.h>
#include <unistd.h>

enum { REQUESTED = 3, LATE, ASKED, LATE_US = 300000 };

static int value;

static void send_late(int tag)
{
    MPI_Recv(&value, 1, MPI_INT, 1, REQUESTED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(LATE_US);
    MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

static void request_message(void)
{
    MPI_Send(&value, 1, MPI_INT, 0, REQUESTED, MPI_COMM_WORLD);
}

static void receive_messages(void)
{
    MPI_Message message;
    MPI_Request request;
    int flag = 0;

    request_message();
    MPI_Mprobe(0, LATE, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    request_message();
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    request_message();
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Improbe(0, ASKED, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        send_late(LATE);
        send_late(LATE);
        send_late(ASKED);
    } else if (rank == 1) {
        receive_messages();
    }
    MPI_Finalize();
    return 0;
}

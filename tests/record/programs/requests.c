/*
 * Requests between two processes, with all possible outcomes. test_messages.py has the expected records.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, peer;

/* Notifies the other process that it may send the message for which this one waits. */
static void notify_peer(int tag)
{
    MPI_Send(NULL, 0, MPI_INT, peer, tag, MPI_COMM_WORLD);
}

static void wait_for(int tag)
{
    MPI_Recv(NULL, 0, MPI_INT, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void all_at_once(void)
{
    int sent[3] = {0}, received[3];
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Irecv(received, 3, MPI_INT, peer, 10 + peer, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, 3, MPI_INT, peer, 10 + rank, MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); /* no request is left */
    if (rank == 0) {
        MPI_Issend(sent, 1, MPI_INT, 1, 15, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(received, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* Makes small sends, which may be complete at once; a library may give them all the same handle. */
static void many_small(void)
{
    enum { N = 10 };
    MPI_Request requests[N + 1];
    char data = 0;

    if (rank == 0) {
        for (int i = 0; i < N; i++)
            MPI_Isend(&data, 1, MPI_CHAR, 1, 20, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(&data, 1, MPI_CHAR, MPI_PROC_NULL, 20, MPI_COMM_WORLD, &requests[N]);
        for (int i = N; i >= 0; i--)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < N; i++)
            MPI_Recv(&data, 1, MPI_CHAR, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void persistent(void)
{
    int data[2][4] = {{0}};
    MPI_Request requests[3];

    if (rank == 0) {
        MPI_Send_init(data[0], 2, MPI_INT, 1, 30, MPI_COMM_WORLD, &requests[0]);
        MPI_Ssend_init(data[1], 3, MPI_INT, 1, 31, MPI_COMM_WORLD, &requests[1]);
        MPI_Send_init(data[1], 3, MPI_INT, MPI_PROC_NULL, 31, MPI_COMM_WORLD, &requests[2]);
    } else {
        MPI_Recv_init(data[0], 4, MPI_INT, 0, 30, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(data[1], 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Recv_init(data[1], 4, MPI_INT, MPI_PROC_NULL, 31, MPI_COMM_WORLD, &requests[2]);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* the request is inactive */
        MPI_Startall(2, requests + 1);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

static void given_up(void)
{
    char data[4] = {0};
    MPI_Request request;
    MPI_Status status;
    int cancelled;

    if (rank == 0) {
        MPI_Isend(data, 4, MPI_CHAR, 1, 40, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        wait_for(41);
    } else {
        MPI_Recv(data, 4, MPI_CHAR, 0, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        notify_peer(41);
    }
    MPI_Irecv(data, 4, MPI_CHAR, peer, 42, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (!cancelled)
        printf("a receive was not cancelled\n");
}

static void complete_some(void)
{
    enum { N = 4 };
    int data[N], index, n, indices[N], flag, done;
    MPI_Request requests[N];

    if (rank == 0) {
        for (int i = 0; i < N; i++)
            requests[i] = MPI_REQUEST_NULL;
        MPI_Waitany(N, requests, &index, MPI_STATUS_IGNORE);
        if (index != MPI_UNDEFINED)
            printf("a null request completed\n");
        MPI_Irecv(&data[2], 1, MPI_INT, 1, 50, MPI_COMM_WORLD, &requests[2]);
        MPI_Waitany(N, requests, &index, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            MPI_Irecv(&data[i], 1, MPI_INT, 1, 51 + i, MPI_COMM_WORLD, &requests[i]);
        notify_peer(59);
        for (done = 0; done < N; done += n)
            MPI_Waitsome(N, requests, &n, indices, MPI_STATUSES_IGNORE);
        MPI_Waitsome(N, requests, &n, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < N; i++)
            MPI_Irecv(&data[i], 1, MPI_INT, 1, 51 + i, MPI_COMM_WORLD, &requests[i]);
        notify_peer(59);
        for (flag = 0; !flag;)
            MPI_Testall(N, requests, &flag, MPI_STATUSES_IGNORE);
        for (int i = 0; i < N; i++)
            MPI_Irecv(&data[i], 1, MPI_INT, 1, 51 + i, MPI_COMM_WORLD, &requests[i]);
        notify_peer(59);
        for (done = 0; done < N; done += flag)
            MPI_Testany(N, requests, &index, &flag, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            MPI_Irecv(&data[i], 1, MPI_INT, 1, 51 + i, MPI_COMM_WORLD, &requests[i]);
        notify_peer(59);
        for (done = 0; done < N; done += n)
            MPI_Testsome(N, requests, &n, indices, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(data, 1, MPI_INT, 0, 50, MPI_COMM_WORLD);
        for (int round = 0; round < 4; round++) {
            wait_for(59);
            for (int i = 0; i < N; i++)
                MPI_Send(data, 1, MPI_INT, 0, 51 + i, MPI_COMM_WORLD);
        }
    }
}

/* Prints how many tests found nothing. */
static void test_until_done(void)
{
    int data = 0, flag = 0, failed = 0;
    MPI_Request request;

    if (rank == 0) {
        MPI_Irecv(&data, 1, MPI_INT, 1, 60, MPI_COMM_WORLD, &request);
        for (; failed < 5; failed++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        notify_peer(61);
        for (;; failed++) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            if (flag)
                break;
        }
        printf("%d tests found nothing\n", failed);
    } else {
        wait_for(61);
        MPI_Send(&data, 1, MPI_INT, 0, 60, MPI_COMM_WORLD);
    }
}

static int query_status(void *extra, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, 1);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int free_nothing(void *extra)
{
    return MPI_SUCCESS;
}

static int cancel_nothing(void *extra, int complete)
{
    return MPI_SUCCESS;
}

static void own_requests(void)
{
    MPI_Request request, null_request = MPI_REQUEST_NULL, idle;
    int flag, index, byte = 0;

    /* Tests that find nothing, and tests of requests that cannot complete, are only counted. */
    MPI_Grequest_start(query_status, free_nothing, cancel_nothing, NULL, &request);
    MPI_Recv_init(&byte, 1, MPI_INT, MPI_ANY_SOURCE, 65, MPI_COMM_WORLD, &idle);
    for (int i = 0; i < 100; i++) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Test(&null_request, &flag, MPI_STATUS_IGNORE);
        MPI_Test(&idle, &flag, MPI_STATUS_IGNORE);
        MPI_Testall(1, &idle, &flag, MPI_STATUSES_IGNORE);
        MPI_Testany(1, &null_request, &index, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&idle);
    MPI_Grequest_complete(request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void failures(void)
{
    char data[2][8] = {{0}};
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Irecv(data[0], 4, MPI_CHAR, 1, 70, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(data[1], 8, MPI_CHAR, 1, 71, MPI_COMM_WORLD, &requests[1]);
        notify_peer(72);
        if (MPI_Waitall(2, requests, statuses) != MPI_ERR_IN_STATUS)
            printf("MPI_Waitall does not say MPI_ERR_IN_STATUS\n");
        if (statuses[1].MPI_ERROR == MPI_ERR_PENDING)
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else {
        wait_for(72);
        MPI_Send(data[0], 8, MPI_CHAR, 0, 71, MPI_COMM_WORLD);
        MPI_Send(data[0], 8, MPI_CHAR, 0, 70, MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Uses functions of MPI 4. */
static void use_mpi_4(void)
{
#if MPI_VERSION >= 4
    int sent[6] = {0}, received[6];
    MPI_Request requests[2];

    MPI_Isendrecv(sent, 2, MPI_INT, peer, 80 + rank, received, 2, MPI_INT, peer, 80 + peer, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(sent, 3, MPI_INT, peer, 82, peer, 82, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Send_c(sent, 4, MPI_INT, MPI_PROC_NULL, 83, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Psend_init(sent, 3, 2, MPI_INT, 1, 84, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    else
        MPI_Precv_init(received, 3, 2, MPI_INT, 0, 84, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&requests[0]);
        for (int i = 0; rank == 0 && i < 3; i++)
            MPI_Pready(i, requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
#endif
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    all_at_once();
    many_small();
    persistent();
    given_up();
    complete_some();
    test_until_done();
    own_requests();
    failures();
    use_mpi_4();
    MPI_Finalize();
    return 0;
}

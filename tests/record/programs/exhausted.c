/*
 * Duplicates a communicator until MPI has no identifiers left. Then it calls MPI_Comm_idup, and completes it in each
 * way: the call succeeds, and the request fails. Prints the result of each completion.
 */
#include <mpi.h>
#include <stdio.h>

static int wait_one(MPI_Request *request)
{
    return MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int test_one(MPI_Request *request)
{
    int flag = 0, result;

    do
        result = MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    while (result == MPI_SUCCESS && !flag);
    return result;
}

/* Waits for the request together with another one, which succeeds. */
static int wait_all(MPI_Request *request)
{
    MPI_Request requests[2] = {*request, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    char sent = 1, got = 0;

    MPI_Irecv(&got, 1, MPI_CHAR, 0, 5, MPI_COMM_SELF, &requests[1]);
    MPI_Send(&sent, 1, MPI_CHAR, 0, 5, MPI_COMM_SELF);
    int result = MPI_Waitall(2, requests, statuses);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE); /* this request may be pending */
    *request = requests[0];
    return result == MPI_ERR_IN_STATUS ? statuses[0].MPI_ERROR : result;
}

static int wait_any(MPI_Request *request)
{
    int index;

    return MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
}

static int wait_some(MPI_Request *request)
{
    MPI_Status status;
    int index, n;
    int result = MPI_Waitsome(1, request, &n, &index, &status);

    return result == MPI_ERR_IN_STATUS ? status.MPI_ERROR : result;
}

static void try_completion(const char *name, MPI_Comm parent, int (*complete)(MPI_Request *))
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;

    if (MPI_Comm_idup(parent, &made, &request) != MPI_SUCCESS) {
        printf("%s: MPI_Comm_idup failed\n", name);
        return;
    }
    int result = complete(&request);
    printf("%s: %s, request %s\n", name, result == MPI_SUCCESS ? "succeeded" : "failed",
           request == MPI_REQUEST_NULL ? "gone" : "still there");
}

int main(int argc, char **argv)
{
    MPI_Comm parent, made;
    int n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &parent);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (MPI_Comm_dup(parent, &made) == MPI_SUCCESS)
        n++;
    printf("%d duplicates\n", n);
    try_completion("MPI_Wait", parent, wait_one);
    try_completion("MPI_Test", parent, test_one);
    try_completion("MPI_Waitall", parent, wait_all);
    try_completion("MPI_Waitany", parent, wait_any);
    try_completion("MPI_Waitsome", parent, wait_some);
    MPI_Finalize();
    return 0;
}

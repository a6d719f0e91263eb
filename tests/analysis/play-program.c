/*
 * Plays a program of MPI that a file describes, for test_simgrid.py. Each line is a call of one process:
 *
 *     RANK comm KEY                   join (1) a second communicator, or not (-1); all processes have this line first
 *     RANK send|recv PEER TAG
 *     RANK isend|irecv PEER TAG REQUEST
 *     RANK wait N REQUEST...
 *     RANK sendrecv TO TAG FROM TAG
 *     RANK barrier|allreduce COMM     COMM: 0 for all processes, 1 for the second communicator
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { REQUESTS = 4096, BYTES = 8 };

typedef struct {
    MPI_Comm comms[2];
    MPI_Request requests[REQUESTS];
    char buffers[REQUESTS][BYTES], outgoing[BYTES], incoming[BYTES];
} Process;

static void exchange(Process *process, const char *call, FILE *file)
{
    int peer = 0, tag = 0, from = 0, from_tag = 0, request = 0;

    if (fscanf(file, "%d %d", &peer, &tag) != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (strcmp(call, "send") == 0) {
        MPI_Send(process->outgoing, BYTES, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
    } else if (strcmp(call, "recv") == 0) {
        MPI_Recv(process->incoming, BYTES, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(call, "sendrecv") == 0) {
        if (fscanf(file, "%d %d", &from, &from_tag) != 2)
            MPI_Abort(MPI_COMM_WORLD, 2);
        MPI_Sendrecv(process->outgoing, BYTES, MPI_BYTE, peer, tag, process->incoming, BYTES, MPI_BYTE, from, from_tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        if (fscanf(file, "%d", &request) != 1 || request < 0 || request >= REQUESTS)
            MPI_Abort(MPI_COMM_WORLD, 2);
        if (strcmp(call, "isend") == 0)
            MPI_Isend(process->buffers[request], BYTES, MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                      &process->requests[request]);
        else
            MPI_Irecv(process->buffers[request], BYTES, MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                      &process->requests[request]);
    }
}

static void wait_for(Process *process, FILE *file)
{
    MPI_Request requests[REQUESTS];
    int n = 0, request = 0;

    if (fscanf(file, "%d", &n) != 1 || n > REQUESTS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < n; i++) {
        if (fscanf(file, "%d", &request) != 1 || request < 0 || request >= REQUESTS)
            MPI_Abort(MPI_COMM_WORLD, 2);
        requests[i] = process->requests[request];
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void play_call(Process *process, const char *call, FILE *file)
{
    int number = 0, one = 1, sum;

    if (strcmp(call, "wait") == 0) {
        wait_for(process, file);
    } else if (strcmp(call, "comm") != 0 && strcmp(call, "barrier") != 0 && strcmp(call, "allreduce") != 0) {
        exchange(process, call, file);
    } else if (fscanf(file, "%d", &number) != 1) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    } else if (strcmp(call, "comm") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, number < 0 ? MPI_UNDEFINED : 1, number, &process->comms[1]);
    } else if (strcmp(call, "barrier") == 0) {
        MPI_Barrier(process->comms[number]);
    } else {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, process->comms[number]);
    }
}

int main(int argc, char **argv)
{
    static Process process;
    char line[65536], call[16];
    int rank, of, at;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    process.comms[0] = MPI_COMM_WORLD;
    FILE *file = fopen(argc > 1 ? argv[1] : "", "r");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 2);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d %15s%n", &of, call, &at) != 2)
            MPI_Abort(MPI_COMM_WORLD, 2);
        if (of != rank)
            continue;
        FILE *numbers = fmemopen(line + at, strlen(line + at), "r");
        play_call(&process, call, numbers);
        fclose(numbers);
    }
    fclose(file);
    MPI_Finalize();
    return 0;
}

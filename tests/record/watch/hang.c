/*
 * Hangs in the way that its argument names, with three processes. The cases end only when the program is killed, except
 * `slow` and `border`. Process 2 always computes for a while before it does anything.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, value;

static void compute_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (long)seconds) * 1e9)};

    nanosleep(&time, NULL);
}

static void receive_from(int from, int tag)
{
    MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Lets each process receive from the one before it, which has sent nothing. */
static void ring(void)
{
    receive_from((rank + 2) % 3, 7);
}

static void *exchange_and_idle(void *level)
{
    int received;

    if (*(int *)level >= MPI_THREAD_SERIALIZED)
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    compute_for(1e6);
    return NULL;
}

/* Lets each process receive from the one before it, while another thread computes. The other thread has exchanged data
 * before, if the thread level allows it. */
static void threads(void)
{
    static int level;
    pthread_t thread;

    MPI_Query_thread(&level);
    pthread_create(&thread, NULL, exchange_and_idle, &level);
    compute_for(0.3);
    ring();
}

/* Lets two processes send to each other without a buffer. The third waits for them in a barrier. */
static void sends(void)
{
    if (rank < 2)
        MPI_Ssend(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Lets process 0 wait before a barrier for a message that process 1 sends after that barrier. */
static void barrier(void)
{
    if (rank == 0)
        receive_from(1, 5);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
}

/* Lets all processes receive from any other one. */
static void any(void)
{
    receive_from(MPI_ANY_SOURCE, MPI_ANY_TAG);
}

/* Lets process 0 wait for a message of process 1, which is in MPI_Finalize. */
static void finalize(void)
{
    if (rank == 0)
        receive_from(1, 1);
}

/* Lets processes post receives from both others. One message is sent, which completes a request and no call. */
static void requests(void)
{
    MPI_Request posted[2];

    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&value, 1, MPI_INT, (rank + 1 + i) % 3, 2, MPI_COMM_WORLD, &posted[i]);
    MPI_Waitall(2, posted, MPI_STATUSES_IGNORE);
}

/* Lets each process wait for a list of requests, of which only a persistent receive stays open. The others are null,
 * from MPI_PROC_NULL, not started, and of a file. Another posted receive is not in the list. */
static void lists(void)
{
    MPI_Request list[5] = {MPI_REQUEST_NULL}, unused;
    MPI_File file;
    int before = (rank + 2) % 3;

    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &unused);
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &list[1]);
    MPI_Recv_init(&value, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &list[2]);
    MPI_Recv_init(&value, 1, MPI_INT, before, 6, MPI_COMM_WORLD, &list[3]);
    MPI_File_iwrite(file, &value, 1, MPI_INT, &list[4]);
    MPI_Start(&list[3]);
    MPI_Waitall(5, list, MPI_STATUSES_IGNORE);
}

/* Lets the root of a broadcast wait for a message of a process that waits for the broadcast. */
static void bcast(void)
{
    if (rank == 0)
        receive_from(1, 8);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
}

/* Lets the root of a reduction wait for a process that waits for a message of the root. */
static void reduce_late(void)
{
    int sum;

    if (rank == 1)
        receive_from(0, 8);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Lets the others wait for process 2, which computes. */
static void slow(void)
{
    if (rank == 2)
        compute_for(8);
    if (rank == 0)
        receive_from(2, 4);
    if (rank == 2)
        MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Lets process 0 wait for process 2, which computes, by a list with a request from MPI_PROC_NULL. Another request is
 * open meanwhile, for which process 0 does not wait: process 1 sends that message later. */
static void border(void)
{
    MPI_Request later, list[2];

    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &later);
        MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &list[0]);
        MPI_Irecv(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &list[1]);
        MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Wait(&later, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        receive_from(0, 5);
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    } else {
        compute_for(8);
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}

/* Lets processes 0 and 1 call a barrier, where process 2 waits for data of process 0. */
static void mismatch(void)
{
    int sum;

    if (rank == 2)
        MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*hang)(void);
} cases[] = {{"ring", ring},         {"sends", sends},       {"barrier", barrier},    {"any", any},
             {"finalize", finalize}, {"requests", requests}, {"slow", slow},          {"border", border},
             {"mismatch", mismatch}, {"funneled", threads},  {"serialized", threads}, {"multiple", threads},
             {"lists", lists},       {"bcast", bcast},       {"reduce", reduce_late}};

int main(int argc, char **argv)
{
    int provided, level = argc < 2                             ? MPI_THREAD_SINGLE
                          : strcmp(argv[1], "funneled") == 0   ? MPI_THREAD_FUNNELED
                          : strcmp(argv[1], "serialized") == 0 ? MPI_THREAD_SERIALIZED
                          : strcmp(argv[1], "multiple") == 0   ? MPI_THREAD_MULTIPLE
                                                               : MPI_THREAD_SINGLE;

    if (level == MPI_THREAD_SINGLE)
        MPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        compute_for(0.2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].hang();
    MPI_Finalize();
    return 0;
}

/* Two processes that wait for one another at known lines. Each logs the line of each send, of the posting of each
 * receive and of the call in which either is complete, as `KIND TAG FUNCTION LINE`, and of its part of each collective
 * operation, as `KIND NUMBER ...`. With the argument `die`, process 1 kills itself while process 0 waits for a message.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counted.h"

enum {
    LATE_US = 300 * 1000,
};

static FILE *sides;
static int rank, value, got[2], joined;

static void note(const char *kind, int number, const char *function, int line)
{
    fprintf(sides, "%s %d %s %d\n", kind, number, function, line);
    fflush(sides);
}

/* Calls a function of MPI in the line that the notes name. */
#define AT(notes, call) ((void)(notes), COUNTED(call))
#define NOTE(kind, tag) note(kind, tag, __func__, __LINE__)
#define SEND(tag)       NOTE("send", tag)
#define POST(tag)       NOTE("post", tag)
#define END(tag)        NOTE("end", tag)
#define JOIN            NOTE("join", joined++)

#define ONE(number) number, 1, MPI_INT
#define OTHER(tag)  1 - rank, tag, MPI_COMM_WORLD
#define SUM         ONE(got), MPI_SUM, MPI_COMM_WORLD

static void meet(void)
{
    AT(JOIN, MPI_Barrier(MPI_COMM_WORLD));
}

static void send_late(int tag)
{
    usleep(LATE_US);
    AT((SEND(tag), END(tag)), MPI_Send(ONE(&value), OTHER(tag)));
}

static void receive_early(int tag)
{
    AT((POST(tag), END(tag)), MPI_Recv(ONE(got), OTHER(tag), MPI_STATUS_IGNORE));
}

static void send_early(int tag)
{
    AT((SEND(tag), END(tag)), MPI_Ssend(ONE(&value), OTHER(tag)));
}

static void receive_late(int tag)
{
    MPI_Request request;

    usleep(LATE_US);
    AT(POST(tag), MPI_Irecv(ONE(got), OTHER(tag), &request));
    AT(END(tag), MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void exchange(int tag)
{
    MPI_Request requests[3];
    int mine = tag + 2 * rank, others = tag + 2 * (1 - rank);

    AT(POST(others), MPI_Irecv(ONE(&got[0]), OTHER(others), &requests[0]));
    AT(POST(others + 1), MPI_Irecv(ONE(&got[1]), OTHER(others + 1), &requests[1]));
    if (rank == 1)
        usleep(LATE_US);
    AT(SEND(mine), MPI_Isend(ONE(&value), OTHER(mine), &requests[2]));
    AT((SEND(mine + 1), END(mine + 1)), MPI_Send(ONE(&value), OTHER(mine + 1)));
    AT((END(mine), END(others), END(others + 1)), MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
}

/* Sends and receives in one call. */
static void pass_on(int tag)
{
    int mine = tag + rank, others = tag + 1 - rank, to = 1 - rank;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Status status;

#define NOTES (SEND(mine), END(mine), POST(others), END(others))
    AT(NOTES, MPI_Sendrecv(ONE(&value), to, mine, ONE(got), to, others, comm, &status));
}

static void come_late(void)
{
    usleep(LATE_US);
    AT(JOIN, MPI_Allreduce(&value, SUM));
}

static void come_early(void)
{
    AT(JOIN, MPI_Allreduce(&value, SUM));
}

/* Begins an operation at another line than the other process, and ends it at the same. */
static void begin_without_waiting(void)
{
    MPI_Request request;

    if (rank == 0) {
        usleep(LATE_US);
        AT(JOIN, MPI_Iallreduce(&value, SUM, &request));
    } else {
        AT(JOIN, MPI_Iallreduce(&value, SUM, &request));
    }
    COUNTED(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void die_or_wait(int tag)
{
    if (rank == 1) {
        usleep(LATE_US);
        raise(SIGKILL);
    }
    AT(POST(tag), MPI_Recv(ONE(got), OTHER(tag), MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    char path[32];

    COUNTED(MPI_Init(&argc, &argv));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "sides.%d", rank);
    sides = fopen(path, "w");
    meet();
    if (argc > 1 && strcmp(argv[1], "die") == 0)
        die_or_wait(1);
    (rank == 0 ? send_late : receive_early)(100);
    meet();
    (rank == 0 ? send_early : receive_late)(200);
    meet();
    for (int i = 0; i < 3; i++)
        exchange(300 + 10 * i);
    pass_on(400);
    meet();
    (rank == 0 ? come_late : come_early)();
    meet();
    begin_without_waiting();
    meet();
    COUNTED(MPI_Finalize());
    fclose(sides);
    print_counts(rank);
    return 0;
}

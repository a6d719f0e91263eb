/* Two processes that wait for one another at known lines. Each writes notes, as `KIND NUMBER FUNCTION LINE`. The number
 * is the tag of a message, or counts collective operations. The kind is `send`, `post` of a receive, `end` of either,
 * or `join` of an operation. With the argument `die`, process 1 kills itself while process 0 waits for a message. */
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

static void write_note(const char *kind, int number, const char *function, int line)
{
    fprintf(sides, "%s %d %s %d\n", kind, number, function, line);
    fflush(sides);
}

/* Calls a function of MPI in the line that the notes name. */
#define AT(notes, call) ((void)(notes), COUNTED(call))
#define NOTE(kind, tag) write_note(kind, tag, __func__, __LINE__)
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

/* Lets the process that waited be the last at the next barrier. Then the critical path goes through its wait. */
static void come_last(void)
{
    usleep(LATE_US);
}

static void send_late(int tag)
{
    usleep(LATE_US);
    AT((SEND(tag), END(tag)), MPI_Send(ONE(&value), OTHER(tag)));
}

static void receive_early(int tag)
{
    AT((POST(tag), END(tag)), MPI_Recv(ONE(got), OTHER(tag), MPI_STATUS_IGNORE));
    come_last();
}

static void send_early(int tag)
{
    AT((SEND(tag), END(tag)), MPI_Ssend(ONE(&value), OTHER(tag)));
    come_last();
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
    int own_tag = tag + 2 * rank, other_tag = tag + 2 * (1 - rank);

    AT(POST(other_tag), MPI_Irecv(ONE(&got[0]), OTHER(other_tag), &requests[0]));
    AT(POST(other_tag + 1), MPI_Irecv(ONE(&got[1]), OTHER(other_tag + 1), &requests[1]));
    if (rank == 1)
        usleep(LATE_US);
    AT(SEND(own_tag), MPI_Isend(ONE(&value), OTHER(own_tag), &requests[2]));
    AT((SEND(own_tag + 1), END(own_tag + 1)), MPI_Send(ONE(&value), OTHER(own_tag + 1)));
    AT((END(own_tag), END(other_tag), END(other_tag + 1)), MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
}

/* Sends and receives in one call. */
static void pass_on(int tag)
{
    int own_tag = tag + rank, other_tag = tag + 1 - rank, to = 1 - rank;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Status status;

#define NOTES (SEND(own_tag), END(own_tag), POST(other_tag), END(other_tag))
    AT(NOTES, MPI_Sendrecv(ONE(&value), to, own_tag, ONE(got), to, other_tag, comm, &status));
}

static void come_late(void)
{
    usleep(LATE_US);
    AT(JOIN, MPI_Allreduce(&value, SUM));
}

static void come_early(void)
{
    AT(JOIN, MPI_Allreduce(&value, SUM));
    come_last();
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

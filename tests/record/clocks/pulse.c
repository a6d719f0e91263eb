/* usage: pulse ROUNDS PAUSE_US [MANNER]: messages around a ring, and barriers, after pauses. Each process writes the
 * time of CLOCK_MONOTONIC before and after each of its calls to the file log-RANK. MANNER: "pcontrol": all processes
 * call MPI_Pcontrol(3) in the middle. "die": process 2 kills itself after the rounds. */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int main(int argc, char **argv)
{
    int rank, size, got, rounds = atoi(argv[1]);
    const struct timespec pause = {0, 1000L * atol(argv[2])};
    const char *manner = argc > 3 ? argv[3] : "";
    char name[32];
    int64_t begin = now();

    MPI_Init(&argc, &argv);
    int64_t end = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof name, "log-%d", rank);
    FILE *log = fopen(name, "w");
    fprintf(log, "MPI_Init %lld %lld\n", (long long)begin, (long long)end);
    for (int i = 0; i < rounds; i++) {
        nanosleep(&pause, NULL);
        begin = now();
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        end = now();
        fprintf(log, "MPI_Sendrecv %lld %lld\n", (long long)begin, (long long)end);
        begin = now();
        MPI_Barrier(MPI_COMM_WORLD);
        end = now();
        fprintf(log, "MPI_Barrier %lld %lld\n", (long long)begin, (long long)end);
        if (strcmp(manner, "pcontrol") == 0 && i == rounds / 2)
            MPI_Pcontrol(3);
    }
    fclose(log);
    if (strcmp(manner, "die") == 0 && rank == 2)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}

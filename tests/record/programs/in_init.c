/* Rank 1 is ended by a signal after so many milliseconds in MPI_Init; rank 0, which has begun before, waits for it there. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    struct itimerval alarm_at = {.it_value.tv_usec = 1000 * atoi(argv[1])};

    if (atoi(rank) == 1) {
        usleep(600000);
        setitimer(ITIMER_REAL, &alarm_at, NULL);
    }
    MPI_Init(&argc, &argv);
    pause();
}

/* A signal ends rank 1 after some milliseconds in MPI_Init. Rank 0, which called it before, waits there for rank 1. */
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

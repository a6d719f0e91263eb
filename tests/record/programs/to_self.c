/* A send on MPI_COMM_SELF that no receive matches, in which a signal ends the process after a second. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char bytes[1 << 20];

    MPI_Init(&argc, &argv);
    alarm(1);
    MPI_Ssend(bytes, sizeof bytes, MPI_CHAR, 0, 7, MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}

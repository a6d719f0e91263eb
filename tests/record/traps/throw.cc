/*
 * An error handler of MPI that throws: the exception leaves MPI, and the recorder around it. For 2 processes.
 */
#include <mpi.h>
#include <stdexcept>

static void fail(MPI_Comm *, int *, ...)
{
    throw std::runtime_error("MPI has failed");
}

/* Sends to a rank that does not exist, `n` times. Returns how often the handler threw. */
static int count_throws(int n)
{
    int size, data = 0, times = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; i++)
        try {
            MPI_Send(&data, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
        } catch (const std::runtime_error &) {
            times++;
        }
    return times;
}

/* Makes a grid that is too large; all members take part. Returns 1 if the handler threw. */
static int count_throws_of_grid()
{
    const int sizes[1] = {1000}, periods[1] = {0};
    MPI_Comm comm;

    try {
        MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &comm);
    } catch (const std::runtime_error &) {
        return 1;
    }
    return 0;
}

int main()
{
    MPI_Errhandler handler;
    int times = 0;

    MPI_Init(nullptr, nullptr);
    MPI_Comm_create_errhandler(fail, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    times += count_throws(3) + count_throws_of_grid();
    MPI_Barrier(MPI_COMM_WORLD);
    /* The thread records nothing, but takes part in agreements of all processes. */
    MPI_Pcontrol(0);
    times += count_throws(2) + count_throws_of_grid();
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Finalize();
    return times == 7 ? 0 : 1;
}

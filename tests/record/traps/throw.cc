/*
 * An error handler of MPI that throws: the exception leaves MPI, and whatever stands before it. For 2 processes.
 */
#include <mpi.h>
#include <stdexcept>

static void fail(MPI_Comm *, int *, ...)
{
    throw std::runtime_error("MPI has failed");
}

/* Sends to nobody that there is, `n` times; how often it was thrown. */
static int thrown(int n)
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

/* There is no room for a grid that large; all members take part in making it. */
static int thrown_by_grid()
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
    times += thrown(3) + thrown_by_grid();
    MPI_Barrier(MPI_COMM_WORLD);
    /* The thread records nothing, but takes part in what all agree on. */
    MPI_Pcontrol(0);
    times += thrown(2) + thrown_by_grid();
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Finalize();
    return times == 7 ? 0 : 1;
}

/*
 * MPI without MPI_Init, for 2 processes: a session inside of another one, each with a communicator of all. In the outer
 * one a message goes both ways before the inner session and after it. With the argument "init", MPI_Init is called
 * inside of the outer session, too. If MPI has no sessions, the program does nothing.
 */
#include <mpi.h>
#include <string.h>

#if MPI_VERSION >= 4
static MPI_Comm make_comm(MPI_Session session, const char *name)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_set_name(comm, name);
    return comm;
}

static void exchange(MPI_Comm comm, int tag)
{
    int rank, in;

    MPI_Comm_rank(comm, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, tag, &in, 1, MPI_INT, 1 - rank, tag, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int init = argc > 1 && strcmp(argv[1], "init") == 0;
    MPI_Session outer, inner;
    MPI_Comm of_outer, of_inner;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &outer);
    of_outer = make_comm(outer, "outer");
    exchange(of_outer, 1);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inner);
    of_inner = make_comm(inner, "inner");
    exchange(of_inner, 2);
    MPI_Comm_free(&of_inner);
    MPI_Session_finalize(&inner);
    if (init) {
        MPI_Init(&argc, &argv);
        exchange(MPI_COMM_WORLD, 3);
        MPI_Finalize();
    }
    exchange(of_outer, 4);
    MPI_Comm_free(&of_outer);
    MPI_Session_finalize(&outer);
    return 0;
}
#else
int main(void)
{
    return 0;
}
#endif

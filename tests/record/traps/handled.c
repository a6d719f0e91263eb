/*
 * A program that handles its own errors: it calls MPI with invalid types, communicators, windows and files. It prints
 * how many calls failed, and how often its handlers were called. test_traps.py compares its output with that of a run
 * without a recorder.
 *
 * usage: handled FILE
 */
#include <mpi.h>
#include <stdio.h>

static int n_world, n_duplicate, n_files, data, failed;
static MPI_Comm duplicate, made;

static void count_world(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    n_world++;
}

static void count_duplicate(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    n_duplicate++;
}

static void count_file(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
    n_files++;
}

static void set_handlers(void)
{
    MPI_Errhandler world, own, file;

    MPI_Comm_create_errhandler(count_world, &world);
    MPI_Comm_create_errhandler(count_duplicate, &own);
    MPI_File_create_errhandler(count_file, &file);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
    MPI_Comm_set_errhandler(duplicate, own);
    MPI_File_set_errhandler(MPI_FILE_NULL, file);
}

/* Prints the numbers of failed calls and of handler calls so far. */
static void print_counts(const char *group)
{
    printf("%s: %d failed, handled: %d of MPI_COMM_WORLD, %d of the duplicate, %d of files\n", group, failed, n_world,
           n_duplicate, n_files);
}

static void expect_failure(int result)
{
    failed += result != MPI_SUCCESS;
}

static void send_wrongly(void)
{
    expect_failure(MPI_Send(&data, 1, (MPI_Datatype)0, 0, 0, duplicate));
    expect_failure(
        MPI_Sendrecv(&data, 1, (MPI_Datatype)0, 0, 0, &data, 1, MPI_INT, 0, 0, duplicate, MPI_STATUS_IGNORE));
    expect_failure(MPI_Send(&data, 1, MPI_INT, 0, 0, (MPI_Comm)0));
}

static void make_wrongly(void)
{
    MPI_Comm none = (MPI_Comm)0;

    expect_failure(MPI_Comm_dup(none, &made));
    expect_failure(MPI_Comm_split(none, 0, 0, &made));
    expect_failure(MPI_Intercomm_create(none, 0, MPI_COMM_WORLD, 0, 0, &made));
    expect_failure(MPI_Intercomm_create(duplicate, 0, none, 0, 0, &made));
    expect_failure(MPI_Intercomm_merge(none, 0, &made));
    expect_failure(MPI_Comm_set_name(none, "none"));
    expect_failure(MPI_Comm_free(&none));
#ifdef MPICH_VERSION /* Open MPI crashes in this call */
    expect_failure(MPI_Comm_free(NULL));
#endif
    expect_failure(MPI_Barrier((MPI_Comm)0));
}

static void expose_wrongly(void)
{
    MPI_Win none = (MPI_Win)0, window;

    expect_failure(MPI_Win_create(&data, sizeof data, 1, MPI_INFO_NULL, (MPI_Comm)0, &window));
    expect_failure(MPI_Win_fence(0, none));
    expect_failure(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, none));
    expect_failure(MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, none));
    expect_failure(MPI_Win_unlock(0, none));
    expect_failure(MPI_Win_set_name(none, "none"));
    expect_failure(MPI_Win_free(&none));
#ifdef MPICH_VERSION
    expect_failure(MPI_Win_free(NULL));
#endif
}

static void write_wrongly(const char *path)
{
    MPI_File none = (MPI_File)0, file;
    MPI_Request request;

    expect_failure(MPI_File_sync(none));
    expect_failure(MPI_File_write(none, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    expect_failure(MPI_File_seek(none, 0, MPI_SEEK_SET));
    expect_failure(MPI_File_close(&none));
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    expect_failure(MPI_File_write(file, &data, 1, (MPI_Datatype)0, MPI_STATUS_IGNORE));
    expect_failure(MPI_File_read_at_all(file, 0, &data, 1, (MPI_Datatype)0, MPI_STATUS_IGNORE));
    expect_failure(MPI_File_iwrite(file, &data, 1, (MPI_Datatype)0, &request));
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    set_handlers();
    send_wrongly();
    print_counts("messages");
    make_wrongly();
    print_counts("communicators");
    expose_wrongly();
    print_counts("windows");
    write_wrongly(argv[1]);
    print_counts("files");
    MPI_Finalize();
    return 0;
}

/*
 * MPI-IO in all variants, for 2 processes, on the file "data" in the current folder.
 */
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

enum { N = 10 };

static int rank, numbers[2 * N];
static MPI_File file;

/* Writes and reads the process's N numbers at their offset; the next functions do so in other ways, unless noted. */
static void use_offsets(void)
{
    MPI_Offset place = (MPI_Offset)rank * N * 4;
    MPI_Request request;
    MPI_Status status;

    MPI_File_write_at(file, place, numbers, N, MPI_INT, &status);
    MPI_File_write_at_all(file, place, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, place, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, place, numbers, N, MPI_INT, &status);
    MPI_File_iwrite_at(file, place, numbers, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, place, numbers, N, MPI_INT, &request);
    MPI_Wait(&request, &status);
    MPI_File_write_at_all_begin(file, place, numbers, N, MPI_INT);
    MPI_File_write_at_all_end(file, numbers, &status);
    MPI_File_read_at_all_begin(file, place, numbers, N, MPI_INT);
    MPI_File_read_at_all_end(file, numbers, MPI_STATUS_IGNORE);
}

/* Uses a type that the recorder does not know: the begin is recorded after the call. */
static void use_duplicated_type(void)
{
    MPI_Offset place = (MPI_Offset)rank * N * 4;
    MPI_Datatype same;
    MPI_Request request;

    MPI_Type_dup(MPI_INT, &same);
    MPI_File_write_at(file, place, numbers, N, same, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, place, numbers, N, same, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, place, numbers, N, same);
    MPI_File_read_at_all_end(file, numbers, MPI_STATUS_IGNORE);
    MPI_Type_free(&same);
}

static void use_file_pointer(void)
{
    MPI_Request request;

    MPI_File_seek(file, rank * N * 4, MPI_SEEK_SET);
    MPI_File_write(file, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, -4 * N, MPI_SEEK_CUR);
    MPI_File_read(file, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(file, -4, MPI_SEEK_END);
    /* Only one number is left before the end of the file. */
    MPI_File_read(file, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iread(file, numbers, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_write_all(file, numbers, rank == 0 ? N : 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, numbers, 2 * N, MPI_INT);
    MPI_File_read_all_end(file, numbers, MPI_STATUS_IGNORE);
}

static void use_shared_pointer(void)
{
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(file, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_shared(file, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, -4 * N, MPI_SEEK_END);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(file, numbers, N, MPI_INT);
    MPI_File_read_ordered_end(file, numbers, MPI_STATUS_IGNORE);
}

static void use_view(void)
{
    MPI_Datatype two;

    MPI_Type_vector(N, 1, 2, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_File_set_view(file, rank * 4, MPI_INT, two, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, numbers, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 1, MPI_SEEK_SET);
    MPI_Type_free(&two);
}

/* Requests more bytes than an int counts, from a small file. */
static void read_very_many(MPI_File own)
{
    MPI_Datatype large;
    size_t n = (size_t)3 << 30;
    char *bytes = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    MPI_Type_contiguous(1 << 30, MPI_BYTE, &large);
    MPI_Type_commit(&large);
    MPI_File_read_at(own, 0, bytes, 3, large, MPI_STATUS_IGNORE);
    MPI_Type_free(&large);
    munmap(bytes, n);
}

int main(int argc, char **argv)
{
    MPI_File own;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 * N; i++)
        numbers[i] = i;
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    use_offsets();
    use_duplicated_type();
    use_file_pointer();
    use_shared_pointer();
    use_view();
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_SELF, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &own);
    MPI_File_read(own, numbers, 1, MPI_INT, MPI_STATUS_IGNORE);
    read_very_many(own);
    MPI_File_close(&own);
    if (MPI_File_open(MPI_COMM_SELF, "nowhere/data", MPI_MODE_RDONLY, MPI_INFO_NULL, &own) == MPI_SUCCESS)
        puts("opened");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete("data", MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}

/* Calls MPI from functions, inlined functions, threads, a shared library, and a library that the program loads at run
 * time. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#include "counted.h"

void call_in_library(int times);

static int rank, size;

static inline __attribute__((always_inline)) void pass_on(int value)
{
    int got, to = (rank + 1) % size, from = (rank + size - 1) % size;

    COUNTED(MPI_Sendrecv(&value, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static __attribute__((noinline)) void exchange(int times)
{
    for (int i = 0; i < times; i++) {
        pass_on(i);
        COUNTED(MPI_Barrier(MPI_COMM_WORLD));
        COUNTED(MPI_Barrier(MPI_COMM_SELF));
    }
    pass_on(times);
}

/* Calls two functions of MPI from one place. */
static __attribute__((noinline)) void call_by_address(int times)
{
    int (*const functions[])(const void *, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Ssend};
    static const char *const calls[] = {"MPI_Send", "MPI_Ssend"};
    int in, out = 1;
    MPI_Request request;

    for (int i = 0; i < times; i++) {
        COUNTED(MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request));
        COUNTED_AS(calls[i % 2], functions[i % 2](&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
        COUNTED(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

static void *send_to_self(void *tag)
{
    int out = 1, in;
    MPI_Request request;

    for (int i = 0; i < 5; i++) {
        COUNTED(MPI_Irecv(&in, 1, MPI_INT, 0, (int)(intptr_t)tag, MPI_COMM_SELF, &request));
        COUNTED(MPI_Send(&out, 1, MPI_INT, 0, (int)(intptr_t)tag, MPI_COMM_SELF));
        COUNTED(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    return NULL;
}

static void call_in_threads(void)
{
    pthread_t threads[3];

    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, send_to_self, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static void call_in_plugin(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW);
    void (*call)(int) = (void (*)(int))dlsym(plugin, "call_in_plugin");

    call(3);
    dlclose(plugin);
}

int main(int argc, char **argv)
{
    int provided;

    COUNTED(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange(10);
    exchange(5);
    call_by_address(6);
    call_in_library(4);
    if (provided == MPI_THREAD_MULTIPLE)
        call_in_threads();
    for (int i = 0; i < 2 * (argc - 1); i++)
        call_in_plugin(argv[i / 2 + 1]);
    COUNTED(MPI_Finalize());
    print_counts(rank);
    return 0;
}

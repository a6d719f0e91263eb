/*
 * Looks the functions of MPI up, and calls MPI_Barrier 3 times. The program is not linked with MPI.
 *
 * by_handle LIBRARY handle|default|local: looks them up in the handle of LIBRARY, or in all of the program. LIBRARY's names
 * are global, with `local` its own.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define FIND(name) __typeof__(&name) own_##name = (__typeof__(&name))dlsym(scope, #name)

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL));
    void *scope = strcmp(argv[2], "handle") == 0 ? library : RTLD_DEFAULT;

    if (!library) {
        puts(dlerror());
        return 1;
    }
    FIND(MPI_Init);
    FIND(MPI_Barrier);
    FIND(MPI_Finalize);
#ifdef OPEN_MPI
    MPI_Comm world = (MPI_Comm)dlsym(library, "ompi_mpi_comm_world");
#else
    MPI_Comm world = MPI_COMM_WORLD;
#endif
    own_MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++)
        own_MPI_Barrier(world);
    own_MPI_Finalize();
    return 0;
}

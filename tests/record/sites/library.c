/* A shared library, or with NAME=call_in_plugin a library that is loaded and unloaded while the program runs. With
 * OTHER the same code has another place in the source. */
#include "counted.h"

#ifndef NAME
#define NAME call_in_library
#endif

#ifdef OTHER
#line 100 "other.c"
#endif
void NAME(int times)
{
    int sum, one = 1;

    for (int i = 0; i < times; i++)
        COUNTED(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

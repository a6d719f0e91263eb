/* Counts the calls of a program by the line that makes them. */
#pragma once

#include <mpi.h>

void count_call(const char *file, int line, const char *function, const char *call);
void print_counts(int rank);

/* Counts a call, makes it, and returns its result. The result is used, so that the compiler makes no tail call. */
#define COUNTED(call)          COUNTED_AS(#call, call)
#define COUNTED_AS(name, call) (count_call(__FILE__, __LINE__, __func__, name), check_result((call)))

static inline int check_result(int result)
{
    if (result != MPI_SUCCESS)
        __builtin_trap();
    return result;
}

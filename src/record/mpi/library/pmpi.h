/* MPI as the recorder calls it: mpi.h, and the functions of the program's own library.
 *
 * The recorder is not linked to an MPI, since then the job's launcher and every shell in the job would load one,
 * too. It looks up each function MPI_X by its name PMPI_X when the program first calls MPI. It also looks up the
 * predefined handles of Open MPI, which are addresses of its variables. So code can use MPI_COMM_WORLD and the like,
 * except where C requires a constant. */
#pragma once

/* NOLINT: what the header says of functions that MPI has removed does not matter here. */
#include <mpi.h>
#include <stdbool.h>

#include XTF_MPI_FUNCTIONS_HEADER /* made by generate/wrappers.py */

#pragma GCC visibility push(hidden)

#define XTF_MPI_MEMBER(name) __typeof__(MPI_##name) *name;
typedef struct {
    XTF_MPI_FUNCTIONS(XTF_MPI_MEMBER)
    int (*Pcontrol)(const int level, ...);
} XtfMpiTable;
#undef XTF_MPI_MEMBER

/* Functions PMPI_X; NULL: the library does not have the function. All are NULL before the first call. */
extern XtfMpiTable xtf_pmpi;
#define XTF_PMPI(name) xtf_pmpi.name
/* Functions that wrappers call: PMPI_X, or MPI_X of the next library if XTF_RECORD_STACK is 1. Never NULL after the
 * look-up. */
extern XtfMpiTable xtf_mpi_next;

#ifdef OMPI_PREDEFINED_GLOBAL
/* Variables of Open MPI whose addresses are handles that the recorder uses. */
#define XTF_MPI_GLOBALS(GLOBAL)                                                                                     \
    GLOBAL(ompi_mpi_comm_world)                                                                                     \
    GLOBAL(ompi_mpi_comm_self)                                                                                      \
    GLOBAL(ompi_mpi_comm_null)                                                                                      \
    GLOBAL(ompi_mpi_group_null)                                                                                     \
    GLOBAL(ompi_mpi_group_empty)                                                                                    \
    GLOBAL(ompi_request_null)                                                                                       \
    GLOBAL(ompi_message_null)                                                                                       \
    GLOBAL(ompi_message_no_proc)                                                                                    \
    GLOBAL(ompi_mpi_win_null)                                                                                       \
    GLOBAL(ompi_mpi_file_null) GLOBAL(ompi_mpi_info_null) GLOBAL(ompi_mpi_datatype_null)                            \
        GLOBAL(ompi_mpi_errors_return) GLOBAL(ompi_mpi_errhandler_null) GLOBAL(ompi_mpi_byte) GLOBAL(ompi_mpi_char) \
            GLOBAL(ompi_mpi_int) GLOBAL(ompi_mpi_uint32_t) GLOBAL(ompi_mpi_uint64_t) GLOBAL(ompi_mpi_op_bor)        \
                GLOBAL(ompi_mpi_op_sum) GLOBAL(ompi_mpi_op_max) GLOBAL(ompi_mpi_op_min) GLOBAL(ompi_mpi_op_null)    \
                    GLOBAL(ompi_mpi_op_no_op) GLOBAL(ompi_mpi_op_replace)
#define XTF_MPI_GLOBAL(name) extern void *xtf_mpi_global_##name;
XTF_MPI_GLOBALS(XTF_MPI_GLOBAL)
#undef XTF_MPI_GLOBAL
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)xtf_mpi_global_##global)
#else
#define XTF_MPI_GLOBALS(GLOBAL)
#endif

/* Looks up the functions, once. Returns false if no MPI library is loaded. Any thread may call. */
bool xtf_pmpi_load(void);
/* Opens the loaded library that defines a symbol, or that depends on a library which defines it. Finds libraries that
 * the program opened in a private scope, too. The caller closes the handle. NULL: no library has the symbol. */
void *xtf_pmpi_open_library_of(const char *symbol);

#pragma GCC visibility pop

/*
 * Conversion of Fortran's arguments to C's, for recording in the Fortran wrappers of generate/fortran.py.
 *
 * Arrays and texts that these functions return are memory of the thread, valid until the next call of the function.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "integers of Fortran and of C are alike, and so are statuses");

/* Handles. MPICH has the same numbers in both languages. */
#ifdef OPEN_MPI
#define XTF_FORTRAN_COMM(number)       xtf_pmpi.Comm_f2c(number)
#define XTF_FORTRAN_TYPE(number)       xtf_pmpi.Type_f2c(number)
#define XTF_FORTRAN_ERRHANDLER(number) xtf_pmpi.Errhandler_f2c(number)
#define XTF_FORTRAN_GROUP(number)      xtf_pmpi.Group_f2c(number)
#define XTF_FORTRAN_INFO(number)       xtf_pmpi.Info_f2c(number)
#define XTF_FORTRAN_MESSAGE(number)    xtf_pmpi.Message_f2c(number)
#define XTF_FORTRAN_OP(number)         xtf_pmpi.Op_f2c(number)
#define XTF_FORTRAN_REQUEST(number)    xtf_pmpi.Request_f2c(number)
#define XTF_FORTRAN_SESSION(number)    xtf_pmpi.Session_f2c(number)
#define XTF_FORTRAN_WIN(number)        xtf_pmpi.Win_f2c(number)
#else
#define XTF_FORTRAN_COMM(number)       ((MPI_Comm)(number))
#define XTF_FORTRAN_TYPE(number)       ((MPI_Datatype)(number))
#define XTF_FORTRAN_ERRHANDLER(number) ((MPI_Errhandler)(number))
#define XTF_FORTRAN_GROUP(number)      ((MPI_Group)(number))
#define XTF_FORTRAN_INFO(number)       ((MPI_Info)(number))
#define XTF_FORTRAN_MESSAGE(number)    ((MPI_Message)(number))
#define XTF_FORTRAN_OP(number)         ((MPI_Op)(number))
#define XTF_FORTRAN_REQUEST(number)    ((MPI_Request)(number))
#define XTF_FORTRAN_SESSION(number)    ((MPI_Session)(number))
#define XTF_FORTRAN_WIN(number)        ((MPI_Win)(number))
#endif
#define XTF_FORTRAN_FILE(number) xtf_pmpi.File_f2c(number)

/* Returns the function of the Fortran library to which a wrapper passes on its call. Looks up the profiling name first,
 * and the routine's own name if the library lacks it. If XTF_RECORD_STACK is set, looks up the own name first. Never
 * NULL. */
void *xtf_fortran_find(const char *profiling_name, const char *name);

/* True if the argument is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE of Fortran. */
bool xtf_fortran_ignored(const void *statuses);
/* True if the argument is MPI_IN_PLACE of Fortran. */
bool xtf_fortran_in_place(const void *buffer);
/* Returns the buffer; MPI_IN_PLACE of C instead of that of Fortran. */
const void *xtf_fortran_buffer(const void *buffer);

MPI_Request *xtf_fortran_requests(int n, const MPI_Fint *requests);
/* Returns the types of the data sent to (`sent`) or received from each partner in the communicator. `neighbor`: the
 * operation is a neighbourhood operation. */
const MPI_Datatype *xtf_fortran_types(bool sent, bool neighbor, MPI_Comm comm, const MPI_Fint *types);
/* Returns memory with the communicator that is never freed, for the request that creates it; NULL: out of memory. */
MPI_Comm *xtf_fortran_kept_comm(MPI_Comm comm);
/* Returns the text without the blanks at its end, and with a terminating 0. */
const char *xtf_fortran_text(const char *text, size_t length);

/* Converts the index of a request to C's. Fortran counts from 1, but the mpi_f08 of some versions of MPICH (4.0.2)
 * counts from 0: a trial call shows which. */
int xtf_fortran_index(MPI_Fint index);
/* Returns the number of valid indices after a call; 0 if the call failed and so did not set `outcount`. */
int xtf_fortran_outcount(int result, MPI_Fint outcount, MPI_Fint count);
const int *xtf_fortran_indices(int n, const MPI_Fint *indices);

#pragma GCC visibility pop

/*
 * What the Fortran wrappers of generate/fortran.py consist of: arguments of Fortran as C knows them, for recording.
 *
 * What these functions return is memory of the thread, good until they are called again for the same purpose.
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

/* Returns the function of the Fortran library that a wrapper passes its call on to: by its profiling name, or if the
 * library lacks that, by the routine's own. If XTF_RECORD_STACK is set, the own name comes first. Never NULL. */
void *xtf_fortran_find(const char *profiling_name, const char *name);

/* Whether an argument is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE, or MPI_IN_PLACE, of Fortran. */
bool xtf_fortran_ignored(const void *statuses);
bool xtf_fortran_in_place(const void *buffer);
/* MPI_IN_PLACE of C, if it is that of Fortran. */
const void *xtf_fortran_buffer(const void *buffer);

MPI_Request *xtf_fortran_requests(int n, const MPI_Fint *requests);
/* The types of each partner of the communicator: of what is sent, or else received; by a neighbourhood operation. */
const MPI_Datatype *xtf_fortran_types(bool sent, bool neighbor, MPI_Comm comm, const MPI_Fint *types);
/* Memory that has the communicator for good: for a request that makes it. */
MPI_Comm *xtf_fortran_kept_comm(MPI_Comm comm);
/* Without the blanks at its end. */
const char *xtf_fortran_text(const char *text, size_t length);

/* Fortran counts requests from 1, but the mpi_f08 of some versions of MPICH (4.0.2) from 0: they are tried. */
int xtf_fortran_index(MPI_Fint index);
/* How many indices there are after a call: what the program said before it does not count. */
int xtf_fortran_outcount(int result, MPI_Fint outcount, MPI_Fint count);
const int *xtf_fortran_indices(int n, const MPI_Fint *indices);

#pragma GCC visibility pop

/*
 * The functions of MPI, by class.
 *
 * Names are known in all their spellings: of C, of Fortran in any case (mpi_send, MPI_SEND, mpi_send_), of its modules
 * (mpi_send_f08_), of the profiling interface (PMPI_Send), of large counts (MPI_Send_c). So a function of the program
 * that begins with mpi_ is no MPI function, unless MPI has one of this name; but any name that begins with MPI_ or
 * MPIX_ and a capital letter is one, as only MPI may define such names: extensions, and what later standards add.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/model/region-class.h"

typedef enum {
    XTF_MPI_NONE,    /* no function of MPI */
    XTF_MPI_UNKNOWN, /* not in the table: the class is a guess from the name */
    XTF_MPI_KNOWN,
} XtfMpiKnowledge;

/* Sets *class unless the function is none of MPI's. */
XtfMpiKnowledge xtf_mpi_function_class(const char *name, XtfRegionClass *class);

typedef enum { XTF_MPI_NOT_A_BOUND, XTF_MPI_BEGINS, XTF_MPI_ENDS } XtfMpiBound;

/* Whether MPI is not yet there before the function has returned, or no longer once it is called: MPI_Init and
 * MPI_Init_thread, MPI_Finalize. */
XtfMpiBound xtf_mpi_function_bound(const char *name);

/* The index in a list, whose last is NULL, of the function's name in lower case and without prefix: "waitall"; -1 if it
 * is in none of its spellings there. */
int xtf_mpi_function_find(const char *name, const char *const *list);

/* What a call is where waits are concerned: Scalasca's distinctions, and MPROBE, which is ours. */
typedef enum {
    XTF_MPI_CALL_NONE,  /* none of MPI's */
    XTF_MPI_CALL_OTHER, /* of MPI's */
    XTF_MPI_CALL_TEST,
    XTF_MPI_CALL_WAIT,      /* for one request */
    XTF_MPI_CALL_WAIT_MANY, /* Waitall, Waitsome */
    XTF_MPI_CALL_SEND,      /* blocks until the receiver may be needed: Send, Ssend */
    XTF_MPI_CALL_MPROBE,    /* blocks until a message is there, and takes it */
    XTF_MPI_CALL_INIT,
    XTF_MPI_CALL_FINALIZE,
} XtfMpiCall;

/* Of a region by its name and its class. */
XtfMpiCall xtf_mpi_call(const char *name, XtfRegionClass class);

/* Whether it takes a message that a probe has matched before: MPI_Mrecv, MPI_Imrecv. */
bool xtf_mpi_takes_probed(const char *name, XtfRegionClass class);

/*
 * The functions of MPI, by class.
 *
 * The table matches all spellings of a name. They are the ones of C, of Fortran in any case (mpi_send, MPI_SEND,
 * mpi_send_), and of its modules (mpi_send_f08_). Further ones are of the profiling interface (PMPI_Send) and of
 * large counts (MPI_Send_c). So a function of the program that begins with mpi_ counts as MPI's only if MPI has a
 * function of this name. But any name that begins with MPI_ or MPIX_ and a capital letter counts as MPI's. Only MPI may
 * define such names: extensions, and functions of later standards.
 *
 * Any thread may call these functions.
 */
#pragma once

#include "src/model/region-class.h"

typedef enum {
    XTF_MPI_NONE,    /* no function of MPI */
    XTF_MPI_UNKNOWN, /* not in the table: the class is a guess from the name */
    XTF_MPI_KNOWN,
} XtfMpiKnowledge;

/* Finds the class of a function. Sets *class unless the function is not one of MPI. */
XtfMpiKnowledge xtf_mpi_function_class(const char *name, XtfRegionClass *class);

typedef enum { XTF_MPI_NOT_A_BOUND, XTF_MPI_BEGINS, XTF_MPI_ENDS } XtfMpiBound;

/* Returns BEGINS for MPI_Init and MPI_Init_thread: MPI works only after their return. Returns ENDS for MPI_Finalize:
 * MPI works only until its call. */
XtfMpiBound xtf_mpi_function_bound(const char *name);

/* Returns the index of a function in a list that ends with NULL. Names of the list are in lower case and without
 * prefix: "waitall". -1: the list has no spelling of the name. */
int xtf_mpi_function_find(const char *name, const char *const *list);

/* Calls by their role in waits: Scalasca's distinctions, and MPROBE, which is ours. */
typedef enum {
    XTF_MPI_CALL_NONE,  /* not a call of MPI */
    XTF_MPI_CALL_OTHER, /* any other call of MPI */
    XTF_MPI_CALL_TEST,
    XTF_MPI_CALL_WAIT,      /* waits for one request */
    XTF_MPI_CALL_WAIT_MANY, /* waits for several requests: Waitall, Waitsome */
    XTF_MPI_CALL_SEND,      /* may block until the receiver is ready: Send, Ssend */
    XTF_MPI_CALL_MPROBE,    /* blocks until a message arrives, and takes it */
    XTF_MPI_CALL_INIT,
    XTF_MPI_CALL_FINALIZE,
} XtfMpiCall;

/* Returns the role of calls of a region, by its name and class. */
XtfMpiCall xtf_mpi_call(const char *name, XtfRegionClass class);

/* True if the function receives a message that a probe matched before: MPI_Mrecv, MPI_Imrecv. */
bool xtf_mpi_takes_probed(const char *name, XtfRegionClass class);

/* The blocking collective operations of all members of a communicator: MPI_Barrier, MPI_Bcast ...
 * MPI_Neighbor_alltoallw. All members call them in the same order. */
enum { XTF_COLLECTIVE_FUNCTIONS = 22 };

/* Names for xtf_mpi_function_find(): in lower case and without prefix. The list ends with NULL. */
extern const char *const xtf_collective_functions[XTF_COLLECTIVE_FUNCTIONS + 1];

/* How a member of an operation with a root depends on others, if each block of its data has elements. */
typedef enum {
    XTF_ROOTED_NOT,
    XTF_ROOTED_FROM, /* each other member waits for the root: Bcast, Scatter, Scatterv */
    XTF_ROOTED_TO,   /* the root waits for each other member: Reduce, Gather. Blocks of Gatherv may be empty */
} XtfRooted;
XtfRooted xtf_collective_function_rooted(int function);

/* True if no member can leave the operation before all members have called it. `function` is an index in the list. */
bool xtf_collective_function_synchronises(int function);

/* Hooks of files. All processes that opened a file together know its handle by the same id. A table finds it by the
 * MPI_File, since files have no attributes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

void xtf_mpi_file_opened(XtfRing *ring, uint64_t *left, int result, MPI_Comm comm, const char *name, int mode,
                         MPI_File file);
/* Returns the id of a file before MPI_File_close, for xtf_mpi_file_closed() after it. */
uint32_t xtf_mpi_file_closing(XtfRing *ring, uint64_t entered, MPI_File file);
void xtf_mpi_file_closed(XtfRing *ring, uint64_t left, int result, uint32_t handle);
void xtf_mpi_file_deleted(XtfRing *ring, uint64_t left, int result, const char *name);
void xtf_mpi_file_sought(XtfRing *ring, uint64_t left, int result, MPI_File file, bool shared, long long offset,
                         int whence);

/* Modes of input and output, with the numbers of OTF2. */
typedef enum { XTF_MPI_FILE_READ, XTF_MPI_FILE_WRITE, XTF_MPI_FILE_FLUSH } XtfMpiFileMode;

/* Operation from its beginning to its end. */
typedef struct {
    uint32_t handle; /* id of the open file; XTF_WIRE_NONE: nothing is recorded */
    uint64_t matching;
    /* Fields of the beginning. It is recorded before the call if the type is certain to be valid (valid.h), else
     * after the call has succeeded. */
    bool is_due;
    XtfMpiFileMode mode;
    uint64_t entered, flags;
    long long count;
    MPI_Datatype type;
} XtfMpiOperation;

/* Begins an operation, before the call. `flags`: XTF_MPI_COLLECTIVE ..., from functions.tbl. */
XtfMpiOperation xtf_mpi_file_begin(XtfRing *ring, uint64_t entered, MPI_File file, XtfMpiFileMode mode, unsigned flags,
                                   long long count, MPI_Datatype type);
/* Records the end, after the call. `status` is NULL for an operation without one. */
void xtf_mpi_file_end(XtfRing *ring, uint64_t left, int result, XtfMpiOperation operation, const MPI_Status *status);
/* Records a call that only starts the operation, after it. The operation ends with the request, or with ..._end if
 * `request` is NULL. */
void xtf_mpi_file_issued(XtfRing *ring, uint64_t left, int result, XtfMpiOperation operation, MPI_File file,
                         const MPI_Request *request);
/* Records the end of MPI_File_read_all_end and similar calls, which complete what the file's last ..._begin has
 * started. */
void xtf_mpi_file_split_end(XtfRing *ring, uint64_t left, int result, MPI_File file, const MPI_Status *status);

#pragma GCC visibility pop

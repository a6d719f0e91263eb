/* Collective operations: their root, and the bytes that this process sends and receives in them.
 *
 * Bytes are counted as in Score-P's traces: data from a process to itself counts, unless it is in place. So the root
 * of a broadcast sends the data to each member, including itself. A member of MPI_Allreduce sends its data to all
 * members and receives the data of all. With MPI_Scan it receives the data of the ranks up to its own. The functions
 * read only arguments that MPI calls significant in the calling process.
 *
 * For ALLTOALLV and ALLTOALLW the traffic says whether all counts are above 0, without the count from a process to
 * itself. A scan of both lists ends at the first 0. Blocks of datatypes of size 0 count as 0. Between two groups the
 * exchange is unknown.
 *
 * Neighbourhood operations are recorded as ALLTOALLV (or ALLTOALLW): each process has its own partners, and none
 * needs data of all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"
#include "src/record/mpi/library/wrapper.h"

#pragma GCC visibility push(hidden)

typedef struct {
    uint32_t comm;
    uint32_t root; /* XTF_WIRE_NONE: the operation has none */
    uint64_t sent, received;
    XtfWireExchange exchange;
} XtfMpiTraffic;

/* Data of one operation: `own` is what this process sends to or receives from the others, `root` what the root
 * exchanges with each member. */
typedef struct {
    long long count;
    MPI_Datatype type;
} XtfMpiBlock;
#define XTF_MPI_BLOCK(count, type) ((XtfMpiBlock){(count), (type)})

/* Blocks with a count for each member, or neighbour. */
typedef struct {
    XtfMpiCounts counts;
    MPI_Datatype type;         /* type of all blocks, if `types` is NULL */
    const MPI_Datatype *types; /* type of each block */
} XtfMpiBlocks;
#define XTF_MPI_BLOCKS(counts, type)    ((XtfMpiBlocks){(counts), (type), NULL})
#define XTF_MPI_BLOCKS_W(counts, types) ((XtfMpiBlocks){(counts), MPI_DATATYPE_NULL, (types)})

XtfMpiTraffic xtf_mpi_barrier(MPI_Comm comm);
/* Returns the traffic of Gather and Reduce. */
XtfMpiTraffic xtf_mpi_to_root(MPI_Comm comm, int root, bool in_place, XtfMpiBlock own, XtfMpiBlock at_root);
/* Returns the traffic of Scatter and Bcast. */
XtfMpiTraffic xtf_mpi_from_root(MPI_Comm comm, int root, bool in_place, XtfMpiBlock at_root, XtfMpiBlock own);
/* Returns the traffic of Gatherv. */
XtfMpiTraffic xtf_mpi_to_root_v(MPI_Comm comm, int root, bool in_place, XtfMpiBlock own, XtfMpiBlocks at_root);
/* Returns the traffic of Scatterv. */
XtfMpiTraffic xtf_mpi_from_root_v(MPI_Comm comm, int root, bool in_place, XtfMpiBlocks at_root, XtfMpiBlock own);
/* Returns the traffic of Alltoall, Allgather and Allreduce. */
XtfMpiTraffic xtf_mpi_all_to_all(MPI_Comm comm, bool in_place, XtfMpiBlock sent, XtfMpiBlock received);
XtfMpiTraffic xtf_mpi_allgatherv(MPI_Comm comm, bool in_place, XtfMpiBlock sent, XtfMpiBlocks received);
/* Returns the traffic of Alltoallv and Alltoallw. */
XtfMpiTraffic xtf_mpi_all_to_all_v(MPI_Comm comm, bool in_place, XtfMpiBlocks sent, XtfMpiBlocks received);
XtfMpiTraffic xtf_mpi_reduce_scatter_block(MPI_Comm comm, bool in_place, XtfMpiBlock received);
XtfMpiTraffic xtf_mpi_reduce_scatter(MPI_Comm comm, bool in_place, XtfMpiBlocks received);
/* Returns the traffic of Scan, and that of Exscan with `in_place`. */
XtfMpiTraffic xtf_mpi_scan(MPI_Comm comm, bool in_place, XtfMpiBlock block);
/* Returns the traffic of Neighbor_alltoall and Neighbor_allgather. */
XtfMpiTraffic xtf_mpi_neighbors(MPI_Comm comm, XtfMpiBlock sent, XtfMpiBlock received);
/* Returns the traffic of Neighbor_allgatherv. */
XtfMpiTraffic xtf_mpi_neighbors_gather_v(MPI_Comm comm, XtfMpiBlock sent, XtfMpiBlocks received);
/* Returns the traffic of Neighbor_alltoallv and Neighbor_alltoallw. */
XtfMpiTraffic xtf_mpi_neighbors_v(MPI_Comm comm, XtfMpiBlocks sent, XtfMpiBlocks received);

/* Records the end of an operation whose beginning is recorded. `operation`: an index in xtf_collective_operations. */
void xtf_mpi_collective(XtfRing *ring, uint64_t left, unsigned operation, XtfMpiTraffic traffic);
/* Records the beginning of a nonblocking operation, whose request records the end; or adds a persistent one. */
void xtf_mpi_icollective(XtfRing *ring, uint64_t entered, unsigned operation, XtfMpiTraffic traffic,
                         MPI_Request request);
void xtf_mpi_collective_init(unsigned operation, XtfMpiTraffic traffic, MPI_Request request);

#pragma GCC visibility pop

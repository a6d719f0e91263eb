#include "src/record/mpi/library/neighbors.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static int keyval;
static bool has_keyval;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int free_neighbors(MPI_Comm comm, int key, void *kept, void *extra)
{
    (void)comm, (void)key, (void)extra;
    free(kept);
    return MPI_SUCCESS;
}

/* Prevents MPI from copying the neighbours: they are looked up for each copy of the communicator. */
static int copy_nothing(MPI_Comm comm, int key, void *extra, void *kept, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)kept, (void)copy;
    *flag = 0;
    return MPI_SUCCESS;
}

static void make_keyval(void)
{
    has_keyval = xtf_pmpi.Comm_create_keyval(copy_nothing, free_neighbors, &keyval, NULL) == MPI_SUCCESS;
}

static XtfMpiNeighbors neighbors_in_grid(MPI_Comm comm)
{
    XtfMpiNeighbors neighbors = {0};
    int n_dimensions, ranks[2];

    if (xtf_pmpi.Cartdim_get(comm, &n_dimensions) != MPI_SUCCESS)
        return neighbors;
    neighbors.source_places = neighbors.destination_places = 2 * (uint32_t)n_dimensions;
    for (int i = 0; i < n_dimensions; i++) {
        if (xtf_pmpi.Cart_shift(comm, i, 1, &ranks[0], &ranks[1]) != MPI_SUCCESS)
            continue;
        for (int side = 0; side < 2; side++)
            if (ranks[side] != MPI_PROC_NULL)
                neighbors.n_sources++;
            else if (2 * i + side < 64)
                neighbors.absent |= UINT64_C(1) << (2 * i + side);
    }
    neighbors.n_destinations = neighbors.n_sources;
    return neighbors;
}

static XtfMpiNeighbors neighbors_in_graph(MPI_Comm comm)
{
    XtfMpiNeighbors neighbors = {0};
    int rank, n;

    if (xtf_pmpi.Comm_rank(comm, &rank) == MPI_SUCCESS && xtf_pmpi.Graph_neighbors_count(comm, rank, &n) == MPI_SUCCESS)
        neighbors = (XtfMpiNeighbors){(uint32_t)n, (uint32_t)n, (uint32_t)n, (uint32_t)n, 0};
    return neighbors;
}

static XtfMpiNeighbors ask_for_neighbors(MPI_Comm comm)
{
    XtfMpiNeighbors neighbors = {0};
    int topology, in, out, weighted;

    if (xtf_pmpi.Topo_test(comm, &topology) != MPI_SUCCESS)
        return neighbors;
    if (topology == MPI_CART)
        return neighbors_in_grid(comm);
    if (topology == MPI_GRAPH)
        return neighbors_in_graph(comm);
    if (topology == MPI_DIST_GRAPH && xtf_pmpi.Dist_graph_neighbors_count(comm, &in, &out, &weighted) == MPI_SUCCESS)
        neighbors = (XtfMpiNeighbors){(uint32_t)in, (uint32_t)out, (uint32_t)in, (uint32_t)out, 0};
    return neighbors;
}

XtfMpiNeighbors xtf_mpi_neighbors_of(MPI_Comm comm)
{
    XtfMpiNeighbors *kept;
    int flag;

    pthread_once(&once, make_keyval);
    if (has_keyval && xtf_pmpi.Comm_get_attr(comm, keyval, &kept, &flag) == MPI_SUCCESS && flag)
        return *kept;
    XtfMpiNeighbors neighbors = ask_for_neighbors(comm);
    kept = has_keyval ? malloc(sizeof *kept) : NULL;
    if (kept) {
        *kept = neighbors;
        if (xtf_pmpi.Comm_set_attr(comm, keyval, kept) != MPI_SUCCESS)
            free(kept);
    }
    return neighbors;
}

#include "src/model/collective-functions.h"

#include <glib.h>

const char *const xtf_collective_functions[XTF_COLLECTIVE_FUNCTIONS + 1] = {"barrier",
                                                                            "bcast",
                                                                            "gather",
                                                                            "gatherv",
                                                                            "scatter",
                                                                            "scatterv",
                                                                            "allgather",
                                                                            "allgatherv",
                                                                            "alltoall",
                                                                            "alltoallv",
                                                                            "alltoallw",
                                                                            "reduce",
                                                                            "allreduce",
                                                                            "reduce_scatter",
                                                                            "reduce_scatter_block",
                                                                            "scan",
                                                                            "exscan",
                                                                            "neighbor_allgather",
                                                                            "neighbor_allgatherv",
                                                                            "neighbor_alltoall",
                                                                            "neighbor_alltoallv",
                                                                            "neighbor_alltoallw",
                                                                            NULL};

bool xtf_collective_function_synchronises(int function)
{
    static const char *const all_to_all[] = {"barrier", "allgather", "allreduce", "alltoall", "reduce_scatter_block",
                                             NULL};

    return g_strv_contains(all_to_all, xtf_collective_functions[function]);
}

#include "src/model/collective-shape.h"

#include <stddef.h>
#include <string.h>

XtfCollectiveShape xtf_collective_shape(const char *operation)
{
    static const struct {
        const char *name;
        XtfCollectiveShape shape;
    } shapes[] = {
        {"BARRIER", XTF_COLLECTIVE_BARRIER},
        {"BCAST", XTF_COLLECTIVE_FROM_ROOT},
        {"SCATTER", XTF_COLLECTIVE_FROM_ROOT},
        {"SCATTERV", XTF_COLLECTIVE_FROM_ROOT},
        {"REDUCE", XTF_COLLECTIVE_TO_ROOT},
        {"GATHER", XTF_COLLECTIVE_TO_ROOT},
        {"GATHERV", XTF_COLLECTIVE_TO_ROOT},
        {"SCAN", XTF_COLLECTIVE_SCAN},
        {"EXSCAN", XTF_COLLECTIVE_SCAN},
        {"ALLGATHER", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLGATHERV", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLTOALL", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLREDUCE", XTF_COLLECTIVE_ALL_TO_ALL},
        {"REDUCE_SCATTER", XTF_COLLECTIVE_ALL_TO_ALL},
        {"REDUCE_SCATTER_BLOCK", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLTOALLV", XTF_COLLECTIVE_SOME_TO_SOME},
        {"ALLTOALLW", XTF_COLLECTIVE_SOME_TO_SOME},
        {"CREATE_HANDLE", XTF_COLLECTIVE_HANDLES},
        {"DESTROY_HANDLE", XTF_COLLECTIVE_HANDLES},
        {"ALLOCATE", XTF_COLLECTIVE_HANDLES},
        {"DEALLOCATE", XTF_COLLECTIVE_HANDLES},
        {"CREATE_HANDLE_AND_ALLOCATE", XTF_COLLECTIVE_HANDLES},
        {"DESTROY_HANDLE_AND_DEALLOCATE", XTF_COLLECTIVE_HANDLES},
    };

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(operation, shapes[i].name) == 0)
            return shapes[i].shape;
    return XTF_COLLECTIVE_UNKNOWN;
}

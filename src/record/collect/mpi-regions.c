#include "src/record/collect/mpi-regions.h"

#include <stddef.h>

const XtfMpiRegion *xtf_mpi_region(uint32_t number)
{
    return NULL;
}

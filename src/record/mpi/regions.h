/* Regions of MPI's functions. Their numbers are below XTF_WIRE_REGIONS_OWN and count the lines of functions.tbl. */
#pragma once

#include <stdint.h>

typedef struct {
    const char *name;
    uint8_t role;    /* index in xtf_region_roles */
    uint8_t counted; /* 1: calls, or only calls that found nothing, are counted unless the user wants them recorded */
} XtfMpiRegion;

/* Returns the region with a number; NULL: no function has it. */
const XtfMpiRegion *xtf_mpi_region(uint32_t number);

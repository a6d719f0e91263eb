/*
 * Regions whose numbers are below XTF_WIRE_REGIONS_OWN: functions of MPI, by their place in functions.tbl.
 */
#pragma once

#include <stdint.h>

typedef struct {
    const char *name;
    uint8_t role; /* index in xtf_region_roles */
} XtfMpiRegion;

/* NULL: there is no such function. */
const XtfMpiRegion *xtf_mpi_region(uint32_t number);

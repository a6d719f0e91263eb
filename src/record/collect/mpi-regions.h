/*
 * Regions whose numbers are below XTF_WIRE_REGIONS_OWN: functions of MPI, by their line in functions.tbl.
 */
#pragma once

#include <stdint.h>

enum { XTF_COLLECT_PARADIGM_USER = 1, XTF_COLLECT_PARADIGM_MPI = 4 }; /* in xtf_paradigm_names */

typedef struct {
    const char *name;
    uint8_t role; /* index in xtf_region_roles */
} XtfMpiRegion;

/* NULL: there is no such line. */
const XtfMpiRegion *xtf_mpi_region(uint32_t number);

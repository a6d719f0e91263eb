/*
 * A profile in the making: sums for each metric, call path and location.
 */
#pragma once

#include <stdio.h>

#include "src/export/cube/call-tree.h"
#include "src/export/cube/matrix.h"
#include "src/export/cube/metrics.h"
#include "src/export/job.h"
#include "src/export/location-reader.h"
#include "src/export/xml/xml.h"

typedef struct {
    XtfExportJob *job;
    const char *folder; /* for the files of matrices */
    XtfSelectedLocations locations;
    XtfCubeTree tree;
    XtfCubeMatrix matrices[XTF_N_CUBE_METRICS];
    uint32_t *roots;              /* by location: the path of its program; XTF_CUBE_NO_PATH: none */
    bool has[XTF_N_CUBE_METRICS]; /* the metric is in the file */
    uint64_t from, to;            /* the window; to UINT64_MAX: it has no end */
    uint64_t outside;             /* records outside of all calls */
    bool has_calls;               /* the selection may have calls */
} XtfCubeProfile;

static inline bool xtf_cube_add(XtfCubeProfile *profile, unsigned metric, uint32_t path, uint32_t column,
                                uint64_t value, GError **error)
{
    return xtf_cube_matrix_add(&profile->matrices[metric], path, column, value, profile->folder, error);
}

/* Adds up the records of all locations. */
bool xtf_cube_walk(XtfCubeProfile *profile, GError **error);

/* Adds up the results of an analysis, if the trace has one. */
bool xtf_cube_add_analysis(XtfCubeProfile *profile, GError **error);
/* Compares the sums of activities with the critical path. Only an export of the whole trace has these metrics. */
bool xtf_cube_weigh_activities(XtfCubeProfile *profile, GError **error);

/* Writes anchor.xml: `deep` are the call paths, depth first. */
bool xtf_cube_write_anchor(const XtfCubeProfile *profile, const uint32_t *deep, FILE *file, GError **error);
/* Writes the part of anchor.xml that has nodes, processes and locations. */
bool xtf_cube_write_system(const XtfCubeProfile *profile, XtfXml *xml, GError **error);

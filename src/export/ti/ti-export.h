/*
 * State of an export that its steps share.
 */
#pragma once

#include "src/analysis/formulas/collective-rounds.h"
#include "src/export/job.h"
#include "src/export/model-rows.h"
#include "src/export/ti/kept.h"
#include "src/export/ti/rank-file.h"

typedef struct {
    XtfExportJob *job;
    XtfTiKept kept;
    const XtfRanks *ranks; /* borrowed */
    uint64_t n_comms;      /* rows of `communicators` */
    uint8_t *worlds;       /* by communicator: 0: not known yet; 1: it is the world of the file; 2: it is not */
    bool *buffers;         /* by region: true if sends in it complete without a receive */
    bool *in_mpi;          /* by region */
    uint64_t n_regions;
    GHashTable *tags; /* communicator << 32 | tag -> uint32_t: tag of the file */
} XtfTiExport;

bool xtf_ti_export_init(XtfTiExport *export, XtfExportJob *job, GError **error);
void xtf_ti_export_finish(XtfTiExport *export); /* accepts all zeros */

/* Returns the tag of the file for messages of a communicator with a tag. The file has one communicator, so tags keep
 * the messages of others apart. */
uint32_t xtf_ti_tag(XtfTiExport *export, uint32_t comm, uint32_t tag);
/* Returns the tag of the messages of a communicator's operations. No other messages have it. */
uint32_t xtf_ti_tag_of_operations(const XtfTiExport *export, uint32_t comm);

/* Writes the end of an operation, a row of `collectives` of process `proc`, as actions of the file. */
bool xtf_ti_write_operation(XtfTiExport *export, XtfTiFile *file, const XtfCollectivesRow *row, const XtfTiEnd *end,
                            uint64_t proc, GError **error);

/* Writes the files of all ranks to the folder job->output. */
bool xtf_ti_write_ranks(XtfTiExport *export, GError **error);

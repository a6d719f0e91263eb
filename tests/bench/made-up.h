/*
 * Generated runs that benches write: processes of one thread each, a communicator of all of them, and regions, with the
 * schemas of src/model. The bench adds the records. An error ends the bench.
 */
#pragma once

#include "libxtf/xtf.h"
#include "src/model/schemas.h"

typedef struct {
    const char *path; /* borrowed */
    XtfWriter *writer;
    uint32_t schemas[XTF_N_MODEL_SCHEMAS];
} BenchRun;

void bench_run_begin(BenchRun *run, const char *path, const XtfWriterOptions *options);
/* Defines the processes 0 to n - 1, locations with the same numbers, MPI_COMM_WORLD, and regions in the order of
 * their names. */
void bench_run_define(const BenchRun *run, uint64_t n_processes, const char *const *regions, uint64_t n_regions);
void bench_run_end(BenchRun *run);

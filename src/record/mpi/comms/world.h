/* Place of the process in its job.
 *
 * Each process has a number in the job: its base plus its rank in MPI_COMM_WORLD. The base is 0 unless the process
 * was spawned. A spawned world takes its base and its number from the file `worlds` in the folder of the job.
 * XTF_RECORD_GATHER, or else XTF_RECORD_FOLDER, is the path of that folder. If the file cannot be used, because the
 * folder is on another node, a hash of host and process id gives both. The hash is only probably unique. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

typedef struct {
    uint32_t number; /* 0: MPI_COMM_WORLD of the processes that the launcher started; else a spawned world */
    uint32_t base;   /* number in the job of rank 0 of this world */
    uint32_t rank, size;
} XtfMpiWorld;

/* State that is set once, before the process has any communicator to record. */
extern XtfMpiWorld xtf_mpi_world;
extern MPI_Group xtf_mpi_world_group;
/* The process takes part in agreements on ids: it is to be recorded, even if its own recording fails. */
extern bool xtf_mpi_agreeing;
/* The process has met processes of other worlds: groups may have members outside its own world. */
extern bool xtf_mpi_met_others;

enum {
    XTF_MPI_FIRST_WORLD = 1, /* MPI_COMM_WORLD of processes that were not spawned, and its group; the collector has 0 */
    XTF_MPI_SELF = 2,        /* MPI_COMM_SELF of every process */
    XTF_MPI_FIRST_ID = 3,
    XTF_MPI_RESERVED_IDS = 3, /* reserved ids of rank 0 of a spawned world, which spawn.c uses */
};

/* Writes the file `worlds`, from which spawned worlds take their places. Rank 0 of the first world calls it. */
void xtf_mpi_world_announce(uint32_t size);
/* Takes a number and a base for a spawned world. Its rank 0 calls it. */
void xtf_mpi_world_take(XtfMpiWorld *world);

/* Opens a file in the folder of the job; -1: it fails. */
int xtf_mpi_job_open(const char *name, int flags);
/* Creates an empty file in the folder of the job, which other processes that see the folder test for. */
void xtf_mpi_job_mark(const char *name);
bool xtf_mpi_job_is_marked(const char *name);

/* Returns the n-th id that this process makes; XTF_WIRE_NONE: none is left. */
uint32_t xtf_mpi_world_make_id(const XtfMpiWorld *world, uint64_t n);

#pragma GCC visibility pop

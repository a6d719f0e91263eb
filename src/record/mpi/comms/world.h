/*
 * The process's place in its job.
 *
 * Processes have numbers in the job: the rank in MPI_COMM_WORLD, and for those that were spawned a base before it. A
 * spawned world takes its base, and a number, from the file `worlds` in the folder of the job (XTF_RECORD_GATHER if
 * that is there, else XTF_RECORD_FOLDER); where that is not to be had, because the folder is another node's, from a
 * hash of host and process, which is only probably nobody else's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

typedef struct {
    uint32_t number; /* 0: MPI_COMM_WORLD of what the launcher started; else a spawned one */
    uint32_t base;   /* number in the job of its rank 0 */
    uint32_t rank, size;
} XtfMpiWorld;

/* All of these are set once, before the process has any communicator to record. */
extern XtfMpiWorld xtf_mpi_world;
extern MPI_Group xtf_mpi_world_group;
/* Ids are being agreed on: the process is one that is to be recorded, whether that works or not. */
extern bool xtf_mpi_agreeing;
/* The process has met processes of other worlds: groups may have members that its own world does not have. */
extern bool xtf_mpi_met_others;

enum {
    XTF_MPI_FIRST_WORLD =
        1,            /* MPI_COMM_WORLD of processes that were not spawned, and its group; 0 is the collector's */
    XTF_MPI_SELF = 2, /* MPI_COMM_SELF of every process */
    XTF_MPI_FIRST_ID = 3,
    XTF_MPI_RESERVED_IDS = 3, /* of the first process of a spawned world: spawn.c says for what */
};

/* The first world of the job, told to worlds that come; by its rank 0. */
void xtf_mpi_world_tell(uint32_t size);
/* A number and a base for a spawned world; by its rank 0. */
void xtf_mpi_world_take(XtfMpiWorld *world);

/* Opens a file in the folder of the job; -1: it cannot be. */
int xtf_mpi_job_open(const char *name, int flags);
/* Something that processes of the job tell one another, if they see the same folder: an empty file there. */
void xtf_mpi_job_mark(const char *name);
bool xtf_mpi_job_is_marked(const char *name);

/* The n-th id that this process makes. XTF_WIRE_NONE: there are no more. */
uint32_t xtf_mpi_world_make_id(const XtfMpiWorld *world, uint64_t n);

#pragma GCC visibility pop

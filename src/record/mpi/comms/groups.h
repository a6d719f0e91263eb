/*
 * Groups: their members are told once, by the first of them, as numbers of processes in the job.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* The processes of a group are the members of the group `id`. */
void xtf_mpi_define_group(XtfRing *ring, uint32_t id, MPI_Group group);
/* The same of a communicator's group, with members of several worlds perhaps: collective. */
void xtf_mpi_define_mixed_group(XtfRing *ring, uint32_t id, MPI_Comm comm, MPI_Group group);
/* Whether a group has members of other worlds: all members of it say the same. */
bool xtf_mpi_is_mixed(MPI_Group group);
/* The members of the other group of an intercommunicator, of whatever worlds: collective over both groups. */
void xtf_mpi_define_remote_group(XtfRing *ring, uint32_t id, MPI_Comm comm);
/* Somebody else defines the members. */
void xtf_mpi_name_group(XtfRing *ring, uint32_t id);
/* The groups of MPI_COMM_WORLD. */
void xtf_mpi_define_world_groups(XtfRing *ring);
/* A group that this process alone knows, of RMA epochs: the same id for the same members. */
uint32_t xtf_mpi_group_id(XtfRing *ring, MPI_Group group);

#pragma GCC visibility pop

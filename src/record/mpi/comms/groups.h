/* Groups. The first member of a group defines its members once, as numbers of processes in the job. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/core/core.h"
#include "src/record/mpi/library/pmpi.h"

#pragma GCC visibility push(hidden)

/* Defines the group `id` with the members of `group`. */
void xtf_mpi_define_group(XtfRing *ring, uint32_t id, MPI_Group group);
/* Defines the group of a communicator, which may have members of several worlds. Collective over `comm`. */
void xtf_mpi_define_mixed_group(XtfRing *ring, uint32_t id, MPI_Comm comm, MPI_Group group);
/* True if a group has members of other worlds. The result is the same in all members of the group. */
bool xtf_mpi_is_mixed(MPI_Group group);
/* Defines the remote group of an intercommunicator, whose members may be of any worlds. Collective over both groups. */
void xtf_mpi_define_remote_group(XtfRing *ring, uint32_t id, MPI_Comm comm);
/* Defines a group without members, which another process defines. */
void xtf_mpi_name_group(XtfRing *ring, uint32_t id);
/* Defines the group of MPI_COMM_WORLD. */
void xtf_mpi_define_world_groups(XtfRing *ring);
/* Returns the id of a group of RMA epochs, which only this process knows. Equal members give the same id. */
uint32_t xtf_mpi_group_id(XtfRing *ring, MPI_Group group);

#pragma GCC visibility pop

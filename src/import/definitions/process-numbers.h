/*
 * Numbers of processes and threads.
 *
 * A process's number is its rank in MPI_COMM_WORLD, if the source lists the locations of MPI's ranks. All other
 * processes follow in the order of their definitions. Threads are numbered within their process in the order of their
 * definitions, after the locations that are MPI ranks.
 */
#pragma once

#include "src/import/definitions/definitions.h"

/* Numbers processes and threads, after collecting and before resolving. Drops duplicate locations and returns their
 * number. Adds undefined processes to which locations refer, and fills in the processes of the members of groups. Sorts
 * the tables `processes` and `locations` by number. */
uint64_t xtf_number_processes(XtfDefinitions *definitions);

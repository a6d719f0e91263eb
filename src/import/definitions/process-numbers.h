/*
 * Numbers of processes and threads.
 *
 * A process's number is its rank in MPI's world, where the source says which locations MPI's ranks are; other processes
 * follow in the order of their definitions. Threads are numbered within their process in the
 * order of their definitions, MPI's rank first.
 */
#pragma once

#include "src/import/definitions/definitions.h"

/* Between collecting and resolving. Sorts the tables `processes` and `locations`, drops duplicate locations, adds the
 * processes that locations refer to and that are not defined, and fills in the processes of the members of groups.
 * Returns the number of duplicate locations. */
uint64_t xtf_number_processes(XtfDefinitions *definitions);

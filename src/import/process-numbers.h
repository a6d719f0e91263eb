/*
 * Numbers of processes and threads.
 *
 * A process's number is its rank in MPI's world, where the source says which locations MPI's ranks are; other processes
 * are numbered on after those, in the order of their definitions. Threads are numbered within their process in the
 * order of their definitions, the one that is MPI's rank first.
 */
#pragma once

#include "src/import/definitions.h"

/* To be called between collecting and resolving. Sorts the tables `processes` and `locations`, drops doubled locations,
 * makes up processes that locations refer to without a definition, and says of the members of groups which process they
 * are. Returns the number of locations that were defined more than once. */
uint64_t xtf_number_processes(XtfDefinitions *definitions);

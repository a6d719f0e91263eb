/* Numbers of the model's labels, by names and types of OTF1. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the paradigm of functions of a group, by the group's name: "MPI", "OMP", "Application" ... */
uint8_t xtf_otf1_paradigm(const char *function_group);

/* Returns a collective operation by its name, such as MPI_Bcast; else by its type, OTF_COLLECTIVE_TYPE_.... UINT8_MAX:
 * neither says which it is. */
uint8_t xtf_otf1_collective(const char *name, uint32_t type);

/* Returns the mode of a metric by the properties of its counter, and the type of its values. */
uint8_t xtf_otf1_metric_mode(uint32_t properties);
uint8_t xtf_otf1_value_type(uint32_t properties);

/* True if a group of processes is MPI_COMM_WORLD. */
bool xtf_otf1_is_world(const char *group);

/* Places in the source, from the debug information of a module. Only built with libdw. */
#pragma once

#include <elfutils/libdwfl.h>

#include "src/record/names/symbol.h"

/* Returns the source file of an address, "" if it is unknown. The caller frees it. *line: 0 if it is unknown. */
char *xtf_source_line(Dwfl_Module *module, uint64_t address, int *line);
/* Sets file, line and function of the address, and the functions into which it is inlined. Members that are unknown
 * stay NULL or 0. */
void xtf_call_place_find(Dwfl_Module *module, uint64_t address, XtfCallPlace *place);

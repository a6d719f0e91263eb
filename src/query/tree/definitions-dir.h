/*
 * definitions/: a file for each definition table.
 */
#pragma once

#include "src/query/tree/node.h"

extern const XtfNodeClass xtf_definitions_dir;

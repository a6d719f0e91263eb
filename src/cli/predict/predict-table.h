/*
 * The table of a prediction.
 */
#pragma once

#include "src/trace/text/column.h"

extern const XtfTableDeclaration xtf_table_predict;

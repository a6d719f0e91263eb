/*
 * num/K: one record as a directory. It holds the record, a field a line; a table for each side array that has rows of
 * the record; links to the records beside it in the selection and to the ENTER around it; and what a call has besides.
 */
#pragma once

#include "src/tree/node/node-class.h"

XtfNode *xtf_record_dir_new(const XtfNode *numbers, uint64_t k, GError **error);

/* Whether a name means something in every directory of a record. */
bool xtf_record_dir_has(const char *name);

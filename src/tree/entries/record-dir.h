/*
 * num/K: one record as a directory.
 *
 * `record` has a line for each field. Each side array with rows of the record has a table. Links lead to the next and
 * previous record of the selection, and to the surrounding ENTER. Calls, messages, collective operations and rows of an
 * analysis have more entries.
 */
#pragma once

#include "src/tree/node/node-class.h"

XtfNode *xtf_record_dir_new(const XtfNode *numbers, uint64_t k, GError **error);

/* True if a name is one of the entries that directories of records may have, apart from side arrays. */
bool xtf_record_dir_has(const char *name);

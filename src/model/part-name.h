/*
 * Parts of a recorded trace are called by the numbers of their processes, as in "000012.xtf".
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/merge.h"

/* The number of the process that a part is of. False if its name is another. */
bool xtf_part_process(const char *path, guint64 *number);
/* "process 12", or the file's name if it is another. The caller frees it. */
char *xtf_part_name(const char *path);
/* A remark in a line: "process 12 (000012.xtf): it has no commit yet". The caller frees it. */
char *xtf_part_remark_line(const XtfPartRemark *remark);

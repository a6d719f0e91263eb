/*
 * Where a part goes when it is complete, and what its collector has to say beside it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

/* Moves a part to the folder that all nodes see, XTF_RECORD_GATHER, if that is set and the program was not started on
 * this host, XTF_RECORD_HOST. It has its name there only when it is whole. */
bool xtf_collect_deliver(const char *path, const char *host, GError **error);

/* The log, if stderr is a file in the folder: removed if nothing is in it and nothing is to come, else named as the
 * part. */
void xtf_collect_settle_log(const char *folder, const char *part, bool good);

/*
 * Where a part goes when it is complete, and what its collector has to say beside it.
 *
 * `folder` is that of the job's parts on this host. What is written there goes to the folder that all nodes see,
 * XTF_RECORD_GATHER, if that is set, and another one, and the program was not started on this host, XTF_RECORD_HOST.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

/* Makes the folder that all nodes see, if the part goes there: who merges the parts waits for those of other hosts only
 * if it is there. */
void xtf_collect_announce(const char *folder, const char *host);

/* Moves a part to where it goes. It has its name there only when it is whole, and replaces nothing. */
bool xtf_collect_deliver(const char *folder, const char *path, const char *host, GError **error);

/* The log, if stderr is a file in the folder: removed if it is empty and `good`, else named as the part, which is NULL
 * if there is none. Or it is brought where the part goes: before the part, so that who sees the part sees the log. This
 * may be called again when more was said. False if it could not be brought. */
bool xtf_collect_settle_log(const char *folder, const char *part, const char *host, bool good);

/* When part and log were brought: removes the log here and, if nobody else has something in the folder, the folder,
 * with the files that processes of the job share there. Nothing, if parts stay. */
void xtf_collect_leave(const char *folder, const char *host);

/*
 * Delivery of a complete part and of its collector's log.
 *
 * `folder` holds the job's parts on this host. Parts move to XTF_RECORD_GATHER, a folder that all nodes see. They stay
 * if it is unset or the same folder, or if the program was started on this host, XTF_RECORD_HOST.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

/* Creates the gathering folder if parts move there: the merger waits for parts of other hosts only if the folder
 * exists. */
void xtf_collect_create_gathering(const char *folder, const char *host);

/* Moves a part to the gathering folder, if parts move. The part gets its name there only when it is whole, and replaces
 * no file. */
bool xtf_collect_deliver(const char *folder, const char *path, const char *host, GError **error);

/* Settles the log, if stderr is a file in the folder. Removes the log if it is empty and `good`. Else names it like the
 * part (NULL: no part), or copies it to the gathering folder. The log is delivered before the part, so that a reader
 * who sees the part sees the log. May be called again after more output. False if the log could not be copied. */
bool xtf_collect_deliver_log(const char *folder, const char *part, const char *host, bool good);

/* Removes the log here after part and log were delivered. Also removes the folder and the job's shared files in it, if
 * no other process has a file there. Does nothing if parts stay. */
void xtf_collect_clean_folder(const char *folder, const char *host);

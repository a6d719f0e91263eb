/*
 * Errors of OTF2's library, which reports them through a callback, and prints to stderr without one.
 */
#pragma once

#include <glib.h>
#include <otf2/otf2.h>

#include "libxtf/error.h"

/* From now on OTF2's messages go to a buffer of the thread that meets them. */
void xtf_otf2_catch_errors(void);
/* Forgets what this thread has caught. */
void xtf_otf2_forget_errors(void);

/* Sets an error of `xtf_code` with the message "`what`: OTF2's own words", and returns false. */
bool xtf_otf2_fail(GError **error, XtfErrorCode xtf_code, OTF2_ErrorCode otf2_code, const char *what);

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
/* Whether this thread has caught an error that nobody has asked for: some functions of the library say OTF2_SUCCESS all
 * the same. */
bool xtf_otf2_has_caught(void);

/* The same of something that is written: it is not damage, but a full disk, or a value that OTF2 does not take. */
bool xtf_otf2_fail_writing(GError **error, OTF2_ErrorCode otf2_code, const char *what);

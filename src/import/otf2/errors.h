/*
 * Errors of OTF2's library. The library reports them to a callback; without one it prints them to stderr.
 */
#pragma once

#include <glib.h>

#include "libxtf/error.h"
#include "src/import/otf2/otf2-library.h"

/* Registers a callback that keeps OTF2's first message in a buffer of the calling thread. */
void xtf_otf2_catch_errors(void);
/* Clears the message that this thread has caught. */
void xtf_otf2_forget_errors(void);

/* Sets an error of `xtf_code` with the message "SUBJECT: its meaning (OTF2 says: its own message)". Clears the caught
 * message and returns false. */
bool xtf_otf2_fail(GError **error, XtfErrorCode xtf_code, OTF2_ErrorCode otf2_code, const char *subject);
/* True if this thread has caught an error that is not reported yet. Some functions of the library return OTF2_SUCCESS
 * after an error. */
bool xtf_otf2_has_caught(void);

/* Sets an error of writing, and returns false. Its cause is a full disk, or a value that OTF2 rejects, not damage. */
bool xtf_otf2_fail_writing(GError **error, OTF2_ErrorCode otf2_code, const char *subject);

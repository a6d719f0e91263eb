/*
 * Errors in one call: each of these sets *error and returns false.
 */
#pragma once

#include <inttypes.h>
#include <stdbool.h>

#include "libxtf/error.h"

bool xtf_fail(GError **error, XtfErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* XTF_ERROR_DAMAGED: why a page, an item or an array is not to be trusted. */
bool xtf_damaged(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

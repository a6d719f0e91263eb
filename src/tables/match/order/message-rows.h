/*
 * Rows of a location's messages by a cursor that stays at its leaf, so that rows near each other cost no descents.
 */
#pragma once

#include "libxtf/array.h"

/* Finds row n of an array, which must exist, as xtf_array_row() does. Moves the cursor there from an array of any
 * location. The cursor is all zeros at first. The row is valid until the cursor moves. */
bool xtf_message_row(XtfCursor *cursor, const XtfArray *array, uint64_t n, const uint8_t **row, GError **error);

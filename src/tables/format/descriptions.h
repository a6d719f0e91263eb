/* Descriptions of the fields of records, for the file `columns`. */
#pragma once

#include "libxtf/schema.h"

/* Returns the description of a field by its role, or else by its name; NULL if there is none. */
const char *xtf_field_description(const XtfField *field);

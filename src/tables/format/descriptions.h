/* What `columns` says of the fields of records. */
#pragma once

#include "libxtf/schema.h"

/* Of a field by its role, or else by its name; NULL: nothing is known. */
const char *xtf_field_description(const XtfField *field);

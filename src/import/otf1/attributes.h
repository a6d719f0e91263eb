/* Attributes of events: OTF1's lists of keys and values, and its fields that the model lacks. */
#pragma once

#include "src/import/otf1/define.h"
#include "src/import/stream.h"

/* Appends a value of a field as an attribute of the stream's last record. */
bool xtf_otf1_add_field(XtfStream *stream, XtfOtf1Field field, uint64_t value);
/* Appends the values of a list, which may be NULL, as attributes of the stream's last record. */
bool xtf_otf1_add_list(XtfStream *stream, OTF_KeyValueList *list);

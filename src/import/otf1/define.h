/* Makes rows of the model's tables from the definitions of an archive. */
#pragma once

#include "src/import/otf1/ranks.h"

/* Attributes of events that OTF1 has as fields, and the model lacks. */
typedef enum {
    XTF_OTF1_SOURCE,      /* a place in the source */
    XTF_OTF1_HANDLE,      /* of an open file */
    XTF_OTF1_DURATION,    /* of an operation on a file, in ticks */
    XTF_OTF1_FLAGS,       /* of an operation on a file: OTF_IOFLAG_... */
    XTF_OTF1_ORIGIN,      /* of remote memory access: the process whose memory is transferred */
    XTF_OTF1_MARKER_KIND, /* name and type */
    XTF_OTF1_N_FIELDS,
} XtfOtf1Field;

/* Returns the id of such an attribute among attributes of the archive, whose keys count from the other end. */
static inline uint32_t xtf_otf1_field_id(XtfOtf1Field field)
{
    return XTF_NONE32 - 1 - field;
}

/* Adds all rows. `entries` of the master file (of XtfOtf1Entry) may name processes that are not defined. Returns the
 * number of these. */
uint64_t xtf_otf1_define(XtfOtf1Definitions *source, XtfOtf1Ranks *ranks, const GArray *entries);

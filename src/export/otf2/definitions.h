/* Inside the writing of definitions. */
#pragma once

#include "src/export/otf2/archive.h"

typedef struct {
    XtfOtf2Export *export;
    OTF2_GlobalDefWriter *writer;
    uint64_t definition; /* row of `definition_order` that is written; UINT64_MAX: none */
    bool has_clock;
    GHashTable *locations; /* keys -> rows of `locations`; NULL: not needed yet */
    GHashTable *own_texts; /* the exporter's own -> ids; NULL: none yet */
    guint n_texts;         /* new texts that are defined already */
    guint n_regions;       /* new regions that are defined already */
    GError *error;         /* the first fault that is not OTF2's */
} XtfOtf2Definer;

typedef OTF2_ErrorCode (*XtfOtf2DefinitionWriter)(XtfOtf2Definer *d, const void *row, uint64_t i);

/* The id of what a field of the definition refers to: a row, or a text, which is defined first if it must be. */
uint32_t xtf_otf2_reference(XtfOtf2Definer *d, const char *field, unsigned tag, uint64_t row);
uint32_t xtf_otf2_words(XtfOtf2Definer *d, const char *field, uint32_t text);
OTF2_AttributeValue xtf_otf2_definition_value(XtfOtf2Definer *d, uint8_t type, uint64_t value);
/* Defines the texts that got ids since. */
void xtf_otf2_define_texts(XtfOtf2Definer *d);

/* Whether a list's rows exist; sets the error. A short one has at most 255. */
bool xtf_otf2_has_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count);
bool xtf_otf2_has_short_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count);

OTF2_ErrorCode xtf_otf2_write_clock(XtfOtf2Definer *d, const void *row, uint64_t i);
OTF2_ErrorCode xtf_otf2_write_io_paradigm(XtfOtf2Definer *d, const void *row, uint64_t i);
OTF2_ErrorCode xtf_otf2_write_property(XtfOtf2Definer *d, const void *row, uint64_t i);

/* Writes row i of a table. The clock is row UINT64_MAX of `properties`. */
bool xtf_otf2_write_row(XtfOtf2Definer *d, unsigned tag, uint64_t i, GError **error);

/* Defines what is used and has no row in the trace's tables. */
bool xtf_otf2_define_regions(XtfOtf2Definer *d, GError **error);   /* of those named so far */
bool xtf_otf2_define_programs(XtfOtf2Definer *d, GError **error);  /* the regions of PROGRAM_BEGINs */
bool xtf_otf2_define_locations(XtfOtf2Definer *d, GError **error); /* and their processes */
bool xtf_otf2_define_world(XtfOtf2Definer *d, GError **error);     /* the group of type COMM_LOCATIONS */

/* Defines a text of the exporter's own; returns its id. Nothing is written if *code is an error already. */
uint32_t xtf_otf2_define_own(XtfOtf2Definer *d, const char *text, OTF2_ErrorCode *code);
/* True if neither d->error nor the code says otherwise; else sets the error. */
bool xtf_otf2_done(XtfOtf2Definer *d, OTF2_ErrorCode code, const char *what, GError **error);

/* Functions that the files which write definitions share. */
#pragma once

#include "src/export/otf2/archive.h"

typedef struct {
    XtfOtf2Export *export;
    OTF2_GlobalDefWriter *writer;
    uint64_t definition; /* current row of `definition_order`; UINT64_MAX: none */
    bool has_clock;
    GHashTable *locations; /* keys -> rows of `locations`; NULL: not needed yet */
    GHashTable *own_texts; /* texts that the exporter adds -> ids; NULL: none yet */
    guint n_texts;         /* number of new texts defined so far */
    guint n_regions;       /* number of new regions defined so far */
    GError *error;         /* the first error that OTF2 did not return */
} XtfOtf2Definer;

typedef OTF2_ErrorCode (*XtfOtf2DefinitionWriter)(XtfOtf2Definer *d, const void *row, uint64_t i);

/* Returns the id of the row or text that a field of the definition refers to. Defines a new text first. */
uint32_t xtf_otf2_reference(XtfOtf2Definer *d, const char *field, unsigned tag, uint64_t row);
uint32_t xtf_otf2_words(XtfOtf2Definer *d, const char *field, uint32_t text);
OTF2_AttributeValue xtf_otf2_definition_value(XtfOtf2Definer *d, uint8_t type, uint64_t value);
/* Defines the texts that got ids since the last call. */
void xtf_otf2_define_texts(XtfOtf2Definer *d);

/* True if a list's rows exist; else sets d->error. A short list has at most 255 rows. */
bool xtf_otf2_has_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count);
bool xtf_otf2_has_short_list(XtfOtf2Definer *d, const XtfModelTable *parts, uint64_t first, uint64_t count);

OTF2_ErrorCode xtf_otf2_write_clock(XtfOtf2Definer *d, const void *row, uint64_t i);
OTF2_ErrorCode xtf_otf2_write_io_paradigm(XtfOtf2Definer *d, const void *row, uint64_t i);
OTF2_ErrorCode xtf_otf2_write_property(XtfOtf2Definer *d, const void *row, uint64_t i);

/* Writes row i of a table. The clock is row UINT64_MAX of `properties`. */
bool xtf_otf2_write_row(XtfOtf2Definer *d, unsigned tag, uint64_t i, GError **error);

/* Defines objects that are in use but have no row in the trace's tables. */
bool xtf_otf2_define_regions(XtfOtf2Definer *d, GError **error);   /* the new regions referred to so far */
bool xtf_otf2_define_programs(XtfOtf2Definer *d, GError **error);  /* the regions of PROGRAM_BEGINs */
bool xtf_otf2_define_locations(XtfOtf2Definer *d, GError **error); /* locations and their processes */
bool xtf_otf2_define_world(XtfOtf2Definer *d, GError **error);     /* the group of type COMM_LOCATIONS */

/* Defines a text that the exporter adds, and returns its id. Writes nothing if *code is an error already. */
uint32_t xtf_otf2_define_own(XtfOtf2Definer *d, const char *text, OTF2_ErrorCode *code);
/* True if neither d->error nor `code` is an error; else sets the error. */
bool xtf_otf2_done(XtfOtf2Definer *d, OTF2_ErrorCode code, const char *object, GError **error);

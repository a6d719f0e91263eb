/*
 * The parts of the OTF2 exporter: events of each location, then local definitions (none), then global definitions.
 */
#pragma once

#include "src/export/job.h"
#include "src/export/location-reader.h"
#include "src/export/otf2/names.h"

typedef struct {
    XtfExportJob *job;
    OTF2_Archive *archive;
    XtfOtf2Names names;
    GHashTable *n_events;           /* by location, of uint64_t: written */
    uint64_t num, den;              /* ticks are written times den; num of them are a second */
    bool whole;                     /* all of the trace */
    GHashTable *programs;           /* canonical names of the programs that PROGRAM_BEGINs name -> their names */
    OTF2_AttributeList *attributes; /* of the event that is written */
} XtfOtf2Export;

/* A time as it is written. XTF_ERROR_TOO_LARGE if OTF2's 64 bits do not hold it. */
bool xtf_otf2_time(const XtfOtf2Export *export, uint64_t ticks, uint64_t *time, GError **error);

/* Writes all definitions. */
bool xtf_otf2_write_definitions(XtfOtf2Export *export, OTF2_GlobalDefWriter *writer, GError **error);
/* Sets what an archive says of itself, in its anchor file. */
bool xtf_otf2_write_properties(XtfOtf2Export *export, GError **error);
/* The number that a property says; false if there is none. */
bool xtf_otf2_number_property(const XtfOtf2Export *export, const char *name, uint64_t *value);

/* Notes that events name a program: its path, and its arguments. */
void xtf_otf2_note_program(XtfOtf2Export *export, const GPtrArray *words);

/* Writes the records of all locations of the selection. */
bool xtf_otf2_write_locations(XtfOtf2Export *export, GError **error);

/* Finds out whether --scalasca leaves a record out. */
bool xtf_otf2_is_left_out(const XtfOtf2Export *export, const XtfLocationReader *reader, const XtfLocationRecord *record,
                          bool *left_out, GError **error);

#define XTF_OTF2_NO_EVENT ((OTF2_ErrorCode)-1000) /* OTF2 has no such event */

/* Writes one record that is no call, with export->attributes. *code is what OTF2 says, or XTF_OTF2_NO_EVENT. */
bool xtf_otf2_write_event(XtfOtf2Export *export, XtfLocationReader *reader, const XtfLocationRecord *record,
                          OTF2_EvtWriter *writer, uint64_t time, OTF2_ErrorCode *code, GError **error);

/*
 * The parts of the OTF2 exporter: events of each location, then local definitions (empty), then global definitions.
 */
#pragma once

#include "src/export/job.h"
#include "src/export/location-reader.h"
#include "src/export/otf2/names.h"

typedef struct {
    XtfExportJob *job;
    OTF2_Archive *archive;
    XtfOtf2Names names;
    GHashTable *n_events;                         /* location -> uint64_t: number of written events */
    uint64_t num, den;                            /* a written time is ticks * den; a second is num of them */
    bool whole;                                   /* the selection has all records of the trace */
    GHashTable *programs;                         /* canonical name -> name of each program in a PROGRAM_BEGIN */
    OTF2_AttributeList *attributes;               /* of the current event */
    bool has_site_ids;                            /* an ENTER has a call site, and the next two members are set */
    uint32_t site_attribute, first_site_location; /* ids in the archive (call-sites.h) */
} XtfOtf2Export;

/* Converts ticks to a written time. XTF_ERROR_TOO_LARGE if OTF2's 64 bits are too few. */
bool xtf_otf2_time(const XtfOtf2Export *export, uint64_t ticks, uint64_t *time, GError **error);

/* Writes all definitions. */
bool xtf_otf2_write_definitions(XtfOtf2Export *export, OTF2_GlobalDefWriter *writer, GError **error);
/* Sets the archive's properties in its anchor file. */
bool xtf_otf2_write_properties(XtfOtf2Export *export, GError **error);
/* Reads a property's number. Returns false if the trace lacks the property, or its value is no number. */
bool xtf_otf2_number_property(const XtfOtf2Export *export, const char *name, uint64_t *value);

/* Notes a program that an event names: `words` are its path and its arguments. */
void xtf_otf2_note_program(XtfOtf2Export *export, const GPtrArray *words);

/* Writes the records of all locations of the selection. */
bool xtf_otf2_write_locations(XtfOtf2Export *export, GError **error);

/* Finds out whether --scalasca leaves a record out. */
bool xtf_otf2_is_left_out(const XtfOtf2Export *export, const XtfLocationReader *reader, const XtfLocationRecord *record,
                          bool *left_out, GError **error);

#define XTF_OTF2_NO_EVENT ((OTF2_ErrorCode)-1000) /* OTF2 has no such event */

/* Writes one record that is no call, with export->attributes. *code is OTF2's result, or XTF_OTF2_NO_EVENT. */
bool xtf_otf2_write_event(XtfOtf2Export *export, XtfLocationReader *reader, const XtfLocationRecord *record,
                          OTF2_EvtWriter *writer, uint64_t time, OTF2_ErrorCode *code, GError **error);

/*
 * The locations of an archive, one for each process of OTF1, and their postponed records.
 *
 * Some records of OTF1 say when an operation ends, and markers are in a file of their own. Their records are postponed:
 * they are appended before the first later event of the location.
 */
#pragma once

#include "src/import/stream.h"

typedef struct {
    uint64_t time;
    unsigned type, event;
    union {
        XtfCollectivesRow collective;
        XtfIoOperationsRow operation;
        XtfMarkersRow marker;
    } row;
    uint32_t kind; /* string of the trace: the kind of a marker */
} XtfOtf1Postponed;

typedef struct {
    XtfStream stream;
    uint32_t process;
    bool begun, ended;
    GSequence *postponed;   /* of XtfOtf1Postponed, by time; NULL: none so far */
    GHashTable *operations; /* of begun collective operations: matching id -> XtfCollectivesRow; NULL: none so far */
    uint64_t next_matching; /* of operations on files that OTF1 does not number */
} XtfOtf1Location;

typedef struct {
    GHashTable *by_process; /* process -> XtfOtf1Location, owned */
    uint32_t last_process;
    XtfOtf1Location *last; /* of the last event; mostly the next event has it, too */
} XtfOtf1Locations;

void xtf_otf1_locations_init(XtfOtf1Locations *locations);
void xtf_otf1_locations_finish(XtfOtf1Locations *locations);

/* Adds a location, which has no events yet. */
void xtf_otf1_locations_add(XtfOtf1Locations *locations, uint32_t process);
/* Returns the location of a process, or NULL. */
XtfOtf1Location *xtf_otf1_location(XtfOtf1Locations *locations, uint32_t process);

/* Postpones a record to its time. */
void xtf_otf1_postpone(XtfOtf1Location *location, const XtfOtf1Postponed *record);
/* Appends the postponed records up to a time. The location must have begun. */
bool xtf_otf1_append_postponed(XtfOtf1Location *location, uint64_t until);

/*
 * Callbacks of the OTF2 importer. OTF2's library reads the archive and calls them. Callbacks pass definitions
 * to definitions.h and events to stream.h.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/import/definitions/definitions.h"
#include "src/import/otf2/otf2-library.h"
#include "src/import/stream.h"

/* Returns all 80 callbacks of events. Their data is an XtfStream. The caller deletes them. */
OTF2_EvtReaderCallbacks *xtf_otf2_event_callbacks(void);

/* The archive's global definitions, read before all events. */
typedef struct {
    XtfDefinitions definitions;
    bool has_clock;
    uint64_t resolution, origin, length, realtime;
    uint64_t unknown; /* number of definitions that this version of OTF2 does not know */
} XtfOtf2Definitions;

/* Returns all callbacks of global definitions. Their data is an XtfOtf2Definitions. The caller deletes them. */
OTF2_GlobalDefReaderCallbacks *xtf_otf2_definition_callbacks(void);

/* Returns the bits of a value, as xtf_definitions_value() expects them. */
uint64_t xtf_otf2_raw_value(OTF2_Type type, OTF2_AttributeValue value);

/* Returns the row of `metrics` of the i-th member of a metric class, or of an instance's class; XTF_NONE32: none. */
uint32_t xtf_otf2_class_member(const XtfDefinitions *definitions, uint32_t class, unsigned i);

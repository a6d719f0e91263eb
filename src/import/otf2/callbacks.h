/*
 * The parts of the OTF2 importer. OTF2's library reads; what it reads goes through definitions.h and stream.h.
 */
#pragma once

#include <glib.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/import/definitions/definitions.h"
#include "src/import/stream.h"

/* Events: all 80 callbacks. Their data is an XtfStream. */
OTF2_EvtReaderCallbacks *xtf_otf2_event_callbacks(void);

/* Read once, before all events. */
typedef struct {
    XtfDefinitions definitions;
    bool has_clock;
    uint64_t resolution, origin, length, realtime;
    uint64_t unknown; /* definitions that this version of OTF2 does not know */
} XtfOtf2Definitions;

/* Global definitions: all callbacks. Their data is an XtfOtf2Definitions. */
OTF2_GlobalDefReaderCallbacks *xtf_otf2_definition_callbacks(void);

/* A value as xtf_definitions_value() takes it. */
uint64_t xtf_otf2_raw_value(OTF2_Type type, OTF2_AttributeValue value);

/* The row of `metrics` that is the i-th member of a metric class, or of the class of an instance; or none. */
uint32_t xtf_otf2_class_member(const XtfDefinitions *definitions, uint32_t class, unsigned i);

/*
 * Macros for the event callbacks. Only the files of callbacks include this file.
 */
#pragma once

#include "src/import/otf2/callbacks.h"

/* Defines a callback of the given name. Its parameters are stream, time and attributes, and the event's own fields. */
#define ON(Name, ...) static OTF2_CallbackCode on_##Name(CALLBACK_PARAMETERS(__VA_ARGS__))
#define CALLBACK_PARAMETERS(...)                                                                                     \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *stream, OTF2_AttributeList *attributes, \
        ##__VA_ARGS__

/* Appends `row`, the event's record. The value is the callback's return value. */
#define RECORD(TAG, NAME, row) xtf_otf2_record(stream, XTF_MODEL_##TAG, XTF_LABEL_##NAME, time, attributes, &(row))
#define LOOK_UP(TABLE, id)     xtf_definitions_row(((XtfStream *)stream)->definitions, XTF_MODEL_##TABLE, id)
#define TEXT(id)               xtf_definitions_string(((XtfStream *)stream)->definitions, id)

/* Defines a callback that appends one record. FIELDS are parameters for the event's own fields, in parentheses. The
 * assertion makes a use end with a semicolon, which helps editors find its end. */
#define ON_RECORD(Name, TAG, Type, NAME, FIELDS, ...)              \
    static OTF2_CallbackCode on_##Name(CALLBACK_PARAMETERS FIELDS) \
    {                                                              \
        Xtf##Type##Row row = {__VA_ARGS__};                        \
        return RECORD(TAG, NAME, row);                             \
    }                                                              \
    _Static_assert(true, "")

#define NO8  UINT8_MAX
#define NO32 XTF_NONE32
#define NO64 XTF_NONE64

/* Appends the attributes of the last record to their side array. */
OTF2_CallbackCode xtf_otf2_add_attributes(XtfStream *stream, const OTF2_AttributeList *attributes, uint32_t n);

/* Sets the callbacks of events-io.c. */
void xtf_otf2_set_io_callbacks(OTF2_EvtReaderCallbacks *callbacks);

/* Appends the attributes of an appended record. Returns a callback's return value. */
static inline OTF2_CallbackCode xtf_otf2_done(XtfStream *stream, bool appended, const OTF2_AttributeList *attributes)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);

    if (G_UNLIKELY(!appended))
        return OTF2_CALLBACK_INTERRUPT;
    return G_LIKELY(n == 0) ? OTF2_CALLBACK_SUCCESS : xtf_otf2_add_attributes(stream, attributes, n);
}

/* Appends a record and its attributes. Returns a callback's return value. */
static inline OTF2_CallbackCode xtf_otf2_record(XtfStream *stream, unsigned type, unsigned event, uint64_t time,
                                                const OTF2_AttributeList *attributes, void *row)
{
    ((XtfRecordHead *)row)->region = xtf_stream_region(stream);
    return xtf_otf2_done(stream, xtf_stream_append(stream, type, event, time, row), attributes);
}

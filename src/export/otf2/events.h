/*
 * Inside the writing of events: a function for each record type, which writes one row.
 */
#pragma once

#include "src/export/otf2/archive.h"

typedef struct {
    XtfOtf2Export *export;
    XtfLocationReader *reader;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    OTF2_TimeStamp time;
    GError *error; /* set if it was not OTF2 that failed */
} XtfOtf2Event;

typedef OTF2_ErrorCode (*XtfOtf2EventWriter)(XtfOtf2Event *event, const void *row);

/* Those of input and output and of remote memory access, by record type; NULL: not one of them. */
extern const XtfOtf2EventWriter xtf_otf2_io_writers[XTF_N_RECORD_TYPES];

/* A function that writes rows of a type: a switch over its events, each of which is an EVENT. */
#define XTF_OTF2_WRITER(name, Type)                                             \
    static OTF2_ErrorCode name##_row(XtfOtf2Event *e, const Xtf##Type##Row *r); \
    static OTF2_ErrorCode name(XtfOtf2Event *e, const void *row)                \
    {                                                                           \
        return name##_row(e, row);                                              \
    }                                                                           \
    static OTF2_ErrorCode name##_row(XtfOtf2Event *e, const Xtf##Type##Row *r)
#define XTF_OTF2_EVENT(NAME, Name, ...) \
    case XTF_LABEL_##NAME:              \
        return OTF2_EvtWriter_##Name(e->writer, e->attributes, e->time, ##__VA_ARGS__)
/* The id of a row that a field refers to. */
#define XTF_OTF2_ID(TAG, row) xtf_otf2_id(&e->export->names, XTF_MODEL_##TAG, row)

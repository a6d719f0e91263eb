/*
 * Definitions that the files which write events share. Each record type has a function that writes one row.
 */
#pragma once

#include "src/export/otf2/archive.h"

typedef struct {
    XtfOtf2Export *export;
    XtfLocationReader *reader;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    OTF2_TimeStamp time;
    GError *error; /* an error that OTF2 did not return */
} XtfOtf2Event;

typedef OTF2_ErrorCode (*XtfOtf2EventWriter)(XtfOtf2Event *event, const void *row);

/* The writers of input and output and of remote memory access, by record type; NULL for all other types. */
extern const XtfOtf2EventWriter xtf_otf2_io_writers[XTF_N_RECORD_TYPES];

/* Defines the function that writes rows of a type. Its body is a switch with an EVENT for each event of the type. */
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

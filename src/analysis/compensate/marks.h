/*
 * The records of a location that a replay names, with their recorded and local times (walk.h), in a log.
 *
 * Completions are the ends of receives, of sends and of collective operations. Completions without another record
 * between them are a *run*: one call completed all of them. A wait of the call ends at the first one.
 */
#pragma once

#include "src/analysis/compensate/walk.h"
#include "src/analysis/replay/logs/log.h"

typedef struct {
    uint64_t seq, time, local;
    uint64_t section; /* ticks of the section that ends at the record */
    uint64_t debt;    /* as in XtfWalkedRecord */
    bool continues;   /* true: the mark before is of the same run */
} XtfMark;

/* Returns the recorded time at which a wait that ends at the mark began, after the probes before it. */
static inline uint64_t xtf_mark_begin(const XtfMark *mark)
{
    return mark->time - mark->section;
}

/* Returns the recorded time at which the program went on behind the mark, after its probe. */
static inline uint64_t xtf_mark_done(const XtfMark *mark)
{
    return mark->time + mark->debt;
}

/* Which records are marks: values of `event` in the trace's types. Immutable. */
typedef struct {
    const XtfSchema *sends, *recvs, *collectives, *requests;
    XtfFieldLoad collective_event, request_event;
    uint64_t begin, end, sent, posted;
} XtfMarkTypes;

void xtf_mark_types_init(XtfMarkTypes *types, XtfTrace *trace);

typedef struct {
    XtfLogWriter log;
    XtfMark last;
    uint64_t last_completion; /* seq plus 1; 0: none */
} XtfMarkWriter;

/* Writes a record's mark, if it is one. */
bool xtf_marks_put(XtfMarkWriter *writer, const XtfMarkTypes *types, const XtfWalkedRecord *record, GError **error);

typedef struct {
    XtfLogReader log;
    XtfMark mark; /* the last one that was read */
    XtfMark run;  /* first mark of its run */
    bool any;     /* false: no mark was read yet */
} XtfMarkReader;

/* Reads up to the mark of record `seq`; the caller asks in ascending order. Fails if the log lacks it. */
bool xtf_marks_find(XtfMarkReader *reader, uint64_t seq, GError **error);

/*
 * The types that belong to trace.h, by name only: for headers whose functions take pointers to them.
 *
 * Whoever calls a function of a trace, or looks into one of the structs, includes trace.h.
 */
#pragma once

typedef struct XtfTrace XtfTrace;
typedef struct XtfOpenOptions XtfOpenOptions;
typedef struct XtfClock XtfClock;
typedef struct XtfTraceInfo XtfTraceInfo;
typedef struct XtfLimits XtfLimits;
typedef struct XtfTable XtfTable;
typedef struct XtfCounters XtfCounters;

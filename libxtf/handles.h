/*
 * Forward declarations of the types of trace.h, for headers whose functions take pointers to them.
 *
 * Code that calls functions of a trace, or uses members of the structs, includes trace.h.
 */
#pragma once

typedef struct XtfTrace XtfTrace;
typedef struct XtfOpenOptions XtfOpenOptions;
typedef struct XtfClock XtfClock;
typedef struct XtfTraceInfo XtfTraceInfo;
typedef struct XtfLimits XtfLimits;
typedef struct XtfTable XtfTable;
typedef struct XtfCounters XtfCounters;

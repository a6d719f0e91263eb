/*
 * Imports of calls: for sources of which no more is known than who entered and left what, and when.
 *
 *     XtfCallImport *calls = xtf_import_calls_begin(job, 1000000000, identity, error);
 *     while (...)
 *         good = entered ? xtf_import_calls_enter(calls, process, thread, time, region, error)
 *                        : xtf_import_calls_leave(calls, process, thread, time, region, error);
 *     good = xtf_import_calls_end(calls, error);
 *     xtf_import_calls_free(calls);
 *
 * Processes, threads and regions are known by their first event: the source need not list them. Events of one thread
 * come in the order of their times; those of different threads in any order. The source's mistakes are repaired as
 * stream.h says, and reported at the end. The importer's row names ENTERS_LEAVES and BACKWARD_TIMES as its types.
 *
 * What is held: some hundred bytes a thread, and the names of regions. One thread at a time.
 */
#pragma once

#include "src/import/job.h"

typedef struct XtfCallImport XtfCallImport;

/* Looks whether the output may be replaced, and creates it. `identity`: which trace it is, for the property that the
 * importer's row names. NULL with an error. */
XtfCallImport *xtf_import_calls_begin(XtfImportJob *job, uint64_t ticks_per_second, const char *identity,
                                      GError **error);
void xtf_import_calls_free(XtfCallImport *calls); /* NULL is fine */

/* A property of the trace: "command", "start". */
void xtf_import_calls_property(XtfCallImport *calls, const char *name, const char *value);

/* The region is copied. Times are ticks. */
bool xtf_import_calls_enter(XtfCallImport *calls, uint32_t process, uint32_t thread, uint64_t time, const char *region,
                            GError **error);
bool xtf_import_calls_leave(XtfCallImport *calls, uint32_t process, uint32_t thread, uint64_t time, const char *region,
                            GError **error);
/* Counts n events that were read and are not imported. The importer says why: xtf_import_leave_out(). */
void xtf_import_calls_skip(XtfCallImport *calls, uint64_t n);

/* Writes the definitions, closes the output, and reports. */
bool xtf_import_calls_end(XtfCallImport *calls, GError **error);

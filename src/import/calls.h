/*
 * Imports of calls: for sources whose only events are that a thread enters or leaves a region.
 *
 *     XtfCallImport *calls = xtf_import_calls_begin(job, 1000000000, identity, error);
 *     while (...)
 *         good = entered ? xtf_import_calls_enter(calls, process, thread, time, region, error)
 *                        : xtf_import_calls_leave(calls, process, thread, time, region, error);
 *     good = xtf_import_calls_end(calls, error);
 *     xtf_import_calls_free(calls);
 *
 * The first event of a process, thread or region defines it: the source need not list them. Events of one thread must
 * be in time order; events of different threads may be in any order. The import repairs faults of the source as
 * stream.h says, and reports them at the end. The importer's row must name ENTERS_LEAVES and BACKWARD_TIMES as its
 * types.
 *
 * An import needs some hundred bytes of memory per thread, and the names of regions. Call it from one thread at a time.
 */
#pragma once

#include "src/import/job.h"

typedef struct XtfCallImport XtfCallImport;

/* Checks that the output may be replaced, and creates it. `identity` identifies the imported trace: it is the value of
 * the property that the importer's row names. NULL with an error. */
XtfCallImport *xtf_import_calls_begin(XtfImportJob *job, uint64_t ticks_per_second, const char *identity,
                                      GError **error);
void xtf_import_calls_free(XtfCallImport *calls); /* may be NULL */

/* Adds a property of the trace, such as "command" or "start". */
void xtf_import_calls_property(XtfCallImport *calls, const char *name, const char *value);

/* Appends an event. Copies the region's name. `time` is in ticks. */
bool xtf_import_calls_enter(XtfCallImport *calls, uint32_t process, uint32_t thread, uint64_t time, const char *region,
                            GError **error);
bool xtf_import_calls_leave(XtfCallImport *calls, uint32_t process, uint32_t thread, uint64_t time, const char *region,
                            GError **error);
/* Counts n events that were read but are not imported. The importer adds a remark on the reason:
 * xtf_import_note_left_out(). */
void xtf_import_calls_skip(XtfCallImport *calls, uint64_t n);

/* Writes the definitions, closes the output, and adds remarks on repaired faults. */
bool xtf_import_calls_end(XtfCallImport *calls, GError **error);

/*
 * Writes the events of locations, one location after another, each in the order of time.
 */
#pragma once

#include "src/export/chrome/json-file.h"
#include "src/export/chrome/names.h"

typedef struct {
    XtfExportJob *job;
    XtfJsonFile json;
    XtfChromeExportNames names;
    bool matches;      /* the trace's messages can be matched */
    GHashTable *peers; /* set of uint64_t: processes to name whose threads may not be selected */
} XtfChromeExport;

/* Adds a process to export->peers. */
void xtf_chrome_add_peer(XtfChromeExport *export, uint64_t proc);
/* Returns nanoseconds from the beginning of the trace, rounded down. */
uint64_t xtf_chrome_nanoseconds(const XtfChromeExport *export, uint64_t ticks);
bool xtf_chrome_write_locations(XtfChromeExport *export, GError **error);

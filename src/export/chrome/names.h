/*
 * Names for events: of regions, metrics, attributes, processes and threads.
 */
#pragma once

#include "src/export/job.h"
#include "src/export/model-rows.h"

typedef struct {
    XtfTrace *trace; /* borrowed */
    XtfModelTable regions, metrics, attributes;
    char **calls;               /* by row of `regions`: the members "name" and "cat" as JSON; NULL: not made yet */
    GHashTable *processes;      /* number of a process -> string of its name */
    GHashTable *threads;        /* key of a location -> string of its name */
    GHashTable *process_orders; /* number of a process -> sort index, an int64_t */
    GHashTable *thread_orders;  /* key of a location -> sort index */
} XtfChromeExportNames;

bool xtf_chrome_export_names_load(XtfChromeExportNames *names, XtfTrace *trace, GError **error);
void xtf_chrome_export_names_finish(XtfChromeExportNames *names); /* all zeros is fine */

/* Returns the members "name" and "cat" of calls of a region, as JSON; NULL with an error. */
const char *xtf_chrome_call_names(XtfChromeExportNames *names, uint32_t region, GError **error);
/* Returns the name of a row; "" if there is no such row. NULL with an error. */
const char *xtf_chrome_metric_name(XtfChromeExportNames *names, uint32_t metric, GError **error);
const char *xtf_chrome_attribute_name(XtfChromeExportNames *names, uint32_t attribute, GError **error);
/* Returns a string of the trace; NULL with an error. */
const char *xtf_chrome_string(XtfChromeExportNames *names, uint32_t string, GError **error);

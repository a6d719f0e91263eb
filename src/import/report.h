/* Counts and remarks of a finished import. */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef struct {
    const char *event; /* the name that the source's own tools print */
    const char *type;  /* the type of its records */
    uint64_t read, kept;
} XtfImportCount;

typedef struct {
    const char *format;       /* of the source: the importer's name */
    GArray *counts;           /* of XtfImportCount: the kinds of event that the source has */
    GPtrArray *left_out;      /* of strings: data that was not imported, and the reason */
    GPtrArray *warnings;      /* of strings: faults of the source that may change results */
    GPtrArray *repaired;      /* of strings: faults that hardly change results */
    uint64_t read, kept;      /* numbers of events */
    uint64_t left_out_events; /* read but not kept: read = kept + left_out_events */
    uint64_t locations;       /* number of locations that have events */
    uint64_t definitions;
} XtfImportReport;

void xtf_import_report_init(XtfImportReport *report);
void xtf_import_report_finish(XtfImportReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfImportReport, xtf_import_report_finish)

/* The report as the child sends it to its parent. All texts are UTF-8. */
#define XTF_REPORT_FORMAT "(a(sstt)asasasttttt)"
#define XTF_REPORT_TYPE   G_VARIANT_TYPE(XTF_REPORT_FORMAT)
GVariant *xtf_import_report_pack(const XtfImportReport *report);
void xtf_import_report_unpack(XtfImportReport *report, GVariant *packed);

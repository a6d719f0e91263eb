/* What an import did. */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef struct {
    const char *event; /* as the source's own tools print it */
    const char *type;  /* the record type it became */
    uint64_t read, kept;
} XtfImportCount;

typedef struct {
    GArray *counts;           /* of XtfImportCount: the kinds of event that occur */
    GPtrArray *left_out;      /* of strings: what was not imported, and why */
    GPtrArray *warnings;      /* of strings: faults that change what the trace shows, or may */
    GPtrArray *repaired;      /* of strings: faults that hardly do */
    uint64_t read, kept;      /* events */
    uint64_t left_out_events; /* that were read and are not kept: read = kept + left_out_events */
    uint64_t locations;       /* that have events */
    uint64_t definitions;
} XtfImportReport;

void xtf_import_report_init(XtfImportReport *report);
void xtf_import_report_finish(XtfImportReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfImportReport, xtf_import_report_finish)

/* The report on its way from the child to its parent. All texts are UTF-8. */
#define XTF_REPORT_TYPE G_VARIANT_TYPE("(a(sstt)asasasttttt)")
GVariant *xtf_import_report_pack(const XtfImportReport *report);
void xtf_import_report_unpack(XtfImportReport *report, GVariant *packed);

#include "src/export/export.h"

void xtf_export_report_init(XtfExportReport *report)
{
    *report = (XtfExportReport){.notes = g_ptr_array_new_with_free_func(g_free)};
}

void xtf_export_report_finish(XtfExportReport *report)
{
    g_clear_pointer(&report->notes, g_ptr_array_unref);
}

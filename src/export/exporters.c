#include "src/export/exporter.h"

#include "libxtf/error.h"
#include "src/export/chrome/exporter.h"
#include "src/export/csv/exporter.h"
#include "src/export/cube/exporter.h"
#include "src/export/html/exporter.h"
#include "src/export/opents/exporter.h"
#include "src/export/otf2/exporter.h"
#include "src/export/ti/exporter.h"
#include "src/network/export/exporter.h"

static const XtfExporter *const exporters[] = {
    &xtf_otf2_exporter,    &xtf_cube_exporter,   &xtf_html_exporter,
    &xtf_network_exporter, &xtf_opents_exporter, &xtf_csv_exporter,
    &xtf_chrome_exporter,  &xtf_ti_exporter,     NULL,
};

const XtfExporter *xtf_exporter_find(const char *name, GError **error)
{
    const XtfExporter *const *exporter = exporters;
    g_autofree char *formats = xtf_export_formats();

    while (*exporter && !g_str_equal((*exporter)->name, name))
        exporter++;
    if (!*exporter)
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "there is no format '%s' to export to; the formats are %s", name, formats);
    else if (!(*exporter)->run)
        xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                 "this xtf was built without the exporter of %s: build it with -D%s=enabled", name,
                 (*exporter)->option);
    return *exporter && (*exporter)->run ? *exporter : NULL;
}

char *xtf_export_formats(void)
{
    GString *text = g_string_new(NULL);

    for (const XtfExporter *const *exporter = exporters; *exporter; exporter++)
        g_string_append_printf(text, "%s%s (%s%s)", text->len > 0 ? ", " : "", (*exporter)->name,
                               (*exporter)->description, (*exporter)->run ? "" : "; not in this build");
    return g_string_free(text, FALSE);
}

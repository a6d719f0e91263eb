#include "src/cli/trace/import-archive.h"

#include <stdio.h>

#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/import/ranks/ranks.h"

enum {
    WARNINGS_SHOWN = 3,
};

void xtf_cli_print_warnings(const XtfImportReport *report, const char *archive, const char *output)
{
    guint n = report->warnings->len, shown = n <= WARNINGS_SHOWN + 1 ? n : WARNINGS_SHOWN;

    for (guint i = 0; i < shown; i++)
        xtf_print_line(stderr, "xtf: warning: %s: %s", archive, (const char *)report->warnings->pdata[i]);
    if (shown < n)
        xtf_print_line(stderr, "xtf: %u more warnings: xtf cat %s definitions/remarks", n - shown, output);
}

static void show_import_progress(uint64_t events, double done, void *data)
{
    xtf_progress_update(data, (uint64_t)(done * 1e6), 1000000, events);
}

bool xtf_cli_import(XtfWorld *world, const char *archive, const char *output, const XtfImportOptions *options,
                    bool quiet, XtfImportReport *report, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("importing", "events", quiet);
    XtfInterrupts interrupts;
    XtfImportOptions own_options = *options;

    own_options.cancel = xtf_interrupts_catch(&interrupts);
    own_options.progress = show_import_progress;
    own_options.progress_data = progress;
    bool done = world ? xtf_import_by_ranks(world, archive, output, &own_options, report, error)
                      : xtf_import(archive, output, &own_options, report, error);
    xtf_interrupts_release(&interrupts);
    return done;
}

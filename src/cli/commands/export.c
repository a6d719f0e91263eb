/*
 * xtf export FORMAT -o OUT TRACE [PATH]: records of a trace, in another format.
 */
#include "src/export/export.h"
#include "libxtf/trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/cli/commands/commands.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"

static void show_export_progress(uint64_t records, double done, void *data)
{
    xtf_progress_update(data, (uint64_t)(done * 1e6), 1000000, records);
}

/* Writes the export with a progress bar. `wanted` has the options of the command line; the function adds the others. */
static bool export_records(const XtfExporter *exporter, XtfNode *directory, const char *output,
                           const XtfExportOptions *wanted, bool quiet, XtfExportReport *report, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("exporting", "records", quiet);
    XtfInterrupts interrupts;
    XtfExportOptions options = *wanted;

    options.cancel = xtf_interrupts_catch(&interrupts);
    options.progress = show_export_progress;
    options.progress_data = progress;
    bool done = xtf_export(exporter, directory, output, &options, report, error);
    xtf_interrupts_release(&interrupts);
    return done;
}

static void print_export_report(const XtfExportReport *report, const char *output)
{
    xtf_print_line(stdout, "%s: %" PRIu64 " record%s of %" PRIu64 " location%s", output, report->records,
                   report->records == 1 ? "" : "s", report->locations, report->locations == 1 ? "" : "s");
    for (guint i = 0; i < report->notes->len; i++)
        xtf_print_line(stdout, "%s", (const char *)report->notes->pdata[i]);
}

static int export_path(const XtfExporter *exporter, const char *path, const char *output,
                       const XtfExportOptions *options, bool quiet, bool incomplete)
{
    g_auto(XtfExportReport) report;
    GError *error = NULL;

    xtf_export_report_init(&report);
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(options->source, incomplete, &error);
    g_autoptr(XtfNode) directory = tree ? xtf_cli_resolve(tree, path, path, &error) : NULL;
    if (!directory)
        return xtf_cli_fail(error);
    if (!export_records(exporter, directory, output, options, quiet, &report, &error)) {
        if (error->code == XTF_ERROR_INVALID)
            g_prefix_error(&error, "%s: ", path);
        return xtf_cli_fail(error);
    }
    if (!quiet)
        print_export_report(&report, output);
    return XTF_EXIT_DONE;
}

int xtf_command_export(int argc, char **argv)
{
    g_autofree char *output = NULL, *fps = NULL;
    gboolean force = FALSE, quiet = FALSE, scalasca = FALSE, expands = FALSE, incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write to OUT: a folder for otf2, html and ti, else a file",
         "OUT"},
        {"fps", 0, 0, G_OPTION_ARG_STRING, &fps, "opents: slices per second (default: 25)", "N"},
        {"scalasca", 0, 0, G_OPTION_ARG_NONE, &scalasca, "otf2: leave out operations at which Scalasca 2.6 aborts",
         NULL},
        {"expand", 0, 0, G_OPTION_ARG_NONE, &expands, "ti: write all collective operations as messages", NULL},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &force, "Replace OUT if it is an export", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show no progress and no summary", NULL},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    g_autofree char *phrase = xtf_export_formats();
    g_auto(GStrv) list = g_strsplit(phrase, ", ", -1);
    g_autofree char *formats = g_strjoinv("\n  ", list);
    g_autofree char *summary =
        g_strdup_printf("Writes records of a trace in another format. FORMAT is one of\n\n  %s\n\n"
                        "PATH is a directory of the trace, such as proc/0-3 or time/10%%-20%%/sends; without it, all\n"
                        "records are written. Says at the end what was left out, and what was added at the edges\n"
                        "of a window.\n\n"
                        "  xtf export otf2 -o part run.xtf time/40%%-60%%",
                        formats);
    GError *error = NULL;

    if (!xtf_cli_parse(&argc, &argv, -2, "FORMAT -o OUT TRACE [PATH]", summary, entries))
        return XTF_EXIT_USAGE;
    if (argc > 4 || !output) {
        fputs(argc > 4 ? "xtf: export: too many arguments\n" : "xtf: export: -o OUT says where to\n", stderr);
        return XTF_EXIT_USAGE;
    }
    const XtfExporter *exporter = xtf_exporter_find(argv[1], &error);
    if (!exporter) {
        xtf_cli_fail(error);
        return XTF_EXIT_USAGE;
    }
    if (fps && !exporter->has_rate) {
        fprintf(stderr, "xtf: export: --fps is not for %s\n", exporter->name);
        return XTF_EXIT_USAGE;
    }
    if (scalasca && !exporter->for_scalasca) {
        fprintf(stderr, "xtf: export: --scalasca is not for %s\n", exporter->name);
        return XTF_EXIT_USAGE;
    }
    if (expands && !exporter->expands) {
        fprintf(stderr, "xtf: export: --expand is not for %s\n", exporter->name);
        return XTF_EXIT_USAGE;
    }
    g_autofree char *rate = fps ? g_strconcat(fps, "fps", NULL) : NULL;
    const XtfExportOptions options = {
        .source = argv[2], .rate = rate, .force = force, .for_scalasca = scalasca, .expands = expands};
    return export_path(exporter, argc > 3 ? argv[3] : "/", output, &options, quiet, incomplete);
}

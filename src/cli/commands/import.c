/*
 * xtf import: a foreign trace into an .xtf file.
 */
#include "src/cli/trace/import-archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/storage-options.h"
#include "src/import/importer.h"

static void print_counts(const XtfImportReport *report)
{
    printf("%-34s %-16s %14s %14s\n", "event", "record type", "read", "kept");
    for (guint i = 0; i < report->counts->len; i++) {
        const XtfImportCount *count = &g_array_index(report->counts, XtfImportCount, i);
        printf("%-34s %-16s %14" PRIu64 " %14" PRIu64 "\n", count->event, count->type, count->read, count->kept);
    }
    printf("%-34s %-16s %14" PRIu64 " %14" PRIu64 "\n", "total", "", report->read, report->kept);
    printf("%" PRIu64 " definition%s, %" PRIu64 " location%s with events\n", report->definitions,
           report->definitions == 1 ? "" : "s", report->locations, report->locations == 1 ? "" : "s");
    if (report->left_out->len == 0)
        puts("left out: nothing");
    for (guint i = 0; i < report->left_out->len; i++)
        xtf_print_line(stdout, "left out: %s", (const char *)g_ptr_array_index(report->left_out, i));
}

/* Returns the bytes of a file, or of all files in a folder of parts; *parts gets their number. */
static uint64_t count_bytes(const char *output, unsigned *parts)
{
    g_autoptr(GDir) dir = g_dir_open(output, 0, NULL);
    struct stat written;
    const char *name;
    uint64_t bytes = 0;

    *parts = 0;
    if (!dir)
        return stat(output, &written) == 0 ? (uint64_t)written.st_size : 0;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename(output, name, NULL);
        bytes += stat(file, &written) == 0 ? (uint64_t)written.st_size : 0;
        *parts += g_ascii_isdigit(*name);
    }
    return bytes;
}

static void print_output(const char *output, uint64_t records)
{
    unsigned parts;
    uint64_t bytes = count_bytes(output, &parts);
    g_autofree char *in_parts = parts > 0 ? g_strdup_printf(", %u part%s", parts, parts == 1 ? "" : "s") : g_strdup("");

    xtf_print_line(stdout, "%s: %" PRIu64 " bytes, %.2f a record%s", output, bytes,
                   records > 0 ? (double)bytes / (double)records : 0, in_parts);
}

static void print_import_report(const XtfImportReport *report, const char *archive, const char *output, bool quiet)
{
    xtf_cli_print_warnings(report, archive, output);
    if (quiet)
        return;
    print_counts(report);
    if (report->repaired->len > 0)
        xtf_print_line(stdout, "%u remark%s, which hardly matter%s: xtf cat %s definitions/remarks",
                       report->repaired->len, report->repaired->len == 1 ? "" : "s",
                       report->repaired->len == 1 ? "s" : "", output);
    print_output(output, report->kept);
    printf("format: %s\n", report->format);
}

/* Returns NAME.xtf, in the current folder, for "dir/NAME.otf2", "dir/NAME/", or "." in dir/NAME; if ranks share an
 * import, NAME.xtf.d. The caller frees it. */
static char *default_output(const char *archive, bool by_ranks)
{
    g_autofree char *whole = g_canonicalize_filename(archive, NULL);
    g_autofree char *name = g_path_get_basename(whole);

    const XtfImporter *importer = xtf_importer_by_ending(name);

    if (importer)
        name[strlen(name) - strlen(importer->ending)] = '\0';
    return g_strconcat(name, by_ranks && importer && importer->shares ? ".xtf.d" : ".xtf", NULL);
}

static int import_archive(XtfWorld *world, const char *archive, const char *output, const XtfImportOptions *options,
                          bool quiet)
{
    bool by_ranks = xtf_world_is_launched(world), is_silent = xtf_world_rank(world) > 0;
    g_autofree char *own_output = output ? g_strdup(output) : default_output(archive, by_ranks);
    g_auto(XtfImportReport) report;
    GError *error = NULL;

    xtf_import_report_init(&report);
    if (!xtf_cli_import(by_ranks ? world : NULL, archive, own_output, options, quiet || is_silent, &report, &error))
        return error ? xtf_cli_fail(error) : XTF_EXIT_FAILED; /* without an error, another rank reports one */
    if (!is_silent)
        print_import_report(&report, archive, own_output, quiet);
    return XTF_EXIT_DONE;
}

/* Imports alone or, if the launcher of an MPI started the process, with the other ranks of the job. */
static int import_in_world(const char *archive, const char *output, const XtfImportOptions *options, bool quiet)
{
    XtfWorld *world = xtf_cli_start_world();

    if (!world)
        return XTF_EXIT_FAILED;
    int status = import_archive(world, archive, output, options, quiet);
    xtf_world_end(world, status);
    return status;
}

int xtf_command_import(int argc, char **argv)
{
    g_autofree char *output = NULL;
    g_auto(XtfCliStorage) storage = {0};
    gboolean keep_going = FALSE, force = FALSE, quiet = FALSE;
    g_autofree char *values = NULL, *format = NULL;
    gint jobs = 0;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
         "Write to FILE, by ranks a folder (default: by the archive's name)", "FILE"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, "Read ARCHIVE, a file, as this format (default: found out)",
         "NAME"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Use N threads (default: one per processor)", "N"},
        {"keep-going", 'k', 0, G_OPTION_ARG_NONE, &keep_going, "Import what can be read of a damaged archive", NULL},
        {"values", 0, 0, G_OPTION_ARG_STRING, &values,
         "Counters of OpenTS are cumulative or per-frame (default: found out)", "WHAT"},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &force, "Replace FILE even if it is not an import of this archive", NULL},
        XTF_CLI_STORAGE_ENTRIES(storage),
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show warnings only", NULL},
        {0},
    };
    g_auto(GStrv) list = xtf_import_format_list();
    g_autofree char *formats = g_strjoinv("\n  ", list);
    g_autofree char *summary = g_strdup_printf(
        "Reads a trace of another format into an .xtf file. Says at the end what was read, kept and left\n"
        "out. ARCHIVE is one of these, or the folder that holds it:\n\n  %s\n\n"
        "  xtf import -o run.xtf scorep-run/traces.otf2\n"
        "  mpirun -n 64 xtf import -o run.xtf.d scorep-run/traces.otf2   by the ranks of an MPI job",
        formats);
    XtfImportOptions options = {0};

    if (!xtf_cli_parse(&argc, &argv, 1, "ARCHIVE", summary, entries))
        return XTF_EXIT_USAGE;
    if (jobs < 0) {
        fputs("xtf: import: --jobs takes a number from 1 on (0: one thread per processor)\n", stderr);
        return XTF_EXIT_USAGE;
    }
    if (values && !g_str_equal(values, "cumulative") && !g_str_equal(values, "per-frame")) {
        fputs("xtf: import: --values takes cumulative or per-frame\n", stderr);
        return XTF_EXIT_USAGE;
    }
    if (!xtf_cli_storage_options("import", &storage, &options.storage))
        return XTF_EXIT_USAGE;
    if (output && g_str_equal(output, "-")) {
        fputs("xtf: import: a trace cannot be a stream: -o takes a file name\n", stderr);
        return XTF_EXIT_USAGE;
    }
    options.jobs = (unsigned)jobs;
    options.keep_going = keep_going;
    options.force = force;
    options.values = values;
    options.format = format;
    return import_in_world(argv[1], output, &options, quiet);
}

/*
 * xtf record --names: finds names of call sites and functions for a trace that was recorded without them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/commands/record/record-names.h"
#include "src/cli/copy/copy-trace.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/import/output.h"
#include "src/record/launch/find-names.h"

static void show_copy(uint64_t done, uint64_t total, void *progress)
{
    xtf_progress_update(progress, done, total, done);
}

static bool write_named_copy(const XtfFoundNames *found, const XtfOutput *output, bool quiet, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("copying", "rows", quiet);
    XtfInterrupts interrupts;
    const XtfWriterOptions options = xtf_copy_writer_options(found->trace);
    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &options, error);
    if (!writer)
        return false;
    const XtfCopyOptions copy = {
        .cancel = xtf_interrupts_catch(&interrupts), .progress = show_copy, .progress_data = progress};
    bool good = xtf_copy_trace(found->trace, writer, &copy, error) && xtf_found_names_store(found, writer, error);
    xtf_interrupts_release(&interrupts);
    return good && xtf_writer_close(g_steal_pointer(&writer), error);
}

static bool store_in_copy(const XtfFoundNames *found, const char *path, const XtfCliRecord *given, GError **error)
{
    if (!given->force && g_file_test(given->output, G_FILE_TEST_EXISTS))
        return xtf_fail(error, XTF_ERROR_INVALID, "'%s' exists already: --force replaces it", given->output);
    XtfOutput *output = xtf_output_begin(given->output, path, error);
    return output && xtf_output_end(output, write_named_copy(found, output, given->quiet, error), error);
}

/* Stores the names in the trace itself, by one commit. Without names leaves the file as it is. */
static bool store_in_place(const XtfFoundNames *found, const char *source, const char *path, GError **error)
{
    if (g_hash_table_size(found->sites.found) + g_hash_table_size(found->regions.found) == 0)
        return true;
    g_autoptr(XtfWriter) writer =
        xtf_cli_writer_of(found->trace, source, path, "-o FILE writes a copy with names", error);
    return writer && xtf_found_names_store(found, writer, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

static void print_rows(const char *label, const XtfNamedRows *rows, const char *lacking)
{
    if (rows->n_rows > 0)
        printf("%-14s %u of %" PRIu32 " that had no %s now have one\n", label, g_hash_table_size(rows->found),
               rows->n_unnamed, lacking);
}

static void print_found_names(const XtfFoundNames *found)
{
    print_rows("call sites", &found->sites, "line");
    print_rows("functions", &found->regions, "name");
    for (guint i = 0; i < found->missing->len; i++)
        xtf_print_line(stdout, "%-14s %s", "no debug file", (const char *)found->missing->pdata[i]);
}

int xtf_cli_record_names(const char *source, const XtfCliRecord *given)
{
    const XtfSourceOptions options = {.quiet = given->quiet, .no_companion = true};
    g_autofree char *path = NULL;
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, &options, &path, &error);
    g_auto(XtfFoundNames) found = {0};

    if (!trace || !xtf_find_names(&found, trace, given->debug_dir, &error))
        return xtf_cli_fail(error);
    if (!(given->output ? store_in_copy(&found, path, given, &error) : store_in_place(&found, source, path, &error)))
        return xtf_cli_fail(error);
    if (!given->quiet)
        print_found_names(&found);
    return XTF_EXIT_DONE;
}

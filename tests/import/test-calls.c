/*
 * An importer of calls in a dozen lines, for a format of lines `process thread time > region` and `... < region`.
 * The test reads the calls from the trace.
 */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/calls.h"

/* ---- The importer. */

static bool add_line(XtfCallImport *calls, const char *line, GError **error)
{
    unsigned process, thread;
    unsigned long long time;
    char sign, region[64];

    if (sscanf(line, "%u %u %llu %c %63[^\n]", &process, &thread, &time, &sign, region) != 5) {
        xtf_import_calls_skip(calls, 1);
        return true;
    }
    return sign == '>' ? xtf_import_calls_enter(calls, process, thread, time, region, error)
                       : xtf_import_calls_leave(calls, process, thread, time, region, error);
}

static bool run_import(XtfImportJob *job, GError **error)
{
    g_autofree char *text = NULL;

    if (!g_file_get_contents(job->anchor, &text, NULL, error))
        return false;
    XtfCallImport *calls = xtf_import_calls_begin(job, 1000, "the only one", error);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
    bool good = calls != NULL;
    for (char **line = lines; good && *line; line++)
        good = add_line(calls, *line, error);
    good = good && xtf_import_calls_end(calls, error);
    xtf_import_calls_free(calls);
    return good;
}

static const XtfImporter importer = {
    .name = "lines",
    .identity = "lines_id",
    .types = UINT64_C(1) << XTF_MODEL_ENTERS_LEAVES | UINT64_C(1) << XTF_MODEL_BACKWARD_TIMES,
    .run = run_import,
};

/* ---- The trace. */

typedef struct {
    char *folder, *output;
    XtfImportReport report;
    XtfTrace *trace;
} Imported;

static Imported import_lines(const char *text)
{
    Imported imported = {.folder = g_dir_make_tmp("xtf-calls-XXXXXX", NULL)};
    g_autofree char *anchor = g_build_filename(imported.folder, "lines.txt", NULL);
    const XtfImportOptions options = {0};
    const XtfReplaced replaced = {0};
    XtfSupervised *shared = g_new0(XtfSupervised, 1);
    g_autoptr(GError) error = NULL;

    imported.output = g_build_filename(imported.folder, "lines.xtf", NULL);
    cr_assert(g_file_set_contents(anchor, text, -1, NULL));
    XtfOutput *output = xtf_output_begin(imported.output, NULL, &error);
    cr_assert_not_null(output, "%s", error ? error->message : "no error");
    XtfImportJob job = {
        .importer = &importer, .anchor = anchor, .output = output, .options = &options, .replaced = &replaced};
    g_autoptr(GVariant) packed = xtf_import_job_run(shared, &job, &error);
    cr_assert(xtf_output_end(output, packed, &error), "%s", error ? error->message : "no error");
    g_variant_ref_sink(packed);
    xtf_import_report_init(&imported.report);
    xtf_import_report_unpack(&imported.report, packed);
    imported.trace = xtf_trace_open(imported.output, NULL, &error);
    cr_assert_not_null(imported.trace, "%s", error ? error->message : "no error");
    g_free(shared);
    g_unlink(anchor);
    return imported;
}

static void imported_finish(Imported *imported)
{
    xtf_trace_unref(imported->trace);
    xtf_import_report_finish(&imported->report);
    g_unlink(imported->output);
    g_rmdir(imported->folder);
    g_free(imported->output);
    g_free(imported->folder);
}

static uint64_t rows_of_table(XtfTrace *trace, const char *name)
{
    const XtfTable *table;

    cr_assert(xtf_trace_table(trace, name, &table, NULL));
    return table ? table->n_rows : 0;
}

static uint64_t rows_of(XtfTrace *trace, uint64_t location)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, "enters_leaves");
    XtfArray array;
    bool found;

    cr_assert_not_null(schema);
    cr_assert(xtf_trace_find_array(trace, location, schema->id, &array, &found, NULL));
    return found ? array.n_rows : 0;
}

Test(calls, of_threads_in_any_order_are_a_trace)
{
    Imported imported = import_lines("1 0 5 > main\n"
                                     "0 0 1 > main\n"
                                     "0 0 2 > solve\n"
                                     "0 1 7 > solve\n"
                                     "0 0 3 < solve\n"
                                     "1 0 9 < main\n"
                                     "0 1 8 < solve\n"
                                     "0 0 4 < main\n");

    cr_assert_eq(rows_of_table(imported.trace, "processes"), 2);
    cr_assert_eq(rows_of_table(imported.trace, "locations"), 3);
    cr_assert_eq(rows_of_table(imported.trace, "regions"), 2);
    cr_assert_eq(rows_of(imported.trace, 0), 4);
    cr_assert_eq(rows_of(imported.trace, 1), 2);
    cr_assert_eq(rows_of(imported.trace, UINT64_C(1) << 32), 2);
    cr_assert_eq(imported.report.read, 8);
    cr_assert_eq(imported.report.kept, 8);
    cr_assert_eq(imported.report.locations, 3);
    cr_assert_eq(imported.report.warnings->len, 0);
    cr_assert_eq(imported.report.repaired->len, 0);
    imported_finish(&imported);
}

Test(calls, that_are_wrong_are_repaired_and_counted)
{
    Imported imported = import_lines("0 0 5 > main\n"
                                     "no event at all\n"
                                     "0 0 4 > early\n"
                                     "0 0 6 < never_entered\n"
                                     "0 0 7 < main\n");

    cr_assert_eq(imported.report.read, 5);
    cr_assert_eq(imported.report.kept, 4);
    cr_assert_eq(imported.report.left_out_events, 1);
    cr_assert_eq(imported.report.warnings->len, 0, "%s", (const char *)imported.report.warnings->pdata[0]);
    static const char *const repaired[] = {"events with times before", "calls that are left and never entered",
                                           "calls that are left while", "calls that are never left"};
    cr_assert_eq(imported.report.repaired->len, G_N_ELEMENTS(repaired));
    for (unsigned i = 0; i < G_N_ELEMENTS(repaired); i++) {
        const char *text = imported.report.repaired->pdata[i];
        cr_assert(g_str_has_prefix(text, repaired[i]) && g_str_has_suffix(text, ": 1"), "%s", text);
    }
    imported_finish(&imported);
}

/* Imports lines, but counts an event twice. */
static bool run_miscounting(XtfImportJob *job, GError **error)
{
    job->report.read++;
    return run_import(job, error);
}

Test(calls, an_importer_that_miscounts_is_detected)
{
    static const XtfImporter miscounting = {
        .name = "lines",
        .identity = "lines_id",
        .types = UINT64_C(1) << XTF_MODEL_ENTERS_LEAVES | UINT64_C(1) << XTF_MODEL_BACKWARD_TIMES,
        .run = run_miscounting,
    };
    g_autofree char *folder = g_dir_make_tmp("xtf-calls-XXXXXX", NULL);
    g_autofree char *anchor = g_build_filename(folder, "lines.txt", NULL);
    g_autofree char *output = g_build_filename(folder, "lines.xtf", NULL);
    const XtfImportOptions options = {0};
    const XtfReplaced replaced = {0};
    g_autofree XtfSupervised *shared = g_new0(XtfSupervised, 1);
    XtfOutput *file = xtf_output_begin(output, NULL, NULL);
    XtfImportJob job = {
        .importer = &miscounting, .anchor = anchor, .output = file, .options = &options, .replaced = &replaced};
    g_auto(XtfImportReport) report = {0};

    cr_assert(g_file_set_contents(anchor, "0 0 1 > main\n", -1, NULL));
    g_autoptr(GVariant) packed = xtf_import_job_run(shared, &job, NULL);
    cr_assert_not_null(packed);
    g_variant_ref_sink(packed);
    xtf_import_report_init(&report);
    xtf_import_report_unpack(&report, packed);
    cr_assert_eq(report.warnings->len, 1);
    cr_assert_not_null(strstr(report.warnings->pdata[0], "2 events were read, 1 are kept and 0 left out"));
    cr_assert(xtf_output_end(file, true, NULL));
    g_unlink(anchor);
    g_unlink(output);
    g_rmdir(folder);
}

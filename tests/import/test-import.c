/*
 * Whole imports of the example and of damaged copies: the trace of a good import, and the untouched output of a
 * failed one.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/import.h"
#include "src/model/schemas.h"

#define ANCHOR "eztrace_log.otf2"

/* Runs a command with the option -r. `b` may be NULL. */
static void run_command(const char *command, const char *a, const char *b)
{
    const char *argv[] = {command, "-r", a, b, NULL};
    int status = -1;

    cr_assert(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL));
    cr_assert_eq(status, 0);
}

/* Returns the path of a copy of the example in a new folder. The build defines EXAMPLE. */
static char *copy_example(void)
{
    g_autofree char *folder = g_dir_make_tmp("xtf-import-XXXXXX", NULL);
    char *copy = g_build_filename(folder, "archive", NULL);

    run_command("cp", EXAMPLE, copy);
    return copy;
}

static void remove_copy(char *copy)
{
    g_autofree char *folder = g_path_get_dirname(copy);
    run_command("rm", folder, NULL);
    g_free(copy);
}

static char *path_in(const char *folder, const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static unsigned n_files(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    unsigned n = 0;

    while (g_dir_read_name(dir) != NULL)
        n++;
    return n;
}

/* Returns the path of the events of any one location. */
static char *path_of_events(const char *copy)
{
    g_autofree char *folder = path_in(copy, "eztrace_log");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir)) != NULL && !g_str_has_suffix(name, ".evt"))
        ;
    cr_assert_not_null(name);
    return path_in(folder, name);
}

static uint64_t n_records(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    uint64_t n = 0;

    cr_assert_not_null(trace, "%s", error ? error->message : "");
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_RECORD)
            n += xtf_trace_n_rows(trace, i);
    return n;
}

Test(import, reads_the_example_in_any_number_of_threads)
{
    char *copy = copy_example();
    g_autofree char *anchor = path_in(copy, ANCHOR), *output = path_in(copy, "out.xtf");
    uint64_t records = 0;

    for (unsigned jobs = 1; jobs <= 8; jobs *= 2) {
        g_auto(XtfImportReport) report;
        g_autoptr(GError) error = NULL;
        XtfImportOptions options = {.jobs = jobs, .storage.no_sync = true};
        xtf_import_report_init(&report);
        cr_assert(xtf_import(jobs == 1 ? copy : anchor, output, &options, &report, &error), "%s",
                  error ? error->message : "");
        cr_assert_gt(report.read, 60000);
        cr_assert_eq(report.read, report.kept);
        cr_assert_eq(report.locations, 4);
        cr_assert_eq(n_records(output), report.kept);
        cr_assert(records == 0 || records == report.kept);
        records = report.kept;
    }
    remove_copy(copy);
}

Test(import, replaces_no_device_and_not_its_own_source)
{
    char *copy = copy_example();
    g_autofree char *anchor = path_in(copy, ANCHOR), *pipe = path_in(copy, "pipe"), *link = path_in(copy, "link.xtf");
    const char *const outputs[] = {copy, anchor, pipe, link};
    struct stat before, after;

    cr_assert_eq(mkfifo(pipe, 0600), 0);
    cr_assert_eq(symlink(ANCHOR, link), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(outputs); i++) {
        g_auto(XtfImportReport) report;
        g_autoptr(GError) error = NULL;
        xtf_import_report_init(&report);
        cr_assert_eq(lstat(outputs[i], &before), 0);
        cr_assert_not(xtf_import(copy, outputs[i], NULL, &report, &error), "%s", outputs[i]);
        cr_assert(g_str_has_prefix(error->message, outputs[i]), "%s", error->message);
        cr_assert_eq(lstat(outputs[i], &after), 0);
        cr_assert(before.st_ino == after.st_ino && before.st_mode == after.st_mode && before.st_size == after.st_size);
    }
    remove_copy(copy);
}

/* Writes a trace with only the property by which an import names its archive. */
static void write_import_of(const char *path, const char *trace_id)
{
    const XtfWriterOptions options = {.resolution_num = 1, .resolution_den = 1, .no_sync = true};
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    uint32_t schema, name, value;

    cr_assert_not_null(writer, "%s", error ? error->message : "");
    cr_assert(xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_PROPERTIES), &schema, &error));
    cr_assert(xtf_writer_add_string(writer, "otf2.trace_id", &name, &error));
    cr_assert(xtf_writer_add_string(writer, trace_id, &value, &error));
    const XtfPropertyRow row = {.name = name, .value = value};
    cr_assert(xtf_table_writer_append(xtf_writer_table(writer, schema, &error), &row, NULL, &error));
    cr_assert(xtf_writer_close(writer, &error));
}

Test(import, replaces_an_import_of_another_archive_only_by_force)
{
    char *copy = copy_example();
    g_autofree char *output = path_in(copy, "out.xtf");

    write_import_of(output, "0123456789abcdef");
    for (unsigned force = 0; force < 2; force++) {
        const XtfImportOptions options = {.storage.no_sync = true, .force = force};
        g_auto(XtfImportReport) report;
        g_autoptr(GError) error = NULL;
        xtf_import_report_init(&report);
        cr_assert_eq(xtf_import(copy, output, &options, &report, &error), force);
        cr_assert(force || strstr(error->message, "holds another trace"), "%s", error ? error->message : "");
        cr_assert_eq(n_records(output) > 0, force);
    }
    remove_copy(copy);
}

Test(import, gives_the_output_the_rights_of_a_new_file)
{
    char *copy = copy_example();
    g_autofree char *output = path_in(copy, "out.xtf");
    g_auto(XtfImportReport) report;
    struct stat info;

    umask(027);
    xtf_import_report_init(&report);
    cr_assert(xtf_import(copy, output, NULL, &report, NULL));
    cr_assert_eq(stat(output, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0640);
    remove_copy(copy);
}

/* Asserts that an import fails and leaves the existing output. */
static void expect_refusal(const char *copy, const char *archive, const XtfImportOptions *given, XtfErrorCode code,
                           const char *word)
{
    XtfImportOptions options = given ? *given : (XtfImportOptions){0};
    g_autofree char *output = path_in(copy, "out.xtf");
    g_autofree char *content = NULL;
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;

    cr_assert(g_file_set_contents(output, "precious", -1, NULL));
    unsigned before = n_files(copy);
    xtf_import_report_init(&report);
    options.force = true;
    cr_assert_not(xtf_import(archive, output, &options, &report, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, code), "%d: %s", error->code, error->message);
    cr_assert_not_null(strstr(error->message, word), "%s", error->message);
    cr_assert_eq(n_files(copy), before, "something was left behind");
    cr_assert(g_file_get_contents(output, &content, NULL, NULL));
    cr_assert_str_eq(content, "precious");
}

/* Asserts that an import with keep_going succeeds with a warning that contains the word. Returns the number of
 * records. */
static uint64_t expect_partial(const char *copy, const char *word)
{
    g_autofree char *output = path_in(copy, "partial.xtf"), *warning = NULL;
    XtfImportOptions options = {.keep_going = true, .storage.no_sync = true};
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;

    xtf_import_report_init(&report);
    cr_assert(xtf_import(copy, output, &options, &report, &error), "%s", error ? error->message : "");
    g_ptr_array_add(report.warnings, NULL);
    warning = g_strjoinv("\n", (char **)report.warnings->pdata);
    cr_assert_not_null(strstr(warning, word), "%s", warning);
    cr_assert_eq(n_records(output), report.kept);
    return report.kept;
}

Test(import, refuses_missing_events)
{
    char *copy = copy_example();
    g_autofree char *events = path_of_events(copy), *name = g_path_get_basename(events);

    uint64_t all = expect_partial(copy, "");
    g_unlink(events);
    expect_refusal(copy, copy, NULL, XTF_ERROR_DAMAGED, name);
    uint64_t remaining = expect_partial(copy, name);
    cr_assert(all / 2 < remaining && remaining < all);
    remove_copy(copy);
}

Test(import, refuses_truncated_events)
{
    char *copy = copy_example();
    g_autofree char *events = path_of_events(copy);
    struct stat info;

    uint64_t all = expect_partial(copy, "");
    cr_assert_eq(stat(events, &info), 0);
    for (unsigned eighths = 0; eighths < 8; eighths += 3) {
        cr_assert_eq(truncate(events, info.st_size * eighths / 8), 0);
        expect_refusal(copy, copy, NULL, XTF_ERROR_DAMAGED, "location");
        uint64_t remaining = expect_partial(copy, "location");
        cr_assert(all / 2 < remaining && remaining < all, "%u: %lu", eighths, remaining);
        cr_assert_eq(truncate(events, info.st_size), 0); /* restores the size: the lost part is now zeros */
    }
    remove_copy(copy);
}

Test(import, refuses_files_of_no_archive)
{
    char *copy = copy_example();
    g_autofree char *input = path_in(copy, "in.lj"), *missing = path_in(copy, "nothing"),
                    *anchor_alone = path_in(copy, "other.otf2"), *anchor = path_in(copy, ANCHOR),
                    *definitions = path_in(copy, "eztrace_log.def");

    expect_refusal(copy, input, NULL, XTF_ERROR_NOT_XTF, "in.lj");
    expect_refusal(copy, missing, NULL, XTF_ERROR_NOT_FOUND, "nothing");
    run_command("cp", anchor, anchor_alone);
    expect_refusal(copy, copy, NULL, XTF_ERROR_NOT_XTF, "several");
    expect_refusal(copy, anchor_alone, NULL, XTF_ERROR_DAMAGED, "other"); /* an anchor without its archive */
    g_unlink(anchor_alone);
    g_unlink(definitions);
    expect_refusal(copy, copy, NULL, XTF_ERROR_DAMAGED, "eztrace_log.def: there is no such file");
    cr_assert(g_file_set_contents(definitions, "", 0, NULL));
    expect_refusal(copy, copy, NULL, XTF_ERROR_DAMAGED, "cut short, empty or overwritten (OTF2 says: ");
    cr_assert_eq(truncate(anchor, 20), 0);
    expect_refusal(copy, copy, NULL, XTF_ERROR_DAMAGED, "the file ends too early");
    g_unlink(anchor);
    expect_refusal(copy, copy, NULL, XTF_ERROR_NOT_XTF, "NAME.otf2");
    remove_copy(copy);
}

Test(import, leaves_nothing_when_interrupted)
{
    char *copy = copy_example();
    atomic_bool cancel = true;
    XtfImportOptions options = {.cancel = &cancel};

    expect_refusal(copy, copy, &options, XTF_ERROR_CANCELLED, "interrupted");
    remove_copy(copy);
}

static void keep_last(uint64_t events, double done, void *data)
{
    double *last = data;

    cr_assert(done >= 0 && done <= 1);
    *last = done;
}

Test(import, shows_progress)
{
    char *copy = copy_example();
    g_autofree char *output = path_in(copy, "out.xtf");
    double done = -1;
    XtfImportOptions options = {.progress = keep_last, .progress_data = &done};
    g_auto(XtfImportReport) report;

    xtf_import_report_init(&report);
    cr_assert(xtf_import(copy, output, &options, &report, NULL));
    cr_assert_geq(done, 0);
    remove_copy(copy);
}

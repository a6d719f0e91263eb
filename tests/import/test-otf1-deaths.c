/*
 * Imports of OTF1 whose reader dies in one stream. This program replaces a function of OTF's library by one that raises
 * a signal there.
 */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/import.h"
#include "src/import/otf1/otf1-library.h"
#undef OTF_RStream_readEvents

static uint32_t deadly = UINT32_MAX;
static uint64_t (*original)(OTF_RStream *, OTF_HandlerArray *);

/* Takes the place of the library's function, and calls it for all other streams. */
static uint64_t read_stream_or_die(OTF_RStream *stream, OTF_HandlerArray *handlers)
{
    if (stream->id == deadly) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    return original(stream, handlers);
}

static void replace_otf1_function(void)
{
    GError *error = NULL;

    cr_assert(xtf_otf1_load(&error), "%s", error ? error->message : "");
    if (!original)
        original = xtf_otf1_calls.OTF_RStream_readEvents;
    xtf_otf1_calls.OTF_RStream_readEvents = read_stream_or_die;
}

static const struct {
    const char *name, *content;
} files[] = {
    {"run.otf", "1:1\n2:2\n"},
    {"run.0.def", "DTR3b9aca00\nDP1NM\"one\"\nDP2NM\"two\"\nDF1G0NM\"main\"\n"},
    {"run.1.events", "64\n*1\nE1\n1f4\n*1\nL1\n"},
    {"run.2.events", "65\n*2\nE1\n1f5\n*2\nL1\n"},
};

/* Writes an archive of two streams, imports it, and removes all files. True if the import succeeds. */
static bool import_archive(bool keep_going, XtfImportReport *report, GError **error)
{
    g_autofree char *folder = g_dir_make_tmp("xtf-deaths-XXXXXX", NULL);
    g_autofree char *output = g_build_filename(folder, "out.xtf", NULL);
    const XtfImportOptions options = {.keep_going = keep_going, .storage.no_sync = true};

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i].name, NULL);
        cr_assert(g_file_set_contents(path, files[i].content, -1, NULL));
    }
    replace_otf1_function();
    bool fine = xtf_import(folder, output, &options, report, error);
    cr_assert_eq(g_unlink(output) == 0, fine);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i].name, NULL);
        g_unlink(path);
    }
    cr_assert_eq(g_rmdir(folder), 0, "something was left behind");
    return fine;
}

Test(otf1_deaths, are_refused_with_the_stream)
{
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;

    deadly = 2;
    xtf_import_report_init(&report);
    cr_assert_not(import_archive(false, &report, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
    cr_assert_not_null(strstr(error->message, "in stream 2"), "%s", error->message);
    cr_assert_not_null(strstr(error->message, "run.otf"), "%s", error->message);
}

Test(otf1_deaths, lose_only_their_stream)
{
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;

    deadly = 2;
    xtf_import_report_init(&report);
    cr_assert(import_archive(true, &report, &error), "%s", error ? error->message : "");
    cr_assert_eq(report.kept, 2);
    cr_assert_eq(report.warnings->len, 1);
    cr_assert_not_null(strstr(report.warnings->pdata[0], "stream 2"), "%s", (char *)report.warnings->pdata[0]);
}

Test(otf1_deaths, none)
{
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;

    xtf_import_report_init(&report);
    cr_assert(import_archive(false, &report, &error), "%s", error ? error->message : "");
    cr_assert_eq(report.kept, 4);
    cr_assert_eq(report.warnings->len, 0);
}

/*
 * Imports whose reader dies at one location. This program replaces a function of OTF2 by one that raises a signal
 * there.
 */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/import.h"
#include "src/import/otf2/otf2-library.h"
#undef OTF2_Reader_GetEvtReader

static OTF2_LocationRef deadly = OTF2_UNDEFINED_LOCATION;
static OTF2_EvtReader *(*original)(OTF2_Reader *, OTF2_LocationRef);

/* Takes the place of the library's function, and calls it for all other locations. */
static OTF2_EvtReader *get_reader_or_die(OTF2_Reader *reader, OTF2_LocationRef location)
{
    if (location == deadly) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    return original(reader, location);
}

static void replace_function(void)
{
    GError *error = NULL;

    cr_assert(xtf_otf2_load(&error), "%s", error ? error->message : "");
    if (!original)
        original = xtf_otf2_calls.OTF2_Reader_GetEvtReader;
    xtf_otf2_calls.OTF2_Reader_GetEvtReader = get_reader_or_die;
}

/* Imports the example into a file and removes the file. True if the import succeeds. */
static bool import_example(bool keep_going, unsigned jobs, XtfImportReport *report, uint64_t *n_locations,
                           GError **error)
{
    g_autofree char *folder = g_dir_make_tmp("xtf-deaths-XXXXXX", NULL);
    g_autofree char *output = g_build_filename(folder, "out.xtf", NULL);
    XtfImportOptions options = {.keep_going = keep_going, .jobs = jobs, .storage.no_sync = true};

    replace_function();
    bool fine = xtf_import(EXAMPLE, output, &options, report, error);
    *n_locations = report->locations;
    cr_assert_eq(g_unlink(output) == 0, fine);
    cr_assert_eq(g_rmdir(folder), 0, "something was left behind");
    return fine;
}

/* The id of the example's second location, as eztrace numbers them. */
enum { SECOND = 536870911 };

Test(deaths, are_refused_by_name)
{
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;
    uint64_t n;

    deadly = SECOND;
    xtf_import_report_init(&report);
    cr_assert_not(import_example(false, 1, &report, &n, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
    cr_assert_not_null(strstr(error->message, "location 536870911"), "%s", error->message);
    cr_assert_not_null(strstr(error->message, "eztrace_log.otf2"), "%s", error->message);
}

/* Locations that other threads read at the same time are not blamed. */
Test(deaths, cost_one_location_with_keep_going)
{
    for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
        g_auto(XtfImportReport) report;
        g_autoptr(GError) error = NULL;
        uint64_t n;

        deadly = SECOND;
        xtf_import_report_init(&report);
        cr_assert(import_example(true, jobs, &report, &n, &error), "%s", error ? error->message : "");
        cr_assert_eq(n, 3);
        bool warned = false;
        for (guint i = 0; i < report.warnings->len; i++)
            warned |=
                g_str_has_prefix(g_ptr_array_index(report.warnings, i), "location 536870911: its events are missing");
        cr_assert(warned);
    }
}

Test(deaths, are_not_reported_without_a_signal)
{
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;
    uint64_t n;

    xtf_import_report_init(&report);
    cr_assert(import_example(false, 2, &report, &n, &error), "%s", error ? error->message : "");
    cr_assert_eq(n, 4);
}

/*
 * Imports whose reader dies of one location: OTF2's function stands in this program, and raises a signal there.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <otf2/otf2.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/import.h"

static OTF2_LocationRef deadly = OTF2_UNDEFINED_LOCATION;

/* In place of the library's, which it calls. */
OTF2_EvtReader *OTF2_Reader_GetEvtReader(OTF2_Reader *reader, OTF2_LocationRef location)
{
    OTF2_EvtReader *(*original)(OTF2_Reader *, OTF2_LocationRef) = dlsym(RTLD_NEXT, "OTF2_Reader_GetEvtReader");

    if (location == deadly) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    return original(reader, location);
}

/* Imports the example into a file that is removed again. */
static bool import(bool keep_going, unsigned jobs, XtfImportReport *report, uint64_t *n_locations, GError **error)
{
    g_autofree char *folder = g_dir_make_tmp("xtf-deaths-XXXXXX", NULL);
    g_autofree char *output = g_build_filename(folder, "out.xtf", NULL);
    XtfImportOptions options = {.keep_going = keep_going, .jobs = jobs, .storage.no_sync = true};

    bool fine = xtf_import(EXAMPLE, output, &options, report, error);
    *n_locations = report->locations;
    cr_assert_eq(g_unlink(output) == 0, fine);
    cr_assert_eq(g_rmdir(folder), 0, "something was left behind");
    return fine;
}

/* The example's second location, as eztrace numbers them. */
enum { SECOND = 536870911 };

Test(deaths, are_refused_by_name)
{
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;
    uint64_t n;

    deadly = SECOND;
    xtf_import_report_init(&report);
    cr_assert_not(import(false, 1, &report, &n, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
    cr_assert_not_null(strstr(error->message, "location 536870911"), "%s", error->message);
    cr_assert_not_null(strstr(error->message, "eztrace_log.otf2"), "%s", error->message);
}

/* Whatever else is read at the same time is not taken for the culprit. */
Test(deaths, cost_one_location_when_going_on)
{
    for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
        g_auto(XtfImportReport) report;
        g_autoptr(GError) error = NULL;
        uint64_t n;

        deadly = SECOND;
        xtf_import_report_init(&report);
        cr_assert(import(true, jobs, &report, &n, &error), "%s", error ? error->message : "");
        cr_assert_eq(n, 3);
        bool said = false;
        for (guint i = 0; i < report.warnings->len; i++)
            said |=
                g_str_has_prefix(g_ptr_array_index(report.warnings, i), "location 536870911: its events are missing");
        cr_assert(said);
    }
}

Test(deaths, do_not_happen_by_themselves)
{
    g_auto(XtfImportReport) report;
    g_autoptr(GError) error = NULL;
    uint64_t n;

    xtf_import_report_init(&report);
    cr_assert(import(false, 2, &report, &n, &error), "%s", error ? error->message : "");
    cr_assert_eq(n, 4);
}

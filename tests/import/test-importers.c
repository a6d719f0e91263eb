/*
 * The table of importers. No two importers claim one file, and all refuse a file of unknown format with one message.
 * Each row explains itself to users.
 */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/import/importer.h"

/* The first bytes of each format's anchor. A new importer adds its own. */
static const struct {
    const char *importer;
    const char *start;
    size_t length;
} samples[] = {
    {"OTF2", "\x01\x42OTF2 and so on", 16},
    {"OTF1", "1:1,2f\n2:a\n", 11},
    {"network_test", "CDF\x02 and so on", 14},
    {"OpenTS", "<trace ranks=\"4\">", 17},
    {"Chrome", "[{\"ph\":\"i\",\"ts\":1}]", 19},
};

/* Writes a file with the given content. Its name says nothing about the format, or ends in `ending`. */
static char *make_file(const char *folder, const char *ending, const char *content, size_t length)
{
    g_autofree char *name = g_strconcat("sample", ending, NULL);
    char *path = g_build_filename(folder, name, NULL);

    cr_assert(g_file_set_contents(path, content, length, NULL));
    return path;
}

static char *make_folder(void)
{
    char *folder = g_dir_make_tmp("xtf-importers-XXXXXX", NULL);
    cr_assert_not_null(folder);
    return folder;
}

static unsigned n_claims(const char *path)
{
    unsigned n = 0;

    for (const XtfImporter *const *importer = xtf_importers; *importer; importer++)
        n += (*importer)->detect(path);
    return n;
}

Test(importers, each_has_a_row_that_users_understand)
{
    g_autofree char *formats = xtf_import_formats();

    for (const XtfImporter *const *importer = xtf_importers; *importer; importer++) {
        g_autofree char *pattern = g_strdup_printf("(NAME%s)", (*importer)->ending);
        cr_assert_eq((*importer)->ending[0], '.');
        cr_assert_not_null(strstr((*importer)->description, pattern), "the bash completion looks for %s", pattern);
        g_autofree char *remedy = g_strdup_printf("-D%s=enabled", (*importer)->option);
        cr_assert_not_null(strstr(formats, (*importer)->description));
        cr_assert_eq(strstr(formats, remedy) == NULL, (*importer)->run != NULL);
        for (const XtfImporter *const *earlier = xtf_importers; *earlier != *importer; earlier++) {
            cr_assert_str_neq((*importer)->name, (*earlier)->name);
            cr_assert_str_neq((*importer)->ending, (*earlier)->ending);
        }
    }
}

Test(importers, do_not_claim_one_file_twice)
{
    g_autofree char *folder = make_folder();

    for (const XtfImporter *const *importer = xtf_importers; *importer; importer++) {
        bool sampled = false;
        for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
            if (!g_str_equal(samples[i].importer, (*importer)->name))
                continue;
            g_autofree char *path = make_file(folder, "", samples[i].start, samples[i].length);
            cr_assert((*importer)->detect(path), "%s does not know its own", (*importer)->name);
            cr_assert_eq(n_claims(path), 1, "%s is claimed by others too", (*importer)->name);
            g_unlink(path);
            sampled = true;
        }
        cr_assert(sampled, "there is no sample of %s", (*importer)->name);
    }
    g_rmdir(folder);
}

Test(importers, refuse_unknown_files_with_one_message)
{
    static const char *const contents[] = {"",
                                           "x",
                                           "XTF",
                                           "OTF2",
                                           "a line\n",
                                           "\x7f"
                                           "ELF and more than sixteen bytes"};
    g_autofree char *folder = make_folder(), *formats = xtf_import_formats();

    for (size_t i = 0; i < G_N_ELEMENTS(contents); i++) {
        const XtfImporter *importer = NULL;
        g_autoptr(GError) error = NULL;
        /* The ending alone does not make the file an anchor. */
        g_autofree char *path = make_file(folder, xtf_importers[0]->ending, contents[i], strlen(contents[i]));
        g_autofree char *message = g_strdup_printf("%s: is not %s", path, formats);
        cr_assert_eq(n_claims(path), 0);
        cr_assert_null(xtf_import_detect(path, &importer, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_XTF));
        cr_assert_str_eq(error->message, message);
        cr_assert_null(importer);
        g_unlink(path);
    }
    g_rmdir(folder);
}

static void expect_advice(const char *path, const char *expected)
{
    const XtfImporter *importer = NULL;
    g_autoptr(GError) error = NULL;

    cr_assert_null(xtf_import_detect(path, &importer, &error));
    cr_assert(g_str_has_suffix(error->message, expected), "%s: not %s", error->message, expected);
}

/* Files that users may mistake for the trace: other files of an archive, and a profile beside it. */
Test(importers, advise_which_file_to_import)
{
    static const char *const of_archive[] = {"eztrace_log.def", "eztrace_log/0.evt", "eztrace_log/0.def",
                                             "eztrace_log"};
    static const char otf1[] = "1:1\n2:2\n";
    g_autofree char *folder = make_folder();
    g_autofree char *of_otf1 = g_build_filename(folder, "hello.otf", NULL),
                    *more = g_build_filename(folder, "hello.1.events", NULL);
    g_autofree char *trace = g_build_filename(folder, "traces.otf2", NULL),
                    *profile = g_build_filename(folder, "profile.cubex", NULL);
    g_autofree char *advice = g_strdup_printf("it is a profile, and the trace of its run is '%s'", trace);

    for (size_t i = 0; i < G_N_ELEMENTS(of_archive); i++) {
        g_autofree char *path = g_build_filename(EXAMPLE, of_archive[i], NULL);
        cr_assert(g_file_test(path, G_FILE_TEST_EXISTS), "%s", path);
        expect_advice(path, "it is a file of the archive with the anchor '" EXAMPLE "/eztrace_log.otf2'");
    }
    cr_assert(g_file_set_contents(of_otf1, otf1, -1, NULL) && g_file_set_contents(more, "0\n*1\nE1\n", -1, NULL) &&
              g_file_set_contents(profile, "none", -1, NULL));
    g_autofree char *of_master = g_strdup_printf("it is a file of the archive with the master file '%s'", of_otf1);
    expect_advice(more, of_master);
    expect_advice(profile, "it is a profile, which has no events");
    cr_assert(g_file_set_contents(trace, "\1\1OTF2 and so on, an anchor", -1, NULL));
    expect_advice(profile, advice);
    g_unlink(of_otf1);
    g_unlink(more);
    g_unlink(profile);
    g_unlink(trace);
    g_rmdir(folder);
}

/* The build defines EXAMPLE: a folder with an archive and other files. */
Test(importers, find_the_anchor_in_a_folder_or_say_what_is_missing)
{
    const XtfImporter *importer = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *anchor = xtf_import_detect(EXAMPLE, &importer, &error);

    if (anchor) {
        cr_assert(g_str_has_suffix(anchor, "/eztrace_log.otf2"), "%s", anchor);
        cr_assert_str_eq(importer->name, "OTF2");
    } else { /* a build without the importer */
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED), "%s", error->message);
        cr_assert_not_null(strstr(error->message, "-Dotf2=enabled"), "%s", error->message);
    }
}

/* The state of these files decides whether a cached import is still valid. */
Test(importers, list_the_files_of_a_trace)
{
    static const char *const names[] = {"a.otf2", "a.def", "a.marker", "b.def", "ab.def", "ba.otf2"};
    g_autofree char *folder = make_folder(), *anchor = g_build_filename(folder, "a.otf2", NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        cr_assert(g_file_set_contents(path, "", 0, NULL));
    }
    g_autoptr(GPtrArray) files = xtf_importer_by_ending("a.otf2")->files(anchor);
    cr_assert_eq(files->len, 3);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        cr_assert_eq(g_ptr_array_find_with_equal_func(files, path, g_str_equal, NULL), i < 3, "%s", names[i]);
        g_unlink(path);
    }
    g_rmdir(folder);
}

/* Children that succeed, fail, die, hang, and are interrupted. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/import/supervise.h"

static GVariant *supervise(XtfSupervisedWork work, void *data, atomic_bool *cancel, GArray *suspects, GError **error)
{
    XtfSupervision supervision = {
        .work = work,
        .data = data,
        .type = G_VARIANT_TYPE_STRING,
        .cancel = cancel,
        .stall_seconds = 1,
    };
    return xtf_supervise(&supervision, suspects, error);
}

static GArray *no_suspects(void)
{
    return g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

static GVariant *return_text(XtfSupervised *shared, void *data, GError **error)
{
    g_autofree char *text = g_strnfill(*(const int *)data, 'x');
    return g_variant_new_string(text);
}

Test(supervise, returns_the_result)
{
    const int lengths[] = {0, 10, 1000000}; /* the last result is larger than a pipe's buffer */

    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        g_autoptr(GArray) suspects = no_suspects();
        g_autoptr(GError) error = NULL;
        int length = lengths[i];
        g_autoptr(GVariant) result = supervise(return_text, &length, NULL, suspects, &error);
        cr_assert_not_null(result, "%s", error ? error->message : "");
        cr_assert_eq(strlen(g_variant_get_string(result, NULL)), (size_t)length);
        cr_assert_eq(suspects->len, 0);
    }
}

static GVariant *return_error(XtfSupervised *shared, void *data, GError **error)
{
    atomic_store(&shared->busy_with[0], 5);
    g_set_error_literal(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "no such thing");
    return NULL;
}

Test(supervise, returns_the_error)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(return_error, NULL, NULL, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
    cr_assert_str_eq(error->message, "no such thing");
    cr_assert_eq(suspects->len, 0, "an error of the work is nobody's death");
}

static GVariant *name_a_file(XtfSupervised *shared, void *data, GError **error)
{
    g_set_error_literal(error, XTF_ERROR, XTF_ERROR_IO, "caf\xe9.otf2: no such thing");
    return NULL;
}

Test(supervise, returns_errors_about_files_of_any_name)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(name_a_file, NULL, NULL, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO), "%s", error->message);
    cr_assert(g_str_has_suffix(error->message, ".otf2: no such thing"), "%s", error->message);
}

static GVariant *raise_signal(XtfSupervised *shared, void *data, GError **error)
{
    int number = *(const int *)data;

    atomic_store(&shared->busy_with[3], 42 + 1);
    signal(number, SIG_DFL);
    raise(number);
    return NULL;
}

Test(supervise, survives_a_crash_and_names_the_suspect)
{
    int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

    for (size_t i = 0; i < G_N_ELEMENTS(crashes); i++) {
        g_autoptr(GArray) suspects = no_suspects();
        g_autoptr(GError) error = NULL;
        cr_assert_null(supervise(raise_signal, &crashes[i], NULL, suspects, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
        cr_assert(g_str_has_prefix(error->message, "the archive may be damaged: its reader crashed ("), "%s",
                  error->message);
        cr_assert_eq(suspects->len, 1);
        cr_assert_eq(g_array_index(suspects, uint64_t, 0), 42);
    }
}

/* The kernel kills a process when memory runs out, and so may a user. */
Test(supervise, blames_no_archive_for_a_signal_from_outside)
{
    int signals[] = {SIGKILL, SIGTERM, SIGXCPU};

    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        g_autoptr(GArray) suspects = no_suspects();
        g_autoptr(GError) error = NULL;
        g_autofree char *words = g_strdup_printf("the archive's reader was ended by signal %d (", signals[i]);
        cr_assert_null(supervise(raise_signal, &signals[i], NULL, suspects, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO), "%s", error->message);
        cr_assert(g_str_has_prefix(error->message, words), "%s", error->message);
        cr_assert_null(strstr(error->message, "damage"), "%s", error->message);
        cr_assert_eq(suspects->len, 0);
    }
}

static GVariant *exit_early(XtfSupervised *shared, void *data, GError **error)
{
    _exit(0); /* as in a library that calls exit() */
}

Test(supervise, notices_that_the_result_is_missing)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(exit_early, NULL, NULL, suspects, &error));
    cr_assert_not_null(error);
}

static GVariant *compute_for_ever(XtfSupervised *shared, void *data, GError **error)
{
    for (volatile uint64_t i = 0; i < UINT64_MAX; i++)
        ;
    return NULL;
}

Test(supervise, ends_work_without_progress, .timeout = 60)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(compute_for_ever, NULL, NULL, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
}

static GVariant *advance_slowly(XtfSupervised *shared, void *data, GError **error)
{
    /* Takes longer than the allowed stall, but advances the heartbeat. */
    for (unsigned i = 0; i < 30; i++) {
        for (volatile uint64_t j = 0; j < 40000000; j++)
            ;
        atomic_fetch_add(&shared->heartbeat, 1);
    }
    return g_variant_new_string("done");
}

Test(supervise, does_not_end_work_that_advances, .timeout = 120)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;
    g_autoptr(GVariant) result = supervise(advance_slowly, NULL, NULL, suspects, &error);

    cr_assert_not_null(result, "%s", error ? error->message : "");
}

static GVariant *wait_for_ever(XtfSupervised *shared, void *data, GError **error)
{
    while (pause() < 0)
        ;
    return NULL;
}

static atomic_bool cancelled;

static void cancel_work(int signal_number)
{
    atomic_store(&cancelled, true);
}

Test(supervise, stops_when_cancelled, .timeout = 60)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    signal(SIGALRM, cancel_work);
    alarm(1);
    cr_assert_null(supervise(wait_for_ever, NULL, &cancelled, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED), "%s", error->message);
    cr_assert_eq(suspects->len, 0);
}

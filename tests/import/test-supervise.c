/*
 * Children that do well, fail, die, hang, and are interrupted.
 */
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

static GVariant *answer(XtfSupervised *shared, void *data, GError **error)
{
    g_autofree char *text = g_strnfill(*(const int *)data, 'x');
    return g_variant_new_string(text);
}

Test(supervise, hands_back_the_result)
{
    const int lengths[] = {0, 10, 1000000}; /* the last does not fit a pipe at once */

    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        g_autoptr(GArray) suspects = no_suspects();
        g_autoptr(GError) error = NULL;
        int length = lengths[i];
        g_autoptr(GVariant) result = supervise(answer, &length, NULL, suspects, &error);
        cr_assert_not_null(result, "%s", error ? error->message : "");
        cr_assert_eq(strlen(g_variant_get_string(result, NULL)), (size_t)length);
        cr_assert_eq(suspects->len, 0);
    }
}

static GVariant *refuse(XtfSupervised *shared, void *data, GError **error)
{
    atomic_store(&shared->busy_with[0], 5);
    g_set_error_literal(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "no such thing");
    return NULL;
}

Test(supervise, hands_back_the_error)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(refuse, NULL, NULL, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
    cr_assert_str_eq(error->message, "no such thing");
    cr_assert_eq(suspects->len, 0, "an error of the work is nobody's death");
}

static GVariant *name_a_file(XtfSupervised *shared, void *data, GError **error)
{
    g_set_error_literal(error, XTF_ERROR, XTF_ERROR_IO, "caf\xe9.otf2: no such thing");
    return NULL;
}

Test(supervise, hands_back_errors_about_files_of_any_name)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(name_a_file, NULL, NULL, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO), "%s", error->message);
    cr_assert(g_str_has_suffix(error->message, ".otf2: no such thing"), "%s", error->message);
}

static GVariant *die(XtfSupervised *shared, void *data, GError **error)
{
    atomic_store(&shared->busy_with[3], 42 + 1);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return NULL;
}

Test(supervise, survives_a_death_and_names_the_suspect)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(die, NULL, NULL, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
    cr_assert_eq(suspects->len, 1);
    cr_assert_eq(g_array_index(suspects, uint64_t, 0), 42);
}

static GVariant *leave(XtfSupervised *shared, void *data, GError **error)
{
    _exit(0); /* as a library may that calls exit() */
}

Test(supervise, notices_that_the_result_is_missing)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(leave, NULL, NULL, suspects, &error));
    cr_assert_not_null(error);
}

static GVariant *compute(XtfSupervised *shared, void *data, GError **error)
{
    for (volatile uint64_t i = 0; i < UINT64_MAX; i++)
        ;
    return NULL;
}

Test(supervise, ends_what_computes_for_ever, .timeout = 60)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    cr_assert_null(supervise(compute, NULL, NULL, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
}

static GVariant *advance(XtfSupervised *shared, void *data, GError **error)
{
    /* Longer than the allowed stall, but with signs of life. */
    for (unsigned i = 0; i < 30; i++) {
        for (volatile uint64_t j = 0; j < 40000000; j++)
            ;
        atomic_fetch_add(&shared->heartbeat, 1);
    }
    return g_variant_new_string("done");
}

Test(supervise, leaves_alone_what_advances, .timeout = 120)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;
    g_autoptr(GVariant) result = supervise(advance, NULL, NULL, suspects, &error);

    cr_assert_not_null(result, "%s", error ? error->message : "");
}

static GVariant *wait_for_ever(XtfSupervised *shared, void *data, GError **error)
{
    while (pause() < 0)
        ;
    return NULL;
}

static atomic_bool cancelled;

static void cancel(int signal_number)
{
    atomic_store(&cancelled, true);
}

Test(supervise, stops_when_it_is_told_to, .timeout = 60)
{
    g_autoptr(GArray) suspects = no_suspects();
    g_autoptr(GError) error = NULL;

    signal(SIGALRM, cancel);
    alarm(1);
    cr_assert_null(supervise(wait_for_ever, NULL, &cancelled, suspects, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED), "%s", error->message);
    cr_assert_eq(suspects->len, 0);
}

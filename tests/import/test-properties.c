/* Properties for the end of each process and for data that was not recorded: written properties are read back. */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "src/model/process-properties.h"

static void expect_end(const char *text, XtfEndKind kind, int64_t number)
{
    XtfEndKind read_kind;
    int64_t read_number;
    g_autofree char *written = xtf_end_text(kind, number);

    cr_assert_str_eq(written, text);
    cr_assert(xtf_end_parse(text, &read_kind, &read_number), "%s", text);
    cr_assert_eq(read_kind, kind, "%s: %d", text, read_kind);
    cr_assert_eq(read_number, number, "%s: %" PRId64, text, read_number);
}

Test(properties, ends_are_read_as_they_are_written)
{
    expect_end("unknown", XTF_END_UNKNOWN, 0);
    expect_end("the collector was told to end", XTF_END_COLLECTOR, 0);
    expect_end("finalized", XTF_END_FINALIZED, 0);
    expect_end("exited", XTF_END_EXITED, 0);
    expect_end("exited without MPI_Finalize", XTF_END_WITHOUT_FINALIZE, 0);
    expect_end("status 3", XTF_END_STATUS, 3);
    expect_end("status -1", XTF_END_STATUS, -1);
    expect_end("killed by signal 11", XTF_END_KILLED, 11);
}

Test(properties, other_texts_are_unknown_ends)
{
    static const char *const texts[] = {"",          "exit",     "exited ",          "status",     "status ",
                                        "status 3 ", "status x", "killed by signal", "finalized 0"};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        XtfEndKind kind = XTF_END_KILLED;
        int64_t number = 1;
        cr_assert_not(xtf_end_parse(texts[i], &kind, &number), "%s", texts[i]);
        cr_assert_eq(kind, XTF_END_UNKNOWN, "%s", texts[i]);
        cr_assert_eq(number, 0, "%s", texts[i]);
    }
}

Test(properties, a_run_fails_by_a_status_a_signal_or_without_MPI_Finalize)
{
    for (XtfEndKind kind = 0; kind < XTF_N_END_KINDS; kind++)
        cr_assert_eq(xtf_end_is_failure(kind), kind >= XTF_END_WITHOUT_FINALIZE, "%d", kind);
}

Test(properties, sets_of_what_is_missing_are_read_as_they_are_written)
{
    cr_assert_null(xtf_missing_words_of(0));
    for (unsigned missing = 1; missing < XTF_MISSING_BIT(XTF_N_MISSING); missing++) {
        g_autofree char *words = xtf_missing_words_of(missing);
        cr_assert_eq(xtf_missing_parse(words), missing, "%s", words);
    }
    g_autofree char *words =
        xtf_missing_words_of(XTF_MISSING_BIT(XTF_MISSING_LIBGOMP) | XTF_MISSING_BIT(XTF_MISSING_LOCKS));
    cr_assert_str_eq(words, "libgomp locks");
}

Test(properties, unknown_words_are_ignored)
{
    cr_assert_eq(xtf_missing_parse(""), 0);
    cr_assert_eq(xtf_missing_parse("lock teams2"), 0);
    cr_assert_eq(xtf_missing_parse("clouds functions"), XTF_MISSING_BIT(XTF_MISSING_FUNCTIONS));
}

Test(properties, thread_levels_are_read_as_they_are_written)
{
    static const char *const unknown[] = {"", "MPI_THREAD_FUNNELED", "MPI_THREAD_FUN, main thread 0",
                                          "MPI_THREAD_SINGLE, main thread -1"};
    XtfThreadLevel level;
    uint32_t main_thread;

    for (XtfThreadLevel stated = XTF_LEVEL_SINGLE; stated < XTF_N_LEVELS; stated++) {
        g_autofree char *text = xtf_thread_level_text(stated, 7);
        xtf_thread_level_parse(text, &level, &main_thread);
        cr_assert(level == stated && main_thread == 7, "%s", text);
    }
    cr_assert_null(xtf_thread_level_text(XTF_LEVEL_UNKNOWN, 7));
    for (unsigned i = 0; i < G_N_ELEMENTS(unknown); i++) {
        xtf_thread_level_parse(unknown[i], &level, &main_thread);
        cr_assert(level == XTF_LEVEL_UNKNOWN && main_thread == UINT32_MAX, "%s", unknown[i]);
    }
}

/*
 * Tests the tables that an analysis keeps. There are hash tables of messages and operations in flight, and tables that
 * may leave memory for a file, also when the disk is full.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/resource.h>

#include "src/analysis/replay/logs/flight.h"
#include "src/analysis/waits/points-private.h"
#include "src/files/paged.h"

/* ---- Hash tables. */

/* Checks values of `few_words` words, all derived from their keys. */
static void check_flights(uint32_t few_words)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autoptr(GHashTable) naive = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    unsigned words = few_words ? few_words : XTF_FLIGHT_WORDS;
    XtfFlights flights = {.few_words = few_words};

    for (unsigned i = 0; i < 100000; i++) {
        uint64_t key = (uint64_t)g_rand_int_range(random, 0, 3000) << 32 | (uint64_t)g_rand_int_range(random, 0, 3);
        XtfFlight *found = xtf_flights_find(&flights, key);
        cr_assert_eq(found != NULL, g_hash_table_contains(naive, &key));
        if (found) {
            for (unsigned w = 0; w < words; w++)
                cr_assert_eq(found->words[w], key ^ (77 + w));
            xtf_flights_remove(&flights, found);
            g_hash_table_remove(naive, &key);
        } else if (g_rand_int_range(random, 0, 3) > 0) {
            XtfFlight *added = xtf_flights_add(&flights, key);
            for (unsigned w = 0; w < words; w++)
                added->words[w] = key ^ (77 + w);
            g_hash_table_add(naive, g_memdup2(&key, sizeof key));
        }
        cr_assert_eq(flights.n, g_hash_table_size(naive));
    }
    xtf_flights_finish(&flights);
}

Test(flight, is_a_table)
{
    check_flights(0);
    check_flights(1);
    check_flights(3);
}

/* Messages of some groups, some of which have far more in flight than a group lists itself. */
Test(flight, messages_are_found_and_forgotten)
{
    enum { GROUPS = 5, MANY = 60 };
    g_autoptr(GRand) random = g_rand_new_with_seed(6);
    bool in_flight[GROUPS][MANY] = {{false}};
    XtfGroups groups = {0};
    XtfMessages messages = {0};
    uint64_t n = 0;

    for (uint32_t i = 0; i < GROUPS; i++)
        xtf_groups_find(&groups, &(XtfGroupKey){.tag = i}, true);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t g = (uint32_t)g_rand_int_range(random, 0, GROUPS);
        uint32_t k = (uint32_t)g_rand_int_range(random, 0, g < 3 ? MANY : 4);
        XtfGroup *group = &groups.all[g];
        XtfMessage *found = xtf_messages_find(&messages, &groups, group, k);
        cr_assert_eq(found != NULL, in_flight[g][k]);
        if (found) {
            cr_assert_eq(found->value, 1000 * g + k);
            cr_assert_eq(found->bytes, 7 * k);
            xtf_messages_remove(&messages, &groups, group, found);
            n--;
        } else {
            found = xtf_messages_add(&messages, &groups, group, k);
            found->value = 1000 * g + k;
            found->bytes = 7 * k;
            n++;
        }
        in_flight[g][k] = !in_flight[g][k];
        cr_assert_eq(messages.n, n);
    }
    cr_assert_leq(messages.n_used, GROUPS * MANY); /* forgotten entries are reused */
    xtf_messages_finish(&messages);
    xtf_groups_finish(&groups);
}

/* ---- Tables in files. */

/* Limits the size of files, which has the effect of a full disk. */
static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Checks that a table keeps its content when it grows and is paged out, and that new memory is zeros. */
static void check_paged(void)
{
    enum { STEP = 96 << 10, STEPS = 100 }; /* numbers; about 80 MB in all */
    XtfPaged paged = {0};

    for (unsigned step = 1; step <= STEPS; step += 1 + step / 2) {
        size_t n = (size_t)step * STEP, before = paged.size / sizeof(uint64_t);
        uint64_t *numbers = xtf_paged_grow(&paged, n * sizeof *numbers);
        cr_assert_eq(paged.size, n * sizeof *numbers);
        for (size_t i = before; i < n; i += 61) {
            cr_assert_eq(numbers[i], 0);
            numbers[i] = i * 7 + 1;
        }
        xtf_paged_page_out(&paged);
        size_t kept = 0, wrong = 0;
        for (size_t i = 0; i < n; i++) {
            kept += numbers[i] != 0;
            wrong += numbers[i] != 0 && numbers[i] != i * 7 + 1;
        }
        cr_assert_eq(wrong, 0);
        cr_assert_geq(kept, n / 61);
    }
    xtf_paged_free(&paged);
    cr_assert_null(paged.data);
}

Test(paged, keeps_what_it_has)
{
    check_paged();
}

/* Without a temporary file the table is in ordinary memory. */
Test(paged, works_without_a_file)
{
    g_setenv("TMPDIR", "/proc/nowhere", TRUE); /* before GLib reads it */
    check_paged();
}

/* When the file cannot grow any more, the table moves to memory. */
Test(paged, moves_to_memory_when_the_disk_is_full)
{
    XtfPaged paged = {0};
    size_t kept = 0;

    g_setenv("TMPDIR", "/tmp", TRUE);
    limit_files(16 << 20);
    memset(xtf_paged_grow(&paged, 8 << 20), 7, 8 << 20);
    cr_assert_not_null(paged.file.data);
    const uint8_t *data = xtf_paged_grow(&paged, 32 << 20);
    cr_assert_null(paged.file.data);
    for (size_t i = 0; i < paged.size; i++)
        kept += data[i] == (i < 8 << 20 ? 7 : 0);
    cr_assert_eq(kept, 32 << 20);
    xtf_paged_free(&paged);
    check_paged();
}

/* A table that may not use ordinary memory stays unchanged, and the error says where there is no room. */
Test(paged, says_that_the_disk_is_full)
{
    g_autoptr(GError) error = NULL;
    XtfPaged paged = {0};
    size_t kept = 0;

    g_setenv("TMPDIR", "/tmp", TRUE);
    limit_files(16 << 20);
    for (size_t size = 1 << 20; size <= 16 << 20; size *= 2) {
        cr_assert(xtf_paged_grow_in_file(&paged, size, &error));
        memset(paged.data, 7, size);
    }
    cr_assert_not(xtf_paged_grow_in_file(&paged, 17 << 20, &error));
    cr_assert(g_str_has_prefix(error->message, "a temporary file in '/tmp' "), "%s", error->message);
    cr_assert_eq(paged.size, 16 << 20);
    for (size_t i = 0; i < paged.size; i++)
        kept += ((const char *)paged.data)[i] == 7;
    cr_assert_eq(kept, paged.size);
    xtf_paged_free(&paged);
}

/* The results of very many points may not use ordinary memory. */
Test(points, results_need_room_on_disk)
{
    const XtfPointResult result = {.passed = 1};
    g_autoptr(GError) error = NULL;
    XtfPoints points = {.n = 1 << 20};

    limit_files(1 << 20);
    cr_assert_not(xtf_points_put_result(&points, 5, &result, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO), "%s", error->message);
    cr_assert_null(points.results.data);
}

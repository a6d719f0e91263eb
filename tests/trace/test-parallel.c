/* Work by several threads: each item is done once, and the reported error is that of the first item that failed. */
#include <criterion/criterion.h>

#include "src/trace/select/parallel.h"

enum { ITEMS = 1000 };

typedef struct {
    gint done[ITEMS]; /* atomic: the number of times that each item was done */
    gint working;     /* atomic: results that begin_sum() made and join_sum() has not added */
    uint64_t sum;
    uint32_t fail_from, fail_step; /* every fail_step-th item from fail_from on fails; fail_step 0: none fails */
} Adding;

static void *begin_sum(void *data)
{
    Adding *adding = data;

    g_atomic_int_inc(&adding->working);
    return g_new0(uint64_t, 1);
}

static bool add_items(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    Adding *adding = data;

    for (uint32_t i = first; i < end; i++) {
        if (adding->fail_step > 0 && i >= adding->fail_from && (i - adding->fail_from) % adding->fail_step == 0) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "item %u", i);
            return false;
        }
        g_atomic_int_inc(&adding->done[i]);
        *(uint64_t *)thread_data += i;
        if (i % 64 == 0)
            g_thread_yield();
    }
    return true;
}

static void join_sum(void *thread_data, void *data)
{
    Adding *adding = data;

    adding->sum += *(uint64_t *)thread_data;
    g_atomic_int_add(&adding->working, -1);
    g_free(thread_data);
}

/* Does work by xtf_parallel(), or starts it and finishes it. */
static bool do_work(bool starts, const XtfParallelWork *work, void *data, uint32_t n, GError **error)
{
    return starts ? xtf_parallel_finish(xtf_parallel_start(work, data, n), error) : xtf_parallel(work, data, n, error);
}

Test(parallel, each_item_is_done_once)
{
    const uint32_t counts[] = {0, 1, 2, 63, ITEMS}, steps[] = {1, 7, 64, 5000};

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        for (size_t j = 0; j < 2 * G_N_ELEMENTS(steps); j++) {
            Adding adding = {0};
            GError *error = NULL;
            const XtfParallelWork work = {
                .step = steps[j / 2], .begin = begin_sum, .work = add_items, .join = join_sum};
            cr_assert(do_work(j % 2, &work, &adding, counts[i], &error));
            cr_assert_null(error);
            for (uint32_t item = 0; item < ITEMS; item++)
                cr_assert_eq(adding.done[item], item < counts[i]);
            cr_assert_eq(adding.sum, (uint64_t)counts[i] * (counts[i] ? counts[i] - 1 : 0) / 2);
            cr_assert_eq(adding.working, 0);
        }
}

Test(parallel, the_first_failure_is_reported)
{
    for (uint32_t round = 0; round < 500; round++) {
        Adding adding = {.fail_from = round * 7 % ITEMS, .fail_step = 1 + round % 90};
        const XtfParallelWork work = {.step = 1 + round % 5, .begin = begin_sum, .work = add_items, .join = join_sum};
        g_autoptr(GError) error = NULL;
        g_autofree char *expected = g_strdup_printf("item %u", adding.fail_from);
        cr_assert_not(do_work(round % 2, &work, &adding, ITEMS, &error));
        cr_assert_str_eq(error->message, expected);
        for (uint32_t item = 0; item < adding.fail_from; item++)
            cr_assert_eq(adding.done[item], 1);
        cr_assert_eq(adding.working, 0);
    }
}

typedef struct {
    gint failures;
} Callers;

static gpointer call_in_thread(gpointer data)
{
    Callers *callers = data;
    const XtfParallelWork work = {.step = 3, .begin = begin_sum, .work = add_items, .join = join_sum};

    for (int round = 0; round < 50; round++) {
        Adding adding = {0};
        if (!xtf_parallel(&work, &adding, ITEMS, NULL) || adding.sum != (uint64_t)ITEMS * (ITEMS - 1) / 2)
            g_atomic_int_inc(&callers->failures);
    }
    return NULL;
}

/* More callers than helpers: no caller waits for a helper that is busy. */
Test(parallel, callers_share_the_helpers)
{
    Callers callers = {0};
    GThread *threads[8];

    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("caller", call_in_thread, &callers);
    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    cr_assert_eq(callers.failures, 0);
}

typedef struct {
    GThread *caller;
    gint expected, helpers; /* atomic: threads beside the caller that take part */
} Watching;

static void *begin_watching(void *data)
{
    Watching *watching = data;

    if (g_thread_self() != watching->caller)
        g_atomic_int_inc(&watching->helpers);
    return data;
}

/* Returns when all expected helpers have begun. After 20 s without them it sets the expected number to 0, so that no
 * later item waits. */
static bool wait_for_helpers(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    Watching *watching = data;

    for (unsigned i = 0; g_atomic_int_get(&watching->helpers) < g_atomic_int_get(&watching->expected); i++) {
        if (i == 20000)
            g_atomic_int_set(&watching->expected, 0);
        g_usleep(1000);
    }
    return true;
}

static void join_watching(void *thread_data, void *data)
{
}

static gint helpers_of(unsigned threads)
{
    const XtfParallelWork work = {.step = 1, .begin = begin_watching, .work = wait_for_helpers, .join = join_watching};
    Watching watching = {.caller = g_thread_self(), .expected = (gint)threads - 1};

    xtf_parallel_set_threads(threads);
    cr_assert(xtf_parallel(&work, &watching, 64 * threads, NULL));
    return watching.helpers;
}

/* Each test is a process of its own, so that it can set the number of threads before the first work. */
Test(parallel, one_thread_has_no_help)
{
    cr_assert_eq(helpers_of(1), 0);
}

Test(parallel, the_number_of_threads_is_the_one_that_is_set)
{
    unsigned n_threads = g_get_num_processors() + 2; /* more than the default */

    cr_assert_eq(helpers_of(n_threads), (gint)n_threads - 1);
}

Test(parallel, started_work_begins_in_another_thread)
{
    const XtfParallelWork work = {.step = 1, .begin = begin_watching, .work = wait_for_helpers, .join = join_watching};
    Watching watching = {.caller = g_thread_self()};

    xtf_parallel_set_threads(2);
    XtfJob *job = xtf_parallel_start(&work, &watching, 1);
    for (unsigned i = 0; g_atomic_int_get(&watching.helpers) == 0 && i < 20000; i++)
        g_usleep(1000);
    cr_assert(xtf_parallel_finish(job, NULL));
    cr_assert_eq(watching.helpers, 1);
}

/* Requests of a reader whose source answers several ranges by one request: leaf lists, and reads that are gathered. */
#include <criterion/criterion.h>

#include "fixture.h"
#include "libxtf/merge.h"
#include "libxtf/tree/trace-private.h"
#include "tests/counted-source.h"

enum { N_ARRAYS = 4, N_ROWS = 40000, PAGE_SIZE = 4096 }; /* trees of height 3 */

/* The arrays of a trace, and times to count between. */
typedef struct {
    XtfArray arrays[N_ARRAYS];
    uint64_t from, to;
    uint64_t counts[N_ARRAYS];
} Question;

static void write_arrays(const char *path, unsigned seed)
{
    GError *error = NULL;
    XtfWriterOptions options = {.page_size = PAGE_SIZE, .codec = "plain", .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);

    cr_assert_good(writer, error);
    uint32_t calls = add_schema(writer, "calls");
    for (unsigned i = 0; i < N_ARRAYS; i++) {
        g_autoptr(GArray) rows = random_rows(random, N_ROWS, 10);
        append_rows(writer, i + seed * N_ARRAYS, calls, rows, 0, rows->len);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

static XtfTrace *open_counted(const char *path, CountedSource **counted)
{
    GError *error = NULL;

    *counted = counted_source_open(path, true, &error);
    cr_assert_good(*counted, error);
    XtfTrace *trace = xtf_trace_open_source(&(*counted)->source, NULL, &error);
    cr_assert_good(trace, error);
    cr_assert_not_null(trace->leaf_lists);
    return trace;
}

static void find_arrays(XtfTrace *trace, Question *question)
{
    GError *error = NULL;

    cr_assert_good(xtf_trace_get_arrays(trace, 0, N_ARRAYS, question->arrays, &error), error);
}

static void count_rows(void *data)
{
    Question *question = data;
    uint64_t n;

    for (unsigned i = 0; i < N_ARRAYS; i++) { /* both ranks: one of them may fail */
        xtf_array_rank(&question->arrays[i], question->from, &n, NULL);
        xtf_array_rank(&question->arrays[i], question->to, &n, NULL);
        xtf_array_size_t(&question->arrays[i], question->from, question->to, &question->counts[i], NULL);
    }
}

/* Counts windows of a trace by a counted source, each window anew, and compares them with the counts of an ordinary
 * source. Asserts that opening and counting together take at most `requests` requests. */
static void assert_counts(const char *path, uint64_t requests)
{
    g_autoptr(XtfTrace) local = open_trace(path, 0);
    Question known;

    find_arrays(local, &known);
    uint64_t span = known.arrays[0].last - known.arrays[0].first;
    for (unsigned i = 0; i < 20; i++) {
        CountedSource *counted;
        g_autoptr(XtfTrace) trace = open_counted(path, &counted);
        Question asked;
        find_arrays(trace, &asked);
        known.from = asked.from = known.arrays[0].first + span * i / 25;
        known.to = asked.to =
            asked.from + span / 20 + (i == 19 ? span / 4 : 0); /* the last one ends in the open leaf */
        xtf_trace_gather(trace, count_rows, &asked);
        uint64_t before = counted->n_reads;
        memset(asked.counts, 0, sizeof asked.counts);
        count_rows(&asked);
        count_rows(&known);
        cr_assert_eq(counted->n_reads, before, "window %u: counting took requests that were not gathered", i);
        cr_assert_leq(before, requests, "window %u: %" PRIu64 " requests", i, before);
        cr_assert_arr_eq(asked.counts, known.counts, sizeof known.counts);
    }
}

/* FORMAT W65 */
Test(requests, a_count_of_all_arrays_takes_three_requests)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "lists.xtf", NULL);

    write_arrays(path, 0);
    assert_counts(path, 3);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_sound(trace);
    remove_folder(folder);
}

Test(requests, a_merged_file_keeps_the_lists_of_its_parts)
{
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *first = g_build_filename(folder, "first.xtf", NULL);
    g_autofree char *second = g_build_filename(folder, "second.xtf", NULL);
    g_autofree char *merged = g_build_filename(folder, "merged.xtf", NULL);
    const char *paths[] = {first, second, NULL};

    write_arrays(first, 0);
    write_arrays(second, 1);
    cr_assert_good(xtf_merge(merged, paths, 2, NULL, NULL, &error), error);
    assert_counts(merged, 3);
    g_autoptr(XtfTrace) trace = open_trace(merged, 0);
    assert_sound(trace);
    remove_folder(folder);
}

Test(requests, a_writer_that_goes_on_makes_new_lists)
{
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "resumed.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(9);
    g_autoptr(GArray) rows = random_rows(random, N_ROWS, 10);

    write_arrays(path, 0);
    XtfWriter *writer = xtf_writer_open(path, &(XtfWriterOptions){.no_sync = true}, &error);
    cr_assert_good(writer, error);
    for (guint i = 0; i < rows->len; i++) /* later than all other rows */
        g_array_index(rows, TestRow, i).time += 1000u * N_ROWS;
    append_rows(writer, 1, 0, rows, 0, rows->len);
    cr_assert_good(xtf_writer_commit(writer, &error), error); /* a growing file has no lists */
    g_autoptr(XtfTrace) growing = open_trace(path, 0);
    assert_sound(growing);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    assert_counts(path, 3);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_sound(trace);
    remove_folder(folder);
}

/* Swaps the lists of the first two arrays. */
static void swap_lists(XtfTrace *trace)
{
    XtfLeafList *lists = &g_array_index(trace->leaf_lists, XtfLeafList, 0);
    XtfLeafList first = lists[0];

    lists[0] = lists[1];
    lists[1] = first;
    lists[1].array = lists[0].array;
    lists[0].array = first.array;
}

/* FORMAT R85 */
Test(requests, a_false_list_is_not_used)
{
    GError *error = NULL;
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "false.xtf", NULL);
    CountedSource *counted;

    write_arrays(path, 0);
    g_autoptr(XtfTrace) local = open_trace(path, 0), trace = open_counted(path, &counted);
    swap_lists(trace);
    for (uint64_t t = 0; t < UINT64_C(20000000); t += 399989) {
        Question known, asked;
        uint64_t n_known, n;
        find_arrays(local, &known);
        find_arrays(trace, &asked);
        for (unsigned i = 0; i < N_ARRAYS; i++) {
            cr_assert_good(xtf_array_rank(&known.arrays[i], t, &n_known, &error), error);
            cr_assert_good(xtf_array_rank(&asked.arrays[i], t, &n, &error), error);
            cr_assert_eq(n, n_known);
        }
    }
    remove_folder(folder);
}

Test(requests, nothing_is_gathered_from_an_ordinary_source)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "local.xtf", NULL);
    Question question = {.counts = {1, 2, 3, 4}};

    write_arrays(path, 0);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    xtf_trace_gather(trace, count_rows, &question); /* does not call count_rows(), which would crash: no arrays */
    cr_assert_eq(question.counts[3], 4);
    remove_folder(folder);
}

static void *read_row(void *data)
{
    uint8_t row[sizeof(TestRow)];

    return GINT_TO_POINTER(xtf_array_row(data, N_ROWS / 2, row, NULL));
}

static void read_in_thread(void *data)
{
    GThread *thread = g_thread_new("reader", read_row, data);

    cr_assert(GPOINTER_TO_INT(g_thread_join(thread)));
}

Test(requests, reads_of_other_threads_go_on)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "threads.xtf", NULL);
    CountedSource *counted;
    Question question;

    write_arrays(path, 0);
    g_autoptr(XtfTrace) trace = open_counted(path, &counted);
    find_arrays(trace, &question);
    xtf_trace_gather(trace, read_in_thread, &question.arrays[2]);
    remove_folder(folder);
}

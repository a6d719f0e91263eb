/* The call stack, the order of times and the numbering of one location's events, compared with a naive stack. */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/stream.h"

typedef struct {
    char *path;
    XtfWriter *writer;
    XtfDefinitions definitions;
    uint32_t schemas[XTF_N_ARRAY_TYPES];
    XtfStream stream;
} Fixture;

static void set_up(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;
    int fd = g_file_open_tmp("xtf-stream-XXXXXX", &fixture->path, NULL);

    close(fd);
    fixture->writer = xtf_writer_create(fixture->path, NULL, &error);
    cr_assert_not_null(fixture->writer, "%s", error ? error->message : "");
    for (unsigned i = 0; i < XTF_N_ARRAY_TYPES; i++)
        cr_assert(xtf_writer_add_schema(fixture->writer, xtf_model_schema(i), &fixture->schemas[i], NULL));
    xtf_definitions_init(&fixture->definitions);
    cr_assert(xtf_definitions_resolve(&fixture->definitions, fixture->writer, NULL));
    xtf_stream_init(&fixture->stream, fixture->writer, &fixture->definitions, fixture->schemas);
    xtf_stream_begin(&fixture->stream, 7);
}

/* Ends the stream and opens the written trace. */
static XtfTrace *finish_stream(Fixture *fixture)
{
    g_autoptr(GError) error = NULL;

    cr_assert(xtf_stream_end(&fixture->stream, &error), "%s", error ? error->message : "");
    cr_assert(xtf_writer_close(fixture->writer, &error), "%s", error ? error->message : "");
    XtfTrace *trace = xtf_trace_open(fixture->path, NULL, &error);
    cr_assert_not_null(trace, "%s", error ? error->message : "");
    return trace;
}

static void tear_down(Fixture *fixture)
{
    xtf_stream_finish(&fixture->stream);
    xtf_definitions_finish(&fixture->definitions);
    g_unlink(fixture->path);
    g_free(fixture->path);
}

static uint64_t n_rows(XtfTrace *trace, const char *type)
{
    return xtf_trace_n_rows(trace, xtf_trace_find_schema(trace, type)->id);
}

static void get_row_of(XtfTrace *trace, uint64_t location, const char *type, uint64_t n, void *row)
{
    XtfArray array;
    bool found;

    cr_assert(xtf_trace_find_array(trace, location, xtf_trace_find_schema(trace, type)->id, &array, &found, NULL));
    cr_assert(found);
    cr_assert(xtf_array_row(&array, n, row, NULL));
}

static void get_row(XtfTrace *trace, const char *type, uint64_t n, void *row)
{
    get_row_of(trace, 7, type, n, row);
}

static XtfEntersLeavesRow call_at(XtfTrace *trace, uint64_t n)
{
    XtfEntersLeavesRow row;
    get_row(trace, "enters_leaves", n, &row);
    return row;
}

/* True if no row of the stack has the region. */
static bool is_absent(const GArray *stack, const uint32_t *regions, uint32_t region)
{
    for (guint i = 0; i < stack->len; i++)
        if (regions[g_array_index(stack, uint64_t, i)] == region)
            return false;
    return true;
}

Test(stream, pairs_random_calls_as_a_plain_stack_does)
{
    enum { N = 20000 };
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(uint64_t)); /* rows */
    g_autofree uint32_t *regions = g_new(uint32_t, N);
    g_autofree uint64_t *enters = g_new(uint64_t, N);
    g_autofree uint32_t *depths = g_new(uint32_t, N);
    g_autofree bool *outermost = g_new(bool, N);
    Fixture fixture;

    set_up(&fixture);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t top = stack->len > 0 ? g_array_index(stack, uint64_t, stack->len - 1) : UINT64_MAX;
        enters[i] = top == UINT64_MAX ? 0 : i - top;
        if (stack->len == 0 || g_rand_boolean(random)) {
            regions[i] = g_rand_int_range(random, 0, 5);
            outermost[i] = is_absent(stack, regions, regions[i]);
            g_array_append_val(stack, i);
            depths[i] = stack->len;
            cr_assert(xtf_stream_enter(&fixture.stream, i / 3, regions[i]));
        } else {
            regions[i] = regions[top];
            depths[i] = stack->len;
            g_array_set_size(stack, stack->len - 1);
            outermost[i] = is_absent(stack, regions, regions[i]);
            cr_assert(xtf_stream_leave(&fixture.stream, i / 3, regions[i]));
        }
    }
    uint64_t open = stack->len;
    g_autoptr(XtfTrace) trace = finish_stream(&fixture);
    cr_assert_eq(fixture.stream.never_left, open);
    cr_assert_eq(fixture.stream.without_enter.count + fixture.stream.out_of_order.count, 0);
    cr_assert_eq(n_rows(trace, "enters_leaves"), N);
    for (uint64_t i = 0; i < N; i++) {
        XtfEntersLeavesRow row = call_at(trace, i);
        cr_assert_eq(row.seq, i);
        cr_assert_eq(row.time, i / 3);
        cr_assert_eq(row.region, regions[i]);
        cr_assert_eq(row.enter, enters[i], "row %" PRIu64, i);
        cr_assert_eq(row.depth, depths[i], "row %" PRIu64, i);
        cr_assert_eq(row.outermost, outermost[i], "row %" PRIu64, i);
    }
    tear_down(&fixture);
}

Test(stream, repairs_calls_that_do_not_fit)
{
    enum { MAIN, WORK, SEND };
    Fixture fixture;

    set_up(&fixture);
    XtfStream *stream = &fixture.stream;
    xtf_stream_leave(stream, 1, SEND); /* 0: never entered */
    xtf_stream_enter(stream, 2, MAIN); /* 1 */
    xtf_stream_enter(stream, 3, WORK); /* 2 */
    xtf_stream_enter(stream, 4, SEND); /* 3: never left */
    xtf_stream_leave(stream, 5, WORK); /* 4: leaves the frame of row 2, inside which row 3 is open */
    xtf_stream_leave(stream, 6, WORK); /* 5: left twice */
    xtf_stream_enter(stream, 7, SEND); /* 6: called by main; never left */
    g_autoptr(XtfTrace) trace = finish_stream(&fixture);

    const uint64_t enters[] = {0, 0, 1, 1, 2, 0, 5};
    const uint32_t depths[] = {0, 1, 2, 3, 2, 0, 2};
    const bool outermost[] = {false, true,  true, true,
                              true,  false, true}; /* row 3 is no longer on the stack at row
                                                    * 6 */
    for (size_t i = 0; i < G_N_ELEMENTS(enters); i++) {
        cr_assert_eq(call_at(trace, i).enter, enters[i], "row %zu", i);
        cr_assert_eq(call_at(trace, i).depth, depths[i], "row %zu", i);
        cr_assert_eq(call_at(trace, i).outermost, outermost[i], "row %zu", i);
    }
    cr_assert_eq(stream->without_enter.count, 2);
    cr_assert_eq(stream->without_enter.first_seq, 0);
    cr_assert_eq(stream->out_of_order.count, 1);
    cr_assert_eq(stream->out_of_order.first_seq, 4);
    cr_assert_eq(stream->never_left, 3); /* rows 1, 3 and 6 */
    tear_down(&fixture);
}

Test(stream, knows_the_outermost_frame_of_a_region_that_calls_itself)
{
    enum { MAIN, WORK };
    Fixture fixture;

    set_up(&fixture);
    XtfStream *stream = &fixture.stream;
    xtf_stream_enter(stream, 1, XTF_NONE32); /* 0: a region without definition */
    xtf_stream_enter(stream, 2, WORK);       /* 1 */
    xtf_stream_enter(stream, 3, MAIN);       /* 2 */
    xtf_stream_enter(stream, 4, WORK);       /* 3 */
    xtf_stream_enter(stream, 5, XTF_NONE32); /* 4 */
    xtf_stream_leave(stream, 6, MAIN);       /* 5: leaves the frame of row 2, inside which rows 3 and 4 are open */
    xtf_stream_leave(stream, 7, WORK);       /* 6: leaves the frame of row 1 */
    xtf_stream_enter(stream, 8, WORK);       /* 7 */
    cr_assert(xtf_stream_end(stream, NULL));
    xtf_stream_begin(stream, 7 + 1);
    xtf_stream_enter(stream, 9, WORK); /* in another location, without open frames */
    xtf_stream_end(stream, NULL);
    xtf_stream_begin(stream, 7 + 2);
    g_autoptr(XtfTrace) trace = finish_stream(&fixture);

    const bool outermost[] = {true, true, true, false, false, true, true, true};
    const uint32_t depths[] = {1, 2, 3, 4, 5, 3, 2, 2};
    for (size_t i = 0; i < G_N_ELEMENTS(outermost); i++) {
        cr_assert_eq(call_at(trace, i).outermost, outermost[i], "row %zu", i);
        cr_assert_eq(call_at(trace, i).depth, depths[i], "row %zu", i);
    }
    XtfEntersLeavesRow row;
    get_row_of(trace, 7 + 1, "enters_leaves", 0, &row);
    cr_assert(row.outermost == 1 && row.depth == 1);
    tear_down(&fixture);
}

Test(stream, holds_times_that_go_back_and_keeps_the_source_s)
{
    const uint64_t times[] = {10, 20, 5, 15, 20, 30, 29};
    const uint64_t stored[] = {10, 20, 20, 20, 20, 30, 30};
    Fixture fixture;

    set_up(&fixture);
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        XtfRequestsRow row = {.region = XTF_NONE32, .request = i};
        cr_assert(xtf_stream_append(&fixture.stream, XTF_MODEL_REQUESTS, XTF_LABEL_MPI_REQUEST_TEST, times[i], &row));
    }
    g_autoptr(XtfTrace) trace = finish_stream(&fixture);
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        XtfRequestsRow row;
        get_row(trace, "requests", i, &row);
        cr_assert_eq(row.time, stored[i]);
        cr_assert_eq(row.seq, i);
        cr_assert_eq(row.request, i);
    }
    cr_assert_eq(fixture.stream.backward.count, 3);
    cr_assert_eq(fixture.stream.backward.first_seq, 2);
    const uint64_t backward[][2] = {{2, 5}, {3, 15}, {6, 29}};
    cr_assert_eq(n_rows(trace, "backward_times"), G_N_ELEMENTS(backward));
    for (size_t i = 0; i < G_N_ELEMENTS(backward); i++) {
        XtfBackwardTimesRow row;
        get_row(trace, "backward_times", i, &row);
        cr_assert_eq(row.seq, backward[i][0]);
        cr_assert_eq(row.source_time, backward[i][1]);
        cr_assert_eq(row.time, stored[row.seq]);
    }
    tear_down(&fixture);
}

Test(stream, counts_frames_that_are_too_deep)
{
    enum { DEEPER = 10 };
    Fixture fixture;

    set_up(&fixture);
    for (uint64_t i = 0; i < XTF_STREAM_DEPTH + DEEPER; i++)
        cr_assert(xtf_stream_enter(&fixture.stream, i, i));
    cr_assert_eq(xtf_stream_region(&fixture.stream), XTF_STREAM_DEPTH - 1);
    for (uint64_t i = XTF_STREAM_DEPTH + DEEPER; i > 0; i--)
        cr_assert(xtf_stream_leave(&fixture.stream, 2 * XTF_STREAM_DEPTH, i - 1));
    g_autoptr(XtfTrace) trace = finish_stream(&fixture);
    cr_assert_eq(fixture.stream.max_unstored, DEEPER);
    cr_assert_eq(fixture.stream.never_left, 0);
    cr_assert_eq(fixture.stream.without_enter.count, 0);
    uint64_t first_leave = XTF_STREAM_DEPTH + DEEPER;
    cr_assert_eq(call_at(trace, XTF_STREAM_DEPTH + DEEPER - 1).depth, XTF_STREAM_DEPTH + 1);
    cr_assert_eq(call_at(trace, first_leave).enter, 0);
    cr_assert_eq(call_at(trace, first_leave).depth, 0);
    cr_assert_eq(call_at(trace, first_leave + DEEPER).depth, XTF_STREAM_DEPTH);
    cr_assert_eq(call_at(trace, first_leave + DEEPER).enter, 2 * DEEPER + 1);
    cr_assert_eq(call_at(trace, 2 * first_leave - 1).enter, 2 * first_leave - 1);
    tear_down(&fixture);
}

Test(stream, every_event_has_a_label_of_its_own)
{
    g_autoptr(GHashTable) labels = g_hash_table_new(g_str_hash, g_str_equal);

    for (unsigned type = 0; type < XTF_N_RECORD_TYPES; type++) {
        const XtfField *event = xtf_schema_field_by_role(xtf_model_schema(type), XTF_ROLE_EVENT);
        cr_assert_leq(event->n_labels, XTF_EVENTS_MAX);
        if (type == XTF_MODEL_TASK_MOVES) /* tasks move into states, so task_states has the same labels */
            continue;
        for (char **label = event->labels; *label; label++)
            cr_assert(g_hash_table_add(labels, *label), "doubled: %s", *label);
    }
    cr_assert_eq(g_hash_table_size(labels), 80 + 6 + 6 + 56 + 4); /* OTF2; recorder; statistics of measured networks;
                                                                   * OpenTS: 52 letters, 4 elements; Chrome */
    const XtfSchema *sends = xtf_model_schema(XTF_MODEL_SENDS), *unknown = xtf_model_schema(XTF_MODEL_UNKNOWN);
    cr_assert_str_eq(xtf_schema_field(sends, "event")->labels[XTF_LABEL_MPI_ISEND], "MPI_ISEND");
    cr_assert_str_eq(xtf_schema_field(unknown, "event")->labels[XTF_LABEL_UNKNOWN], "UNKNOWN");
}

/* Labels of a source's own events follow the labels of the model. */
Test(stream, appends_events_without_a_label_of_the_model)
{
    static const char *const more[] = {"PROBE", "PROBE_END", NULL};
    g_autoptr(XtfSchema) schema = xtf_model_schema_with_events(XTF_MODEL_SENDS, more);
    const XtfField *event = xtf_schema_field(schema, "event");

    cr_assert_eq(event->n_labels, XTF_N_SENDS_EVENTS + 2);
    cr_assert_str_eq(event->labels[XTF_LABEL_MPI_ISEND], "MPI_ISEND");
    cr_assert_str_eq(event->labels[XTF_N_SENDS_EVENTS + 1], "PROBE_END");
    cr_assert_eq(schema->n_aggregates, xtf_model_schema(XTF_MODEL_SENDS)->n_aggregates);

    Fixture fixture;
    XtfSendsRow row = {.region = XTF_NONE32, .bytes = 8}, stored;
    set_up(&fixture);
    cr_assert(xtf_stream_append(&fixture.stream, XTF_MODEL_SENDS, XTF_N_SENDS_EVENTS + 1, 1, &row));
    cr_assert_eq(fixture.stream.counts[XTF_MODEL_SENDS][XTF_N_SENDS_EVENTS + 1], 1);
    g_autoptr(XtfTrace) trace = finish_stream(&fixture);
    get_row(trace, "sends", 0, &stored);
    cr_assert_eq(stored.event, XTF_N_SENDS_EVENTS + 1);
    tear_down(&fixture);
}

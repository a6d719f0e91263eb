/* Arrays that move from one writer to another: the file is as if one writer had written all rows. */
#include "fixture.h"

enum {
    LOCATIONS = 40,
    SENDERS = 4,
    CALLS = 0, /* the records of a location that the receiver itself writes */
};

/* Two types of derived rows. */
static const char *const names[] = {"found", "more"};

typedef struct {
    const char *codec;
    uint32_t page_size, longest; /* most rows of an array */
} Shape;

static const Shape shapes[] = {
    {"compact", 4096, 200},    {"compact", 4096, 90000},  {"plain", 4096, 60000},
    {"compact", 65536, 90000}, {"plain", 1 << 20, 60000},
};

static XtfSchema *derived_schema(const char *name)
{
    const XtfAggregateSpec by_event = {.kind = XTF_AGGREGATE_GROUPS,
                                       .keys = (const char *const[]){"event", NULL},
                                       .values = (const char *const[]){"value", NULL}};
    /* Nearly every row is a group, so totals take several pages. */
    const XtfAggregateSpec by_value = {.kind = XTF_AGGREGATE_GROUPS,
                                       .keys = (const char *const[]){"value", NULL},
                                       .values = (const char *const[]){"seq", NULL}};
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new(name, XTF_SCHEMA_DERIVED, test_fields, &error);

    cr_assert_good(schema && xtf_schema_add_aggregate(schema, &by_event, &error) &&
                       xtf_schema_add_aggregate(schema, &by_value, &error),
                   error);
    return schema;
}

static uint32_t add_derived(XtfWriter *writer, const char *name)
{
    g_autoptr(XtfSchema) schema = derived_schema(name);
    GError *error = NULL;
    uint32_t id;

    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    return id;
}

/* Returns the rows of a location; every third location has none. */
static GArray *rows_of(const Shape *shape, unsigned type, uint64_t location)
{
    g_autoptr(GRand) random = g_rand_new_with_seed((guint32)(location * 2 + type));

    return random_rows(random, location % 3 == 2 ? 0 : (uint32_t)g_rand_int_range(random, 1, (gint32)shape->longest),
                       30);
}

/* Returns the shape of a location's arrays: most are small. */
static const Shape *shape_of(const Shape *shape, uint64_t location)
{
    static const Shape small = {.longest = 300};

    return location % 8 == 0 ? shape : &small;
}

static void write_locations(XtfWriter *writer, const Shape *shape, unsigned sender)
{
    GError *error = NULL;

    for (unsigned type = 0; type < G_N_ELEMENTS(names); type++) {
        uint32_t schema = add_derived(writer, names[type]);
        for (uint64_t location = 1 + sender; location < LOCATIONS; location += SENDERS) {
            g_autoptr(GArray) rows = rows_of(shape_of(shape, location), type, location);
            append_rows(writer, location, schema, rows, 0, rows->len);
            cr_assert_good(xtf_array_writer_close(xtf_writer_array(writer, location, schema, &error), &error), error);
        }
    }
}

/* ---- The way of the blocks. */

typedef struct {
    XtfReceiver *receiver;
    void *block;
    uint32_t n_bytes;
    GError *error; /* of the receiver */
} Way;

static void deliver_block(Way *way)
{
    if (way->block && !way->error)
        xtf_receiver_read(way->receiver, way->block, way->n_bytes, &way->error);
    g_clear_pointer(&way->block, g_free);
}

static void *put_block(void *data, uint32_t n_bytes, GError **error)
{
    Way *way = data;

    cr_assert_eq(n_bytes % 8, 0);
    deliver_block(way);
    way->n_bytes = n_bytes;
    return way->block = g_malloc(n_bytes);
}

/* Moves the arrays of a sender. Returns the receiver's error. */
static GError *move_arrays(XtfWriter *sender, XtfReceiver *receiver)
{
    const XtfTransferPlace place = xtf_receiver_place(receiver);
    Way way = {.receiver = receiver};
    GError *error = NULL;

    cr_assert_good(xtf_transfer_send(sender, &place, put_block, &way, &error), error);
    deliver_block(&way);
    return way.error;
}

static XtfWriter *new_sender(const XtfWriter *writer)
{
    XtfWriterOptions layout;
    GError *error = NULL;

    xtf_writer_layout(writer, &layout);
    XtfWriter *sender = xtf_writer_create_sender(&layout, &error);
    cr_assert_good(sender, error);
    return sender;
}

static XtfReceiver *new_receiver(XtfWriter *writer, XtfWriter *sender)
{
    XtfTransferSize size;
    GError *error = NULL;

    cr_assert_good(xtf_transfer_size(sender, &size, &error), error);
    XtfReceiver *receiver = xtf_receiver_new(writer, &size, &error);
    cr_assert_good(receiver, error);
    return receiver;
}

static XtfWriter *create_file(const char *path, const Shape *shape)
{
    const XtfWriterOptions options = {.page_size = shape->page_size, .codec = shape->codec, .no_sync = true};
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    g_autoptr(GArray) rows = random_rows(random, 20000, 10);
    const TestRow latest = {.time = UINT64_C(1) << 40};
    g_array_index(rows, TestRow, 0).time = 0;
    g_array_append_val(rows, latest);
    append_rows(writer, CALLS, add_schema(writer, "calls"), rows, 0, rows->len);
    for (unsigned type = 0; type < G_N_ELEMENTS(names); type++)
        add_derived(writer, names[type]);
    return writer;
}

/* Writes a file by one writer, or by one that gets the rows of others. */
static void write_file(const char *path, const Shape *shape, bool moved)
{
    XtfWriter *writer = create_file(path, shape), *senders[SENDERS] = {NULL};
    XtfReceiver *receivers[SENDERS] = {NULL};
    GError *error = NULL;

    for (unsigned i = 0; i < SENDERS; i++) {
        bool sends = moved && i > 0;
        if (sends)
            senders[i] = new_sender(writer);
        write_locations(sends ? senders[i] : writer, shape, i);
    }
    for (unsigned i = 0; i < SENDERS; i++)
        receivers[i] = senders[i] ? new_receiver(writer, senders[i]) : NULL;
    for (unsigned i = SENDERS; i-- > 0;) {
        if (senders[i]) {
            cr_assert_null(move_arrays(senders[i], receivers[i]));
            cr_assert_good(xtf_receiver_end(receivers[i], &error), error);
        }
        xtf_receiver_free(receivers[i]);
        xtf_writer_abort(senders[i]);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* ---- What readers see. */

static void expect_totals(const XtfArray *array, const GArray *rows, GRand *random)
{
    for (unsigned i = 0; i < 8; i++) {
        g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
        guint from = (guint)g_rand_int_range(random, 0, (gint32)rows->len + 1),
              to = (guint)g_rand_int_range(random, (gint32)from, (gint32)rows->len + 1);
        int64_t sums[2] = {0}, expected[2] = {0};
        GError *error = NULL;
        cr_assert_good(xtf_array_totals(array, 0, NULL, from, to, totals, &error), error);
        for (guint n = from; n < to; n++)
            expected[g_array_index(rows, TestRow, n).event] += g_array_index(rows, TestRow, n).value;
        for (uint32_t k = 0; k < xtf_group_totals_n(totals); k++)
            sums[xtf_group_totals_key(totals, k)[0]] = (int64_t)xtf_group_totals_cells(totals, k)[1];
        cr_assert_eq(memcmp(sums, expected, sizeof sums), 0);
    }
}

static void expect_rows(const XtfArray *array, const GArray *rows)
{
    GError *error = NULL;
    g_auto(XtfCursor) cursor;
    bool found;

    cr_assert_eq(array->n_rows, rows->len);
    xtf_cursor_init(&cursor, array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (guint n = 0; n < rows->len; n++) {
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &g_array_index(rows, TestRow, n), sizeof(TestRow)), 0);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
    for (guint n = 0; n < rows->len; n += 1 + rows->len / 50) {
        uint64_t t = g_array_index(rows, TestRow, n).time, rank;
        cr_assert_good(xtf_array_rank(array, t, &rank, &error), error);
        cr_assert_eq(rank, naive_rank(rows, t));
    }
}

static void expect_limits(XtfTrace *moved, XtfTrace *whole, uint32_t schema)
{
    for (uint32_t f = 0; f < G_N_ELEMENTS(test_fields) - 1; f++) {
        const XtfLimits *a = xtf_trace_limits(moved, schema, f), *b = xtf_trace_limits(whole, schema, f);
        cr_assert(a->min == b->min && a->max == b->max && a->has_none == b->has_none);
    }
}

static void expect_file(const char *path, const Shape *shape)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    XtfTrace *trace = open_trace(path, 0);
    XtfCheckReport report = assert_sound(trace);

    cr_assert_eq(report.unreachable_pages, 0);
    for (unsigned type = 0; type < G_N_ELEMENTS(names); type++)
        for (uint64_t location = 1; location < LOCATIONS; location++) {
            g_autoptr(GArray) rows = rows_of(shape_of(shape, location), type, location);
            if (rows->len == 0)
                continue;
            XtfArray array = find_array(trace, location, xtf_trace_find_schema(trace, names[type])->id);
            expect_rows(&array, rows);
            expect_totals(&array, rows, random);
        }
    xtf_trace_unref(trace);
}

Test(transfer, moved_arrays)
{
    char *folder = make_folder();
    g_autofree char *moved = g_build_filename(folder, "moved", NULL), *whole = g_build_filename(folder, "whole", NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        write_file(moved, &shapes[i], true);
        write_file(whole, &shapes[i], false);
        expect_file(whole, &shapes[i]);
        expect_file(moved, &shapes[i]);
        XtfTrace *a = open_trace(moved, 0), *b = open_trace(whole, 0);
        for (uint32_t schema = 0; schema <= G_N_ELEMENTS(names); schema++)
            expect_limits(a, b, schema);
        xtf_trace_unref(a);
        xtf_trace_unref(b);
    }
    remove_folder(folder);
}

/* Another writer appends to arrays that have moved, clears them, and gets them once more. */
Test(transfer, moved_arrays_go_on)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "moved", NULL);
    const XtfWriterOptions options = {.no_sync = true, .keep_commits = 2, .keep_seconds = -1};
    const Shape *shape = &shapes[1];
    GError *error = NULL;

    write_file(path, shape, true);
    for (unsigned turn = 0; turn < 3; turn++) {
        XtfWriter *writer = xtf_writer_open(path, &options, &error);
        cr_assert_good(writer, error);
        for (unsigned type = 0; type < G_N_ELEMENTS(names); type++) {
            uint32_t schema = add_derived(writer, names[type]);
            for (uint64_t location = 1; turn == 0 && location < LOCATIONS; location++) {
                XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);
                const TestRow later = {.time = xtf_array_writer_last(array) + 1};
                cr_assert_good(xtf_array_writer_append(array, &later, &error), error);
            }
            if (turn == 1)
                cr_assert_good(xtf_writer_clear_arrays(writer, schema, &error), error);
        }
        if (turn == 1) {
            XtfWriter *sender = new_sender(writer);
            for (unsigned i = 0; i < SENDERS; i++)
                write_locations(sender, shape, i);
            g_autoptr(XtfReceiver) receiver = new_receiver(writer, sender);
            cr_assert_null(move_arrays(sender, receiver));
            xtf_writer_abort(sender);
        }
        cr_assert_good(xtf_writer_close(writer, &error), error);
        XtfTrace *trace = open_trace(path, 0);
        assert_sound(trace);
        xtf_trace_unref(trace);
        if (turn > 0)
            expect_file(path, shape);
    }
    remove_folder(folder);
}

/* A receiver refuses what does not fit, and the writer commits nothing then. */
Test(transfer, refusals)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "moved", NULL);
    const Shape *shape = &shapes[1];
    enum { HAS_ROWS, LACKS_SCHEMA, LACKS_BLOCKS, OTHER_SIZE, SENT_TWICE, CASES };

    for (unsigned kind = 0; kind < CASES; kind++) {
        XtfWriter *writer = create_file(path, shape), *sender = new_sender(writer);
        GError *error = NULL;
        write_locations(sender, shape, 0);
        if (kind == HAS_ROWS)
            write_locations(writer, shape, 0);
        if (kind == LACKS_SCHEMA)
            append_rows(sender, 1, add_derived(sender, "unknown"), rows_of(shape, 0, 1), 0, 1);
        if (kind == LACKS_SCHEMA)
            xtf_array_writer_close(xtf_writer_array(sender, 1, add_derived(sender, "unknown"), NULL), NULL);
        g_autoptr(XtfReceiver) receiver = new_receiver(writer, sender);
        XtfTransferSize least = {.n_pages = 3, .n_arrays = 2};
        g_autoptr(XtfReceiver) small = xtf_receiver_new(writer, &least, &error);
        if (kind != LACKS_BLOCKS)
            error = move_arrays(sender, kind == OTHER_SIZE ? small : receiver);
        if (kind == SENT_TWICE) {
            cr_assert_null(error);
            error = move_arrays(sender, receiver);
        }
        cr_assert_eq(error == NULL, kind == LACKS_BLOCKS);
        cr_assert(error || !xtf_receiver_end(receiver, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID), "%s", error->message);
        g_clear_error(&error);
        cr_assert_not(xtf_writer_close(writer, &error));
        g_clear_error(&error);
        xtf_writer_abort(sender);
    }
    remove_folder(folder);
}

/* Open arrays and strings cannot be moved. */
Test(transfer, what_cannot_move)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "moved", NULL);
    static const XtfFieldSpec fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
                                          {.name = "text", .type = XTF_TYPE_STRING},
                                          {0}};
    const struct __attribute__((packed)) {
        uint64_t time;
        uint32_t text;
    } row = {.time = 1};

    for (unsigned kind = 0; kind < 2; kind++) {
        XtfWriter *writer = create_file(path, &shapes[0]), *sender = new_sender(writer);
        GError *error = NULL;
        uint32_t schema;
        g_autoptr(XtfSchema) texts = xtf_schema_new("texts", XTF_SCHEMA_DERIVED, fields, &error);
        cr_assert_good(xtf_writer_add_schema(sender, texts, &schema, &error), error);
        if (kind == 0) {
            write_locations(sender, &shapes[0], 0);
            append_rows(sender, 99, add_derived(sender, names[0]), rows_of(&shapes[0], 0, 1), 0, 1);
        } else {
            XtfArrayWriter *array = xtf_writer_array(sender, 1, schema, &error);
            cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
            cr_assert_good(xtf_array_writer_close(array, &error), error);
        }
        g_autoptr(XtfReceiver) receiver = new_receiver(writer, sender);
        const XtfTransferPlace place = xtf_receiver_place(receiver);
        Way way = {.receiver = receiver};
        cr_assert_not(xtf_transfer_send(sender, &place, put_block, &way, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, kind == 0 ? XTF_ERROR_INVALID : XTF_ERROR_UNSUPPORTED));
        g_clear_error(&error);
        g_free(way.block);
        xtf_writer_abort(sender);
        xtf_writer_abort(writer);
    }
    remove_folder(folder);
}

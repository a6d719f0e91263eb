/* Arrays that are cleared and written again: the reuse of their pages, and the readers of older commits. */
#include <fcntl.h>
#include <unistd.h>

#include "fixture.h"
#include "libxtf/disk/page.h"
#include "libxtf/write/writer-private.h"

enum {
    RECORDS = 7,   /* the location whose rows are kept */
    LOCATIONS = 3, /* locations from 0 with derived rows, in several index pages */
    ROWS = 36000,  /* of the first location; the others have fewer */
    PAGE_SIZE = 4096,
    TURNS = 7,
    MANY = 200,
};

static const XtfWriterOptions options = {.keep_commits = 2, .keep_seconds = -1, .no_sync = true, .codec = "plain"};

static uint32_t add_derived(XtfWriter *writer)
{
    const XtfAggregateSpec by_event = {.kind = XTF_AGGREGATE_GROUPS,
                                       .keys = (const char *const[]){"event", NULL},
                                       .values = (const char *const[]){"value", NULL}};
    GError *error = NULL;
    uint32_t id;
    g_autoptr(XtfSchema) schema = xtf_schema_new("found", XTF_SCHEMA_DERIVED, test_fields, &error);

    cr_assert_good(schema && xtf_schema_add_aggregate(schema, &by_event, &error), error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    return id;
}

static uint64_t rows_of(uint64_t location, unsigned turn)
{
    return ROWS >> (2 * location) | turn;
}

static TestRow row_of(uint64_t location, unsigned turn, uint64_t n)
{
    return (TestRow){.time = 10 + n, .seq = n, .value = (int32_t)(n * turn + location), .event = n & 1};
}

/* Replaces the rows of the previous turn. */
static void rewrite_rows(XtfWriter *writer, unsigned turn)
{
    uint32_t schema = add_derived(writer);
    GError *error = NULL;

    cr_assert_good(xtf_writer_clear_arrays(writer, schema, &error), error);
    for (uint64_t location = 0; location < LOCATIONS; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);
        cr_assert_good(array, error);
        for (uint64_t n = 0; n < rows_of(location, turn); n++) {
            TestRow row = row_of(location, turn, n);
            cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
        }
    }
}

static void write_turn(const char *path, unsigned turn)
{
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_open(path, &options, &error);

    cr_assert_good(writer, error);
    rewrite_rows(writer, turn);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

static void write_first(const char *path)
{
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    uint32_t calls = add_schema(writer, "calls");
    XtfArrayWriter *array = xtf_writer_array(writer, RECORDS, calls, &error);
    for (uint64_t n = 0; n < 2 * ROWS; n++) {
        TestRow row = row_of(RECORDS, 0, n);
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
    rewrite_rows(writer, 1);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Reads all rows of an array, and a total; returns false with the error. Asserts the rows that it could read. */
static bool read_array(const XtfArray *array, unsigned turn, uint64_t expected, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found;

    cr_assert_eq(array->n_rows, expected);
    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, 0, &found, error))
        return false;
    for (uint64_t n = 0; n < expected; n++) {
        TestRow row = row_of(array->location, turn, n);
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &row, sizeof row), 0);
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    if (array->schema->n_aggregates == 0)
        return true;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    int64_t sums[2] = {0}, expected_sums[2] = {0};
    if (!xtf_array_totals(array, 0, NULL, 1, expected - 1, totals, error))
        return false;
    for (uint64_t n = 1; n < expected - 1; n++)
        expected_sums[n & 1] += row_of(array->location, turn, n).value;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++)
        sums[xtf_group_totals_key(totals, i)[0]] = (int64_t)xtf_group_totals_cells(totals, i)[1];
    cr_assert_eq(memcmp(sums, expected_sums, sizeof sums), 0);
    return true;
}

/* Reads all derived rows. */
static bool read_derived(XtfTrace *trace, unsigned turn, GError **error)
{
    uint32_t schema = xtf_trace_find_schema(trace, "found")->id;

    for (uint64_t location = 0; location < LOCATIONS; location++) {
        XtfArray array = find_array(trace, location, schema);
        if (!read_array(&array, turn, rows_of(location, turn), error))
            return false;
    }
    return true;
}

static void assert_right(XtfTrace *trace, unsigned turn)
{
    XtfArray records = find_array(trace, RECORDS, xtf_trace_find_schema(trace, "calls")->id);
    GError *error = NULL;

    cr_assert_good(read_derived(trace, turn, &error), error);
    cr_assert_good(read_array(&records, 0, 2 * ROWS, &error), error);
}

static goffset size_of(const char *path)
{
    GStatBuf status;
    cr_assert_eq(g_stat(path, &status), 0);
    return status.st_size;
}

/* FORMAT W32 */
Test(cleared, the_file_keeps_its_size)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    goffset sizes[TURNS + 1];

    write_first(path);
    for (unsigned turn = 1; turn <= TURNS; turn++) {
        if (turn > 1)
            write_turn(path, turn);
        sizes[turn] = size_of(path);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        XtfCheckReport report = assert_sound(trace);
        cr_assert_eq(report.unreachable_pages, 0);
        assert_right(trace, turn);
    }
    /* Two commits are kept, so that the file needs space for three. */
    cr_assert_gt(sizes[2], sizes[1]);
    cr_assert_gt(sizes[3], sizes[2]);
    for (unsigned turn = 4; turn <= TURNS; turn++)
        cr_assert_leq(sizes[turn], sizes[3] + 2 * PAGE_SIZE, "%u: %ld, %ld", turn, (long)sizes[turn], (long)sizes[3]);
    remove_folder(folder);
}

/* FORMAT W14, R20 */
Test(cleared, the_previous_commit_stays_readable)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;

    write_first(path);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 0, xtf_trace_find_schema(trace, "found")->id);
    for (unsigned turn = 2; turn <= 4; turn++) {
        write_turn(path, turn);
        g_autoptr(XtfTrace) before = open_trace(path, 0);
        write_turn(path, ++turn);
        assert_right(before, turn - 1);
    }
    cr_assert(!read_array(&array, 1, array.n_rows, &error)); /* the array's pages were not read before */
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_STALE), "%s", error->message);
    g_clear_error(&error);
    remove_folder(folder);
}

/* Snapshots share a cache in which pages of both have the same places. */
/* FORMAT R23, R28 */
Test(cleared, refreshed_traces_read_their_own_pages)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;

    write_first(path);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_right(trace, 1);
    for (unsigned turn = 2; turn <= TURNS; turn++) {
        g_autoptr(XtfTrace) later = NULL;
        write_turn(path, turn);
        cr_assert_good(xtf_trace_refresh(trace, &later, &error), error);
        cr_assert_not_null(later);
        assert_right(later, turn);
        assert_right(trace, turn - 1);
        xtf_trace_unref(trace);
        trace = g_steal_pointer(&later);
    }
    g_clear_pointer(&trace, xtf_trace_unref);
    remove_folder(folder);
}

Test(cleared, aborted_writers_change_nothing)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;

    write_first(path);
    for (unsigned turn = 2; turn <= TURNS; turn++) {
        XtfWriter *writer = xtf_writer_open(path, &options, &error);
        cr_assert_good(writer, error);
        rewrite_rows(writer, turn);
        xtf_writer_abort(writer); /* its pages were written to free pages */
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        assert_sound(trace);
        assert_right(trace, turn - 1);
        write_turn(path, turn);
    }
    remove_folder(folder);
}

/* Changes the first page of a kind that is not of the array of records. */
static void damage_page(const char *path, XtfPageKind kind, void (*damage)(uint8_t *page, uint64_t place))
{
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray records = find_array(trace, RECORDS, xtf_trace_find_schema(trace, "calls")->id);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    _Alignas(XtfDiskPage) uint8_t page[PAGE_SIZE];
    const XtfDiskPage *head = (const XtfDiskPage *)page;

    cr_assert_geq(fd, 0);
    for (off_t at = 2 * PAGE_SIZE; pread(fd, page, sizeof page, at) == sizeof page; at += PAGE_SIZE) {
        if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != kind || xtf_read32(head->array) == records.id)
            continue;
        damage(page, (uint64_t)at / PAGE_SIZE);
        cr_assert_eq(pwrite(fd, page, sizeof page, at), sizeof page);
        close(fd);
        return;
    }
    cr_assert_fail("the file has no page of the kind");
}

static void seal_page(uint8_t *page, uint64_t place)
{
    XtfDiskPage *head = (XtfDiskPage *)(void *)page;
    xtf_write32(&head->checksum, xtf_page_checksum(head, place, page + sizeof *head, xtf_read32(head->length)));
}

static XtfDiskEntry *entries_of(uint8_t *page)
{
    return (XtfDiskEntry *)(void *)(page + sizeof(XtfDiskPage));
}

static void flip_bit(uint8_t *page, uint64_t place)
{
    (void)place;
    page[100] ^= 1;
}

static void repeat_first_child(uint8_t *page, uint64_t place)
{
    XtfDiskEntry *entries = entries_of(page);
    for (uint32_t i = 1; i < xtf_read32(((XtfDiskPage *)(void *)page)->count); i++)
        entries[i].child = entries[0].child;
    seal_page(page, place);
}

static void swap_children(uint8_t *page, uint64_t place)
{
    XtfDiskEntry *entries = entries_of(page);
    XtfLe64 child = entries[0].child;
    entries[0].child = entries[1].child;
    entries[1].child = child;
    seal_page(page, place);
}

/* Sets a bit of the length, as if the payload took one more page, or several. */
static void lengthen_payload(uint8_t *page, uint64_t place)
{
    XtfDiskPage *head = (XtfDiskPage *)(void *)page;
    uint32_t bit = PAGE_SIZE;

    (void)place;
    while (xtf_read32(head->length) & bit)
        bit <<= 1;
    xtf_write32(&head->length, xtf_read32(head->length) | bit);
}

/* Asserts that all rows are correct after each turn, and that the pages of the damaged array are never used again. */
static void assert_pages_stay_unused(const char *path)
{
    uint64_t unreachable = 0;

    for (unsigned turn = 2; turn <= TURNS; turn++) {
        write_turn(path, turn);
        g_autoptr(XtfTrace) now = open_trace(path, 0);
        XtfCheckReport report = assert_sound(now);
        assert_right(now, turn);
        cr_assert_gt(report.unreachable_pages, ROWS / 300);
        cr_assert(turn == 2 || report.unreachable_pages == unreachable);
        unreachable = report.unreachable_pages;
    }
}

Test(cleared, damaged_pages_stay_unused)
{
    void (*const damages[])(uint8_t *, uint64_t) = {flip_bit, repeat_first_child, swap_children};

    for (unsigned i = 0; i < G_N_ELEMENTS(damages); i++) {
        char *folder = make_folder();
        g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
        write_first(path);
        damage_page(path, XTF_PAGE_INDEX, damages[i]);
        assert_pages_stay_unused(path);
        remove_folder(folder);
    }
}

/* Writes a file in which pages of records follow pages of totals. */
static void write_mixed(const char *path)
{
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    XtfArrayWriter *records = xtf_writer_array(writer, RECORDS, add_schema(writer, "calls"), &error);
    XtfArrayWriter *derived = xtf_writer_array(writer, 0, add_derived(writer), &error);
    for (uint64_t n = 0; n < 2 * ROWS; n++) {
        TestRow row = row_of(RECORDS, 0, n), derived_row = row_of(0, 1, n);
        cr_assert_good(xtf_array_writer_append(records, &row, &error), error);
        cr_assert_good(n % 2 == 1 || xtf_array_writer_append(derived, &derived_row, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

Test(cleared, a_wrong_length_of_totals)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);

    write_mixed(path);
    damage_page(path, XTF_PAGE_TOTALS, lengthen_payload);
    assert_pages_stay_unused(path);
    remove_folder(folder);
}

/* Commits rows of MANY arrays, whose node takes several pages. */
static void commit_rows(XtfWriter *writer, uint32_t schema, unsigned turn)
{
    GError *error = NULL;

    for (uint64_t location = 0; location < MANY; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);
        cr_assert_good(array, error);
        for (uint64_t n = 0; n < turn; n++) {
            TestRow row = row_of(location, turn, n);
            cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
        }
    }
    cr_assert_good(xtf_writer_commit(writer, &error), error);
}

/* One writer commits between its changes: the lowest node of the P index then has no arrays. */
Test(cleared, a_node_without_arrays)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;

    for (unsigned refill = 0; refill < 2; refill++) {
        XtfWriter *writer = xtf_writer_create(path, &options, &error);
        cr_assert_good(writer, error);
        uint32_t schema = add_schema(writer, "calls");
        commit_rows(writer, schema, 1);
        cr_assert_good(xtf_writer_clear_arrays(writer, schema, &error), error);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
        if (refill)
            commit_rows(writer, schema, 2);
        cr_assert_good(xtf_writer_close(writer, &error), error);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        XtfCheckReport report = assert_sound(trace);
        cr_assert_eq(report.unreachable_pages, 0, "%lu", (unsigned long)report.unreachable_pages);
        cr_assert_eq(xtf_trace_n_arrays(trace), refill ? MANY : 0);
        if (refill) {
            XtfArray array = find_array(trace, MANY - 1, schema);
            cr_assert_good(read_array(&array, 2, 2, &error), error);
        }
    }
    remove_folder(folder);
}

/* FORMAT R25 */
Test(cleared, a_replaced_schema_cannot_be_refreshed)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(XtfTrace) later = NULL;
    GError *error = NULL;
    uint32_t id;

    write_first(path);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    g_autoptr(XtfSchema) schema = xtf_schema_new("found", XTF_SCHEMA_DERIVED, test_fields, &error); /* no aggregate */
    XtfWriter *writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(schema && writer, error);
    cr_assert_good(xtf_writer_replace_schema(writer, schema, &id, &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    cr_assert_not(xtf_trace_refresh(trace, &later, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID), "%s", error->message); /* but the file is valid */
    g_clear_error(&error);
    assert_right(trace, 1);
    g_autoptr(XtfTrace) anew = open_trace(path, 0);
    assert_sound(anew);
    remove_folder(folder);
}

static void assert_too_large(bool good, GError **error)
{
    cr_assert(!good);
    cr_assert(g_error_matches(*error, XTF_ERROR, XTF_ERROR_TOO_LARGE), "%s", (*error)->message);
    g_clear_error(error);
}

/* FORMAT W16 */
Test(cleared, array_ids_run_out)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    uint32_t schema = add_derived(writer);
    writer->next_array = UINT32_MAX - 1;
    XtfArrayWriter *array = xtf_writer_array(writer, 0, schema, &error);
    TestRow row = row_of(0, 1, 0);
    cr_assert_good(array && xtf_array_writer_append(array, &row, &error), error);
    assert_too_large(xtf_writer_array(writer, 1, schema, &error), &error);
    cr_assert_good(xtf_writer_close(writer, &error), error);

    writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(writer, error);
    assert_too_large(xtf_writer_array(writer, 1, schema, &error), &error);
    assert_too_large(xtf_writer_clear_arrays(writer, schema, &error), &error);
    xtf_writer_array(writer, 0, schema, &error)->id = UINT32_MAX;
    xtf_writer_array(writer, 0, schema, &error)->changed = true;
    cr_assert_good(xtf_writer_close(writer, &error), error);
    assert_too_large(xtf_writer_open(path, &options, &error), &error);
    remove_folder(folder);
}

/*
 * A trace that a test writes in several volumes: the writer, and the rows that each location has got. A row depends
 * only on its location and number, so that a test knows all rows.
 */
#pragma once

#include "fixture.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCATIONS = 4 };

/* A trace that is being written, and the rows that each location has got. */
typedef struct {
    char *folder, *path;
    int descriptor; /* of the folder */
    XtfWriter *writer;
    XtfWriterOptions options;
    uint32_t schema;
    uint64_t n_rows[LOCATIONS];
} Volumes;

static const XtfWriterOptions quick = {.no_sync = true, .keep_commits = 2, .keep_seconds = -1};

/* Returns a row that depends only on its location and number. */
static inline TestRow row_of(uint64_t location, uint64_t n)
{
    return (TestRow){.time = 10 + 3 * (n - n % 4) + location,
                     .seq = n,
                     .value = (int32_t)((n + location) * 2654435761u >> 7),
                     .event = (n * n + location) % 5 == 0};
}

static inline uint32_t add_schema_of_kind(XtfWriter *writer, const char *name, XtfSchemaKind kind)
{
    const XtfAggregateSpec by_event = {.kind = XTF_AGGREGATE_GROUPS,
                                       .keys = (const char *const[]){"event", NULL},
                                       .values = (const char *const[]){"value", NULL}};
    GError *error = NULL;
    uint32_t id;
    g_autoptr(XtfSchema) schema = xtf_schema_new(name, kind, test_fields, &error);

    cr_assert_good(schema && xtf_schema_add_aggregate(schema, &by_event, &error), error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    return id;
}

static inline void begin_volumes(Volumes *volumes, const XtfWriterOptions *options)
{
    GError *error = NULL;

    *volumes = (Volumes){.folder = make_folder(), .options = *options};
    volumes->path = g_build_filename(volumes->folder, "t.xtf", NULL);
    volumes->descriptor = open(volumes->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    volumes->writer = xtf_writer_create(volumes->path, options, &error);
    cr_assert_good(volumes->writer, error);
    volumes->schema = add_schema_of_kind(volumes->writer, "calls", XTF_SCHEMA_RECORD);
}

static inline void finish_volumes(Volumes *volumes)
{
    close(volumes->descriptor);
    g_free(volumes->path);
    remove_folder(volumes->folder);
}

static inline void append_to(Volumes *volumes, uint64_t location, uint64_t n)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(volumes->writer, location, volumes->schema, &error);

    cr_assert_good(array, error);
    for (uint64_t i = 0; i < n; i++) {
        const TestRow row = row_of(location, volumes->n_rows[location]++);
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
}

static inline void next_volume(Volumes *volumes)
{
    GError *error = NULL;

    cr_assert_good(xtf_writer_begin_volume(volumes->writer, volumes->descriptor, "t.xtf", &error), error);
}

static inline void commit_volume(Volumes *volumes)
{
    GError *error = NULL;

    cr_assert_good(xtf_writer_commit(volumes->writer, &error), error);
}

static inline void resume_volume(Volumes *volumes)
{
    GError *error = NULL;

    volumes->writer = xtf_writer_open(volumes->path, &volumes->options, &error);
    cr_assert_good(volumes->writer, error);
}

static inline void end_volumes(Volumes *volumes)
{
    GError *error = NULL;

    cr_assert_good(xtf_writer_close(volumes->writer, &error), error);
}

static inline char *volume_path(const Volumes *volumes, unsigned number)
{
    return g_strdup_printf("%s.%04u", volumes->path, number);
}

static inline void assert_rows(const XtfArray *array, uint64_t location, uint64_t expected)
{
    GError *error = NULL;
    XtfCursor cursor;
    bool found;

    cr_assert_eq(array->n_rows, expected);
    xtf_cursor_init(&cursor, array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (uint64_t n = 0; n < expected; n++) {
        const TestRow row = row_of(location, n);
        cr_assert(found && memcmp(xtf_cursor_row(&cursor), &row, sizeof row) == 0, "row %" PRIu64, n);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
    cr_assert_not(found);
    cr_assert_good(xtf_cursor_seek_n(&cursor, expected - 1, &found, &error), error);
    for (uint64_t n = expected; n > 0; n--) {
        const TestRow row = row_of(location, n - 1);
        cr_assert(found && memcmp(xtf_cursor_row(&cursor), &row, sizeof row) == 0, "row %" PRIu64 ", backward", n - 1);
        cr_assert_good(xtf_cursor_next(&cursor, -1, &found, &error), error);
    }
    xtf_cursor_finish(&cursor);
}

/* Compares ranks with a count of the rows before each time. */
static inline void assert_ranks(const XtfArray *array, uint64_t location, uint64_t n_rows)
{
    GError *error = NULL;
    uint64_t expected = 0;

    for (uint64_t t = 0; t < 20 + 3 * n_rows; t += 7) {
        uint64_t rank;
        while (expected < n_rows && row_of(location, expected).time < t)
            expected++;
        cr_assert_good(xtf_array_rank(array, t, &rank, &error), error);
        cr_assert_eq(rank, expected, "time %" PRIu64, t);
    }
}

static inline void assert_trace(XtfTrace *trace, const uint64_t *n_rows)
{
    for (uint64_t location = 0; location < LOCATIONS; location++) {
        if (n_rows[location] == 0)
            continue;
        const XtfArray array = find_array(trace, location, 0);
        assert_rows(&array, location, n_rows[location]);
        assert_ranks(&array, location, n_rows[location]);
    }
}

/* Asserts that the files have all rows, and that the checker has no objection. */
static inline void assert_whole(const Volumes *volumes, uint32_t n_volumes)
{
    g_autoptr(XtfTrace) trace = open_trace(volumes->path, 0);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    cr_assert_eq(info.volumes, n_volumes);
    assert_trace(trace, volumes->n_rows);
    assert_sound(trace);
}

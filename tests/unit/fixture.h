/*
 * Helpers of the library's tests: a temporary folder, a schema of a few fields, and random rows. Tests keep the rows in
 * memory, and compute from them naively what the index must answer.
 */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "libxtf/xtf.h"

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint64_t seq;
    int32_t value;
    uint8_t event;
} TestRow;

static const char *const test_labels[] = {"ENTER", "LEAVE", NULL};

static const XtfFieldSpec test_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
    {.name = "value", .type = XTF_TYPE_I32},
    {.name = "event", .type = XTF_TYPE_U8, .role = "event", .labels = test_labels},
    {0},
};

/* Fails the test with the error's message if the condition is false. */
#define cr_assert_good(condition, error) \
    cr_assert((condition), "%s", (error) ? (error)->message : "failed without an error")

/* Makes a folder for the test. The caller passes it to remove_folder(). */
static inline char *make_folder(void)
{
    char *folder = g_dir_make_tmp("xtf-unit-XXXXXX", NULL);
    cr_assert_not_null(folder);
    return folder;
}

static inline void remove_folder(char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
    g_free(folder);
}

static inline XtfSchema *test_schema(const char *name)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new(name, XTF_SCHEMA_RECORD, test_fields, &error);
    cr_assert_good(schema, error);
    return schema;
}

/* Returns random rows in time order. `ties` of 100 rows have the time of the row before; the steps of the others are
 * 1 to 1000. */
static inline GArray *random_rows(GRand *random, uint32_t count, uint32_t ties)
{
    GArray *rows = g_array_sized_new(FALSE, TRUE, sizeof(TestRow), count);
    uint64_t time = g_rand_int_range(random, 0, 1000);

    for (uint32_t i = 0; i < count; i++) {
        if (g_rand_int_range(random, 0, 100) >= (gint32)ties)
            time += (uint64_t)g_rand_int_range(random, 1, 1001);
        TestRow row = {.time = time, .seq = i, .value = (int32_t)g_rand_int(random), .event = i & 1};
        g_array_append_val(rows, row);
    }
    return rows;
}

static inline void append_rows(XtfWriter *writer, uint64_t location, uint32_t schema, const GArray *rows, guint from,
                               guint to)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);

    cr_assert_good(array, error);
    for (guint i = from; i < to; i++)
        cr_assert_good(
            xtf_array_writer_append(array, rows->data + i * g_array_get_element_size((GArray *)rows), &error), error);
}

static inline uint32_t add_schema(XtfWriter *writer, const char *name)
{
    GError *error = NULL;
    uint32_t id = 0;
    XtfSchema *schema = test_schema(name);

    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    xtf_schema_free(schema);
    return id;
}

/* Writes a file with one array of these rows, at location 7. */
static inline void write_rows(const char *path, uint32_t page_size, bool plain, const GArray *rows)
{
    GError *error = NULL;
    XtfWriterOptions options = {
        .page_size = page_size, .codec = plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    append_rows(writer, 7, add_schema(writer, "calls"), rows, 0, rows->len);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

static inline XtfTrace *open_trace(const char *path, size_t cache_bytes)
{
    GError *error = NULL;
    XtfOpenOptions options = {.cache_bytes = cache_bytes};
    XtfTrace *trace = xtf_trace_open(path, &options, &error);

    cr_assert_good(trace, error);
    return trace;
}

static inline XtfArray find_array(XtfTrace *trace, uint64_t location, uint32_t schema)
{
    GError *error = NULL;
    XtfArray array;
    bool found = false;

    cr_assert_good(xtf_trace_find_array(trace, location, schema, &array, &found, &error), error);
    cr_assert(found);
    return array;
}

/* Counts the rows before t, one by one. */
static inline uint64_t naive_rank(const GArray *rows, uint64_t t)
{
    uint64_t rank = 0;
    while (rank < rows->len && g_array_index(rows, TestRow, rank).time < t)
        rank++;
    return rank;
}

static inline void count_problem(const char *message, void *data)
{
    GString *all = data;
    g_string_append_printf(all, "%s\n", message);
}

/* Asserts that the checker finds no problem. */
static inline XtfCheckReport assert_sound(XtfTrace *trace)
{
    GError *error = NULL;
    g_autoptr(GString) problems = g_string_new(NULL);
    XtfCheckReport report;

    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    cr_assert_eq(problems->len, 0, "%s", problems->str);
    return report;
}

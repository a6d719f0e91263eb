/* Very many arrays, whose data in the writer are paged out; and the pool of these data. */
#include "fixture.h"

#include <signal.h>
#include <sys/resource.h>

#include "libxtf/base/file-memory.h"
#include "libxtf/base/object-pool.h"
#include "libxtf/write/writer-private.h"

/* ---- The pool. */

enum { N_OBJECTS = 300000, WORDS = 3 };

static uint64_t word_of(size_t object, unsigned word)
{
    return (object + 1) * UINT64_C(0x9e3779b97f4a7c15) + word;
}

static void assert_object(const uint64_t *object, size_t number)
{
    for (unsigned w = 0; w < WORDS; w++)
        cr_assert_eq(object[w], word_of(number, w), "object %zu, word %u", number, w);
}

/* Number of the pool's blocks that are in files. */
typedef enum { NONE_IN_FILES, SOME_IN_FILES, ALL_BUT_LAST_IN_FILES } InFiles;

static void check_pool(InFiles in_files)
{
    g_autofree uint64_t **objects = g_new(uint64_t *, N_OBJECTS);
    XtfObjectPool pool;
    XtfObjectIter iter;
    uint64_t *object;
    size_t n = 0, in_file = 0;

    xtf_object_pool_init(&pool, WORDS * sizeof(uint64_t));
    for (size_t i = 0; i < N_OBJECTS; i++) {
        objects[i] = xtf_object_pool_new(&pool);
        for (unsigned w = 0; w < WORDS; w++) {
            cr_assert_eq(objects[i][w], 0);
            objects[i][w] = word_of(i, w);
        }
        if (i % 50000 == 0)
            xtf_object_pool_page_out(&pool);
    }
    cr_assert_eq(pool.files->len, in_files != NONE_IN_FILES);
    for (guint i = 0; i < pool.files->len; i++)
        in_file += g_array_index(pool.files, XtfFileMemory, i).size;
    cr_assert_eq(in_file + (4 << 20) >= pool.n_bytes, in_files == ALL_BUT_LAST_IN_FILES);
    xtf_object_pool_page_out(&pool);
    for (size_t i = 0; i < N_OBJECTS; i++)
        assert_object(objects[i], i);
    xtf_object_iter_init(&iter, &pool);
    while ((object = xtf_object_iter_next(&iter)))
        cr_assert_eq(object, objects[n++]);
    cr_assert_eq(n, N_OBJECTS);
    cr_assert_eq(pool.n_objects, N_OBJECTS);
    for (size_t i = 0; i < N_OBJECTS; i += 1000) /* the iteration paged out the blocks it passed */
        assert_object(objects[i], i);
    xtf_object_pool_finish(&pool);
}

Test(many_arrays, pool)
{
    check_pool(ALL_BUT_LAST_IN_FILES);
}

Test(many_arrays, pool_without_files)
{
    g_setenv("TMPDIR", "/no/such/folder", TRUE);
    check_pool(NONE_IN_FILES);
}

Test(many_arrays, pool_on_a_full_disk)
{
    const struct rlimit limit = {.rlim_cur = 2 << 20, .rlim_max = 2 << 20};

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    check_pool(SOME_IN_FILES);
}

Test(many_arrays, empty_pool)
{
    XtfObjectPool pool;
    XtfObjectIter iter;

    xtf_object_pool_init(&pool, sizeof(uint64_t));
    xtf_object_iter_init(&iter, &pool);
    cr_assert_null(xtf_object_iter_next(&iter));
    xtf_object_pool_page_out(&pool);
    xtf_object_pool_finish(&pool);
}

/* ---- The writer. */

enum { LOCATIONS = 20000, SCHEMAS = 3, DERIVED = SCHEMAS - 1 };

static const XtfWriterOptions options = {.no_sync = true, .keep_seconds = -1, .origin = UINT64_MAX};

/* The expected contents of the file: rows of each array, by location and schema. */
typedef struct {
    uint32_t rows[LOCATIONS][SCHEMAS];
} Expected;

/* Returns the id of a location. The ids have gaps, so that new locations are between older ones. */
static uint64_t id_of(uint32_t location)
{
    return 5 + (uint64_t)location * 1000003;
}

static TestRow row_of(uint32_t location, uint32_t schema, uint32_t n)
{
    return (TestRow){.time = 100 * (uint64_t)n + location % 100, .seq = n, .value = (int32_t)(location * 7 + schema)};
}

static void add_schemas(XtfWriter *writer)
{
    GError *error = NULL;
    uint32_t id;

    cr_assert_eq(add_schema(writer, "calls"), 0);
    cr_assert_eq(add_schema(writer, "values"), 1);
    XtfSchema *schema = xtf_schema_new("found", XTF_SCHEMA_DERIVED, test_fields, &error);
    cr_assert_good(schema && xtf_writer_add_schema(writer, schema, &id, &error), error);
    cr_assert_eq(id, DERIVED);
    xtf_schema_free(schema);
}

/* Appends rows to arrays in no order, and closes each array if `close` is set. */
static void append_some(XtfWriter *writer, GRand *random, Expected *expected, uint32_t n, bool derived, bool close)
{
    GError *error = NULL;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t location = (uint32_t)((uint64_t)i * 7919 % LOCATIONS);
        uint32_t schema = derived ? DERIVED : (uint32_t)g_rand_int_range(random, 0, DERIVED);
        XtfArrayWriter *array = xtf_writer_array(writer, id_of(location), schema, &error);
        cr_assert_good(array, error);
        cr_assert_eq(xtf_array_writer_n_rows(array), expected->rows[location][schema]);
        TestRow row = row_of(location, schema, expected->rows[location][schema]++);
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
        cr_assert_good(!close || xtf_array_writer_close(array, &error), error);
    }
}

static void assert_array(const XtfArray *array, uint32_t location, uint32_t n_rows)
{
    g_auto(XtfCursor) cursor;
    GError *error = NULL;
    bool found;

    cr_assert_eq(array->location, id_of(location));
    cr_assert_eq(array->n_rows, n_rows);
    xtf_cursor_init(&cursor, array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (uint32_t n = 0; n < n_rows; n++) {
        const TestRow expected = row_of(location, array->schema->id, n);
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &expected, sizeof expected), 0);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
}

/* Asserts that the file has exactly the expected arrays, in order. */
static void assert_file(const char *path, const Expected *expected)
{
    XtfTrace *trace = open_trace(path, 1 << 20);
    GError *error = NULL;
    uint64_t rank = 0;
    XtfArray array;

    for (uint32_t location = 0; location < LOCATIONS; location++)
        for (uint32_t schema = 0; schema < SCHEMAS; schema++) {
            if (expected->rows[location][schema] == 0)
                continue;
            cr_assert_lt(rank, xtf_trace_n_arrays(trace));
            cr_assert_good(xtf_trace_get_arrays(trace, rank++, 1, &array, &error), error);
            cr_assert_eq(array.schema->id, schema);
            assert_array(&array, location, expected->rows[location][schema]);
        }
    cr_assert_eq(xtf_trace_n_arrays(trace), rank);
    assert_sound(trace);
    xtf_trace_unref(trace);
}

Test(many_arrays, writer)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autofree Expected *expected = g_new0(Expected, 1);
    g_autoptr(GRand) random = g_rand_new_with_seed(12);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    add_schemas(writer);
    append_some(writer, random, expected, 3 * LOCATIONS, false, false); /* these arrays stay open over a commit */
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    append_some(writer, random, expected, LOCATIONS / 2, false, false);
    append_some(writer, random, expected, LOCATIONS, true, true);
    cr_assert_gt(writer->arrays.files->len, 0);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    assert_file(path, expected);

    /* The next writer reopens some arrays, and replaces the arrays of a schema. */
    writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(writer, error);
    cr_assert_gt(writer->arrays.files->len, 0);
    append_some(writer, random, expected, LOCATIONS / 10, false, true);
    cr_assert_good(xtf_writer_clear_arrays(writer, DERIVED, &error), error);
    for (uint32_t location = 0; location < LOCATIONS; location++)
        expected->rows[location][DERIVED] = 0;
    append_some(writer, random, expected, LOCATIONS / 3, true, true);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    assert_file(path, expected);
    remove_folder(folder);
}

/* Schemas, the cache, and files with wrong content. */
#include <errno.h>

#include "fixture.h"

#include "libxtf/cache/cache.h"
#include "libxtf/schema/schema-codec.h"

static const XtfFieldSpec no_time[] = {{.name = "x", .type = XTF_TYPE_U32}, {0}};
static const XtfFieldSpec same_name_twice[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {.name = "time", .type = XTF_TYPE_U8}, {0}};
static const XtfFieldSpec bad_type[] = {{.name = "time", .type = 77, .role = "time"}, {0}};

Test(schema, invalid_schemas_are_refused)
{
    const XtfFieldSpec *const bad[] = {no_time, same_name_twice, bad_type};

    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_null(xtf_schema_new("bad", XTF_SCHEMA_RECORD, bad[i], &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID));
    }
}

Test(schema, is_the_same_after_encoding)
{
    g_autoptr(XtfSchema) schema = test_schema("calls");
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    xtf_schema_encode(schema, bytes);
    XtfBytesReader reader = {.at = bytes->data, .left = bytes->len};
    g_autoptr(XtfSchema) again = xtf_schema_decode(&reader, NULL);
    cr_assert(again && xtf_schema_equal(schema, again));
    cr_assert_eq(reader.left, 0);
    for (guint length = 0; length < bytes->len; length++) { /* cut short anywhere: always an error */
        g_autoptr(GError) error = NULL;
        reader = (XtfBytesReader){.at = bytes->data, .left = length};
        cr_assert_null(xtf_schema_decode(&reader, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED));
    }
}

Test(schema, values_of_every_type)
{
    static const XtfFieldSpec fields[] = {{.name = "a", .type = XTF_TYPE_U8, .flags = XTF_FIELD_OPTIONAL},
                                          {.name = "b", .type = XTF_TYPE_U16},
                                          {.name = "c", .type = XTF_TYPE_U32},
                                          {.name = "d", .type = XTF_TYPE_U64},
                                          {.name = "e", .type = XTF_TYPE_I32},
                                          {.name = "f", .type = XTF_TYPE_I64},
                                          {.name = "g", .type = XTF_TYPE_F64},
                                          {0}};
    g_autoptr(XtfSchema) schema = xtf_schema_new("all", XTF_SCHEMA_TABLE, fields, NULL);
    const uint64_t values[] = {255,
                               65535,
                               4294967295u,
                               UINT64_MAX,
                               (uint64_t)INT64_C(-5),
                               (uint64_t)INT64_C(-6),
                               UINT64_C(0x3ff8000000000000)};
    uint8_t row[64] = {0};

    cr_assert_eq(schema->row_size, 1 + 2 + 4 + 8 + 4 + 8 + 8);
    for (uint32_t f = 0; f < schema->n_fields; f++)
        xtf_field_set(&schema->fields[f], row, values[f]);
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        cr_assert_eq(xtf_field_get(&schema->fields[f], row), values[f]);
        cr_assert_eq(xtf_field_is_none(&schema->fields[f], row), f == 0);
    }
    cr_assert_eq(xtf_field_get_f64(&schema->fields[6], row), 1.5);
}

/* Blocks of 1000 bytes of a source of zeros. */
enum { BLOCK = 1000, BLOCKS = 100 };

static XtfBlock *get_block(XtfCache *cache, uint64_t i)
{
    GError *error = NULL;
    XtfBlock *block = xtf_cache_get(cache, i * BLOCK, BLOCK, 0, NULL, NULL, &error);
    cr_assert_good(block, error);
    return block;
}

static XtfSource *zero_source(const char *path)
{
    g_autofree char *content = g_malloc0(BLOCK * BLOCKS);
    cr_assert(g_file_set_contents(path, content, BLOCK * BLOCKS, NULL));
    return xtf_source_open_pread(path, NULL);
}

Test(blocks, evicts_the_least_recently_used_and_no_pinned_block)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "zeros", NULL);
    g_autoptr(XtfSource) source = zero_source(path);
    XtfCache *cache = xtf_cache_new(source, 10 * (BLOCK + 200)); /* ten blocks and their overhead */
    XtfCacheStats stats;

    XtfBlock *pinned = get_block(cache, 0);
    for (uint64_t i = 1; i < 50; i++) {
        xtf_block_put(get_block(cache, i));
        xtf_block_put(get_block(cache, 1)); /* used all the time, so it is not evicted */
        xtf_cache_get_stats(cache, &stats);
        cr_assert_leq(stats.bytes, stats.limit);
    }
    uint64_t loads = stats.loads;
    cr_assert_eq(loads, 50); /* each block once */
    xtf_block_put(get_block(cache, 0));
    xtf_block_put(get_block(cache, 49));
    xtf_block_put(get_block(cache, 45));
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.loads, loads);
    xtf_block_put(get_block(cache, 2)); /* evicted long ago */
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.loads, loads + 1);
    cr_assert_eq(pinned->data[BLOCK - 1], 0);
    xtf_block_put(pinned);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.pinned_bytes, 0);
    xtf_cache_free(cache);
    remove_folder(folder);
}

static bool refuse_block(const uint8_t *data, uint32_t length, uint64_t offset, const void *context, GError **error)
{
    g_set_error_literal(error, XTF_ERROR, XTF_ERROR_DAMAGED, "refused");
    return false;
}

static bool count_items(const uint8_t *data, uint32_t length, uint64_t offset, const void *context, GError **error)
{
    ++*(unsigned *)context;
    return true;
}

static bool count_pages(const uint8_t *data, uint32_t length, uint64_t offset, const void *context, GError **error)
{
    ++*(unsigned *)context;
    return true;
}

Test(blocks, a_block_is_valid_only_for_its_check)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "zeros", NULL);
    g_autoptr(XtfSource) source = zero_source(path);
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    g_autoptr(GError) error = NULL;
    unsigned items = 0, pages = 0;

    XtfBlock *item = xtf_cache_get(cache, 0, BLOCK, 0, count_items, &items, &error);
    cr_assert_good(item, error);
    for (unsigned i = 0; i < 2; i++) { /* also while it is pinned after the other check */
        XtfBlock *page = xtf_cache_get(cache, 0, BLOCK, 0, count_pages, &pages, &error);
        cr_assert_good(page, error);
        cr_assert_neq(page, item);
        xtf_block_put(page);
        xtf_block_put(xtf_cache_get(cache, 0, BLOCK, 0, count_items, &items, &error));
        cr_assert(items == 1 && pages == 1, "checked %u times as an item, %u times as a page", items, pages);
    }
    xtf_block_put(item);
    cr_assert_null(xtf_cache_get(cache, 0, BLOCK, 0, refuse_block, NULL, &error));
    xtf_cache_free(cache);
    remove_folder(folder);
}

/* FORMAT R74 */
Test(blocks, failed_blocks_are_not_cached)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "zeros", NULL);
    g_autoptr(XtfSource) source = zero_source(path);
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    g_autoptr(GError) error = NULL;
    XtfCacheStats stats;

    cr_assert_null(xtf_cache_get(cache, 0, BLOCK, 0, refuse_block, NULL, &error));
    cr_assert_str_eq(error->message, "refused");
    g_clear_error(&error);
    cr_assert_null(xtf_cache_get(cache, BLOCK * BLOCKS - 10, 11, 0, NULL, NULL, &error)); /* past the end */
    g_clear_error(&error);
    cr_assert_null(xtf_cache_get(cache, UINT64_MAX - 5, 11, 0, NULL, NULL, &error));
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.bytes, 0);
    xtf_block_put(get_block(cache, 0));
    xtf_cache_free(cache);
    remove_folder(folder);
}

/* FORMAT R71 */
Test(open, not_a_trace)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "x", NULL);
    const char *const contents[] = {"", "hello", "\x89XTF\r\n\x1a\n"};

    for (size_t i = 0; i < G_N_ELEMENTS(contents); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert(g_file_set_contents(path, contents[i], -1, NULL));
        cr_assert_null(xtf_trace_open(path, NULL, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_XTF), "%s", error->message);
    }
    g_autoptr(GError) error = NULL;
    cr_assert_null(xtf_trace_open(folder, NULL, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO));
    remove_folder(folder);
}

/* Asserts that the trace has these rows at location 7, and no others. */
static void assert_rows(XtfTrace *trace, const GArray *rows)
{
    GError *error = NULL;
    XtfArray array = find_array(trace, 7, 0);
    g_auto(XtfCursor) cursor;
    bool found;

    cr_assert_eq(xtf_trace_n_arrays(trace), 1);
    cr_assert_eq(array.n_rows, rows->len);
    xtf_cursor_init(&cursor, &array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (guint n = 0; n < rows->len; n++) {
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &g_array_index(rows, TestRow, n), sizeof(TestRow)), 0);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
}

/* FORMAT R2, R3, R75, C1 */
Test(open, any_damaged_byte_is_detected)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(8);
    g_autoptr(GArray) rows = random_rows(random, 2000, 20);
    char *content;
    gsize length;

    write_rows(path, 4096, true, rows);
    cr_assert(g_file_get_contents(path, &content, &length, NULL));
    for (gsize i = 0; i < length; i += 1 + (gsize)g_rand_int_range(random, 0, 40)) {
        g_autofree char *copy = g_memdup2(content, length);
        copy[i] ^= (char)(1 << g_rand_int_range(random, 0, 8));
        g_autoptr(GBytes) bytes = g_bytes_new_take(g_steal_pointer(&copy), length);
        g_autoptr(GError) error = NULL;
        g_autoptr(XtfTrace) trace = xtf_trace_open_source(xtf_source_new_bytes(bytes), NULL, &error);
        if (!trace)
            continue; /* the damage was detected */
        g_autoptr(GString) problems = g_string_new(NULL);
        XtfCheckReport report;
        cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
        if (report.problems == 0) /* the byte is unused: zeros after a payload */
            assert_rows(trace, rows);
    }
    for (gsize cut = 0; cut < length; cut += 1 + (gsize)g_rand_int_range(random, 0, 400)) {
        g_autoptr(GBytes) bytes = g_bytes_new(content, cut);
        g_autoptr(XtfTrace) trace = xtf_trace_open_source(xtf_source_new_bytes(bytes), NULL, NULL);
        if (trace) { /* the catalog may be before the cut, though here it is written last */
            g_autoptr(GString) problems = g_string_new(NULL);
            XtfCheckReport report;
            xtf_trace_check(trace, count_problem, NULL, problems, &report, NULL);
            cr_assert_gt(report.problems, 0);
        }
    }
    g_free(content);
    remove_folder(folder);
}

Test(errors, the_domain_has_its_documented_name)
{
    cr_assert_str_eq(g_quark_to_string(XTF_ERROR), "xtf-error-quark");
}

Test(errors, codes_are_mapped_to_errno)
{
    const struct {
        XtfErrorCode code;
        int number;
    } errors[] = {{XTF_ERROR_TOO_LARGE, EFBIG}, {XTF_ERROR_INVALID, EINVAL}, {XTF_ERROR_DAMAGED, EIO}};

    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        g_autoptr(GError) error = g_error_new_literal(XTF_ERROR, (gint)errors[i].code, "");
        cr_assert_eq(xtf_error_to_errno(error), errors[i].number);
    }
}

/* The compact codec: packed rows unpack to the same bytes, and damaged bytes are faults. */
#include <xtf-options.h>

#include "fixture.h"

#include "libxtf/base/bytes.h"
#include "libxtf/pack/deflate.h"
#include "libxtf/pack/pack.h"
#include "libxtf/pack/read-streams.h"
#include "libxtf/pack/streams.h"
#include "pack-rows.h"

typedef struct {
    uint8_t *bytes;
    uint32_t length;
} Packed;

/* Packs rows. Also packs them into exactly the bytes needed, and into one byte less, which fails. */
static Packed pack_rows(const XtfSchema *schema, const void *rows, uint32_t count, unsigned level)
{
    uint64_t bound = xtf_pack_bound(schema, count);
    Packed packed = {.bytes = g_malloc(bound)};
    XtfPackForecast forecast = {0};

    packed.length = xtf_pack(schema, rows, count, level, packed.bytes, (uint32_t)bound, NULL);
    cr_assert(packed.length > 0 && packed.length <= bound);
    packed.bytes = g_realloc(packed.bytes, packed.length); /* exact, so that sanitizers see reads past its end */
    g_autofree uint8_t *again = g_malloc(packed.length);
    cr_assert_eq(xtf_pack(schema, rows, count, level, again, packed.length - 1, &forecast), 0);
    cr_assert_eq(forecast.estimate, packed.length);
    cr_assert_eq(xtf_pack(schema, rows, count, level, again, packed.length, NULL), packed.length);
    cr_assert_arr_eq(again, packed.bytes, packed.length);
    return packed;
}

static gint zeros_known;   /* atomic: number of fields whose zeros the templates give */
static gint frames_known;  /* atomic: number of choices of fields that have columns of frames */
static gint columns_known; /* atomic: number of packed rows whose fields have columns */
static gint sums_known;    /* atomic: number of fields whose sums are known */

static void assert_unpacks(const XtfSchema *schema, Packed packed, const void *rows, uint32_t count)
{
    size_t size = (size_t)count * schema->row_size;
    g_autofree uint8_t *unpacked = g_malloc(size);
    g_autofree uint64_t *times = g_new(uint64_t, count);
    const char *fault = NULL;
    unsigned n_known = 0;

    memset(unpacked, 0xaa, size);
    cr_assert(xtf_unpack_rows(schema, packed.bytes, packed.length, count, unpacked, &fault), "%s", fault);
    cr_assert(memcmp(unpacked, rows, size) == 0, "%u rows of %u bytes differ", count, schema->row_size);
    cr_assert(unpack_times(packed.bytes, packed.length, count, times, &fault), "%s", fault);
    cr_assert(zeros_agree(schema, packed.bytes, packed.length, rows, count, &n_known, &fault), "%s", fault);
    g_atomic_int_add(&zeros_known, (gint)n_known);
    n_known = 0;
    cr_assert(frames_agree(schema, packed.bytes, packed.length, rows, count, &n_known, &fault), "%s", fault);
    g_atomic_int_add(&frames_known, (gint)n_known);
    n_known = 0;
    cr_assert(columns_agree(schema, packed.bytes, packed.length, rows, count, &n_known, &fault), "%s", fault);
    g_atomic_int_add(&columns_known, (gint)n_known);
    n_known = 0;
    cr_assert(sums_agree(schema, packed.bytes, packed.length, rows, count, &n_known, &fault), "%s", fault);
    g_atomic_int_add(&sums_known, (gint)n_known);
    for (uint32_t n = 0; n < count; n++)
        cr_assert_eq(times[n], xtf_field_get(&schema->fields[0], (const uint8_t *)rows + (size_t)n * schema->row_size));
}

static uint32_t round_trip(const XtfSchema *schema, const void *rows, uint32_t count, unsigned level)
{
    Packed packed = pack_rows(schema, rows, count, level);

    assert_unpacks(schema, packed, rows, count);
    g_free(packed.bytes);
    return packed.length;
}

Test(pack, calls_take_about_a_byte)
{
    g_autoptr(XtfSchema) schema = make_schema(call_fields);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    const uint32_t counts[] = {1, 2, 3, 7, 8, 9, 63, 500, 4096, 16384};

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        for (unsigned level = 1; level <= XTF_PACK_LEVEL_MAX; level += 4) {
            g_autoptr(GArray) rows = make_calls(random, counts[i], i * 1000);
            uint32_t length = round_trip(schema, rows->data, counts[i], level);
            if (counts[i] >= 4096) /* the steps of time alone take log2(380) / 8 = 1.07 bytes */
                cr_assert_lt(length, 2.2 * counts[i]);
        }
    cr_assert_geq(g_atomic_int_get(&zeros_known), (gint)(2 * 2 * G_N_ELEMENTS(counts))); /* regions and events */
    cr_assert_geq(g_atomic_int_get(&frames_known), (gint)G_N_ELEMENTS(counts));
}

/* A loop in the outermost frame: the distance differs for every ENTER. */
Test(pack, growing_distances_take_nothing)
{
    g_autoptr(XtfSchema) schema = make_schema(call_fields);
    enum { COUNT = 16384 };
    g_autofree CallRow *rows = g_new0(CallRow, COUNT);

    for (uint32_t n = 0; n < COUNT; n++) {
        rows[n] = (CallRow){.time = 10 * n, .seq = n, .region = 1, .event = n % 2 == 0};
        rows[n].enter = n % 2 ? n + 1000 : 1; /* their parent frame began 1000 rows before the run */
    }
    cr_assert_lt(round_trip(schema, rows, COUNT, 1), COUNT / 40);
}

/* The packed size is forecast from other rows of the same kind. Rows whose forecast is outside of the bounds are not
 * packed. */
Test(pack, sizes_are_forecast)
{
    enum { COUNT = 4096, ROOM = 1 << 20 };
    g_autoptr(XtfSchema) schema = make_schema(call_fields);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_autoptr(GArray) known = make_calls(random, COUNT, 0), rows = make_calls(random, COUNT / 2, 0);
    g_autofree uint8_t *out = g_malloc(ROOM);
    XtfPackForecast forecast = {0};

    cr_assert_gt(xtf_pack(schema, (const uint8_t *)known->data, COUNT, 1, out, ROOM, &forecast), 0);
    const uint8_t *data = (const uint8_t *)rows->data;
    uint32_t length = xtf_pack(schema, data, COUNT / 2, 1, out, ROOM, NULL);
    const XtfPackForecast cases[] = {{.low = length * 10 / 9, .high = ROOM}, {.high = length * 10 / 11}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        XtfPackForecast bounded = forecast;
        bounded.low = cases[i].low;
        bounded.high = cases[i].high;
        cr_assert_eq(xtf_pack(schema, data, COUNT / 2, 1, out, ROOM, &bounded), 0, "case %zu", i);
        cr_assert(bounded.estimate > length * 10 / 11 && bounded.estimate < length * 10 / 9, "%u, not %u",
                  bounded.estimate, length);
    }
    forecast.low = length * 10 / 11;
    forecast.high = length * 10 / 9;
    cr_assert_eq(xtf_pack(schema, data, COUNT / 2, 1, out, ROOM, &forecast), length);
    cr_assert_eq(forecast.count, COUNT / 2);
}

Test(pack, rows_of_any_schema)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(2);
    const uint32_t counts[] = {1, 2, 5, 40, 300, 3000, 16384};

    for (unsigned round = 0; round < 200; round++) {
        unsigned n_fields = round % 7 == 0 ? XTF_FIELDS_MAX : (unsigned)g_rand_int_range(random, 1, 12);
        g_autoptr(XtfSchema) schema = random_schema(random, n_fields);
        uint32_t count = counts[round % (n_fields == XTF_FIELDS_MAX ? 5 : G_N_ELEMENTS(counts))];
        g_autofree uint8_t *rows = random_table(random, schema, count);
        round_trip(schema, rows, count, round % (XTF_PACK_LEVEL_MAX + 1));
    }
    cr_assert_gt(g_atomic_int_get(&sums_known), 600);
}

/* Bytes of 7.6 bits of entropy are deflated only by levels for size. */
Test(pack, the_level_for_reading_stores_what_deflate_hardly_shrinks)
{
    static const XtfFieldSpec fields[] = {
        {.name = "t", .type = XTF_TYPE_U64, .role = "time"}, {.name = "value", .type = XTF_TYPE_U64}, {0}};
    enum { COUNT = 16384 };
    g_autoptr(XtfSchema) schema = make_schema(fields);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autofree uint64_t *rows = g_new0(uint64_t, 2 * COUNT);
    uint32_t length, stored;

    for (uint32_t n = 0; n < COUNT; n++)
        rows[2 * n + 1] = g_rand_int(random) & (g_rand_int(random) | 0xcf) & 0xff;
    length = round_trip(schema, rows, COUNT, XTF_PACK_LEVEL_DEFAULT);
    stored = round_trip(schema, rows, COUNT, XTF_PACK_LEVEL_READING);
    cr_assert(stored > length + COUNT / 64 && stored > COUNT, "%u and %u bytes", length, stored);
    for (uint32_t n = 0; n < COUNT; n++)
        rows[2 * n + 1] &= 0x11;
    length = round_trip(schema, rows, COUNT, XTF_PACK_LEVEL_DEFAULT);
    cr_assert_eq(round_trip(schema, rows, COUNT, XTF_PACK_LEVEL_READING), length);
}

/* The low bytes of times are deflated if they have 7 bits of entropy. If they have 7.6, only levels for size do so. */
Test(pack, noise_is_stored)
{
    static const XtfFieldSpec fields[] = {
        {.name = "t", .type = XTF_TYPE_U64, .role = "time"}, {.name = "value", .type = XTF_TYPE_U64}, {0}};
    enum { COUNT = 16384, LEAST = 192 /* of a number with one byte of tail */ };
    g_autoptr(XtfSchema) schema = make_schema(fields);
    g_autoptr(GRand) random = g_rand_new_with_seed(6);
    g_autofree uint64_t *rows = g_new0(uint64_t, 2 * COUNT);

    for (uint32_t n = 1; n < COUNT; n++)
        rows[2 * n] = rows[2 * n - 2] + LEAST + (g_rand_int(random) & 0x7f);
    uint32_t length = round_trip(schema, rows, COUNT, XTF_PACK_LEVEL_DEFAULT);
    cr_assert_lt(length, COUNT * 29 / 32);
    for (uint32_t n = 1; n < COUNT; n++)
        rows[2 * n] = rows[2 * n - 2] + LEAST + (g_rand_int(random) & (g_rand_int(random) | 0xcf) & 0xff);
    length = round_trip(schema, rows, COUNT, XTF_PACK_LEVEL_DEFAULT);
    cr_assert_geq(length, COUNT);
    length = round_trip(schema, rows, COUNT, XTF_PACK_LEVEL_DEFAULT + 1);
    cr_assert_lt(length, COUNT * 31 / 32);
}

/* Puts a stream, and compares it with the output of deflate: by fixed codes, or by codes that deflate chooses. */
static void assert_stream(const uint8_t *bytes, size_t length, bool for_size, bool fixed)
{
    g_autofree uint8_t *packed = g_malloc0(length + 32), *expected = g_malloc(length), *again = g_malloc(length);
    XtfStreamWriter writer = {.at = packed, .level = 1, .for_size = for_size};
    bool repeats;
    size_t n_expected = fixed ? xtf_deflate_fixed(bytes, length, expected, length)
                              : xtf_deflate->deflate(writer.level, bytes, length, expected, length);

    xtf_put_stream(&writer, bytes, length, XTF_STREAM_PLAIN);
    XtfPackReader reader = {.at = packed, .end = writer.at}, whole = reader;
    cr_assert_eq(xtf_read_varint(&reader), length << 2 | XTF_STREAM_DEFLATED);
    cr_assert_eq(xtf_read_varint(&reader), n_expected);
    cr_assert_arr_eq(reader.at, expected, n_expected);
    cr_assert(!fixed || (*expected >> 1 & 3) == 1, "RFC 1951, 3.2.3");
    cr_assert(xtf_read_stream_to(&whole, again, length, &repeats) && !repeats);
    cr_assert_arr_eq(again, bytes, length);
}

/* Templates of calls that begin and end in turn have fixed codes, except at levels for size. Deflate chooses the codes
 * of random templates. It also does so if templates alternate, but need more than a sixteenth of their bytes. */
Test(pack, alternating_templates_have_fixed_codes)
{
    enum { COUNT = 3000 };
    g_autoptr(GRand) random = g_rand_new_with_seed(8);
    uint8_t bytes[COUNT], kind = 0;

    for (unsigned n = 0; n < COUNT; n++) {
        kind = n % 2 == 0 && g_rand_int_range(random, 0, 60) == 0 ? (uint8_t)g_rand_int_range(random, 0, 10) : kind;
        bytes[n] = (uint8_t)(2 * kind + n % 2);
    }
    assert_stream(bytes, COUNT, false, true);
    assert_stream(bytes, COUNT, true, false);
    for (unsigned n = 0; n < COUNT; n++)
        bytes[n] = (uint8_t)g_rand_int_range(random, 0, 4);
    assert_stream(bytes, COUNT, false, false);
    for (unsigned n = 0; n < COUNT; n++)
        bytes[n] = (uint8_t)(n % 2 + (n % 36 == 0 ? 2 * g_rand_int_range(random, 1, 100) : 0));
    assert_stream(bytes, COUNT, false, false);
}

Test(pack, many_rows)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    g_autoptr(XtfSchema) schema = random_schema(random, 6);
    enum { COUNT = 300000 };
    g_autofree uint8_t *rows = random_table(random, schema, COUNT);

    for (uint32_t n = 0; n < COUNT; n++) /* random steps of COUNT rows could overflow */
        xtf_field_set(&schema->fields[0], rows + (size_t)n * schema->row_size, n / 100);
    round_trip(schema, rows, COUNT, 1);
}

Test(pack, times_alone)
{
    static const XtfFieldSpec fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {0}};
    g_autoptr(XtfSchema) schema = make_schema(fields);
    uint64_t rows[1000] = {0}; /* little-endian by GUINT64_TO_LE */

    cr_assert_lt(round_trip(schema, rows, 1000, 1), 10); /* all equal */
    for (unsigned n = 0; n < 1000; n++)
        rows[n] = GUINT64_TO_LE(UINT64_MAX);
    round_trip(schema, rows, 1000, 1);
    for (unsigned n = 0; n < 1000; n++) /* steps of every size, up to the greatest time */
        rows[n] = GUINT64_TO_LE(n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX - 1000 + n);
    round_trip(schema, rows, 1000, 1);
    rows[0] = GUINT64_TO_LE(UINT64_MAX);
    round_trip(schema, rows, 1, 1);
}

/* Steps at the borders of the classes of heads. */
Test(pack, steps_at_the_borders)
{
    static const XtfFieldSpec fields[] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {.name = "x", .type = XTF_TYPE_U64}, {0}};
    static const uint64_t borders[] = {
        0, 192, 12480, 536768, 67645632, 67645632 + (UINT64_C(1) << 32), UINT64_C(1) << 40, UINT64_C(1) << 48};
    g_autoptr(XtfSchema) schema = make_schema(fields);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    uint64_t time = 0;

    for (unsigned i = 0; i < 3 * G_N_ELEMENTS(borders); i++) {
        uint64_t step = borders[i / 3] + i % 3 - (i > 2);
        uint64_t row[2] = {GUINT64_TO_LE(time += step), GUINT64_TO_LE(step)};
        g_array_append_vals(rows, row, 2);
    }
    round_trip(schema, rows->data, rows->len / 2, 1);
}

/* Each field has more values than there are templates, and the fields are independent. */
Test(pack, independent_fields_are_columns)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(4);
    g_autoptr(XtfSchema) schema = make_schema(call_fields);
    enum { COUNT = 5000 };
    g_autofree CallRow *rows = g_new0(CallRow, COUNT);

    for (uint32_t n = 0; n < COUNT; n++)
        rows[n] = (CallRow){.time = n,
                            .seq = g_rand_int(random),
                            .region = (uint32_t)g_rand_int_range(random, 0, 1000),
                            .event = (uint8_t)g_rand_int(random),
                            .enter = g_rand_int(random)};
    uint32_t length = round_trip(schema, rows, COUNT, 6);
    /* random bits: 32 + 10 + 8 + 32 */
    cr_assert_lt(length, COUNT * (82 / 8.0) * 1.08, "%g bytes a row", (double)length / COUNT);
}

/* Sizes that are powers of 2, beside fields that make too many templates. In a column of numbers all tails of the sizes
 * are the same; in planes two would vary. */
Test(pack, columns_with_constant_tails_are_small)
{
    enum { COUNT = 4096 };
    static const XtfFieldSpec fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"},
                                          {.name = "bytes", .type = XTF_TYPE_U64},
                                          {.name = "peer", .type = XTF_TYPE_U8},
                                          {.name = "tag", .type = XTF_TYPE_U8},
                                          {0}};
    typedef struct __attribute__((packed)) {
        uint64_t time, bytes;
        uint8_t peer, tag;
    } Row;
    g_autofree Row *rows = g_new(Row, COUNT);
    g_autoptr(XtfSchema) schema = make_schema(fields);
    g_autoptr(GRand) random = g_rand_new_with_seed(3);

    for (uint32_t n = 0; n < COUNT; n++)
        rows[n] = (Row){n, 8 << g_rand_int_range(random, 0, 10), g_rand_int_range(random, 0, 10),
                        g_rand_int_range(random, 0, 10)};
    uint32_t length = round_trip(schema, rows, COUNT, 1);
    cr_assert_lt(length, COUNT * 8 / 5, "%u", length);
}

/* Damaged bytes: mostly a fault, and nothing worse. Accepted times ascend. */
/* FORMAT R48, R67 */
Test(pack, damage)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autoptr(XtfSchema) schema = make_schema(call_fields);
    g_autoptr(GArray) rows = make_calls(random, 1000, 10);
    Packed packed = pack_rows(schema, rows->data, rows->len, 1);
    g_autofree uint64_t *times = g_new(uint64_t, rows->len);
    g_autofree uint8_t *unpacked = g_malloc((size_t)rows->len * sizeof(CallRow));
    const char *fault = NULL;

    for (uint32_t length = 0; length < packed.length; length++) { /* cut short anywhere */
        g_autofree uint8_t *copy = g_memdup2(packed.bytes, length);
        fault = NULL;
        cr_assert_not(xtf_unpack_rows(schema, copy, length, rows->len, unpacked, &fault), "%u bytes", length);
        cr_assert(fault && *fault);
    }
    g_autofree uint8_t *longer = g_malloc0(packed.length + 1);
    memcpy(longer, packed.bytes, packed.length);
    cr_assert_not(xtf_unpack_rows(schema, longer, packed.length + 1, rows->len, unpacked, &fault));
    for (uint32_t off = 1; off < 3; off++) { /* another number of rows */
        cr_assert_not(unpack_times(packed.bytes, packed.length, rows->len - off, times, &fault));
        cr_assert_not(xtf_unpack_rows(schema, packed.bytes, packed.length, rows->len - off, unpacked, &fault));
    }
    unsigned faults = 0;
    for (unsigned round = 0; round < 20000; round++) {
        g_autofree uint8_t *copy = g_memdup2(packed.bytes, packed.length);
        copy[g_rand_int_range(random, 0, round % 2 ? 40 : (gint32)packed.length)] ^= 1u
                                                                                     << g_rand_int_range(random, 0, 8);
        bool good = unpack_times(copy, packed.length, rows->len, times, &fault);
        for (guint n = 1; good && n < rows->len; n++)
            cr_assert_leq(times[n - 1], times[n]);
        faults += !xtf_unpack_rows(schema, copy, packed.length, rows->len, unpacked, &fault);
    }
    cr_assert_gt(faults, 20000 / 2, "%u faults", faults); /* tails may have any value */
    g_free(packed.bytes);
}

/* Ranks by samples agree with the list of times: at, between, before and after all times. */
Test(pack, ranks_by_samples)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(6);
    const uint32_t counts[] = {1, 2, XTF_TIMES_STEP - 1, XTF_TIMES_STEP, XTF_TIMES_STEP + 1, 2 * XTF_TIMES_STEP, 5000};

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_autoptr(XtfSchema) schema = make_schema(call_fields);
        g_autoptr(GArray) rows = make_calls(random, counts[i], 100);
        Packed packed = pack_rows(schema, rows->data, counts[i], 1);
        const char *fault = NULL;
        uint32_t size, at = 0;
        uint8_t *bytes = xtf_sampled_times_unpack(packed.bytes, packed.length, counts[i], 0, &size, &fault);
        const XtfSampledTimes *times = (const XtfSampledTimes *)(const void *)bytes;
        cr_assert(bytes, "%s", fault);
        cr_assert_lt(size, 100 + 4 * counts[i]);
        uint64_t last = g_array_index(rows, CallRow, counts[i] - 1).time, comparisons = 0;
        for (uint64_t t = 0; t <= last + 2 && t < 30000; t++) {
            while (at < counts[i] && g_array_index(rows, CallRow, at).time < t)
                at++;
            cr_assert_eq(xtf_sampled_times_rank(times, t, &comparisons), at, "time %" G_GUINT64_FORMAT, t);
        }
        cr_assert_eq(xtf_sampled_times_rank(times, UINT64_MAX, &comparisons), counts[i]);
        xtf_block_memory_free(bytes);
        g_free(packed.bytes);
    }
}

/* Rows like stored totals: numbers of every size, a constant, a key, and a value that grows. */
Test(pack, columns)
{
    static const XtfFieldSpec fields[] = {
        {.name = "child", .type = XTF_TYPE_U64, .role = "time"},
        {.name = "depth", .type = XTF_TYPE_U8},
        {.name = "key", .type = XTF_TYPE_U64},
        {.name = "small", .type = XTF_TYPE_U64},
        {.name = "any", .type = XTF_TYPE_U64},
        {.name = "real", .type = XTF_TYPE_F64},
        {.name = "grows", .type = XTF_TYPE_U64},
        {.name = "signed", .type = XTF_TYPE_I32},
        {0},
    };
    g_autoptr(XtfSchema) schema = make_schema(fields);
    g_autoptr(GRand) random = g_rand_new_with_seed(12);
    const uint32_t counts[] = {1, 2, 15, 16, 17, 255, 256, 4000, 9000};

    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_autoptr(GByteArray) rows = g_byte_array_new();
        for (uint64_t n = 0; n < counts[i]; n++) {
            uint64_t any = ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> g_rand_int_range(random, 0, 64);
            xtf_bytes_write_u64(rows, n / 46);
            xtf_bytes_write_u8(rows, 1);
            xtf_bytes_write_u64(rows, n % 46);
            xtf_bytes_write_u64(rows, any % 192);
            xtf_bytes_write_u64(rows, any);
            xtf_bytes_write_u64(rows, xtf_f64_to_bits((double)any / 7));
            xtf_bytes_write_u64(rows, UINT64_MAX / 10000 * n + any % 100);
            xtf_bytes_write_u32(rows, (uint32_t)any);
        }
        round_trip(schema, rows->data, counts[i], 1);
    }
    cr_assert_eq(g_atomic_int_get(&columns_known), (gint)G_N_ELEMENTS(counts));
}

Test(pack, decreasing_times_are_a_fault)
{
    static const XtfFieldSpec fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {0}};
    g_autoptr(XtfSchema) schema = make_schema(fields);
    const uint64_t rows[] = {GUINT64_TO_LE(1000), GUINT64_TO_LE(999)};
    g_autofree uint8_t *packed = g_malloc(xtf_pack_bound(schema, 2));
    uint32_t length = xtf_pack(schema, (const uint8_t *)rows, 2, 1, packed, (uint32_t)xtf_pack_bound(schema, 2), NULL);
    const char *fault = NULL;
    uint64_t times[2];

    cr_assert_not(unpack_times(packed, length, 2, times, &fault));
    cr_assert_str_eq(fault, "its times go backwards");
    cr_assert_not(xtf_unpack_rows(schema, packed, length, 2, (uint8_t *)times, &fault));
}

/* Each library inflates the streams of the other, and refuses streams of another length. */
/* FORMAT R46 */
Test(deflate, libraries_agree)
{
    const XtfDeflateLibrary *const libraries[] = {
        &xtf_deflate_zlib,
#ifdef XTF_WITH_LIBDEFLATE
        &xtf_deflate_libdeflate,
#endif
    };
    enum { LENGTH = 20000 };
    g_autoptr(GRand) random = g_rand_new_with_seed(6);
    g_autofree uint8_t *data = g_malloc(LENGTH), *stream = g_malloc(LENGTH), *again = g_malloc(LENGTH + 1);

    for (size_t i = 0; i < LENGTH; i++)
        data[i] = (uint8_t)g_rand_int_range(random, 0, 20);
    for (size_t a = 0; a < G_N_ELEMENTS(libraries); a++)
        for (unsigned level = 1; level <= XTF_DEFLATE_LEVEL_MAX; level++) {
            size_t length = libraries[a]->deflate(level, data, LENGTH, stream, LENGTH);
            cr_assert(length > LENGTH / 2 && length < LENGTH * 2 / 3, "%s, level %u: %zu", libraries[a]->name, level,
                      length);
            cr_assert_eq(libraries[a]->deflate(level, data, LENGTH, again, length / 2), 0);
            for (size_t b = 0; b < G_N_ELEMENTS(libraries); b++) {
                cr_assert(libraries[b]->inflate(stream, length, again, LENGTH));
                cr_assert_arr_eq(again, data, LENGTH);
                cr_assert_not(libraries[b]->inflate(stream, length, again, LENGTH - 1));
                cr_assert_not(libraries[b]->inflate(stream, length, again, LENGTH + 1));
                cr_assert_not(libraries[b]->inflate(stream, length - 1, again, LENGTH));
                stream[length] = 0;
                cr_assert_not(libraries[b]->inflate(stream, length + 1, again, LENGTH));
            }
        }
}

static gpointer pack_in_thread(gpointer data)
{
    g_autoptr(XtfSchema) schema = make_schema(call_fields);
    g_autoptr(GRand) random = g_rand_new_with_seed(GPOINTER_TO_UINT(data));

    for (unsigned round = 0; round < 20; round++) {
        g_autoptr(GArray) rows = make_calls(random, 1000, 0);
        round_trip(schema, rows->data, rows->len, 1);
    }
    return NULL;
}

Test(pack, threads)
{
    GThread *threads[4];

    for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("pack", pack_in_thread, GUINT_TO_POINTER(i));
    for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
}

/* A field of an unknown type may have any width: its bytes are packed as planes, as all other modes are for numbers. */
/* FORMAT W36 */
Test(pack, a_field_of_more_than_8_bytes_is_planes)
{
    enum { WIDTH = 12, ROWS = 2 };
    static const XtfFieldSpec fields[] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {.name = "wide", .type = XTF_TYPE_U32}, {0}};
    /* Heads and tails of the times 5 and 7; templates: mode 5, and one template. */
    g_autoptr(GByteArray) packed = g_byte_array_new();
    g_byte_array_append(packed, (const guint8[]){2 << 2, 5, 2, 0, 2 << 2, 5, 0}, 7);
    g_autoptr(XtfSchema) schema = make_schema(fields);
    uint8_t rows[ROWS * (8 + WIDTH)];
    const char *fault = NULL;

    schema->fields[1].type = 99;
    schema->fields[1].width = WIDTH;
    schema->row_size = 8 + WIDTH;
    for (uint8_t byte = 0; byte < WIDTH; byte++)
        g_byte_array_append(packed, (const guint8[]){2 << 2, byte, byte + 100u}, 3);
    cr_assert(xtf_unpack_rows(schema, packed->data, packed->len, ROWS, rows, &fault), "%s", fault);
    for (unsigned n = 0; n < ROWS; n++) {
        const uint8_t *row = rows + n * schema->row_size;
        cr_assert_eq(xtf_field_get(&schema->fields[0], row), 5 + 2 * n);
        for (unsigned byte = 0; byte < WIDTH; byte++)
            cr_assert_eq(row[8 + byte], 100 * n + byte);
    }
    for (guint8 mode = 0; mode < 5; mode++) {
        packed->data[5] = mode;
        cr_assert_not(xtf_unpack_rows(schema, packed->data, packed->len, ROWS, rows, &fault));
        cr_assert_str_eq(fault, "it has numbers of more than 8 bytes");
    }
}

/* FORMAT R49 */
Test(pack, a_column_of_an_unknown_type_has_no_zigzags)
{
    static const XtfFieldSpec fields[] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {.name = "x", .type = XTF_TYPE_I32}, {0}};
    /* Heads and tails of the times 5 and 7; templates: mode 3, and one template; heads and tails of 3 and 4. */
    static const uint8_t packed[] = {2 << 2, 5, 2, 0, 2 << 2, 3, 0, 2 << 2, 3, 4, 0};
    const struct {
        XtfType type;
        uint32_t values[2];
    } cases[] = {{XTF_TYPE_I32, {(uint32_t)-2, 2}}, {99, {3, 4}}};
    g_autoptr(XtfSchema) schema = make_schema(fields);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint8_t rows[2 * (8 + 4)];
        const char *fault = NULL;
        schema->fields[1].type = cases[i].type;
        cr_assert(xtf_unpack_rows(schema, packed, sizeof packed, 2, rows, &fault), "%s", fault);
        for (unsigned n = 0; n < 2; n++) {
            cr_assert_eq(xtf_load64(rows + n * sizeof rows / 2), 5 + 2 * n);
            cr_assert_eq(xtf_load32(rows + n * sizeof rows / 2 + 8), cases[i].values[n]);
        }
    }
}

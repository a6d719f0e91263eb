/*
 * Tests the way from records to rows. The recorder's own functions append records, which are decoded and compared with
 * the input. Times are compared with long multiplication. Reading a ring must give an answer or an error, and a whole
 * trace, for any content.
 */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/record/collect/rows/collect.h"
#include "src/record/collect/rows/process.h"
#include "src/record/core/core.h"
#include "tests/rounds.h"

enum { RING_BYTES = 1 << 20, OWN = XTF_WIRE_REGIONS_OWN };

typedef struct {
    char *path;
    XtfWriter *writer;
    XtfCollector collector;
    XtfCollectRing ring;
    XtfWireRing shared; /* the producer's part of the ring */
    XtfRing producer;
    uint8_t *data;
} Fixture;

/* Replaces the core's function: the tests never fill their ring. */
bool xtf_core_make_room(XtfRing *ring, uint64_t size)
{
    return false;
}

static void set_up(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    int fd = g_file_open_tmp("xtf-collect-XXXXXX", &f->path, NULL);

    close(fd);
    f->writer = xtf_writer_create(f->path, NULL, &error);
    cr_assert_not_null(f->writer, "%s", error ? error->message : "");
    xtf_collector_init(&f->collector, f->writer, xtf_collect_rows);
    f->collector.clock = (XtfCollectClock){.source = XTF_WIRE_CLOCK_MONOTONIC, .multiplier = 1};
    f->collector.rank = 3;
    f->collector.world_size = 4;
    xtf_collect_ring_init(&f->ring, &f->collector, 0);
    f->data = g_malloc0(RING_BYTES);
    memset(&f->shared, 0, sizeof f->shared);
    f->producer = (XtfRing){.shared = &f->shared, .data = f->data, .mask = RING_BYTES - 1, .limit = RING_BYTES};
}

static XtfTrace *finish_trace(Fixture *f)
{
    g_autoptr(GError) error = NULL;

    cr_assert(xtf_collect_ring_end(&f->ring), "%s", f->ring.stream.error ? f->ring.stream.error->message : "");
    XtfCollectRing *rings[] = {&f->ring};
    for (const XtfCollectRows *const *rows = xtf_collect_rows; *rows; rows++)
        if ((*rows)->complete)
            (*rows)->complete(&f->collector, true);
    xtf_collect_process_update(&f->collector, rings, 1);
    cr_assert(xtf_collect_tables_write(&f->collector.tables, &error), "%s", error ? error->message : "");
    cr_assert(xtf_writer_close(f->writer, &error), "%s", error ? error->message : "");
    XtfTrace *trace = xtf_trace_open(f->path, NULL, &error);
    cr_assert_not_null(trace, "%s", error ? error->message : "");
    return trace;
}

static void tear_down(Fixture *f)
{
    xtf_collect_ring_finish(&f->ring);
    xtf_collector_finish(&f->collector);
    g_unlink(f->path);
    g_free(f->path);
    g_free(f->data);
}

static bool decode_ring(Fixture *f, size_t *taken)
{
    return xtf_collect_decode(&f->ring, f->data, f->producer.head, f->producer.head, taken);
}

static void decode_all(Fixture *f)
{
    size_t taken;

    cr_assert(decode_ring(f, &taken), "%s", f->ring.fault ? f->ring.fault : "a row was refused");
    cr_assert_eq(taken, f->producer.head);
}

static void put_owner(Fixture *f, uint32_t thread)
{
    xtf_core_record(&f->producer, 1, XTF_WIRE_OWNER, 0, thread, 1000 + thread);
}

static void put_definition(Fixture *f, XtfDefinition definition, uint64_t id, const void *data, uint32_t size,
                           uint32_t piece)
{
    for (uint32_t at = 0; at == 0 || at < size; at += piece) {
        uint32_t n = MIN(piece, size - at);
        uint64_t *word = xtf_core_reserve(&f->producer, 4 + (n + 7) / 8);
        word[0] = 1;
        word[1] = xtf_core_word1(XTF_WIRE_DEFINE, definition, n);
        word[2] = id;
        word[3] = xtf_core_pair(at, size);
        memcpy(word + 4, (const uint8_t *)data + at, n);
        xtf_core_publish(&f->producer, 4 + (n + 7) / 8);
    }
}

static void put_region(Fixture *f, uint32_t number, const char *name, uint32_t piece)
{
    uint8_t data[4096];
    XtfDefineRegion region = {.line = 7, .role = 1, .paradigm = 2, .name_size = strlen(name), .file_size = 3};

    memcpy(data, &region, sizeof region);
    memcpy(data + sizeof region, name, strlen(name));
    memcpy(data + sizeof region + strlen(name), "a.c", 3);
    put_definition(f, XTF_DEFINE_REGION, number, data, sizeof region + strlen(name) + 3, piece);
}

static void put_call(Fixture *f, uint64_t time, XtfWireKind kind, uint32_t region)
{
    xtf_core_put(&f->producer, time, kind, region, 0, 0, NULL);
}

static void get_row(XtfTrace *trace, uint64_t location, const char *type, uint64_t n, void *row)
{
    XtfArray array;
    bool found;

    cr_assert(xtf_trace_find_array(trace, location, xtf_trace_find_schema(trace, type)->id, &array, &found, NULL));
    cr_assert(found, "%s of %" PRIu64, type, location);
    cr_assert(xtf_array_row(&array, n, row, NULL), "row %" PRIu64 " of %s", n, type);
}

static const char *text_at(XtfTrace *trace, const char *name, uint64_t row, const char *field)
{
    const XtfTable *table;
    const char *text;

    cr_assert(xtf_trace_table(trace, name, &table, NULL));
    cr_assert(row < table->n_rows, "%s has %" PRIu64 " rows", name, (uint64_t)table->n_rows);
    const XtfField *column = xtf_schema_field(table->schema, field);
    uint32_t id = xtf_field_get(column, table->rows + row * table->schema->row_size);
    cr_assert(xtf_trace_string(trace, id, &text, NULL));
    return text;
}

static void log_problem(const char *message, void *data)
{
    cr_log_error("%s", message);
}

static void check_trace(XtfTrace *trace)
{
    g_autoptr(GError) error = NULL;
    XtfCheckReport report;

    cr_assert(xtf_trace_check(trace, log_problem, NULL, NULL, &report, &error), "%s", error ? error->message : "");
    cr_assert_eq(report.problems, 0);
}

Test(record, calls_and_regions)
{
    Fixture f;
    XtfEntersLeavesRow row;

    set_up(&f);
    put_owner(&f, 2);
    put_call(&f, 10, XTF_WIRE_ENTER, OWN); /* before its definition */
    put_region(&f, OWN, "outer", 4096);
    put_region(&f, OWN + 1, "inner", 5); /* in pieces */
    put_call(&f, 20, XTF_WIRE_ENTER, OWN + 1);
    put_call(&f, 15, XTF_WIRE_ENTER, OWN + 1); /* the clock goes backwards */
    put_call(&f, 30, XTF_WIRE_LEAVE, OWN + 1);
    put_call(&f, 40, XTF_WIRE_LEAVE, OWN + 1);
    put_region(&f, OWN, "outer", 4096); /* the same definition again */
    put_call(&f, 50, XTF_WIRE_LEAVE, OWN);
    decode_all(&f);

    g_autoptr(XtfTrace) trace = finish_trace(&f);
    const struct {
        uint64_t time, enter;
        const char *name;
        uint8_t event, outermost;
        uint32_t depth;
    } expected[] = {
        {10, 0, "outer", 0, 1, 1}, {20, 1, "inner", 0, 1, 2}, {20, 1, "inner", 0, 0, 3},
        {30, 1, "inner", 1, 0, 3}, {40, 3, "inner", 1, 1, 2}, {50, 5, "outer", 1, 1, 1},
    };
    const uint64_t location = (UINT64_C(3) << 32) + 2;
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
        get_row(trace, location, "enters_leaves", i, &row);
        cr_expect_eq(row.time, expected[i].time, "row %u: time %" PRIu64, i, (uint64_t)row.time);
        cr_expect_eq(row.seq, i);
        cr_expect_eq(row.event, expected[i].event);
        cr_expect_eq(row.enter, expected[i].enter, "row %u: enter %" PRIu64, i, (uint64_t)row.enter);
        cr_expect_eq(row.outermost, expected[i].outermost);
        cr_expect_eq(row.depth, expected[i].depth);
        cr_expect_str_eq(text_at(trace, "regions", row.region, "name"), expected[i].name);
    }
    XtfBackwardTimesRow backward;
    get_row(trace, location, "backward_times", 0, &backward);
    cr_expect_eq(backward.source_time, 15);
    cr_expect_eq(backward.seq, 2);
    cr_expect_str_eq(text_at(trace, "regions", 0, "file"), "a.c");
    cr_expect_str_eq(text_at(trace, "locations", 0, "name"), "Thread 2");
    check_trace(trace);
    tear_down(&f);
}

Test(record, measurement)
{
    Fixture f;
    XtfMeasurementRow row;

    set_up(&f);
    f.collector.clock =
        (XtfCollectClock){.source = XTF_WIRE_CLOCK_MONOTONIC, .multiplier = 3, .shift = 1, .start = 100, .base = 1000};
    put_owner(&f, 1);
    xtf_core_record(&f.producer, 200, XTF_WIRE_WAITED, 0, 0, 300);
    xtf_core_record(&f.producer, 302, XTF_WIRE_MEASUREMENT, 1, 2);
    xtf_core_record(&f.producer, 302, XTF_WIRE_DROPPED, 0, 0, 77);
    xtf_core_record(&f.producer, 400, XTF_WIRE_MEASUREMENT, 1, 1);
    decode_all(&f);
    cr_expect_eq(f.collector.counts.dropped, 77);
    cr_expect_eq(f.collector.counts.waits, 1);
    cr_expect_eq(f.collector.counts.waited_ns, 150);

    g_autoptr(XtfTrace) trace = finish_trace(&f);
    const uint64_t location = (UINT64_C(3) << 32) + 1;
    get_row(trace, location, "measurement", 0, &row);
    cr_expect_eq(row.event, XTF_LABEL_BUFFER_FLUSH);
    cr_expect_eq(row.time, 1150);
    cr_expect_eq(row.stop, 1300);
    get_row(trace, location, "measurement", 1, &row);
    cr_expect_eq(row.event, XTF_LABEL_MEASUREMENT_ON_OFF);
    cr_expect_eq(row.time, 1303);
    cr_expect_eq(row.mode, 2);
    get_row(trace, location, "measurement", 2, &row);
    cr_expect_eq(row.mode, 1);
    check_trace(trace);
    tear_down(&f);
}

/* While recording is off, the thread is in a region of its own, on top of the calls that were open. */
Test(record, region_of_time_that_is_not_recorded)
{
    static const struct {
        uint64_t time;
        unsigned event;
        bool off;
        uint16_t depth;
    } expected[] = {{200, XTF_LABEL_ENTER, false, 1}, {300, XTF_LABEL_ENTER, true, 2}, {350, XTF_LABEL_LEAVE, true, 2},
                    {350, XTF_LABEL_LEAVE, false, 1}, {350, XTF_LABEL_ENTER, true, 1}, {400, XTF_LABEL_LEAVE, true, 1},
                    {500, XTF_LABEL_ENTER, true, 1},  {500, XTF_LABEL_LEAVE, true, 1}};
    XtfEntersLeavesRow row;
    Fixture f;

    set_up(&f);
    put_owner(&f, 1);
    put_call(&f, 200, XTF_WIRE_ENTER, OWN);
    xtf_core_record(&f.producer, 300, XTF_WIRE_MEASUREMENT, 0, 2);
    put_call(&f, 350, XTF_WIRE_LEAVE, OWN);
    xtf_core_record(&f.producer, 400, XTF_WIRE_MEASUREMENT, 0, 1);
    xtf_core_record(&f.producer, 500, XTF_WIRE_MEASUREMENT, 0, 2); /* until the end of the thread */
    decode_all(&f);
    g_autoptr(XtfTrace) trace = finish_trace(&f);
    for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
        get_row(trace, (UINT64_C(3) << 32) + 1, "enters_leaves", i, &row);
        cr_expect_eq(row.time, expected[i].time, "row %u", i);
        cr_expect_eq(row.event, expected[i].event, "row %u", i);
        cr_expect_eq(row.depth, expected[i].depth, "row %u", i);
        cr_expect_eq(g_str_equal(text_at(trace, "regions", row.region, "name"), "MEASUREMENT OFF"), expected[i].off);
    }
    check_trace(trace);
    tear_down(&f);
}

/* Several threads own one ring, one after the other. */
Test(record, owners_of_a_ring)
{
    Fixture f;
    XtfEntersLeavesRow row;

    set_up(&f);
    for (uint32_t thread = 1; thread < 50; thread++) {
        put_owner(&f, thread);
        put_call(&f, thread * 10, XTF_WIRE_ENTER, OWN);
        if (thread % 2)
            put_call(&f, thread * 10 + 5, XTF_WIRE_LEAVE, OWN);
    }
    decode_all(&f);
    uint64_t before = f.producer.head;
    size_t taken;
    put_owner(&f, 7); /* a number that was used before */
    cr_expect_not(xtf_collect_decode(&f.ring, f.data + before, f.producer.head - before, 1, &taken));
    g_autofree char *fault = g_strdup_printf("ring 0, byte %" PRIu64 ": thread 7 had a ring before", before);
    cr_expect_str_eq(f.ring.fault ? f.ring.fault : "", fault);

    g_autoptr(XtfTrace) trace = finish_trace(&f);
    for (uint32_t thread = 1; thread < 50; thread++) {
        get_row(trace, (UINT64_C(3) << 32) + thread, "enters_leaves", 0, &row);
        cr_expect_eq(row.time, thread * 10);
        cr_expect_eq(row.seq, 0);
        cr_expect_eq(row.depth, 1);
    }
    check_trace(trace);
    tear_down(&f);
}

/* Invalid records, and where the fault is found. */
Test(record, malformed)
{
    static const struct {
        uint64_t word1, words[3];
        unsigned n; /* number of words that are published */
        const char *fault;
    } bad[] = {
        {0, {0}, 2, "it was never written"},
        {200, {0}, 2, "kind 200 does not exist"},
        {XTF_WIRE_WAITED, {0}, 2, "WAITED extends beyond the published bytes"},
        {XTF_WIRE_ENTER, {0}, 1, "8 bytes are too few for a record"},
        {XTF_WIRE_MEASUREMENT | UINT64_C(7) << 32, {0}, 2, "mode 7 of measurement does not exist"},
        {XTF_WIRE_DEFINE | UINT64_C(9999) << 32, {0}, 5, "a piece of 9999 bytes is longer than a record"},
        {XTF_WIRE_DEFINE | 99 << 8, {0}, 4, "definition 99 does not exist"},
        {XTF_WIRE_DEFINE | UINT64_C(8) << 32, {OWN, UINT64_C(4) << 32}, 5, "bytes from 0 to 8 of a definition of 4"},
        {XTF_WIRE_DEFINE | UINT64_C(8) << 32,
         {OWN, UINT64_C(64) << 32 | 8},
         5,
         "a piece of a definition does not follow the one before it"},
        {XTF_WIRE_DEFINE | UINT64_C(8) << 32,
         {OWN, UINT64_C(1) << 63},
         5,
         "a definition of 2147483648 bytes is too long"},
        {XTF_WIRE_DEFINE | UINT64_C(8) << 32,
         {OWN, UINT64_C(8) << 32},
         5,
         "a definition has 8 bytes left, and 20 are needed"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        Fixture f;
        size_t taken, good;
        set_up(&f);
        put_owner(&f, 1);
        put_call(&f, 10, XTF_WIRE_ENTER, OWN);
        good = f.producer.head;
        uint64_t words[] = {11, bad[i].word1, bad[i].words[0], bad[i].words[1], bad[i].words[2]};
        memcpy(f.data + good, words, sizeof words);
        f.producer.head += 8 * bad[i].n;
        cr_expect_not(decode_ring(&f, &taken), "case %u", i);
        cr_expect_eq(taken, good, "case %u: %zu bytes are taken", i, taken);
        g_autofree char *fault = g_strdup_printf("ring 0, byte %zu: %s", good, bad[i].fault);
        cr_expect_str_eq(f.ring.fault ? f.ring.fault : "", fault, "case %u: %s", i, f.ring.fault);
        g_autoptr(XtfTrace) trace = finish_trace(&f);
        cr_expect_eq(xtf_trace_n_rows(trace, xtf_trace_find_schema(trace, "enters_leaves")->id), 1);
        check_trace(trace);
        tear_down(&f);
    }
}

/* Records of all kinds with random values, also torn, give an answer or an error, and a whole trace. */
Test(record, hostile)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(20260101);
    unsigned ended = 0;

    for (unsigned round = 0; round < TEST_ROUNDS(400); round++) {
        Fixture f;
        size_t taken;
        set_up(&f);
        put_owner(&f, 1);
        put_region(&f, OWN, "one", 4096);
        unsigned n = g_rand_int_range(random, 1, 200);
        for (unsigned i = 0; i < n; i++) {
            uint64_t more[8];
            for (unsigned k = 0; k < 8; k++)
                more[k] = g_rand_int(random) % 4
                              ? g_rand_int_range(random, 0, 20) | (uint64_t)(g_rand_int(random) % 20) << 32
                              : (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
            unsigned kind = g_rand_int_range(random, 1, XTF_WIRE_N_KINDS);
            uint32_t region = g_rand_int(random) % 4 ? g_rand_int(random) % 12 : g_rand_int(random);
            uint32_t arg = g_rand_int(random) % 4 ? g_rand_int(random) % 12 : g_rand_int(random);
            static const uint8_t words[] = {
#define WORDS(NAME, w) w,
                XTF_WIRE_KINDS(WORDS)};
            if (kind == XTF_WIRE_DEFINE)
                arg = g_rand_int_range(random, 0, 33);
            unsigned size = kind == XTF_WIRE_DEFINE ? 2 + (arg + 7) / 8 : words[kind] - 2u;
            if (kind == XTF_WIRE_DEFINE && g_rand_int(random) % 2)
                more[1] = (uint64_t)arg << 32;
            xtf_core_put(&f.producer, i * 10, kind, region, arg, size, more);
        }
        if (round % 2) { /* torn or overwritten */
            uint32_t at = g_rand_int_range(random, 24, f.producer.head);
            f.data[at] ^= 1 << (at % 8);
            f.producer.head -= 8 * (g_rand_int(random) % 3);
        }
        ended += !decode_ring(&f, &taken);
        cr_assert(!f.ring.stream.error, "%s", f.ring.stream.error->message);
        cr_assert_leq(taken, f.producer.head);
        g_autoptr(XtfTrace) trace = finish_trace(&f);
        check_trace(trace);
        tear_down(&f);
    }
    cr_expect(ended > 0, "no ring was found to be malformed");
}

/* Returns base + ((reading - start) * multiplier >> shift), by long multiplication. */
static uint64_t slow_ns(const XtfCollectClock *clock, uint64_t reading)
{
    uint64_t a = reading - clock->start, b = clock->multiplier, product[4] = {0};

    for (unsigned i = 0; i < 2; i++) {
        uint64_t carry = 0;
        for (unsigned j = 0; j < 2; j++) {
            uint64_t t = (uint64_t)(uint32_t)(a >> 32 * i) * (uint32_t)(b >> 32 * j) + product[i + j] + carry;
            product[i + j] = (uint32_t)t;
            carry = t >> 32;
        }
        product[i + 2] += carry;
    }
    for (unsigned bit = 0; bit < clock->shift; bit++)
        for (unsigned i = 0; i < 4; i++)
            product[i] = product[i] >> 1 | (i < 3 ? (product[i + 1] & 1) << 31 : 0);
    uint64_t low = product[0] | product[1] << 32, high = product[2] | product[3] << 32;
    if (high > 0 || low > XTF_COLLECT_TIME_MAX || low + clock->base > XTF_COLLECT_TIME_MAX)
        return XTF_COLLECT_TIME_MAX;
    return low + clock->base;
}

Test(record, times)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_autoptr(GError) error = NULL;

    for (unsigned round = 0; round < TEST_ROUNDS(200000); round++) {
        uint64_t bits[4];
        for (unsigned i = 0; i < 4; i++)
            bits[i] = ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> g_rand_int_range(random, 0, 64);
        XtfCollectClock clock = {
            .shift = g_rand_int_range(random, 0, 64), .start = bits[0], .base = bits[1] >> 1, .multiplier = bits[2]};
        uint64_t reading = bits[0] + bits[3] >= bits[0] ? bits[0] + bits[3] : UINT64_MAX;
        uint64_t expected = slow_ns(&clock, reading), ns = xtf_collect_clock_ns(&clock, reading);
        cr_assert_eq(ns, expected,
                     "%" PRIu64 " of (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %u): %" PRIu64 ", not %" PRIu64, reading,
                     clock.start, clock.base, clock.multiplier, clock.shift, ns, expected);
    }
    /* Readings before the start of the clock. */
    XtfCollectClock clock = {.shift = 1, .start = 1000, .base = 500, .multiplier = 1};
    cr_expect_eq(xtf_collect_clock_ns(&clock, 990), 495);
    cr_expect_eq(xtf_collect_clock_ns(&clock, 0), 0);
    clock.multiplier = 0;
    cr_expect_not(xtf_collect_clock_check(&clock, &error));
}

/* Rows have numbers from their first mention on; later changes are in the next commit. */
Test(record, tables)
{
    Fixture f;
    XtfCollectTables *tables = &f.collector.tables;
    const XtfTable *table;
    bool is_new;

    set_up(&f);
    cr_expect_eq(xtf_collect_row(tables, XTF_MODEL_COMMUNICATORS, 4000000000u), 0);
    cr_expect_eq(xtf_collect_new_row(tables, XTF_MODEL_COMMUNICATORS, 5, &is_new), 1);
    cr_expect(is_new);
    cr_expect_eq(xtf_collect_new_row(tables, XTF_MODEL_COMMUNICATORS, 4000000000u, &is_new), 0);
    cr_expect_not(is_new);
    cr_assert(xtf_collect_tables_write(tables, NULL));
    cr_assert(xtf_writer_commit(f.writer, NULL));
    {
        g_autoptr(XtfTrace) trace = xtf_trace_open(f.path, NULL, NULL);
        cr_assert(xtf_trace_table(trace, "communicators", &table, NULL));
        cr_expect_eq(table->n_rows, 2);
        const XtfCommunicatorRow *rows = (const void *)table->rows;
        cr_expect_eq(rows[0].id, 4000000000u);
        cr_expect_eq(rows[0].group, XTF_NONE32);
    }
    const XtfMemberRow members[] = {{.member = 2, .proc = 2}, {.member = 9, .proc = 9}};
    uint32_t group = xtf_collect_row(tables, XTF_MODEL_GROUPS, 5);
    xtf_collect_set_list(tables, XTF_MODEL_GROUPS, group, XTF_MODEL_MEMBERS, members, 2);
    uint32_t name = xtf_collect_string(tables, "late");
    XtfCommunicatorRow *row = xtf_collect_change_row(tables, XTF_MODEL_COMMUNICATORS, 0);
    row->name = name;
    row->group = group;
    cr_expect_eq(xtf_collect_row(tables, XTF_MODEL_COMMUNICATORS, 6), 2);

    g_autoptr(XtfTrace) trace = finish_trace(&f);
    cr_assert(xtf_trace_table(trace, "communicators", &table, NULL));
    cr_expect_eq(table->n_rows, 3);
    cr_expect_str_eq(text_at(trace, "communicators", 0, "name"), "late");
    cr_expect_str_eq(text_at(trace, "communicators", 1, "name"), "");
    cr_assert(xtf_trace_table(trace, "members", &table, NULL));
    cr_expect_eq(((const XtfMemberRow *)(const void *)table->rows)[1].proc, 9);
    check_trace(trace);
    tear_down(&f);
}

/* Reads the records of many arrays in order, and compares them with a sort of all records. */
#include "clocks-fixture.h"

#include "libxtf/records.h"
#include "tests/rounds.h"

enum {
    TIMES = 40,        /* far fewer than rows: most times are equal, in an array and between arrays */
    KINDS = 3,         /* values of `kind` */
    KIND_SELECTED = 1, /* the kind that the filter selects */
    HEAP_SPANS = 64,   /* a heap reads up to this number of spans; more are read in batches */
    MAX_ROWS = 3000,   /* limit of the rows of an array: some leaves of the smallest pages */
};

/* Fields of the two record types: with `seq`, which has one value in many rows, and without. */
static const XtfFieldSpec fields[2][4] = {
    {{.name = "time", .type = XTF_TYPE_U64, .role = "time"},
     {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
     {.name = "kind", .type = XTF_TYPE_U8},
     {0}},
    {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {.name = "kind", .type = XTF_TYPE_U8}, {0}}};

typedef struct {
    uint64_t time, location, seq;
    uint32_t type;
    uint64_t n; /* row */
    uint64_t kind;
} Record;

typedef struct {
    char *folder;
    XtfTrace *trace;
    GArray *records; /* Record, in order */
} Sample;

static int compare_records(const void *a, const void *b)
{
    const Record *x = a, *y = b;
    const uint64_t p[] = {x->time, x->location, x->seq, x->type, x->n};
    const uint64_t q[] = {y->time, y->location, y->seq, y->type, y->n};

    for (unsigned i = 0; i < G_N_ELEMENTS(p); i++) {
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    }
    return 0;
}

/* Writes rows with local times, and adds records with the mapped times. */
static void write_array(Sample *sample, GRand *random, XtfWriter *writer, uint64_t location, const NaiveMap *map,
                        const XtfSchema *schema, uint32_t type)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writer, location, type, &error);
    const XtfField *seq = xtf_schema_field(schema, "seq"), *kind = xtf_schema_field(schema, "kind");
    uint32_t n_rows = (uint32_t)g_rand_int_range(random, 1, MAX_ROWS);
    Record record = {.location = location, .type = type};
    uint8_t row[XTF_ROW_MAX];
    uint64_t local = 0;

    cr_assert_good(array, error);
    for (uint32_t n = 0; n < n_rows; n++) {
        record.n = n;
        local += g_rand_int_range(random, 0, (gint32)n_rows) < TIMES;
        record.time = naive_global(map, local);
        record.seq = seq ? record.seq + (uint64_t)g_rand_int_range(random, 0, 3) : n;
        record.kind = (uint64_t)g_rand_int_range(random, 0, KINDS);
        xtf_field_set(&schema->fields[0], row, local);
        if (seq)
            xtf_field_set(seq, row, record.seq);
        xtf_field_set(kind, row, record.kind);
        cr_assert_good(xtf_array_writer_append(array, row, &error), error);
        g_array_append_val(sample->records, record);
    }
}

/* Sets a map for about half of the locations. Their clocks stop for a tick, and jump. */
static NaiveMap set_map(GRand *random, XtfWriter *writer, uint64_t location)
{
    NaiveMap map = {0};
    GError *error = NULL;
    uint32_t number;

    if (g_rand_boolean(random))
        return map;
    map = random_map(random, 2, TIMES, TIMES / 2, 10);
    XtfClockMap map_to_add = naive_map(&map);
    cr_assert_good(xtf_writer_add_clock_map(writer, &map_to_add, &number, &error), error);
    cr_assert_good(xtf_writer_set_clock_map(writer, location, number, &error), error);
    return map;
}

static Sample make_sample(uint32_t seed, uint64_t n_locations, bool mapped)
{
    static const char *const keys[] = {"kind", NULL};
    const XtfAggregateSpec by_kind = {.kind = XTF_AGGREGATE_GROUPS, .keys = keys};
    XtfWriterOptions options = {.page_size = 4096, .no_sync = true};
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    Sample sample = {.folder = make_folder(), .records = g_array_new(FALSE, TRUE, sizeof(Record))};
    g_autofree char *path = g_build_filename(sample.folder, "records.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    g_autofree NaiveMap *maps = g_new0(NaiveMap, n_locations);
    for (uint64_t i = 0; mapped && i < n_locations; i++)
        maps[i] = set_map(random, writer, 7 * i);
    for (uint32_t type = 0; type < G_N_ELEMENTS(fields); type++) {
        g_autoptr(XtfSchema) schema = xtf_schema_new(type ? "plain" : "marks", XTF_SCHEMA_RECORD, fields[type], &error);
        uint32_t id;
        cr_assert_good(schema && xtf_schema_add_aggregate(schema, &by_kind, &error), error);
        cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
        for (uint64_t location = 0; location < n_locations; location++)
            write_array(&sample, random, writer, 7 * location, &maps[location], schema, id);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_array_sort(sample.records, compare_records);
    sample.trace = open_trace(path, 0);
    return sample;
}

static void sample_free(Sample *sample)
{
    xtf_trace_unref(sample->trace);
    g_array_unref(sample->records);
    remove_folder(sample->folder);
}

static XtfMatch match_kind(const uint64_t *key, unsigned depth, const void *data)
{
    if (!depth)
        return XTF_MATCH_SOME;
    return key[0] == *(const uint64_t *)data ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

typedef struct {
    uint64_t from, to; /* times */
    bool filtered;
} Selection;

/* Returns the records of a sample that are selected. */
static GArray *naive_records(const Sample *sample, const Selection *selection)
{
    GArray *selected_records = g_array_new(FALSE, FALSE, sizeof(Record));

    for (guint i = 0; i < sample->records->len; i++) {
        const Record *record = &g_array_index(sample->records, Record, i);
        if (record->time >= selection->from && record->time < selection->to &&
            (!selection->filtered || record->kind == KIND_SELECTED))
            g_array_append_vals(selected_records, record, 1);
    }
    return selected_records;
}

static XtfSpans *find_spans(const Sample *sample, const Selection *selection)
{
    static const uint64_t selected = KIND_SELECTED;
    const XtfGroupFilter filter = {.match = match_kind, .data = &selected};
    XtfSpans *spans = xtf_spans_new(NULL, NULL);
    GError *error = NULL;

    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(sample->trace); rank++) {
        XtfArray array;
        XtfSpan span;
        cr_assert_good(xtf_trace_get_arrays(sample->trace, rank, 1, &array, &error), error);
        xtf_span_init(&span, &array);
        cr_assert_good(xtf_span_cut(&span, selection->from, selection->to, &error), error);
        cr_assert_good(!selection->filtered || xtf_span_filter(&span, 0, &filter, &error), error);
        cr_assert_good(xtf_spans_add(spans, &span, &error), error);
    }
    return spans;
}

static void compare_record(const XtfRowRun *run, uint64_t i, const GArray *records, uint64_t k)
{
    const Record *record = &g_array_index(records, Record, k);
    const XtfSchema *schema = run->span->array.schema;
    const uint8_t *row = run->rows + i * schema->row_size;

    cr_assert_eq(run->span->array.location, record->location, "record %" G_GUINT64_FORMAT, k);
    cr_assert_eq(schema->id, record->type, "record %" G_GUINT64_FORMAT, k);
    cr_assert_eq(run->first + i, record->n, "record %" G_GUINT64_FORMAT, k);
    cr_assert_eq(xtf_field_get(&schema->fields[0], row), record->time);
    cr_assert_eq(xtf_field_get(xtf_schema_field(schema, "kind"), row), record->kind);
    cr_assert_eq(xtf_row_seq(xtf_schema_field_by_role(schema, "seq"), row, record->n), record->seq);
}

/* Compares a block with the records from k on. Returns its number of rows. */
static uint64_t compare_block(const XtfRecordBlock *block, uint64_t max, const GArray *records, uint64_t k)
{
    uint64_t n_passed[XTF_RECORD_PARTS_MAX] = {0};

    cr_assert(block->n_rows > 0 && block->n_rows <= max && block->n_rows <= records->len - k);
    for (uint32_t i = 0; i < block->n_rows; i++) {
        uint32_t part = block->order ? block->order[i] : 0;
        cr_assert_lt(part, block->n_parts);
        compare_record(&block->parts[part], n_passed[part]++, records, k + i);
    }
    for (uint32_t part = 0; part < block->n_parts; part++)
        cr_assert_eq(n_passed[part], block->parts[part].n_rows);
    return block->n_rows;
}

/* Reads from record k on, at most `count` records, in runs or blocks at random, and compares each. Returns the
 * number of blocks with rows of several arrays. */
static unsigned compare_from(XtfSpans *spans, const GArray *records, uint64_t k, uint64_t count, GRand *random)
{
    GError *error = NULL;
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(spans, k, &error);
    unsigned n_blocks = 0;
    XtfRecordBlock block;
    XtfRowRun run;

    cr_assert_good(reader, error);
    for (uint64_t end = MIN(k + count, records->len); k < end;) {
        uint64_t max = (uint64_t)g_rand_int_range(random, 1, g_rand_boolean(random) ? 50 : 3 * MAX_ROWS);
        if (g_rand_int_range(random, 0, 4)) {
            cr_assert_good(xtf_record_reader_next_block(reader, max, &block, &error), error);
            k += compare_block(&block, max, records, k);
            n_blocks += block.order != NULL;
            continue;
        }
        cr_assert_good(xtf_record_reader_next(reader, max, &run, &error), error);
        cr_assert(run.n_rows > 0 && run.n_rows <= max && run.n_rows <= records->len - k);
        for (uint64_t i = 0; i < run.n_rows; i++, k++)
            compare_record(&run, i, records, k);
    }
    if (k < records->len)
        return n_blocks;
    cr_assert_good(xtf_record_reader_next_block(reader, MAX_ROWS, &block, &error), error);
    cr_assert_eq(block.n_rows, 0);
    cr_assert_good(xtf_record_reader_next(reader, 1, &run, &error), error);
    cr_assert_eq(run.n_rows, 0);
    return n_blocks;
}

/* Compares the positions of record k: the position in each span is the number of records of that span before k. */
static void compare_positions(const XtfSpans *spans, const GArray *records, uint64_t k)
{
    g_autofree uint64_t *positions = g_new(uint64_t, spans->n), *n_passed = g_new0(uint64_t, spans->n);
    GError *error = NULL;

    cr_assert_good(xtf_spans_select(spans, k, positions, &error), error);
    for (uint64_t i = 0; i < k; i++) {
        const Record *record = &g_array_index(records, Record, i);
        uint32_t span = 0;
        while (spans->spans[span].array.location != record->location ||
               spans->spans[span].array.schema->id != record->type)
            span++;
        n_passed[span]++;
    }
    for (uint32_t i = 0; i < spans->n; i++)
        cr_assert_eq(positions[i], spans->spans[i].lo + n_passed[i], "span %u, record %" G_GUINT64_FORMAT, i, k);
}

static void compare_all(uint32_t seed, uint64_t n_locations, bool mapped)
{
    static const Selection selections[] = {{0, UINT64_MAX, false},
                                           {0, UINT64_MAX, true},
                                           {TIMES / 4, TIMES / 2, false},
                                           {TIMES / 4, TIMES / 2, true},
                                           {TIMES / 3, TIMES / 3 + 1, false},
                                           {1000 * TIMES, UINT64_MAX, false}};
    Sample sample = make_sample(seed, n_locations, mapped);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed + 1);

    for (unsigned i = 0; i < G_N_ELEMENTS(selections); i++) {
        g_autoptr(GArray) records = naive_records(&sample, &selections[i]);
        g_autoptr(XtfSpans) spans = find_spans(&sample, &selections[i]);
        cr_assert_eq(spans->count, records->len);
        cr_assert(!records->len || mapped || (spans->n > HEAP_SPANS) == (2 * n_locations > HEAP_SPANS));
        unsigned n_blocks = compare_from(spans, records, 0, UINT32_MAX, random);
        cr_assert(n_locations < 2 || spans->n > HEAP_SPANS || mapped || i > 0 || n_blocks > 0,
                  "no block has rows of several arrays");
        for (unsigned round = 0; round < TEST_ROUNDS(300) && records->len; round++) {
            uint64_t k = (uint64_t)g_rand_int_range(random, 0, (gint32)records->len + 1);
            compare_positions(spans, records, k);
            if (round % 15 == 0)
                compare_from(spans, records, k, 300, random);
        }
    }
    sample_free(&sample);
}

Test(records, of_one_location_are_in_order)
{
    compare_all(1, 1, false);
}

Test(records, of_few_arrays_are_in_order)
{
    compare_all(2, 5, false);
}

Test(records, of_very_many_arrays_are_in_order)
{
    compare_all(3, HEAP_SPANS / 2 + 8, false);
}

Test(records, through_clock_maps_are_in_order)
{
    for (uint32_t seed = 5; seed < 12; seed++)
        compare_all(seed, 1 + seed % 5, true);
    compare_all(12, HEAP_SPANS / 2 + 8, true);
}

Test(records, spans_must_be_in_order_of_location)
{
    Sample sample = make_sample(4, 2, false);
    g_autoptr(XtfSpans) spans = xtf_spans_new(NULL, NULL);
    GError *error = NULL;
    XtfArray array;
    XtfSpan span;

    array = find_array(sample.trace, 7, 0);
    xtf_span_init(&span, &array);
    cr_assert_good(xtf_spans_add(spans, &span, &error), error);
    array = find_array(sample.trace, 0, 0);
    xtf_span_init(&span, &array);
    cr_assert_not(xtf_spans_add(spans, &span, &error));
    cr_assert_eq(error->code, XTF_ERROR_INVALID);
    cr_assert_eq(spans->n, 1);
    g_clear_error(&error);
    sample_free(&sample);
}

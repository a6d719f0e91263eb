/*
 * Queries in files whose pages have their totals in batches, against rows in memory: frames of many regions, and groups
 * by three keys with filters.
 */
#define CALL_REGIONS 200
#include "frames-fixture.h"
#include "tests/rounds.h"

#include "libxtf/disk/format.h"
#include "libxtf/longest.h"
#include "libxtf/slices.h"

enum { BY_REGION, BY_TUPLE, PADS_MAX = 60, PAD_BYTES = 8, EDGES = 24, FRAMES = 12 };

typedef struct __attribute__((packed)) {
    CallRow call;
    uint8_t kind, peer;
    uint32_t tag;
    uint64_t bytes; /* UINT64_MAX: none. Random values follow, so that few rows fill a leaf of either codec */
} WideRow;

typedef struct {
    uint32_t page_size;
    unsigned pads; /* fields of 8 random bytes at the end of each row */
    unsigned writers;
    uint32_t tags; /* of the later half of the rows: many give leaves totals of fewer keys, and filters */
    bool high;     /* a page of level 2 is sealed, which needs 168 * 168 leaves: only in full size */
    CallShape calls;
} Shape;

static const Shape shapes[] = {
    {4096, 8, 1, 3, false, {.rows = 16000, .deep = 9, .regions = 200, .ties = 30}},
    {4096, 6, 4, 50000, false, {.rows = 26000, .deep = 12, .regions = 60, .jumps = 3, .orphans = 2}},
    {4096, 12, 2, 7, false, {.rows = 14000, .deep = 8, .regions = 40, .jumps = 20, .orphans = 10, .lies = 10}},
    {4096, 8, 1, 50000, false, {.rows = 12000, .deep = 900, .regions = 120, .never_ending = 300}},
    {16384, 40, 3, 50000, false, {.rows = 50000, .deep = 7, .regions = 100, .jumps = 2, .orphans = 1}},
    {4096, 54, 2, 50, true, {.rows = 250000, .deep = 8, .regions = 40, .jumps = 2, .orphans = 1}},
};

typedef struct {
    Calls *calls;
    GArray *rows; /* WideRow */
} Sample;

static const XtfAggregateSpec tuple_aggregate = {.kind = XTF_AGGREGATE_GROUPS,
                                                 .keys = (const char *const[]){"kind", "peer", "tag", NULL},
                                                 .values = (const char *const[]){"bytes", NULL},
                                                 .filters = true};

static XtfSchema *wide_schema(unsigned pads)
{
    XtfFieldSpec fields[G_N_ELEMENTS(call_fields) + 4 + PADS_MAX] = {0};
    char names[PADS_MAX][8];
    GError *error = NULL;
    size_t n = G_N_ELEMENTS(call_fields) - 1;

    memcpy(fields, call_fields, sizeof call_fields);
    fields[n++] = (XtfFieldSpec){.name = "kind", .type = XTF_TYPE_U8};
    fields[n++] = (XtfFieldSpec){.name = "peer", .type = XTF_TYPE_U8};
    fields[n++] = (XtfFieldSpec){.name = "tag", .type = XTF_TYPE_U32};
    fields[n++] = (XtfFieldSpec){.name = "bytes", .type = XTF_TYPE_U64, .flags = XTF_FIELD_OPTIONAL};
    for (unsigned i = 0; i < pads; i++) {
        g_snprintf(names[i], sizeof names[i], "pad%u", i);
        fields[n++] = (XtfFieldSpec){.name = names[i], .type = XTF_TYPE_U64};
    }
    XtfSchema *schema = xtf_schema_new("wide", XTF_SCHEMA_RECORD, fields, &error);
    cr_assert_good(schema && xtf_schema_add_aggregate(schema, &call_aggregate, &error) &&
                       xtf_schema_add_aggregate(schema, &tuple_aggregate, &error),
                   error);
    cr_assert_eq(schema->row_size, sizeof(WideRow) + pads * PAD_BYTES);
    return schema;
}

static Sample make_sample(GRand *random, const Shape *shape)
{
    Sample sample = {random_calls(random, &shape->calls), g_array_new(FALSE, FALSE, sizeof(WideRow))};

    for (guint n = 0; n < sample.calls->rows->len; n++) {
        WideRow row = {
            .call = g_array_index(sample.calls->rows, CallRow, n),
            .kind = (uint8_t)g_rand_int_range(random, 0, 2),
            .peer = (uint8_t)g_rand_int_range(random, 0, 4),
            .tag = (uint32_t)g_rand_int_range(random, 0, n < shape->calls.rows / 2 ? 3 : (gint32)shape->tags),
            .bytes = chance(random, 10) ? UINT64_MAX : (uint64_t)g_rand_int_range(random, 0, 100000),
        };
        g_array_append_val(sample.rows, row);
    }
    return sample;
}

static const WideRow *row_at(const Sample *sample, uint64_t n)
{
    return &g_array_index(sample->rows, WideRow, n);
}

/* Appends rows [from, to) with a new writer, and commits in their middle. */
static void write_part(const char *path, const Shape *shape, bool plain, const Sample *sample, guint from, guint to,
                       GRand *random)
{
    GError *error = NULL;
    const XtfWriterOptions options = {
        .page_size = shape->page_size, .codec = plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = from == 0 ? xtf_writer_create(path, &options, &error) : xtf_writer_open(path, &options, &error);
    g_autoptr(XtfSchema) schema = wide_schema(shape->pads);
    uint8_t row[XTF_ROW_MAX];
    uint32_t id;

    cr_assert_good(writer, error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 7, id, &error);
    cr_assert_good(array, error);
    for (guint n = from; n < to; n++) {
        memcpy(row, row_at(sample, n), sizeof(WideRow));
        for (unsigned i = 0; i < shape->pads * PAD_BYTES; i++)
            row[sizeof(WideRow) + i] = (uint8_t)g_rand_int(random);
        cr_assert_good(xtf_array_writer_append(array, row, &error), error);
        cr_assert_good(n != (from + to) / 2 || xtf_writer_commit(writer, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Asserts that a file says that it has batches, and that a sealed index page of a level has some. */
static void assert_batches(const char *path, uint32_t page_size, unsigned level)
{
    g_autofree char *content = NULL;
    gsize length, n = 0;

    cr_assert(g_file_get_contents(path, &content, &length, NULL));
    const XtfDiskSuperblock *superblock = (const XtfDiskSuperblock *)(const void *)content;
    cr_assert(xtf_read64(superblock->incompatible) & XTF_FEATURE_BATCHES, "the file has no batches");
    for (gsize at = page_size; at + page_size <= length; at += page_size) {
        const XtfDiskPage *head = (const XtfDiskPage *)(const void *)(content + at);
        n += xtf_read32(head->magic) == XTF_PAGE_MAGIC && head->kind == XTF_PAGE_INDEX && head->batch > 0 &&
             head->level == level;
    }
    cr_assert_gt(n, 0, "no index page of level %u has batches", level);
}

/* Returns a range of rows: all, few, or any. */
static void pick_range(GRand *random, uint64_t rows, uint64_t *n1, uint64_t *n2)
{
    const unsigned width = chance(random, 40) ? 400 : (unsigned)rows;

    *n1 = chance(random, 20) ? 0 : (uint64_t)(g_rand_double(random) * (double)rows);
    *n2 = chance(random, 20) ? rows : *n1 + (uint64_t)(g_rand_double(random) * width);
    *n2 = MIN(*n2, rows);
}

/* ---- Frames. */

static XtfMatch match_some_regions(const uint64_t *key, unsigned depth, const void *data)
{
    if (depth == 0)
        return XTF_MATCH_SOME;
    return *key % 7 == *(const uint64_t *)data ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

static void check_totals_of_frames(const XtfArray *array, const Sample *sample, uint64_t n1, uint64_t n2,
                                   const uint64_t *remainder)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[BY_REGION], 1);
    const XtfGroupFilter filter = {.match = match_some_regions, .data = remainder};
    GError *error = NULL;
    NaiveCells cells;

    naive_totals(sample->calls, n1, n2, cells);
    for (uint64_t slot = 0; remainder && slot < SLOTS; slot++)
        if ((slot == BEFORE ? XTF_FRAMES_BEFORE : slot) % 7 != *remainder)
            memset(cells[slot], 0, sizeof cells[slot]);
    cr_assert_good(xtf_array_totals(array, BY_REGION, remainder ? &filter : NULL, n1, n2, totals, &error), error);
    assert_cells(totals, cells, "totals");
}

static void check_profile(const XtfArray *array, const Sample *sample, uint64_t a, uint64_t b)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[BY_REGION], 1);
    const uint64_t first = array->first - 500, last = array->last + 800;
    GError *error = NULL;
    NaiveCells cells;

    naive_profile(sample->calls, a, b, first, last, cells);
    cr_assert_good(xtf_array_profile(array, BY_REGION, a, b, first, last, totals, &error), error);
    assert_cells(totals, cells, "profile");
}

static void check_stack_at(const XtfArray *array, const Sample *sample, uint64_t n)
{
    g_autofree XtfOpenFrame *frames = NULL;
    GError *error = NULL;
    size_t n_frames, at = 0;

    cr_assert_good(xtf_array_stack(array, BY_REGION, n, &frames, &n_frames, &error), error);
    for (guint i = 0; i < sample->calls->frames->len; i++) {
        const NaiveFrame *frame = &g_array_index(sample->calls->frames, NaiveFrame, i);
        if (frame->row >= n || frame->end_row < n)
            continue;
        cr_assert(at < n_frames && frames[at].row == frame->row && frames[at].key == frame->region &&
                      frames[at].time == frame->begin && frames[at].outermost == frame->outermost,
                  "row %" G_GUINT64_FORMAT ", frame %zu of the stack", n, at);
        at++;
    }
    cr_assert_eq(at, n_frames);
}

static void check_ends_of_frames(const XtfArray *array, const Sample *sample, GRand *random)
{
    const GArray *frames = sample->calls->frames;
    GError *error = NULL;

    for (unsigned i = 0; i < 12; i++) {
        const NaiveFrame *frame = &g_array_index(frames, NaiveFrame, g_rand_int(random) % frames->len);
        uint64_t end;
        cr_assert_good(xtf_array_frame_end(array, BY_REGION, frame->row, &end, &error), error);
        cr_assert_eq(end, MIN(frame->end_row, array->n_rows), "the frame of row %u", frame->row);
    }
}

/* Compares the longest frames in rows [n1, n2) with all frames there: how many are as long as the one at a rank, or
 * longer. */
static void check_longest_frames(const XtfArray *array, const Sample *sample, uint64_t n1, uint64_t n2)
{
    const uint64_t last = array->last + 800;
    XtfFrameSpan found[FRAMES];
    size_t n = FRAMES, all = 0, longer = 0;
    GError *error = NULL;

    cr_assert_good(xtf_array_longest(array, BY_REGION, NULL, n1, n2, last, found, &n, &error), error);
    for (guint i = 0; i < sample->calls->frames->len; i++) {
        const NaiveFrame *frame = &g_array_index(sample->calls->frames, NaiveFrame, i);
        const uint64_t ticks = MIN(frame->end, last) - frame->begin;
        if (frame->row < n1 || frame->row >= n2)
            continue;
        all++;
        longer += n > 0 && (ticks > found[n - 1].end - found[n - 1].begin ||
                            (ticks == found[n - 1].end - found[n - 1].begin && frame->row < found[n - 1].row));
        for (size_t f = 0; f < n; f++)
            if (found[f].row == frame->row)
                cr_assert(found[f].end - found[f].begin == ticks && found[f].key == frame->region &&
                          found[f].end_row == MIN(frame->end_row, array->n_rows));
    }
    cr_assert_eq(n, MIN(all, FRAMES));
    cr_assert_eq(longer, n > 0 ? n - 1 : 0, "%zu frames are before the last of %zu", longer, n);
    for (size_t f = 1; f < n; f++)
        cr_assert_geq(found[f - 1].end - found[f - 1].begin, found[f].end - found[f].begin);
}

/* Compares ranks and selects of rows that begin frames of some regions with a list of these rows. */
static void check_begins(const XtfArray *array, const Sample *sample, GRand *random)
{
    const uint64_t remainder = g_rand_int(random) % 7;
    const XtfGroupFilter filter = {.match = match_some_regions, .data = &remainder, .begins_only = true};
    g_autoptr(GArray) begins = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    GError *error = NULL;
    uint64_t n, rank;

    for (uint64_t i = 0; i < sample->rows->len; i++)
        if (row_at(sample, i)->call.event == 0 && row_at(sample, i)->call.region % 7 == remainder)
            g_array_append_val(begins, i);
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t k = g_rand_int(random) % (begins->len + 1);
        const uint64_t expected = k < begins->len ? g_array_index(begins, uint64_t, k) : array->n_rows;
        cr_assert_good(xtf_array_group_select(array, BY_REGION, &filter, k, &n, &error), error);
        cr_assert_eq(n, expected);
        cr_assert_good(xtf_array_group_rank(array, BY_REGION, &filter, n, &rank, &error), error);
        cr_assert_eq(rank, k);
    }
}

/* ---- Slices. */

typedef struct {
    const XtfArray *array;
    const Sample *sample;
    const uint64_t *edges;
    bool begins;
    uint64_t visited;
} Slices;

static bool check_slice_of_rows(const XtfSlice *slice, void *data, GError **error)
{
    Slices *slices = data;
    const uint64_t n1 = slices->edges[slice->number], n2 = slices->edges[slice->number + 1];
    uint64_t count = 0;
    NaiveCells cells;

    cr_assert_eq(slice->number, slices->visited++);
    for (uint64_t n = n1; n < n2; n++)
        count += !slices->begins || row_at(slices->sample, n)->call.event == 0;
    if (!slice->totals) {
        cr_assert_eq(slice->count, count);
        return true;
    }
    naive_totals(slices->sample->calls, n1, n2, cells);
    assert_cells(slice->totals, cells, "totals of a slice");
    return true;
}

static bool check_slice_of_time(const XtfSlice *slice, void *data, GError **error)
{
    Slices *slices = data;
    NaiveCells cells;

    cr_assert_eq(slice->number, slices->visited++);
    naive_profile(slices->sample->calls, slices->edges[slice->number], slices->edges[slice->number + 1],
                  slices->array->first - 500, slices->array->last + 800, cells);
    assert_cells(slice->totals, cells, "profile of a slice");
    return true;
}

static int compare_edges(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void check_slices_of_frames(const XtfArray *array, const Sample *sample, GRand *random)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[BY_REGION], 1);
    const XtfGroupFilter begins = {.begins_only = true};
    uint64_t edges[EDGES] = {0};
    GError *error = NULL;
    Slices slices = {.array = array, .sample = sample, .edges = edges};

    for (unsigned i = 1; i < EDGES; i++)
        edges[i] = i % 4 == 0 ? MIN(edges[i - 1] + 50, array->n_rows) : g_rand_int(random) % (array->n_rows + 1);
    qsort(edges, EDGES, sizeof *edges, compare_edges);
    cr_assert_good(
        xtf_array_slice_totals(array, BY_REGION, NULL, edges, EDGES, totals, check_slice_of_rows, &slices, &error),
        error);
    cr_assert_eq(slices.visited, EDGES - 1);
    slices = (Slices){.array = array, .sample = sample, .edges = edges, .begins = true};
    cr_assert_good(
        xtf_array_slice_totals(array, BY_REGION, &begins, edges, EDGES, NULL, check_slice_of_rows, &slices, &error),
        error);
    cr_assert_eq(slices.visited, EDGES - 1);
    slices = (Slices){.array = array, .sample = sample, .edges = edges};
    for (unsigned i = 0; i < EDGES; i++)
        edges[i] = array->first - 600 + (uint64_t)(g_rand_double(random) * (double)(array->last - array->first + 1500));
    qsort(edges, EDGES, sizeof *edges, compare_edges);
    cr_assert_good(xtf_array_slice_profiles(array, BY_REGION, edges, EDGES, array->first - 500, array->last + 800,
                                            totals, check_slice_of_time, &slices, &error),
                   error);
    cr_assert_eq(slices.visited, EDGES - 1);
}

/* ---- Groups. */

/* Groups of a kind, of peers of which a number is a divisor, and of tags below a number. */
typedef struct {
    uint64_t kind, multiple, tags;
} Chosen;

static XtfMatch match_chosen(const uint64_t *key, unsigned depth, const void *data)
{
    const Chosen *chosen = data;

    if ((depth > 0 && key[0] != chosen->kind) || (depth > 1 && key[1] % chosen->multiple != 0) ||
        (depth > 2 && key[2] >= chosen->tags))
        return XTF_MATCH_NONE;
    return depth > 2 || (depth > 1 && chosen->tags > UINT32_MAX) ? XTF_MATCH_ALL : XTF_MATCH_SOME;
}

static bool is_chosen(const Chosen *chosen, const WideRow *row)
{
    return row->kind == chosen->kind && row->peer % chosen->multiple == 0 && row->tag < chosen->tags;
}

/* Returns the number of rows and the bytes of each group, by the first keys in one number. */
static GHashTable *naive_groups(const Sample *sample, const Chosen *chosen, unsigned depth, uint64_t n1, uint64_t n2)
{
    GHashTable *groups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    for (uint64_t n = n1; n < n2; n++) {
        const WideRow *row = row_at(sample, n);
        const uint64_t key = (depth > 0 ? (uint64_t)row->kind << 56 : 0) | (depth > 1 ? (uint64_t)row->peer << 32 : 0) |
                             (depth > 2 ? row->tag : 0);
        uint64_t *group = chosen && !is_chosen(chosen, row) ? NULL : g_hash_table_lookup(groups, &key);
        if (chosen && !is_chosen(chosen, row))
            continue;
        if (!group) {
            group = g_new0(uint64_t, 3);
            group[0] = key;
            g_hash_table_insert(groups, group, group);
        }
        group[1]++;
        group[2] += row->bytes == UINT64_MAX ? 0 : row->bytes;
    }
    return groups;
}

static void check_groups(const XtfArray *array, const Sample *sample, const Chosen *chosen, unsigned depth, uint64_t n1,
                         uint64_t n2)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[BY_TUPLE], depth);
    g_autoptr(GHashTable) groups = naive_groups(sample, chosen, depth, n1, n2);
    const XtfGroupFilter filter = {.match = match_chosen, .data = chosen};
    GError *error = NULL;

    cr_assert_good(xtf_array_totals(array, BY_TUPLE, chosen ? &filter : NULL, n1, n2, totals, &error), error);
    cr_assert_eq(xtf_group_totals_n(totals), g_hash_table_size(groups));
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        const uint64_t *own = xtf_group_totals_key(totals, i), *cells = xtf_group_totals_cells(totals, i);
        const uint64_t key = (depth > 0 ? own[0] << 56 : 0) | (depth > 1 ? own[1] << 32 : 0) | (depth > 2 ? own[2] : 0);
        const uint64_t *group = g_hash_table_lookup(groups, &key);
        cr_assert(group && group[1] == cells[XTF_GROUP_ROWS] && group[2] == cells[1],
                  "rows %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ", %u keys, group %u", n1, n2, depth, i);
    }
}

/* Compares ranks and selects by a filter with a list of the rows that it accepts. */
static void check_chosen_rows(const XtfArray *array, const XtfGroupFilter *filter, const GArray *chosen, GRand *random)
{
    GError *error = NULL;
    uint64_t n, rank;

    for (unsigned i = 0; i < 4; i++) {
        const uint64_t k = g_rand_int(random) % (chosen->len + 1), to = g_rand_int(random) % (array->n_rows + 1);
        uint64_t before = 0;
        while (before < chosen->len && g_array_index(chosen, uint64_t, before) < to)
            before++;
        cr_assert_good(xtf_array_group_rank(array, BY_TUPLE, filter, to, &rank, &error), error);
        cr_assert_eq(rank, before);
        cr_assert_good(xtf_array_group_select(array, BY_TUPLE, filter, k, &n, &error), error);
        cr_assert_eq(n, k < chosen->len ? g_array_index(chosen, uint64_t, k) : array->n_rows);
        cr_assert_good(xtf_array_group_select_from(array, BY_TUPLE, filter, to, k, &n, &error), error);
        cr_assert_eq(n, before + k < chosen->len ? g_array_index(chosen, uint64_t, before + k) : array->n_rows);
    }
}

/* Checks ranks and selects of the rows of one group, and of many groups. */
static void check_selections(const XtfArray *array, const Sample *sample, const Chosen *chosen, GRand *random)
{
    const WideRow *any = row_at(sample, g_rand_int(random) % sample->rows->len);
    const uint64_t key[] = {any->kind, any->peer, any->tag};
    const XtfGroupFilter exact = {.exact = key}, filter = {.match = match_chosen, .data = chosen};
    g_autoptr(GArray) of_key = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GArray) of_filter = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (uint64_t n = 0; n < sample->rows->len; n++) {
        const WideRow *row = row_at(sample, n);
        if (row->kind == any->kind && row->peer == any->peer && row->tag == any->tag)
            g_array_append_val(of_key, n);
        if (is_chosen(chosen, row))
            g_array_append_val(of_filter, n);
    }
    check_chosen_rows(array, &exact, of_key, random);
    check_chosen_rows(array, &filter, of_filter, random);
}

static void check_queries(const XtfArray *array, const Sample *sample, unsigned rounds, GRand *random)
{
    for (unsigned i = 0; i < rounds; i++) {
        const uint64_t remainder = i % 7;
        const Chosen chosen = {i % 2, 1 + i % 3, i % 3 == 0 ? UINT64_MAX : 1 + i % 4 * 4000};
        uint64_t n1 = 0, n2 = array->n_rows;
        if (i > 0)
            pick_range(random, array->n_rows, &n1, &n2);
        check_totals_of_frames(array, sample, n1, n2, i % 2 ? &remainder : NULL);
        check_profile(array, sample, row_at(sample, MIN(n1, array->n_rows - 1))->call.time + i % 3,
                      n2 < array->n_rows ? row_at(sample, n2)->call.time : array->last + 100 * i);
        check_stack_at(array, sample, n1);
        if (i % 3 == 0) /* looks up the ends of all frames that are open at n1 or n2 */
            check_longest_frames(array, sample, n1, n2);
        check_groups(array, sample, i % 2 ? &chosen : NULL, i % 4, n1, n2);
        check_selections(array, sample, &chosen, random);
    }
    check_ends_of_frames(array, sample, random);
    check_begins(array, sample, random);
    check_slices_of_frames(array, sample, random);
}

static void check_shape(const char *path, const Shape *shape, bool plain, GRand *random)
{
    Sample sample = make_sample(random, shape);

    for (unsigned part = 0; part < shape->writers; part++)
        write_part(path, shape, plain, &sample, sample.rows->len * part / shape->writers,
                   sample.rows->len * (part + 1) / shape->writers, random);
    assert_batches(path, shape->page_size, shape->high ? 2 : 1);
    for (size_t cache = 1; cache <= 64 << 20; cache *= 64 << 20) { /* no block, and all blocks */
        g_autoptr(XtfTrace) trace = open_trace(path, cache);
        XtfArray array = find_array(trace, 7, 0);
        /* Queries differ by their number, up to the fifth in most ways. */
        check_queries(&array, &sample, cache > 1 ? MAX(TEST_ROUNDS(24), 5) : TEST_ROUNDS(10), random);
        if (cache > 1)
            assert_sound(trace);
    }
    calls_free(sample.calls);
    g_array_unref(sample.rows);
}

Test(batches, queries_agree_with_memory)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(shapes); i++) {
        if (TEST_IS_SLOW && (i / 2 + i) % 2 > 0) /* each shape by one codec */
            continue;
        if (shapes[i / 2].high && (TEST_IS_SLOW || !getenv("XTF_TEST_ALL")))
            continue;
        g_autoptr(GRand) random = g_rand_new_with_seed(61 + i);
        check_shape(path, &shapes[i / 2], i % 2, random);
        g_unlink(path);
    }
    remove_folder(folder);
}

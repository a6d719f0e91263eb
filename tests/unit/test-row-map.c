/* Rows mapped while they are unpacked, against rows mapped one by one as docs/FORMAT.md says. */
#include "fixture.h"
#include "libxtf/pack/pack.h"
#include "libxtf/references.h"
#include "libxtf/schema/row-map.h"

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint32_t region; /* optional */
    uint16_t metric;
    uint32_t text; /* optional */
    uint8_t type;
    uint64_t value;
} MappedRow;

enum { TYPE_NUMBER, TYPE_TEXT, TYPE_REGION, N_TYPES };
enum { REGIONS = 5, ALL_REGIONS = 40, METRICS = 300, ALL_METRICS = 900, STRINGS = 1000, BASE = 70000 };

static const char *const types[] = {"NUMBER", "TEXT", "REGION", NULL};

static const XtfFieldSpec fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "region", .type = XTF_TYPE_U32, .refers_to = "regions", .flags = XTF_FIELD_OPTIONAL},
    {.name = "metric", .type = XTF_TYPE_U16, .refers_to = "metrics"},
    {.name = "text", .type = XTF_TYPE_STRING, .flags = XTF_FIELD_OPTIONAL},
    {.name = "type", .type = XTF_TYPE_U8, .labels = types},
    {.name = "value", .type = XTF_TYPE_U64, .refers_to = "type:TEXT=,REGION=regions,NOTHING=regions"},
    {0},
};

static XtfSchema *new_schema(void)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("rows", XTF_SCHEMA_RECORD, fields, &error);
    cr_assert_good(schema, error);
    return schema;
}

static uint32_t *shuffled(GRand *random, uint32_t n, uint32_t n_all)
{
    uint32_t *all = g_new(uint32_t, n_all);

    for (uint32_t i = 0; i < n_all; i++)
        all[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t swap = (uint32_t)g_rand_int_range(random, (gint32)i, (gint32)n_all), row = all[i];
        all[i] = all[swap];
        all[swap] = row;
    }
    return all;
}

static XtfRowMap *new_map(const XtfSchema *schema, const uint32_t *regions, const uint32_t *metrics)
{
    g_autoptr(GArray) references = xtf_schema_references(schema);
    XtfRowMap *map = g_malloc0(sizeof *map + references->len * sizeof map->fields[0]);

    map->schema = schema;
    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        XtfNumberMap numbers = {.strings = true, .n = STRINGS, .base = BASE};
        if (reference->table && g_str_equal(reference->table, "regions"))
            numbers = (XtfNumberMap){.rows = regions, .n = REGIONS, .n_all = ALL_REGIONS};
        else if (reference->table)
            numbers = (XtfNumberMap){.rows = metrics, .n = METRICS, .n_all = ALL_METRICS};
        map->fields[map->n++] = (XtfFieldMap){reference->field, reference->chooser, reference->choice, numbers};
    }
    return map;
}

static uint64_t naive_row(const uint32_t *rows, uint64_t n, uint64_t n_all, uint64_t number)
{
    if (number < n)
        return rows[number];
    if (number < n_all)
        return n_all + (number - n);
    return number;
}

static MappedRow map_naively(const MappedRow *row, const uint32_t *regions, const uint32_t *metrics)
{
    MappedRow mapped = *row;

    if (row->region != UINT32_MAX)
        mapped.region = (uint32_t)naive_row(regions, REGIONS, ALL_REGIONS, row->region);
    mapped.metric = (uint16_t)naive_row(metrics, METRICS, ALL_METRICS, row->metric);
    if (row->text != UINT32_MAX)
        mapped.text = row->text < STRINGS ? row->text + BASE : UINT32_MAX;
    if (row->type == TYPE_TEXT)
        mapped.value = row->value < STRINGS ? row->value + BASE : UINT32_MAX;
    if (row->type == TYPE_REGION)
        mapped.value = naive_row(regions, REGIONS, ALL_REGIONS, row->value);
    return mapped;
}

/* Returns a random row. Few distinct rows are packed as templates, many as columns. */
static MappedRow random_row(GRand *random, uint64_t time, bool few)
{
    gint32 max = few ? 3 : 1100;

    return (MappedRow){
        .time = time,
        .region = g_rand_int_range(random, 0, 8) == 0 ? UINT32_MAX : (uint32_t)g_rand_int_range(random, 0, max),
        .metric = (uint16_t)g_rand_int_range(random, 0, few ? 2 : 1200),
        .text = g_rand_int_range(random, 0, 8) == 0 ? UINT32_MAX : (uint32_t)g_rand_int_range(random, 0, max),
        .type = (uint8_t)g_rand_int_range(random, 0, N_TYPES),
        .value = (uint64_t)g_rand_int_range(random, 0, max),
    };
}

static void compare_mapped(GRand *random, const XtfSchema *schema, bool few)
{
    enum { COUNT = 700 };
    g_autofree uint32_t *regions = shuffled(random, REGIONS, ALL_REGIONS);
    g_autofree uint32_t *metrics = shuffled(random, METRICS, ALL_METRICS);
    g_autofree XtfRowMap *map = new_map(schema, regions, metrics);
    g_autofree MappedRow *rows = g_new(MappedRow, COUNT), *unpacked = g_new(MappedRow, COUNT);
    uint32_t room = (uint32_t)xtf_pack_bound(schema, COUNT);
    g_autofree uint8_t *packed = g_malloc(room);
    const char *fault = NULL;

    cr_assert_eq(sizeof(MappedRow), schema->row_size);
    for (uint32_t i = 0; i < COUNT; i++)
        rows[i] = random_row(random, i, few);
    uint32_t length = xtf_pack(schema, (const uint8_t *)rows, COUNT, 1, packed, room, NULL);
    cr_assert(xtf_unpack_mapped(schema, map, packed, length, COUNT, (uint8_t *)unpacked, &fault), "%s", fault);
    for (uint32_t i = 0; i < COUNT; i++) {
        MappedRow expected = map_naively(&rows[i], regions, metrics);
        cr_assert(memcmp(&unpacked[i], &expected, sizeof expected) == 0, "row %u", i);
    }
    xtf_row_map_apply_all(map, (uint8_t *)rows, COUNT);
    cr_assert(memcmp(rows, unpacked, COUNT * sizeof *rows) == 0);
}

/* FORMAT R52, R53 */
Test(row_map, unpacking_maps_like_row_by_row)
{
    GRand *random = g_rand_new_with_seed(11);
    XtfSchema *schema = new_schema();

    for (unsigned round = 0; round < 40; round++)
        compare_mapped(random, schema, round % 2);
    xtf_schema_free(schema);
    g_rand_free(random);
}

Test(row_map, references)
{
    XtfSchema *schema = new_schema();
    GArray *references = xtf_schema_references(schema);

    cr_assert_eq(references->len, 5); /* a choice by a label that does not exist has no reference */
    const XtfReference *text = xtf_reference_at(references, 3), *region = xtf_reference_at(references, 4);
    cr_assert_eq(text->field, 5);
    cr_assert_null(text->table);
    cr_assert_eq(text->chooser, 4);
    cr_assert_eq(text->choice, TYPE_TEXT);
    cr_assert_str_eq(region->table, "regions");
    cr_assert_eq(region->choice, TYPE_REGION);
    g_array_unref(references);
    xtf_schema_free(schema);
}

Test(row_map, changes_fields_that_refer_to_something)
{
    g_autoptr(XtfSchema) schema = new_schema();
    g_autofree XtfRowMap *map = new_map(schema, NULL, NULL);
    const uint8_t one_by_one[] = {0, 1, 2, 3, 4, 5}, numbers[] = {4, 0}, some[] = {0, 5, 4};
    const bool expected[] = {false, true, true, true, false, true};

    for (unsigned f = 0; f < G_N_ELEMENTS(one_by_one); f++)
        cr_assert_eq(xtf_row_map_changes(map, &one_by_one[f], 1), expected[f], "field %u", f);
    cr_assert(xtf_row_map_changes(map, some, G_N_ELEMENTS(some)));
    cr_assert_not(xtf_row_map_changes(map, numbers, G_N_ELEMENTS(numbers)));
}

/* Aggregates that a schema declares: invalid ones are refused, and valid ones survive encoding. */
#include "fixture.h"

#include "libxtf/schema/schema-codec.h"

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const XtfFieldSpec fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "region", .type = XTF_TYPE_U32},
    {.name = "event", .type = XTF_TYPE_U8},
    {.name = "distance", .type = XTF_TYPE_U32, .flags = XTF_FIELD_DISTANCE},
    {.name = "outermost", .type = XTF_TYPE_U8},
    {.name = "kind", .type = XTF_TYPE_U8},
    {.name = "value", .type = XTF_TYPE_U64},
    {.name = "real", .type = XTF_TYPE_F64},
    {.name = "text", .type = XTF_TYPE_STRING},
    {.name = "signed", .type = XTF_TYPE_I32},
    {0},
};

static XtfSchema *make_schema(XtfSchemaKind kind)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("calls", kind, fields, &error);
    cr_assert_good(schema, error);
    return schema;
}

static XtfSchema *make_with_aggregates(void)
{
    GError *error = NULL;
    XtfSchema *schema = make_schema(XTF_SCHEMA_RECORD);
    const XtfAggregateSpec specs[] = {
        {.kind = XTF_AGGREGATE_FRAMES, .keys = NAMES("region"), .values = NAMES("event", "distance", "outermost")},
        {.kind = XTF_AGGREGATE_GROUPS,
         .keys = NAMES("region", "kind"),
         .values = NAMES("value", "real", "signed"),
         .extremes = true,
         .typed_by = "kind",
         .reals = 4,
         .signeds = 3},
        {.kind = XTF_AGGREGATE_GROUPS},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(specs); i++)
        cr_assert_good(xtf_schema_add_aggregate(schema, &specs[i], &error), error);
    return schema;
}

Test(schema_aggregates, fields_by_their_names)
{
    g_autoptr(XtfSchema) schema = make_with_aggregates();

    cr_assert_eq(schema->n_aggregates, 3);
    cr_assert(schema->aggregates[0].n_keys == 1 && schema->aggregates[0].keys[0] == 1);
    cr_assert(schema->aggregates[0].n_values == 3 && memcmp(schema->aggregates[0].values, "\2\3\4", 3) == 0);
    cr_assert(schema->aggregates[1].n_keys == 2 && memcmp(schema->aggregates[1].keys, "\1\5", 2) == 0);
    cr_assert(schema->aggregates[1].n_values == 3 && memcmp(schema->aggregates[1].values, "\6\7\11", 3) == 0);
    cr_assert(schema->aggregates[1].extremes && schema->aggregates[1].typed_by == 2);
    cr_assert(schema->aggregates[1].reals == 4 && schema->aggregates[1].signeds == 3);
    cr_assert_eq(xtf_aggregate_n_cells(&schema->aggregates[0]), XTF_FRAMES_CELLS);
    cr_assert_eq(xtf_aggregate_n_cells(&schema->aggregates[1]), 1 + 3 * 4);
    cr_assert_eq(xtf_aggregate_n_cells(&schema->aggregates[2]), 1);
}

Test(schema_aggregates, invalid_aggregates_are_refused)
{
    const XtfAggregateSpec bad[] = {
        {.kind = 3},
        {.kind = XTF_AGGREGATE_GROUPS, .keys = NAMES("nothing")},
        {.kind = XTF_AGGREGATE_GROUPS, .keys = NAMES("region", "region")},
        {.kind = XTF_AGGREGATE_GROUPS,
         .keys = NAMES("time", "region", "event", "distance", "outermost", "kind", "value")},
        {.kind = XTF_AGGREGATE_GROUPS, .values = NAMES("text")},
        {.kind = XTF_AGGREGATE_GROUPS, .values = NAMES("value", "real", "event", "region", "kind")},
        {.kind = XTF_AGGREGATE_GROUPS, .keys = NAMES("region"), .values = NAMES("value"), .typed_by = "kind"},
        {.kind = XTF_AGGREGATE_GROUPS, .keys = NAMES("kind"), .values = NAMES("real"), .typed_by = "kind"},
        {.kind = XTF_AGGREGATE_GROUPS,
         .keys = NAMES("kind"),
         .values = NAMES("value"),
         .typed_by = "kind",
         .reals = 2,
         .signeds = 6},
        {.kind = XTF_AGGREGATE_GROUPS, .keys = NAMES("kind"), .values = NAMES("value"), .reals = 2},
        {.kind = XTF_AGGREGATE_FRAMES, .keys = NAMES("region")},
        {.kind = XTF_AGGREGATE_FRAMES, .values = NAMES("event", "distance", "outermost")},
        {.kind = XTF_AGGREGATE_FRAMES, .keys = NAMES("value"), .values = NAMES("event", "distance", "outermost")},
        {.kind = XTF_AGGREGATE_FRAMES, .keys = NAMES("signed"), .values = NAMES("event", "distance", "outermost")},
        {.kind = XTF_AGGREGATE_FRAMES, .keys = NAMES("region"), .values = NAMES("distance", "event", "outermost")},
        {.kind = XTF_AGGREGATE_FRAMES,
         .keys = NAMES("region"),
         .values = NAMES("event", "distance", "outermost"),
         .extremes = true},
    };
    g_autoptr(XtfSchema) schema = make_schema(XTF_SCHEMA_SIDE);

    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_not(xtf_schema_add_aggregate(schema, &bad[i], &error), "number %zu", i);
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID));
        cr_assert_eq(schema->n_aggregates, 0);
    }
    const XtfAggregateSpec good = {.kind = XTF_AGGREGATE_GROUPS};
    for (unsigned i = 0; i < XTF_AGGREGATES_MAX; i++)
        cr_assert(xtf_schema_add_aggregate(schema, &good, NULL));
    cr_assert_not(xtf_schema_add_aggregate(schema, &good, NULL));

    g_autoptr(XtfSchema) table = make_schema(XTF_SCHEMA_TABLE);
    cr_assert_not(xtf_schema_add_aggregate(table, &good, NULL));
}

Test(schema_aggregates, copies_are_equal_and_differences_are_detected)
{
    g_autoptr(XtfSchema) schema = make_with_aggregates();
    g_autoptr(XtfSchema) copy = xtf_schema_copy(schema);
    g_autoptr(XtfSchema) without = make_schema(XTF_SCHEMA_RECORD);

    cr_assert(xtf_schema_equal(schema, copy));
    cr_assert_not(xtf_schema_equal(schema, without));
    copy->aggregates[1].reals = 8;
    cr_assert_not(xtf_schema_equal(schema, copy));
    copy->aggregates[1].reals = schema->aggregates[1].reals;
    copy->aggregates[0].keys[0] = 5;
    cr_assert_not(xtf_schema_equal(schema, copy));
}

Test(schema_aggregates, are_the_same_after_encoding)
{
    g_autoptr(XtfSchema) schema = make_with_aggregates();
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    xtf_schema_encode(schema, bytes);
    XtfBytesReader reader = {.at = bytes->data, .left = bytes->len};
    g_autoptr(XtfSchema) again = xtf_schema_decode(&reader, NULL);
    cr_assert(again && xtf_schema_equal(schema, again));
    cr_assert_eq(reader.left, 0);
    /* The bytes of the aggregates, which are last, with all values. The result is an error, or valid or unknown
     * aggregates. */
    for (guint at = bytes->len - 3 * 24 - 4 - 5; at < bytes->len; at++) {
        uint8_t before = bytes->data[at];
        for (unsigned value = 0; value < 256; value++) {
            g_autoptr(GError) error = NULL;
            bytes->data[at] = (uint8_t)value;
            reader = (XtfBytesReader){.at = bytes->data, .left = bytes->len};
            g_autoptr(XtfSchema) changed = xtf_schema_decode(&reader, &error);
            if (!changed)
                cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED));
            else if (!xtf_schema_validate(changed, &error))
                cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED));
            cr_assert(value == before ? changed != NULL : true);
        }
        bytes->data[at] = before;
    }
    /* A key that is no field. */
    bytes->data[bytes->len - 24 - 3 - 2] = 10;
    reader = (XtfBytesReader){.at = bytes->data, .left = bytes->len};
    cr_assert_null(xtf_schema_decode(&reader, NULL));
}

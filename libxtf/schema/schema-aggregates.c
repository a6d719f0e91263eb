/*
 * The aggregates that a schema declares: validity rules and number of cells.
 */
#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/schema/schema-codec.h"

unsigned xtf_aggregate_n_cells(const XtfAggregate *aggregate)
{
    if (aggregate->kind == XTF_AGGREGATE_FRAMES)
        return XTF_FRAMES_CELLS;
    return 1u + aggregate->n_values * (aggregate->extremes ? (unsigned)XTF_VALUE_CELLS : 1u);
}

static bool fail_aggregate(const XtfSchema *schema, GError **error, const char *problem)
{
    return xtf_fail(error, XTF_ERROR_INVALID, "schema \"%s\": aggregate: %s", schema->name, problem);
}

static bool is_unsigned(XtfType type)
{
    return type == XTF_TYPE_U8 || type == XTF_TYPE_U16 || type == XTF_TYPE_U32 || type == XTF_TYPE_U64;
}

void xtf_aggregate_set_value_types(const XtfSchema *schema, XtfAggregate *aggregate)
{
    aggregate->real_values = aggregate->signed_values = aggregate->typed_values = 0;
    for (unsigned i = 0; i < aggregate->n_values; i++) {
        XtfType type = schema->fields[aggregate->values[i]].type;
        aggregate->real_values |= (uint8_t)((type == XTF_TYPE_F64) << i);
        aggregate->signed_values |= (uint8_t)((type == XTF_TYPE_I32 || type == XTF_TYPE_I64) << i);
        aggregate->typed_values |= (uint8_t)((type == XTF_TYPE_U64 && aggregate->typed_by != 0) << i);
    }
}

/* True if the aggregate is valid for frames. XTF_FRAMES_BEFORE has all bits set. The key must therefore have a type
 * that cannot hold this value, not even by sign extension. */
static bool frames_are_sound(const XtfSchema *schema, const XtfAggregate *aggregate, GError **error)
{
    if (aggregate->n_keys != 1 || aggregate->n_values != 3 || aggregate->extremes || aggregate->filters ||
        aggregate->typed_by != 0 || aggregate->reals != 0 || aggregate->signeds != 0)
        return fail_aggregate(schema, error, "frames have one key and three values, and nothing else");
    const XtfField *key = &schema->fields[aggregate->keys[0]];
    if (!is_unsigned(key->type) || key->type == XTF_TYPE_U64)
        return fail_aggregate(schema, error, "the key of frames must be a U8, U16 or U32");
    for (unsigned i = 0; i < aggregate->n_values; i++)
        if (aggregate->values[i] == 0 || !is_unsigned(schema->fields[aggregate->values[i]].type))
            return fail_aggregate(schema, error, "the values of frames must be unsigned, and not the time");
    if (!(schema->fields[aggregate->values[1]].flags & XTF_FIELD_DISTANCE))
        return fail_aggregate(schema, error, "the second value of frames must be a distance");
    return true;
}

static bool groups_are_sound(const XtfSchema *schema, const XtfAggregate *aggregate, GError **error)
{
    bool typed = false, filtered = false;

    for (unsigned i = 0; i < aggregate->n_keys; i++)
        filtered |= xtf_key_is_filtered(&schema->fields[aggregate->keys[i]]);
    if (aggregate->filters && !filtered)
        return fail_aggregate(schema, error, "filters need a key that is no string and refers to no table");
    for (unsigned i = 0; i < aggregate->n_values; i++) {
        XtfType type = schema->fields[aggregate->values[i]].type;
        if (type == XTF_TYPE_STRING)
            return fail_aggregate(schema, error, "a string has no sum");
        typed |= type == XTF_TYPE_U64;
    }
    if (aggregate->typed_by > aggregate->n_keys || (aggregate->typed_by > 0 && !typed))
        return fail_aggregate(schema, error,
                              "the key that gives the type of values does not exist, or no value is a U64");
    if ((aggregate->reals & aggregate->signeds) != 0 ||
        (aggregate->typed_by == 0 && (aggregate->reals | aggregate->signeds) != 0))
        return fail_aggregate(schema, error, "a label gives a value two types, or no key gives types of values");
    return true;
}

static bool fields_exist(const XtfSchema *schema, const uint8_t *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (fields[i] >= schema->n_fields)
            return false;
        for (unsigned before = 0; before < i; before++)
            if (fields[before] == fields[i])
                return false;
    }
    return true;
}

bool xtf_aggregate_validate(const XtfSchema *schema, const XtfAggregate *aggregate, GError **error)
{
    if (schema->kind == XTF_SCHEMA_TABLE)
        return fail_aggregate(schema, error, "not allowed in a table");
    if (aggregate->kind != XTF_AGGREGATE_GROUPS && aggregate->kind != XTF_AGGREGATE_FRAMES)
        return fail_aggregate(schema, error, "unknown kind");
    if (aggregate->n_keys > XTF_AGGREGATE_KEYS_MAX || aggregate->n_values > XTF_AGGREGATE_VALUES_MAX)
        return fail_aggregate(schema, error, "too many keys or values");
    if (!fields_exist(schema, aggregate->keys, aggregate->n_keys) ||
        !fields_exist(schema, aggregate->values, aggregate->n_values))
        return fail_aggregate(schema, error, "a key or value is not a field, or occurs twice");
    for (unsigned i = 0; i < aggregate->n_keys; i++)
        /* A merge could not convert such keys of stored totals. */
        if (strchr(schema->fields[aggregate->keys[i]].refers_to, ':'))
            return fail_aggregate(schema, error, "a key refers to one of several tables");
    return aggregate->kind == XTF_AGGREGATE_FRAMES ? frames_are_sound(schema, aggregate, error)
                                                   : groups_are_sound(schema, aggregate, error);
}

bool xtf_aggregate_is_supported(const XtfSchema *schema, unsigned index, GError **error)
{
    return schema->aggregates[index].kind != XTF_AGGREGATE_UNKNOWN ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED, "schema \"%s\": aggregate %u is not known to this program",
                    schema->name, index);
}

/* Finds the field numbers of names. Returns false if a name is not a field's, or there are more than `most` names. */
static bool find_named_fields(const XtfSchema *schema, const char *const *names, uint8_t *fields, uint8_t *count,
                              unsigned most)
{
    *count = 0;
    for (; names && *names; names++) {
        const XtfField *field = xtf_schema_field(schema, *names);
        if (!field || *count == most)
            return false;
        fields[(*count)++] = (uint8_t)(field - schema->fields);
    }
    return true;
}

/* Returns 1 + the index of the key in keys[]; 0 if the field is not a key. */
static uint8_t key_number(const XtfSchema *schema, const XtfAggregate *aggregate, const char *name)
{
    for (uint8_t i = 0; i < aggregate->n_keys; i++)
        if (g_str_equal(schema->fields[aggregate->keys[i]].name, name))
            return i + 1;
    return 0;
}

bool xtf_schema_add_aggregate(XtfSchema *schema, const XtfAggregateSpec *spec, GError **error)
{
    XtfAggregate aggregate = {.kind = spec->kind,
                              .extremes = spec->extremes,
                              .filters = spec->filters,
                              .reals = spec->reals,
                              .signeds = spec->signeds};

    if (schema->n_aggregates == XTF_AGGREGATES_MAX)
        return fail_aggregate(schema, error, "the schema has too many aggregates");
    if (!find_named_fields(schema, spec->keys, aggregate.keys, &aggregate.n_keys, XTF_AGGREGATE_KEYS_MAX) ||
        !find_named_fields(schema, spec->values, aggregate.values, &aggregate.n_values, XTF_AGGREGATE_VALUES_MAX))
        return fail_aggregate(schema, error, "a key or value is not a field, or there are too many");
    if (spec->typed_by) {
        aggregate.typed_by = key_number(schema, &aggregate, spec->typed_by);
        if (aggregate.typed_by == 0)
            return fail_aggregate(schema, error, "the field that gives the type is not a key");
    }
    if (!xtf_aggregate_validate(schema, &aggregate, error))
        return false;
    xtf_aggregate_set_value_types(schema, &aggregate);
    schema->aggregates[schema->n_aggregates++] = aggregate;
    return true;
}

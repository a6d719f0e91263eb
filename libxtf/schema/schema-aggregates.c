/*
 * The aggregates that a schema declares: the rules that they keep, and their cells.
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

static bool refuse(const XtfSchema *schema, GError **error, const char *what)
{
    return xtf_fail(error, XTF_ERROR_INVALID, "schema \"%s\": aggregate: %s", schema->name, what);
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

/* XTF_FRAMES_BEFORE has all bits set, so no field may be the key that could hold this, or be extended to it. */
static bool frames_are_sound(const XtfSchema *schema, const XtfAggregate *aggregate, GError **error)
{
    if (aggregate->n_keys != 1 || aggregate->n_values != 3 || aggregate->extremes || aggregate->filters ||
        aggregate->typed_by != 0)
        return refuse(schema, error, "frames have one key and three values, and nothing else");
    const XtfField *key = &schema->fields[aggregate->keys[0]];
    if (!is_unsigned(key->type) || key->type == XTF_TYPE_U64)
        return refuse(schema, error, "the key of frames must be a U8, U16 or U32");
    for (unsigned i = 0; i < aggregate->n_values; i++)
        if (aggregate->values[i] == 0 || !is_unsigned(schema->fields[aggregate->values[i]].type))
            return refuse(schema, error, "the values of frames must be unsigned, and not the time");
    if (!(schema->fields[aggregate->values[1]].flags & XTF_FIELD_DISTANCE))
        return refuse(schema, error, "the second value of frames must be a distance");
    return true;
}

static bool groups_are_sound(const XtfSchema *schema, const XtfAggregate *aggregate, GError **error)
{
    bool typed = false, filtered = false;

    for (unsigned i = 0; i < aggregate->n_keys; i++)
        filtered |= xtf_key_is_filtered(&schema->fields[aggregate->keys[i]]);
    if (aggregate->filters && !filtered)
        return refuse(schema, error, "no key can be filtered by");
    for (unsigned i = 0; i < aggregate->n_values; i++) {
        XtfType type = schema->fields[aggregate->values[i]].type;
        if (type == XTF_TYPE_STRING)
            return refuse(schema, error, "a string has no sum");
        typed |= type == XTF_TYPE_U64;
    }
    if (aggregate->typed_by > aggregate->n_keys || (aggregate->typed_by > 0 && !typed))
        return refuse(schema, error, "the key that gives a type does not exist, or no value takes its type");
    if ((aggregate->reals & aggregate->signeds) != 0 ||
        (aggregate->typed_by == 0 && (aggregate->reals | aggregate->signeds) != 0))
        return refuse(schema, error, "a key gives a value two types, or no key gives types");
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
        return refuse(schema, error, "a table can have none");
    if (aggregate->kind != XTF_AGGREGATE_GROUPS && aggregate->kind != XTF_AGGREGATE_FRAMES)
        return refuse(schema, error, "no such kind");
    if (aggregate->n_keys > XTF_AGGREGATE_KEYS_MAX || aggregate->n_values > XTF_AGGREGATE_VALUES_MAX)
        return refuse(schema, error, "too many keys or values");
    if (!fields_exist(schema, aggregate->keys, aggregate->n_keys) ||
        !fields_exist(schema, aggregate->values, aggregate->n_values))
        return refuse(schema, error, "a key or value is no field, or is named twice");
    for (unsigned i = 0; i < aggregate->n_keys; i++)
        if (strchr(schema->fields[aggregate->keys[i]].refers_to, ':')) /* merging could not map stored keys */
            return refuse(schema, error, "a key refers to one of several tables");
    return aggregate->kind == XTF_AGGREGATE_FRAMES ? frames_are_sound(schema, aggregate, error)
                                                   : groups_are_sound(schema, aggregate, error);
}

bool xtf_aggregate_is_known(const XtfSchema *schema, unsigned index, GError **error)
{
    return schema->aggregates[index].kind != XTF_AGGREGATE_UNKNOWN ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED, "schema \"%s\": its aggregate %u is not known to this program",
                    schema->name, index);
}

/* The numbers of the named fields, `most` at most. */
static bool find_fields(const XtfSchema *schema, const char *const *names, uint8_t *fields, uint8_t *count,
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

/* 1 + the index of a key in keys[]; 0 if the field is no key. */
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
        return refuse(schema, error, "there are too many");
    if (!find_fields(schema, spec->keys, aggregate.keys, &aggregate.n_keys, XTF_AGGREGATE_KEYS_MAX) ||
        !find_fields(schema, spec->values, aggregate.values, &aggregate.n_values, XTF_AGGREGATE_VALUES_MAX))
        return refuse(schema, error, "a key or value is no field, or there are too many");
    if (spec->typed_by) {
        aggregate.typed_by = key_number(schema, &aggregate, spec->typed_by);
        if (aggregate.typed_by == 0)
            return refuse(schema, error, "the field that gives the type is no key");
    }
    if (!xtf_aggregate_validate(schema, &aggregate, error))
        return false;
    xtf_aggregate_set_value_types(schema, &aggregate);
    schema->aggregates[schema->n_aggregates++] = aggregate;
    return true;
}

/*
 * The sums that a schema declares: which are sound, and their cells.
 */
#include "libxtf/schema/schema-codec.h"
#include "libxtf/sums.h"

unsigned xtf_sums_n_cells(const XtfSums *sums)
{
    if (sums->kind == XTF_SUMS_FRAMES)
        return XTF_FRAMES_CELLS;
    return 1u + sums->n_values * (sums->extremes ? (unsigned)XTF_VALUE_CELLS : 1u);
}

static bool refuse(const XtfSchema *schema, GError **error, const char *what)
{
    g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "schema \"%s\": sums: %s", schema->name, what);
    return false;
}

static bool is_unsigned(XtfType type)
{
    return type == XTF_TYPE_U8 || type == XTF_TYPE_U16 || type == XTF_TYPE_U32 || type == XTF_TYPE_U64;
}

void xtf_schema_type_sums(const XtfSchema *schema, XtfSums *sums)
{
    sums->real_values = sums->signed_values = sums->typed_values = 0;
    for (unsigned i = 0; i < sums->n_values; i++) {
        XtfType type = schema->fields[sums->values[i]].type;
        sums->real_values |= (uint8_t)((type == XTF_TYPE_F64) << i);
        sums->signed_values |= (uint8_t)((type == XTF_TYPE_I32 || type == XTF_TYPE_I64) << i);
        sums->typed_values |= (uint8_t)((type == XTF_TYPE_U64 && sums->typed_by != 0) << i);
    }
}

/* A key of all bits set is XTF_FRAMES_BEFORE, so a field that could hold it, or be extended to it, is no key. */
static bool frames_are_sound(const XtfSchema *schema, const XtfSums *sums, GError **error)
{
    if (sums->n_keys != 1 || sums->n_values != 3 || sums->extremes || sums->typed_by != 0)
        return refuse(schema, error, "frames have one key and three values, and nothing else");
    const XtfField *key = &schema->fields[sums->keys[0]];
    if (!is_unsigned(key->type) || key->type == XTF_TYPE_U64)
        return refuse(schema, error, "the key of frames must be a U8, U16 or U32");
    for (unsigned i = 0; i < sums->n_values; i++)
        if (!is_unsigned(schema->fields[sums->values[i]].type))
            return refuse(schema, error, "the values of frames must be unsigned");
    if (!(schema->fields[sums->values[1]].flags & XTF_FIELD_DISTANCE))
        return refuse(schema, error, "the second value of frames must be a distance");
    return true;
}

static bool groups_are_sound(const XtfSchema *schema, const XtfSums *sums, GError **error)
{
    bool typed = false;

    for (unsigned i = 0; i < sums->n_values; i++) {
        XtfType type = schema->fields[sums->values[i]].type;
        if (type == XTF_TYPE_STRING)
            return refuse(schema, error, "a string has no sum");
        typed |= type == XTF_TYPE_U64;
    }
    if (sums->typed_by > sums->n_keys || (sums->typed_by > 0 && !typed))
        return refuse(schema, error, "no such key types a value, or there is none that is typed");
    if ((sums->reals & sums->signeds) != 0 || (sums->typed_by == 0 && (sums->reals | sums->signeds) != 0))
        return refuse(schema, error, "a key types its value in two ways, or none types it");
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

bool xtf_schema_sums_are_sound(const XtfSchema *schema, const XtfSums *sums, GError **error)
{
    if (schema->kind == XTF_SCHEMA_TABLE)
        return refuse(schema, error, "a table has none");
    if (sums->kind != XTF_SUMS_GROUPS && sums->kind != XTF_SUMS_FRAMES)
        return refuse(schema, error, "no such kind");
    if (sums->n_keys > XTF_SUMS_KEYS_MAX || sums->n_values > XTF_SUMS_VALUES_MAX)
        return refuse(schema, error, "too many keys or values");
    if (!fields_exist(schema, sums->keys, sums->n_keys) || !fields_exist(schema, sums->values, sums->n_values))
        return refuse(schema, error, "a key or value that is no field, or is named twice");
    return sums->kind == XTF_SUMS_FRAMES ? frames_are_sound(schema, sums, error)
                                         : groups_are_sound(schema, sums, error);
}

/* The numbers of the fields of these names, at most `most`. */
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

/* The place of a key among the keys, plus 1; 0 if it is none. */
static uint8_t key_place(const XtfSchema *schema, const XtfSums *sums, const char *name)
{
    for (uint8_t i = 0; i < sums->n_keys; i++)
        if (g_str_equal(schema->fields[sums->keys[i]].name, name))
            return i + 1;
    return 0;
}

bool xtf_schema_add_sums(XtfSchema *schema, const XtfSumsSpec *spec, GError **error)
{
    XtfSums sums = {.kind = spec->kind, .extremes = spec->extremes, .reals = spec->reals, .signeds = spec->signeds};

    if (schema->n_sums == XTF_SUMS_MAX)
        return refuse(schema, error, "there are too many");
    if (!find_fields(schema, spec->keys, sums.keys, &sums.n_keys, XTF_SUMS_KEYS_MAX) ||
        !find_fields(schema, spec->values, sums.values, &sums.n_values, XTF_SUMS_VALUES_MAX))
        return refuse(schema, error, "a key or value that is no field, or too many of them");
    if (spec->typed_by) {
        sums.typed_by = key_place(schema, &sums, spec->typed_by);
        if (sums.typed_by == 0)
            return refuse(schema, error, "what types the values is no key");
    }
    if (!xtf_schema_sums_are_sound(schema, &sums, error))
        return false;
    xtf_schema_type_sums(schema, &sums);
    schema->sums[schema->n_sums++] = sums;
    return true;
}

bool xtf_sums_equal(const XtfSums *a, const XtfSums *b)
{
    return a->kind == b->kind && a->n_keys == b->n_keys && a->n_values == b->n_values && a->extremes == b->extremes &&
           a->typed_by == b->typed_by && a->reals == b->reals && a->signeds == b->signeds &&
           memcmp(a->keys, b->keys, a->n_keys) == 0 && memcmp(a->values, b->values, a->n_values) == 0;
}

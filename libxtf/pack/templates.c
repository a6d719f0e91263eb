/*
 * Finds templates.
 *
 * Each row is converted to a vector of the values of its fields in templates. Rising fields have differences instead of
 * values, and chained distances a bit. Rows of one template have equal vectors. The values are not split into fields: a
 * vector consists of 8-byte words of the row, with the bytes of other fields masked out.
 *
 * The template of a row is usually the one that followed the previous row's template the last time, or another one that
 * followed it earlier. The search compares these two first, and uses the hash table only if both differ.
 */
#include "libxtf/pack/templates.h"

enum {
    WORDS_MAX = XTF_ROW_MAX / 8,
    VECTOR_MAX = WORDS_MAX + XTF_FIELDS_MAX + 1,
    HASH_BITS = 10, /* the table is at most a quarter full */
    NO_TEMPLATE = UINT16_MAX,
};

/* The layout of a vector: words, differences, distances, and a bit for each chained distance. */
typedef struct {
    unsigned n_words, n_steps, n_distances, length;
    struct {
        uint32_t at;
        uint64_t mask;
    } words[WORDS_MAX];
    XtfPackField steps[XTF_FIELDS_MAX], distances[XTF_FIELDS_MAX];
    uint64_t before[XTF_FIELDS_MAX]; /* values of the rising fields in the previous row */
} Shape;

typedef struct {
    const Shape *shape;
    unsigned n, limit;
    uint64_t *vectors; /* one of each template: shape->length words */
    uint16_t table[1 << HASH_BITS];
    /* For each template: the one that followed it the last time, and the one that followed it before that. */
    struct {
        uint16_t last, earlier;
    } followers[XTF_PACK_TEMPLATES_MAX];
} Templates;

void xtf_pack_input_init(XtfPackInput *input, const XtfSchema *schema, const uint8_t *rows, uint32_t count)
{
    *input = (XtfPackInput){.schema = schema, .rows = rows, .count = count, .n_fields = schema->n_fields - 1};
    for (unsigned f = 0; f < input->n_fields; f++) {
        const XtfField *field = &schema->fields[f + 1];
        XtfPackField *to = &input->fields[f];
        *to = xtf_pack_field(field);
        if (field->type == XTF_TYPE_F64)
            continue;
        to->mode = field->flags & XTF_FIELD_RISES      ? XTF_PACK_STEP
                   : field->flags & XTF_FIELD_DISTANCE ? XTF_PACK_DISTANCE
                                                       : XTF_PACK_VALUE;
        /* The first row gets the difference of the second row, so that it needs no additional template. */
        input->before[f] = xtf_pack_get(to, rows);
        if (count > 1)
            input->before[f] -= xtf_pack_get(to, rows + schema->row_size) - input->before[f];
    }
}

/* Adds the words that cover the bytes of VALUE fields, from the end of the row to its start. */
static void add_words(Shape *shape, const XtfPackInput *input)
{
    bool covered[XTF_ROW_MAX] = {false};

    for (unsigned f = 0; f < input->n_fields; f++)
        if (input->fields[f].mode == XTF_PACK_VALUE)
            memset(covered + input->fields[f].field->offset, true, input->fields[f].field->width);
    for (uint32_t end = input->schema->row_size; end > 8; end--) {
        if (!covered[end - 1])
            continue;
        uint64_t mask = 0;
        for (unsigned byte = 0; byte < 8; byte++)
            mask |= covered[end - 8 + byte] ? UINT64_C(0xff) << 8 * byte : 0;
        memset(covered + end - 8, false, 8);
        shape->words[shape->n_words].at = end - 8;
        shape->words[shape->n_words++].mask = mask;
    }
}

static void make_shape(Shape *shape, const XtfPackInput *input)
{
    shape->n_words = shape->n_steps = shape->n_distances = 0;
    add_words(shape, input);
    for (unsigned f = 0; f < input->n_fields; f++)
        if (input->fields[f].mode == XTF_PACK_STEP) {
            shape->before[shape->n_steps] = input->before[f];
            shape->steps[shape->n_steps++] = input->fields[f];
        } else if (input->fields[f].mode == XTF_PACK_DISTANCE) {
            shape->distances[shape->n_distances++] = input->fields[f];
        }
    shape->length = shape->n_words + shape->n_steps + shape->n_distances + 1;
}

/* Builds the vector of row n and compares it with `guess` in the same loops: a comparison afterwards would wait until
 * the vector is written. */
static inline bool make_vector(Shape *shape, const XtfPackInput *input, uint32_t n, const uint64_t *guess,
                               uint64_t *vector)
{
    const uint8_t *row = input->rows + (size_t)n * input->schema->row_size;
    uint64_t chained = 0, difference = 0;

    for (unsigned i = 0; i < shape->n_words; i++) {
        *vector = xtf_load64(row + shape->words[i].at) & shape->words[i].mask;
        difference |= *vector++ ^ *guess++;
    }
    for (unsigned i = 0; i < shape->n_steps; i++) {
        uint64_t value = xtf_pack_get(&shape->steps[i], row);
        *vector = (value - shape->before[i]) & shape->steps[i].mask;
        difference |= *vector++ ^ *guess++;
        shape->before[i] = value;
    }
    for (unsigned i = 0; i < shape->n_distances; i++) {
        uint64_t value = xtf_pack_get(&shape->distances[i], row);
        bool is_chained = xtf_is_chained(input, &shape->distances[i], n, value);
        chained |= (uint64_t)is_chained << i;
        *vector = is_chained ? 0 : value;
        difference |= *vector++ ^ *guess++;
    }
    *vector = chained;
    return difference == 0 && *guess == chained;
}

static inline bool vectors_equal(const uint64_t *a, const uint64_t *b, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static unsigned hash_vector(const uint64_t *vector, unsigned length)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < length; i++) {
        h = (h ^ vector[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (unsigned)(h * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS));
}

/* Returns the number of the vector's template, and adds the template if it is new. Returns NO_TEMPLATE if there are too
 * many. */
static uint16_t look_up_template(Templates *templates, const uint64_t *vector, uint32_t row, uint32_t *firsts)
{
    unsigned length = templates->shape->length;
    unsigned slot = hash_vector(vector, length);

    for (; templates->table[slot] != NO_TEMPLATE; slot = (slot + 1) % G_N_ELEMENTS(templates->table))
        if (vectors_equal(vector, templates->vectors + templates->table[slot] * length, length))
            return templates->table[slot];
    if (templates->n == templates->limit)
        return NO_TEMPLATE;
    firsts[templates->n] = row;
    memcpy(templates->vectors + templates->n * length, vector, length * sizeof *vector);
    return templates->table[slot] = (uint16_t)templates->n++;
}

/* Finds the template of one row after another until there are too many templates. Returns the number of rows that have
 * one. */
static uint32_t assign_templates(Templates *templates, Shape *shape, const XtfPackInput *input, uint8_t *numbers,
                                 uint32_t *firsts)
{
    uint64_t vector[VECTOR_MAX];
    unsigned last = 0;

    memset(templates->table, 0xff, sizeof templates->table);
    memset(templates->followers, 0, sizeof templates->followers);
    /* The first guess is template 0, which does not exist yet: no vector has these bits. */
    memset(templates->vectors, 0xff, sizeof *templates->vectors * shape->length);
    templates->n = 0;
    for (uint32_t n = 0; n < input->count; n++) {
        uint16_t next = templates->followers[last].last, earlier = templates->followers[last].earlier;
        if (!make_vector(shape, input, n, templates->vectors + next * shape->length, vector)) {
            templates->followers[last].earlier = next;
            next = vectors_equal(vector, templates->vectors + earlier * shape->length, shape->length)
                       ? earlier
                       : look_up_template(templates, vector, n, firsts);
            if (next == NO_TEMPLATE)
                return n;
            templates->followers[last].last = next;
        }
        numbers[n] = (uint8_t)next;
        last = next;
    }
    return input->count;
}

/* Returns the number of distinct values that the field has in the rows `firsts`, one for each template. */
static unsigned count_values(const XtfPackInput *input, const XtfPackField *field, const uint32_t *firsts, unsigned n)
{
    uint64_t values[2 * XTF_PACK_TEMPLATES_MAX];
    bool used[G_N_ELEMENTS(values)] = {false};
    unsigned distinct = 0;

    for (unsigned i = 0; i < n; i++) {
        const uint8_t *row = input->rows + (size_t)firsts[i] * input->schema->row_size;
        uint64_t value = xtf_pack_get(field, row);
        if (field->mode == XTF_PACK_STEP && firsts[i] > 0)
            value -= xtf_pack_get(field, row - input->schema->row_size);
        else if (field->mode == XTF_PACK_DISTANCE && xtf_is_chained(input, field, firsts[i], value))
            value = 0;
        size_t slot = hash_vector(&value, 1) % G_N_ELEMENTS(values);
        while (used[slot] && values[slot] != value)
            slot = (slot + 1) % G_N_ELEMENTS(values);
        distinct += !used[slot];
        used[slot] = true;
        values[slot] = value;
    }
    return distinct;
}

/* Gives a column to the field with the most values, and to fields with nearly the same number. */
static void move_fields_to_columns(XtfPackInput *input, const uint32_t *firsts, unsigned n)
{
    unsigned values[XTF_FIELDS_MAX] = {0}, most = 0;

    for (unsigned f = 0; f < input->n_fields; f++)
        if (input->fields[f].mode != XTF_PACK_COLUMN)
            most = MAX(most, values[f] = count_values(input, &input->fields[f], firsts, n));
    for (unsigned f = 0; f < input->n_fields; f++)
        if (values[f] > most - most / 8 - 1)
            input->fields[f].mode = XTF_PACK_COLUMN;
}

unsigned xtf_find_templates(XtfPackInput *input, uint8_t *numbers, uint32_t firsts[XTF_PACK_TEMPLATES_MAX])
{
    /* Each template costs some bytes, and fields that vary independently pack better as columns. This limit gave the
     * smallest output for rows of several programs and for rows that are hard to pack. */
    Templates templates = {.limit = MIN(XTF_PACK_TEMPLATES_MAX, 8 + input->count / 64)};
    Shape shape;

    for (;;) {
        make_shape(&shape, input);
        templates.shape = &shape;
        templates.vectors =
            (uint64_t *)(void *)xtf_scratch(XTF_SCRATCH_VECTORS, sizeof(uint64_t) * shape.length * templates.limit);
        if (assign_templates(&templates, &shape, input, numbers, firsts) == input->count)
            return templates.n;
        move_fields_to_columns(input, firsts, templates.n);
    }
}

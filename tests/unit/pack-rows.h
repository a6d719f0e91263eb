/* Generated rows to pack: calls like a program's, and rows of any schema. */
#pragma once

#include <glib.h>

#include "libxtf/base/block-memory.h"
#include "libxtf/field-load.h"
#include "libxtf/pack/pack.h"
#include "libxtf/pack/sampled-times.h"
#include "libxtf/schema.h"

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint64_t seq;
    uint32_t region;
    uint8_t event;
    uint64_t enter;
} CallRow;

static const XtfFieldSpec call_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "seq", .type = XTF_TYPE_U64, .role = "seq", .flags = XTF_FIELD_RISES},
    {.name = "region", .type = XTF_TYPE_U32},
    {.name = "event", .type = XTF_TYPE_U8},
    {.name = "enter", .type = XTF_TYPE_U64, .flags = XTF_FIELD_DISTANCE},
    {0},
};

/* Unpacks the times of packed rows; returns false and sets *fault on failure. Sanitizers see reads past their end. */
static inline bool unpack_times(const uint8_t *packed, uint32_t length, uint32_t count, uint64_t *times,
                                const char **fault)
{
    enum { BEFORE = 16 };
    uint32_t size;
    XTF_AUTO_BLOCK uint8_t *bytes = xtf_sampled_times_unpack(packed, length, count, BEFORE, &size, fault);

    for (uint32_t n = 0; bytes && n < count; n++)
        times[n] = xtf_sampled_times_at((const XtfSampledTimes *)(const void *)(bytes + BEFORE), n);
    return bytes != NULL;
}

/* Returns the value that a column must have: that of the field, without the bits beyond its width. */
static inline uint64_t column_value(const XtfSchema *schema, unsigned field, const uint8_t *row)
{
    unsigned width = schema->fields[field].width;

    return xtf_field_get(&schema->fields[field], row) & (width < 8 ? (UINT64_C(1) << 8 * width) - 1 : UINT64_MAX);
}

/* Ends the program unless column `field` has the values of rows, with nothing between them overwritten. */
static inline void check_column(const XtfSchema *schema, unsigned field, const uint8_t *rows, uint32_t count,
                                const XtfPackColumn *column)
{
    for (uint32_t n = 0; n < count; n++) {
        const uint64_t *value = column->to + (size_t)n * column->stride;
        if (*value != column_value(schema, field, rows + (size_t)n * schema->row_size))
            g_error("row %u: field %u: a wrong value in its column", n, field);
        for (uint32_t i = 1; i < column->stride; i++)
            if (value[i] != UINT64_C(0xa5a5a5a5a5a5a5a5))
                g_error("row %u: field %u: its column overwrites other values", n, field);
    }
}

/* True if xtf_unpack_columns() finds all fields of packed rows, spread and side by side, and each third alone, or does
 * not know them. False with *fault if it rejects the rows. Ends the program at a wrong value. */
static inline bool columns_agree(const XtfSchema *schema, const uint8_t *packed, uint32_t length, const uint8_t *rows,
                                 uint32_t count, unsigned *n_known, const char **fault)
{
    static const uint32_t steps[] = {1, 3, 1}, strides[] = {3, 3, 1};
    unsigned n_fields = schema->n_fields;
    size_t words = (size_t)n_fields * count * 3;
    g_autofree uint64_t *values = g_new(uint64_t, words);
    bool known;

    for (unsigned i = 0; n_fields > 1 && i < G_N_ELEMENTS(steps); i++) {
        const uint32_t stride = strides[i];
        XtfPackColumn columns[XTF_FIELDS_MAX] = {{.to = values, .stride = 1}};
        memset(values, 0xa5, words * sizeof *values);
        for (unsigned f = 1; f < n_fields; f++)
            columns[f] = (XtfPackColumn){f % steps[i] == 0 ? values + (size_t)f * count * stride : NULL, stride};
        if (!xtf_unpack_columns(schema, packed, length, count, columns, &known, fault))
            return false;
        for (unsigned f = 0; known && f < n_fields; f++)
            if (columns[f].to)
                check_column(schema, f, rows, count, &columns[f]);
        *n_known += known && i == 0;
    }
    return true;
}

/* Ends the program unless sums of a field are the sums of the rows' values, of which "none" is not added. */
static inline void check_sums(const XtfSchema *schema, unsigned field, const uint8_t *rows, uint32_t count,
                              const uint64_t *sums)
{
    uint64_t sum = 0;

    for (uint32_t n = 0; n <= count; n++) {
        if (sums[n] != sum)
            g_error("row %u: field %u: a wrong sum", n, field);
        const uint8_t *row = rows + (size_t)n * schema->row_size;
        if (n < count && !xtf_field_is_none(&schema->fields[field], row))
            sum += xtf_field_get(&schema->fields[field], row);
    }
}

/* True if xtf_unpack_sums() finds the sums of the last fields, and of all at once, or does not know them. False with
 * *fault if it rejects the rows. Ends the program at a wrong sum. */
static inline bool sums_agree(const XtfSchema *schema, const uint8_t *packed, uint32_t length, const uint8_t *rows,
                              uint32_t count, unsigned *n_known, const char **fault)
{
    const size_t words = (size_t)count + 1;
    g_autofree uint64_t *sums = g_new(uint64_t, schema->n_fields * words);
    uint8_t fields[XTF_FIELDS_MAX];
    bool known;

    for (unsigned f = 0; f < schema->n_fields; f++)
        fields[f] = (uint8_t)(schema->n_fields - 1 - f); /* the time is last */
    for (unsigned f = 0; f < MIN(schema->n_fields, 6u); f++) {
        if (!xtf_unpack_sums(schema, &fields[f], 1, packed, length, count, sums, &known, fault))
            return false;
        if (known)
            check_sums(schema, fields[f], rows, count, sums);
        *n_known += known;
    }
    if (!xtf_unpack_sums(schema, fields, schema->n_fields - 1, packed, length, count, sums, &known, fault))
        return false;
    for (unsigned f = 0; known && f < schema->n_fields - 1; f++)
        check_sums(schema, fields[f], rows, count, sums + f * words);
    return true;
}

/* True if xtf_unpack_zeros() finds the zeros of packed rows; false with *fault if it rejects the rows. Ends the
 * program at a wrong zero. */
static inline bool zeros_agree(const XtfSchema *schema, const uint8_t *packed, uint32_t length, const uint8_t *rows,
                               uint32_t count, unsigned *n_known, const char **fault)
{
    g_autofree uint64_t *zeros = g_new(uint64_t, (count + 63) / 64);

    for (unsigned field = 1; field < schema->n_fields; field++) {
        bool known;
        if (!xtf_unpack_zeros(schema, field, packed, length, count, zeros, &known, fault))
            return false;
        *n_known += known;
        for (uint32_t n = 0; known && n < count; n++) {
            bool is_zero = xtf_field_get(&schema->fields[field], rows + (size_t)n * schema->row_size) == 0;
            if (is_zero != (zeros[n / 64] >> n % 64 & 1))
                g_error("row %u: field %u: a wrong zero", n, field);
        }
    }
    return true;
}

/* Returns the value of a field of row n as its bits. */
static inline uint64_t row_bits(const XtfSchema *schema, unsigned field, const uint8_t *rows, uint64_t n)
{
    XtfFieldLoad load = xtf_field_load(&schema->fields[field]);

    return xtf_load_bits(&load, rows + n * schema->row_size);
}

/* Ends the program if a row of columns of frames differs from the unpacked row. */
static inline void check_frame_row(const XtfSchema *schema, const XtfFrameFields *fields,
                                   const XtfFrameColumns *columns, const uint8_t *rows, uint32_t n)
{
    const XtfFrameTemplate *row = &columns->templates[columns->numbers[n]];
    uint64_t distance = row->distance;

    if (distance == XTF_FRAME_CHAINED) {
        uint64_t target = n - 1 - row_bits(schema, fields->distance, rows, n - 1);
        distance = n - target + row_bits(schema, fields->distance, rows, target);
        distance &= UINT64_MAX >> (64 - 8 * schema->fields[fields->distance].width);
    }
    if (xtf_frame_time(columns, n) != xtf_field_get(&schema->fields[0], rows + (size_t)n * schema->row_size) ||
        xtf_frame_key(columns, row, n) != row_bits(schema, fields->key, rows, n) ||
        row->is_end != (row_bits(schema, fields->is_end, rows, n) != 0) ||
        row->outermost != (row_bits(schema, fields->outermost, rows, n) != 0) ||
        distance != row_bits(schema, fields->distance, rows, n))
        g_error("row %u: its columns of frames differ", n);
}

/* Compares columns of frames with the unpacked rows, for several choices of fields. Returns false with *fault if
 * xtf_unpack_frames() rejects the rows. Ends the program at a wrong value. Adds the choices that have columns. */
static inline bool frames_agree(const XtfSchema *schema, const uint8_t *packed, uint32_t length, const uint8_t *rows,
                                uint32_t count, unsigned *n_known, const char **fault)
{
    enum { BEFORE = 16 };
    unsigned n = schema->n_fields - 1;
    uint32_t size;

    for (unsigned i = 0; i < n; i++) {
        const XtfFrameFields fields = {
            .key = 1 + i, .is_end = 1 + (i + 1) % n, .distance = 1 + (i + 2) % n, .outermost = 1 + (i + 1) % n};
        XTF_AUTO_BLOCK uint8_t *bytes =
            xtf_unpack_frames(schema, NULL, &fields, packed, length, count, BEFORE, &size, fault);
        const XtfFrameColumns *columns = (const XtfFrameColumns *)(const void *)(bytes + BEFORE);
        if (*fault)
            return false;
        *n_known += bytes != NULL;
        for (uint32_t row = 0; bytes && row < count; row++)
            check_frame_row(schema, &fields, columns, rows, row);
    }
    return true;
}

static inline XtfSchema *make_schema(const XtfFieldSpec *fields)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("rows", XTF_SCHEMA_RECORD, fields, &error);
    if (!schema)
        g_error("%s", error->message);
    return schema;
}

/* Returns calls like a program's: loops of calls at any depth, so that the distance of an ENTER to its parent
 * frame grows. The rows before `skip` are left out, so that distances of the first rows refer to missing rows. */
static inline GArray *make_calls(GRand *random, uint32_t count, uint32_t skip)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(CallRow));
    uint64_t frames[32], time = 12345, seq = 0;
    uint32_t regions[32] = {0}, depth = 0;

    for (uint32_t n = 0; n < count + skip; n++) {
        CallRow row = {.time = time += (uint64_t)g_rand_int_range(random, 20, 400), .seq = seq};
        seq += g_rand_int_range(random, 0, 10) == 0 ? 2 : 1;
        bool enters =
            depth == 0 || (depth < G_N_ELEMENTS(frames) && g_rand_int_range(random, 0, (gint32)depth + 2) < 2);
        row.event = !enters;
        if (enters) {
            row.enter = depth > 0 ? n - frames[depth - 1] : 0;
            regions[depth] = row.region = depth * 3 + (uint32_t)g_rand_int_range(random, 0, 2);
            frames[depth++] = n;
        } else {
            row.enter = n - frames[--depth];
            row.region = regions[depth];
        }
        if (n >= skip)
            g_array_append_val(rows, row);
    }
    return rows;
}

/* Behaviours of a field's values, for fields of any type. */
typedef enum { CONSTANT, FEW, RANDOM, NOISE_BELOW, RISING, UNSTEADY, NONE_OR_FEW, REAL, N_BEHAVIOURS } Behaviour;

static inline uint64_t next_value(GRand *random, Behaviour behaviour, uint64_t before, uint32_t n)
{
    uint64_t draw = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
    double real = (double)(draw % 1000) / 7;

    switch (behaviour) {
    case CONSTANT:
        return 0x1122334455667788;
    case FEW:
        return draw % 5 * 1000;
    case RANDOM:
        return draw;
    case NOISE_BELOW:
        return draw >> (n * 7 % 64);
    case RISING:
        return before + 3;
    case UNSTEADY:
        return before + draw % 1000;
    case NONE_OR_FEW:
        return draw % 3 ? UINT64_MAX : draw % 7;
    default:
        memcpy(&draw, &real, sizeof draw);
        return draw;
    }
}

static inline XtfSchema *random_schema(GRand *random, unsigned n_fields)
{
    g_autofree XtfFieldSpec *fields = g_new0(XtfFieldSpec, n_fields + 1);
    char names[XTF_FIELDS_MAX][8];
    const uint16_t flags[] = {0, 0, XTF_FIELD_RISES, XTF_FIELD_DISTANCE, XTF_FIELD_OPTIONAL};

    fields[0] = (XtfFieldSpec){.name = "time", .type = XTF_TYPE_U64, .role = "time"};
    for (unsigned f = 1; f < n_fields; f++) {
        g_snprintf(names[f], sizeof names[f], "f%u", f);
        fields[f] = (XtfFieldSpec){.name = names[f],
                                   .type = (XtfType)g_rand_int_range(random, XTF_TYPE_U8, XTF_TYPE_STRING + 1),
                                   .flags = flags[g_rand_int_range(random, 0, G_N_ELEMENTS(flags))]};
    }
    return make_schema(fields);
}

static inline uint8_t *random_table(GRand *random, const XtfSchema *schema, uint32_t count)
{
    uint8_t *rows = g_malloc((size_t)count * schema->row_size), *row = rows;
    Behaviour behaviours[XTF_FIELDS_MAX];
    uint64_t values[XTF_FIELDS_MAX] = {0};
    unsigned shift = (unsigned)g_rand_int_range(random, 14, 64); /* keeps the sum of 2^14 steps below 2^64 */

    for (uint32_t f = 0; f < schema->n_fields; f++)
        behaviours[f] = (Behaviour)g_rand_int_range(random, 0, N_BEHAVIOURS);
    for (uint32_t n = 0; n < count; n++, row += schema->row_size) {
        uint64_t step = ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> shift;
        values[0] += g_rand_int_range(random, 0, 4) ? step : 0;
        for (uint32_t f = 0; f < schema->n_fields; f++) {
            if (f > 0)
                values[f] = next_value(random, behaviours[f], values[f], n);
            xtf_field_set(&schema->fields[f], row, values[f]);
        }
    }
    return rows;
}

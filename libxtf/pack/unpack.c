/*
 * Unpacking rows. The bytes may be damaged: the functions check every number against the number of rows and the schema
 * before they use it.
 */
#include "libxtf/pack/pack.h"
#include "libxtf/pack/read-templates.h"

#if defined __x86_64__ && defined __GNUC__
#include <tmmintrin.h>
#define HAVE_SHUFFLES 1
#endif

/* Fills `count` rows by copying whole images, which overlap the next rows. With a constant size the compiler makes each
 * copy a few moves. */
__attribute__((always_inline)) static inline void fill_whole_images(const XtfReadTemplates *templates,
                                                                    const uint64_t *times, uint32_t count,
                                                                    uint8_t *rows, size_t image_size)
{
    const size_t row_size = templates->schema->row_size;
    const uint8_t *images = templates->images, *numbers = templates->numbers;

    for (uint32_t n = 0; n < count; n++, rows += row_size) {
        const uint8_t *image = images + numbers[n] * image_size;
        for (size_t at = 0; at < image_size; at += XTF_COPY_BYTES)
            memcpy(rows + at, image + at, XTF_COPY_BYTES);
        xtf_store64(rows, times[n]);
    }
}

/* Fills rows with the values of their templates and with their times. */
static void fill_rows(const XtfReadTemplates *templates, const uint64_t *times, uint8_t *rows)
{
    size_t row_size = templates->schema->row_size, image_size = templates->image_size;
    uint32_t count = templates->count;
    /* Images are longer than rows: the images of the last rows would be written past the end of `rows`. */
    uint32_t n_whole = count - (uint32_t)MIN(count, (image_size + row_size - 1) / row_size);

    if (image_size == 2 * (size_t)XTF_COPY_BYTES)
        fill_whole_images(templates, times, n_whole, rows, 2 * (size_t)XTF_COPY_BYTES);
    else if (image_size == 3 * (size_t)XTF_COPY_BYTES)
        fill_whole_images(templates, times, n_whole, rows, 3 * (size_t)XTF_COPY_BYTES);
    else if (image_size == 4 * (size_t)XTF_COPY_BYTES)
        fill_whole_images(templates, times, n_whole, rows, 4 * (size_t)XTF_COPY_BYTES);
    else
        fill_whole_images(templates, times, n_whole, rows, image_size);
    for (uint32_t n = n_whole; n < count; n++) {
        memcpy(rows + n * row_size, templates->images + templates->numbers[n] * image_size, row_size);
        xtf_store64(rows + n * row_size, times[n]);
    }
}

/* Stores a number of `width` bytes in a row, or of the field's width if 0. A constant width needs no load of the bytes
 * beside the number, which wait for the copy of the image. */
__attribute__((always_inline)) static inline void put_number(const XtfPackField *field, uint8_t *row, uint64_t value,
                                                             unsigned width)
{
    uint64_t bytes = GUINT64_TO_LE(value);

    if (width > 0)
        memcpy(row + field->field->offset, &bytes, width);
    else
        xtf_put_field(field, row, value);
}

__attribute__((always_inline)) static inline void fill_steps_of_width(const XtfReadTemplates *templates, unsigned f,
                                                                      uint8_t *rows, unsigned width)
{
    const XtfPackField field = templates->fields[f];
    const XtfTemplateValue *values = templates->values + f * templates->n;
    const uint8_t *numbers = templates->numbers, *end = numbers + templates->count;
    const size_t row_size = templates->schema->row_size;
    uint64_t value = templates->before[f];

    for (; numbers < end; numbers++, rows += row_size) {
        value += values[*numbers].value;
        put_number(&field, rows, value, width);
    }
}

static void fill_steps(const XtfReadTemplates *templates, unsigned f, uint8_t *rows)
{
    unsigned width = templates->fields[f].field->width;

    if (width == sizeof(uint32_t))
        fill_steps_of_width(templates, f, rows, sizeof(uint32_t));
    else if (width == sizeof(uint64_t))
        fill_steps_of_width(templates, f, rows, sizeof(uint64_t));
    else
        fill_steps_of_width(templates, f, rows, 0);
}

__attribute__((always_inline)) static inline bool fill_distances_of_width(XtfPackReader *reader,
                                                                          const XtfReadTemplates *templates, unsigned f,
                                                                          uint8_t *rows, unsigned width)
{
    const XtfPackField field = templates->fields[f];
    const XtfTemplateValue *values = templates->values + f * templates->n;
    const size_t row_size = templates->schema->row_size;
    const uint8_t *numbers = templates->numbers;
    uint64_t distance = 0;

    for (uint32_t n = 0; n < templates->count; n++, rows += row_size) {
        const XtfTemplateValue *value = &values[numbers[n]];
        if (value->is_chained) {
            if (n == 0 || distance >= n)
                return xtf_pack_fail(reader, "a row is chained to a row before the first");
            distance = (distance + 1 + xtf_pack_get(&field, rows - (distance + 1) * row_size)) & field.mask;
        } else {
            distance = value->value & field.mask;
        }
        put_number(&field, rows, distance, width);
    }
    return true;
}

static bool fill_distances(XtfPackReader *reader, const XtfReadTemplates *templates, unsigned f, uint8_t *rows)
{
    unsigned width = templates->fields[f].field->width;

    return width == sizeof(uint32_t)   ? fill_distances_of_width(reader, templates, f, rows, sizeof(uint32_t))
           : width == sizeof(uint64_t) ? fill_distances_of_width(reader, templates, f, rows, sizeof(uint64_t))
                                       : fill_distances_of_width(reader, templates, f, rows, 0);
}

static bool fill_numbers(XtfPackReader *reader, const XtfReadTemplates *templates, const XtfPackField *field,
                         uint8_t *rows)
{
    const XtfPackField packed_field = *field;
    bool is_signed = packed_field.field->type == XTF_TYPE_I32 || packed_field.field->type == XTF_TYPE_I64;
    uint64_t value = 0;
    XtfNumberReader numbers;

    if (!xtf_read_numbers(reader, templates->count, &numbers, NULL))
        return false;
    for (uint32_t n = 0; n < templates->count; n++, rows += templates->schema->row_size) {
        uint64_t number = xtf_next_number(&numbers);
        if (packed_field.mode == XTF_PACK_STEPS)
            value += xtf_unzigzag(number);
        else
            value = is_signed ? xtf_unzigzag(number) : number;
        xtf_put_field(&packed_field, rows, value);
    }
    return true;
}

static bool fill_planes(XtfPackReader *reader, const XtfReadTemplates *templates, const XtfPackField *field,
                        uint8_t *rows)
{
    size_t row_size = templates->schema->row_size, length;

    for (unsigned byte = 0; byte < field->field->width; byte++) {
        const uint8_t *plane = xtf_read_stream(reader, XTF_SCRATCH_STREAM, templates->count, templates->count, &length);
        uint8_t *to = rows + field->field->offset + byte;
        if (!plane)
            return false;
        for (uint32_t n = 0; n < templates->count; n++)
            to[n * row_size] = plane[n];
    }
    return true;
}

static bool read_fields(XtfPackReader *reader, const XtfSchema *schema, const XtfRowMap *map, uint32_t count,
                        const uint64_t *times, uint8_t *rows)
{
    XtfReadTemplates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};
    bool success = xtf_read_templates(reader, &templates);

    /* Map the values in templates once each, before they are copied to rows. */
    if (success && map)
        xtf_row_map_apply(map, xtf_fields_in_templates(&templates), true, templates.images, templates.image_size,
                          templates.n);
    if (success)
        fill_rows(&templates, times, rows);
    for (unsigned f = 0; success && f < templates.n_fields; f++)
        if (templates.fields[f].mode == XTF_PACK_STEP)
            fill_steps(&templates, f, rows);
        else if (templates.fields[f].mode == XTF_PACK_DISTANCE)
            success = fill_distances(reader, &templates, f, rows);
    for (unsigned f = 0; success && f < templates.n_fields; f++)
        if (templates.fields[f].mode == XTF_PACK_PLANES)
            success = fill_planes(reader, &templates, &templates.fields[f], rows);
        else if (templates.fields[f].mode >= XTF_PACK_COLUMN)
            success = fill_numbers(reader, &templates, &templates.fields[f], rows);
    if (success && map)
        xtf_row_map_apply(map, xtf_fields_in_templates(&templates), false, rows, schema->row_size, count);
    return success;
}

enum { WORD_ROWS = 64 };

/* Returns the bits of at most 64 rows, set if the row's template is 0 in the field. */
static uint64_t find_word(const uint8_t zero[XTF_PACK_TEMPLATES_MAX], const uint8_t *numbers, uint32_t count)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < count; i++)
        word |= (uint64_t)(zero[numbers[i]] & 1) << i;
    return word;
}

#ifdef HAVE_SHUFFLES

enum {
    SHUFFLED = 16,  /* bytes of a table that one shuffle reads */
    TABLES_MAX = 8, /* with more templates, shuffles take longer than reading row by row */
};

static bool has_shuffles(unsigned n_templates)
{
    return n_templates <= SHUFFLED * TABLES_MAX && __builtin_cpu_supports("ssse3");
}

/* Returns find_word() of 64 rows. For each 16 templates one shuffle reads the bytes of 16 rows. Rows of other templates
 * get an index with the upper bit, for which a shuffle gives 0. */
__attribute__((target("ssse3"))) static uint64_t shuffle_word(const uint8_t zero[XTF_PACK_TEMPLATES_MAX],
                                                              unsigned n_templates, const uint8_t *numbers)
{
    const __m128i upper = _mm_set1_epi8(128 - SHUFFLED);
    uint64_t word = 0;

    for (unsigned i = 0; i < WORD_ROWS; i += SHUFFLED) {
        const __m128i number = _mm_loadu_si128((const __m128i_u *)(numbers + i));
        __m128i found = _mm_setzero_si128();
        for (unsigned first = 0; first < n_templates; first += SHUFFLED) {
            __m128i index = _mm_adds_epu8(_mm_sub_epi8(number, _mm_set1_epi8((char)first)), upper);
            found = _mm_or_si128(found, _mm_shuffle_epi8(_mm_loadu_si128((const __m128i_u *)(zero + first)), index));
        }
        word |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << i;
    }
    return word;
}

#else

static bool has_shuffles(unsigned n_templates)
{
    (void)n_templates;
    return false;
}

static uint64_t shuffle_word(const uint8_t zero[XTF_PACK_TEMPLATES_MAX], unsigned n_templates, const uint8_t *numbers)
{
    (void)n_templates;
    return find_word(zero, numbers, WORD_ROWS);
}

#endif

/* Sets the bits of the rows whose template has 0 in the field, and clears the others. */
static void find_zeros(const XtfReadTemplates *templates, const XtfPackField *field, uint64_t *zeros)
{
    uint8_t zero[XTF_PACK_TEMPLATES_MAX] = {0}; /* of each template: all bits, if the field is 0 */
    const bool shuffles = has_shuffles(templates->n);
    uint32_t n = 0;

    for (unsigned i = 0; i < templates->n; i++)
        zero[i] = xtf_pack_get(field, templates->images + i * templates->image_size) == 0 ? UINT8_MAX : 0;
    for (; shuffles && templates->count - n >= WORD_ROWS; n += WORD_ROWS)
        zeros[n / WORD_ROWS] = shuffle_word(zero, templates->n, templates->numbers + n);
    for (; n < templates->count; n += WORD_ROWS)
        zeros[n / WORD_ROWS] = find_word(zero, templates->numbers + n, MIN(templates->count - n, WORD_ROWS));
}

bool xtf_unpack_zeros(const XtfSchema *schema, unsigned field, const uint8_t *packed, uint32_t length, uint32_t count,
                      uint64_t *zeros, bool *known, const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    XtfReadTemplates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};

    *known = false;
    if (xtf_skip_stream(&reader) && xtf_skip_stream(&reader) && xtf_read_templates(&reader, &templates)) {
        *known = templates.fields[field - 1].mode == XTF_PACK_VALUE;
        if (*known)
            find_zeros(&templates, &templates.fields[field - 1], zeros);
    }
    return xtf_finish_reading(&reader, fault);
}

bool xtf_unpack_rows(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count, uint8_t *rows,
                     const char **fault)
{
    return xtf_unpack_mapped(schema, NULL, packed, length, count, rows, fault);
}

bool xtf_unpack_mapped(const XtfSchema *schema, const XtfRowMap *map, const uint8_t *packed, uint32_t length,
                       uint32_t count, uint8_t *rows, const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    uint64_t *times = (uint64_t *)(void *)xtf_scratch(XTF_SCRATCH_PACKED, sizeof *times * (size_t)count);
    bool success = xtf_read_times(&reader, count, times);

    if (success && schema->n_fields > 1)
        success = read_fields(&reader, schema, map, count, times, rows);
    else
        for (uint32_t n = 0; success && n < count; n++)
            xtf_store64(rows + (size_t)n * schema->row_size, times[n]);
    if (success && reader.at != reader.end)
        xtf_pack_fail(&reader, "there are bytes after its rows");
    return xtf_finish_reading(&reader, fault);
}

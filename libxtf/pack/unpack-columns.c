/*
 * Unpacking the fields of packed rows to columns of numbers.
 */
#include "libxtf/pack/pack.h"
#include "libxtf/pack/read-planes.h"
#include "libxtf/pack/read-templates.h"

/* True if the columns of all fields that are needed can be unpacked without the rows. */
static bool has_columns(const XtfReadTemplates *templates, const XtfPackColumn *columns)
{
    for (unsigned f = 0; f < templates->n_fields; f++)
        if (columns[f + 1].to && (templates->fields[f].mode == XTF_PACK_STEP ||
                                  templates->fields[f].mode == XTF_PACK_DISTANCE || templates->fields[f].wide))
            return false;
    return true;
}

/* How values of a field are added: except `none`, and extended by their sign bit. */
typedef struct {
    uint64_t none, sign;
} Addend;

static Addend field_addend(const XtfPackField *field)
{
    bool optional = (field->field->flags & XTF_FIELD_OPTIONAL) != 0;

    /* If there is no "none", 0 takes its place, as adding 0 changes nothing. */
    return (Addend){.none = optional ? field->mask : 0, .sign = field->load.sign};
}

static uint64_t add_value(const Addend *addend, uint64_t sum, uint64_t value)
{
    return value == addend->none ? sum : sum + ((value ^ addend->sign) - addend->sign);
}

/* Sets a column of a field whose values are in the templates; or the column's sums, up to each row. */
static void fill_from_templates(const XtfReadTemplates *templates, const XtfPackField *field,
                                const XtfPackColumn *column, bool sums)
{
    const Addend addend = field_addend(field);
    uint64_t values[XTF_PACK_TEMPLATES_MAX] = {0}, *to = column->to, sum = 0, differences = 0;
    const uint8_t *numbers = templates->numbers;

    for (unsigned i = 0; i < templates->n; i++) {
        uint64_t value = xtf_pack_get(field, templates->images + i * templates->image_size);
        values[i] = sums ? add_value(&addend, 0, value) : value;
        differences |= values[i] ^ values[0];
    }
    if (sums)
        for (uint32_t n = 0; n < templates->count; n++)
            to[n] = sum += values[numbers[n]];
    else if (differences == 0)
        for (uint32_t n = 0; n < templates->count; n++, to += column->stride)
            *to = values[0];
    else if (column->stride == 1) /* a constant, by which the compiler makes the loop half as long */
        for (uint32_t n = 0; n < templates->count; n++)
            to[n] = values[numbers[n]];
    else
        for (uint32_t n = 0; n < templates->count; n++, to += column->stride)
            *to = values[numbers[n]];
}

/* Replaces the values of a field by their sums up to each row. */
static void add_up(const XtfPackField *field, uint64_t *values, uint32_t count)
{
    const Addend addend = field_addend(field);
    uint64_t sum = 0;

    for (uint32_t n = 0; n < count; n++)
        values[n] = sum = add_value(&addend, sum, values[n]);
}

/* How the numbers of a column give its values. */
typedef enum { PLAIN, SIGNED, STEPS } NumberKind;

/* Sets a column from numbers, most of which have no tail. A constant kind and stride leave short loops. */
__attribute__((always_inline)) static inline void fill_numbers(XtfNumberReader numbers, uint32_t count, NumberKind kind,
                                                               uint64_t mask, uint64_t *to, uint32_t stride)
{
    uint64_t codes[XTF_HEADS_AT_ONCE], value = 0;

    for (uint32_t n = 0, end; n < count; n += end) {
        end = xtf_next_numbers(&numbers, count - n, codes);
        for (uint32_t i = 0; i < end; i++, to += stride) {
            uint64_t number = kind == PLAIN ? codes[i] : xtf_unzigzag(codes[i]);
            value = kind == STEPS ? value + number : number;
            *to = value & mask;
        }
    }
}

static bool read_number_column(XtfPackReader *reader, uint32_t count, const XtfPackField *field,
                               const XtfPackColumn *column)
{
    bool is_signed = field->field->type == XTF_TYPE_I32 || field->field->type == XTF_TYPE_I64;
    const uint64_t mask = field->mask;
    XtfNumberReader numbers;

    if (!xtf_read_numbers(reader, count, &numbers, NULL))
        return false;
    if (field->mode == XTF_PACK_STEPS && column->stride == 1)
        fill_numbers(numbers, count, STEPS, mask, column->to, 1);
    else if (field->mode == XTF_PACK_STEPS)
        fill_numbers(numbers, count, STEPS, mask, column->to, column->stride);
    else if (is_signed)
        fill_numbers(numbers, count, SIGNED, mask, column->to, column->stride);
    else if (column->stride == 1)
        fill_numbers(numbers, count, PLAIN, mask, column->to, 1);
    else
        fill_numbers(numbers, count, PLAIN, mask, column->to, column->stride);
    return true;
}

/* Reads the column of a field that the templates do not have, or skips it. */
static bool read_column(XtfPackReader *reader, uint32_t count, const XtfPackField *field, const XtfPackColumn *column)
{
    if (!column->to)
        return xtf_skip_column(reader, field);
    if (field->mode == XTF_PACK_PLANES)
        return xtf_read_planes(reader, count, field->field->width, column->to, column->stride);
    return field->mode < XTF_PACK_COLUMN || read_number_column(reader, count, field, column);
}

static bool read_columns(XtfPackReader *reader, const XtfReadTemplates *templates, const XtfPackColumn *columns,
                         bool sums)
{
    bool success = true;

    /* The columns that are read next overwrite the numbers of the templates. */
    for (unsigned f = 0; f < templates->n_fields; f++)
        if (templates->fields[f].mode == XTF_PACK_VALUE && columns[f + 1].to)
            fill_from_templates(templates, &templates->fields[f], &columns[f + 1], sums);
    for (unsigned f = 0; success && f < templates->n_fields; f++) {
        success = read_column(reader, templates->count, &templates->fields[f], &columns[f + 1]);
        if (success && sums && columns[f + 1].to && templates->fields[f].mode != XTF_PACK_VALUE)
            add_up(&templates->fields[f], columns[f + 1].to, templates->count);
    }
    if (success && reader->at != reader->end)
        return xtf_pack_fail(reader, "there are bytes after its rows");
    return success;
}

static bool read_or_skip_times(XtfPackReader *reader, uint32_t count, uint64_t *times)
{
    return times ? xtf_read_times(reader, count, times) : xtf_skip_stream(reader) && xtf_skip_stream(reader);
}

/* Unpacks columns, or their sums up to each row. */
static bool unpack_some(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count,
                        const XtfPackColumn *columns, bool sums, bool *known, const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    XtfReadTemplates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};

    *known = false;
    if (read_or_skip_times(&reader, count, columns[0].to) && xtf_read_templates(&reader, &templates)) {
        *known = has_columns(&templates, columns);
        if (*known)
            read_columns(&reader, &templates, columns, sums);
    }
    return xtf_finish_reading(&reader, fault);
}

bool xtf_unpack_columns(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count,
                        const XtfPackColumn *columns, bool *known, const char **fault)
{
    return unpack_some(schema, packed, length, count, columns, false, known, fault);
}

bool xtf_unpack_sums(const XtfSchema *schema, const uint8_t *fields, unsigned n_fields, const uint8_t *packed,
                     uint32_t length, uint32_t count, uint64_t *sums, bool *known, const char **fault)
{
    XtfPackColumn columns[XTF_FIELDS_MAX] = {{0}};

    for (unsigned i = 0; i < n_fields; i++, sums += (size_t)count + 1) {
        *sums = 0;
        columns[fields[i]] = (XtfPackColumn){sums + 1, 1};
    }
    *known = !columns[0].to;
    return !*known || n_fields == 0 || unpack_some(schema, packed, length, count, columns, true, known, fault);
}

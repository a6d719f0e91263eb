/*
 * Unpacking the fields of packed rows to columns of numbers.
 */
#include "libxtf/pack/pack.h"
#include "libxtf/pack/read-templates.h"

/* True if the columns of all fields can be unpacked without the rows. */
static bool has_columns(const XtfReadTemplates *templates)
{
    for (unsigned f = 0; f < templates->n_fields; f++)
        if (templates->fields[f].mode == XTF_PACK_STEP || templates->fields[f].mode == XTF_PACK_DISTANCE ||
            templates->fields[f].wide)
            return false;
    return true;
}

/* Sets a column of a field whose values are in the templates. */
static void fill_from_templates(const XtfReadTemplates *templates, const XtfPackField *field,
                                const XtfPackColumn *column)
{
    uint64_t values[XTF_PACK_TEMPLATES_MAX] = {0}, *to = column->to;
    const uint8_t *numbers = templates->numbers;

    for (unsigned i = 0; i < templates->n; i++)
        values[i] = xtf_pack_get(field, templates->images + i * templates->image_size);
    for (uint32_t n = 0; n < templates->count; n++, to += column->stride)
        *to = values[numbers[n]];
}

static bool read_number_column(XtfPackReader *reader, uint32_t count, const XtfPackField *field,
                               const XtfPackColumn *column)
{
    bool is_signed = field->field->type == XTF_TYPE_I32 || field->field->type == XTF_TYPE_I64;
    const uint64_t mask = field->mask;
    uint64_t value = 0, *to = column->to;
    XtfNumberReader numbers;
    size_t tails;

    if (!xtf_read_numbers(reader, count, &numbers, &tails))
        return false;
    if (field->mode == XTF_PACK_STEPS)
        for (uint32_t n = 0; n < count; n++, to += column->stride)
            *to = (value += xtf_unzigzag(xtf_next_number(&numbers))) & mask;
    else if (is_signed)
        for (uint32_t n = 0; n < count; n++, to += column->stride)
            *to = xtf_unzigzag(xtf_next_number(&numbers)) & mask;
    else if (tails == 0) /* a number without a tail is its head */
        for (uint32_t n = 0; n < count; n++, to += column->stride)
            *to = numbers.head[n];
    else
        for (uint32_t n = 0; n < count; n++, to += column->stride)
            *to = xtf_next_number(&numbers) & mask;
    return true;
}

static bool is_zero(const uint8_t *bytes, uint32_t count)
{
    uint8_t any = 0;

    for (uint32_t n = 0; n < count; n++)
        any |= bytes[n];
    return any == 0;
}

static bool read_plane_column(XtfPackReader *reader, uint32_t count, const XtfPackField *field,
                              const XtfPackColumn *column)
{
    size_t size = sizeof(uint64_t) * (size_t)count, length;
    uint64_t *values = memset(xtf_scratch(XTF_SCRATCH_TAILS, size), 0, size), *to = column->to;

    for (unsigned byte = 0; byte < field->field->width; byte++) {
        const uint8_t *plane = xtf_read_stream(reader, XTF_SCRATCH_STREAM, count, count, &length);
        if (!plane)
            return false;
        if (is_zero(plane, count)) /* the upper bytes of most numbers */
            continue;
        for (uint32_t n = 0; n < count; n++)
            values[n] |= (uint64_t)plane[n] << 8 * byte;
    }
    for (uint32_t n = 0; n < count; n++, to += column->stride)
        *to = values[n];
    return true;
}

/* Reads the column of a field that the templates do not have, or skips it. */
static bool read_column(XtfPackReader *reader, uint32_t count, const XtfPackField *field, const XtfPackColumn *column)
{
    if (!column->to)
        return xtf_skip_column(reader, field);
    if (field->mode == XTF_PACK_PLANES)
        return read_plane_column(reader, count, field, column);
    return field->mode < XTF_PACK_COLUMN || read_number_column(reader, count, field, column);
}

static bool read_columns(XtfPackReader *reader, const XtfReadTemplates *templates, const XtfPackColumn *columns)
{
    bool success = true;

    /* The columns that are read next overwrite the numbers of the templates. */
    for (unsigned f = 0; f < templates->n_fields; f++)
        if (templates->fields[f].mode == XTF_PACK_VALUE && columns[f + 1].to)
            fill_from_templates(templates, &templates->fields[f], &columns[f + 1]);
    for (unsigned f = 0; success && f < templates->n_fields; f++)
        success = read_column(reader, templates->count, &templates->fields[f], &columns[f + 1]);
    if (success && reader->at != reader->end)
        return xtf_pack_fail(reader, "there are bytes after its rows");
    return success;
}

bool xtf_unpack_columns(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count,
                        const XtfPackColumn *columns, bool *known, const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    XtfReadTemplates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};

    *known = false;
    if (xtf_read_times(&reader, count, columns[0].to) && xtf_read_templates(&reader, &templates)) {
        *known = has_columns(&templates);
        if (*known)
            read_columns(&reader, &templates, columns);
    }
    return xtf_finish_reading(&reader, fault);
}

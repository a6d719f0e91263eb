/*
 * Packing rows, in the format of pack-format.h.
 */
#include "libxtf/pack/pack.h"

#include "libxtf/pack/columns.h"
#include "libxtf/pack/templates.h"

enum {
    FIELD_STREAMS_MAX = 8, /* most streams of a field: 8 planes */
    OTHER_STREAMS = 3,     /* two of times, one of templates */
};

static XtfNumbers encode_times(const uint8_t *rows, size_t row_size, uint32_t count)
{
    XtfNumbers numbers = xtf_begin_numbers(count);
    uint64_t before = 0;

    for (uint32_t n = 0; n < count; n++) {
        uint64_t time = xtf_load64(rows + n * row_size);
        xtf_put_number(&numbers.end, time - before);
        before = time;
    }
    return numbers;
}

/* True if the packed length is expected to be between forecast->low and forecast->high, or no rows were packed before.
 * `times` is the estimated length of the times. */
static bool is_expected_to_fit(XtfPackForecast *forecast, uint32_t count, uint32_t times)
{
    if (forecast->count == 0)
        return true;
    int64_t length = times + (int64_t)forecast->other_bytes * count / forecast->count;
    forecast->estimate = (uint32_t)CLAMP(length, 1, UINT32_MAX);
    return forecast->estimate >= forecast->low && forecast->estimate <= forecast->high;
}

static uint8_t *put_template_value(uint8_t *at, const XtfPackInput *input, const XtfPackField *field, uint32_t n)
{
    const uint8_t *row = input->rows + (size_t)n * input->schema->row_size;
    uint64_t value = xtf_pack_get(field, row);

    switch (field->mode) {
    case XTF_PACK_VALUE:
        return xtf_put_varint(at, xtf_zigzag(value, field->load.shift));
    case XTF_PACK_STEP:
        value -= n > 0 ? xtf_pack_get(field, row - input->schema->row_size) : input->before[field - input->fields];
        return xtf_put_varint(at, xtf_zigzag(value, field->load.shift));
    case XTF_PACK_DISTANCE:
        if (xtf_is_chained(input, field, n, value)) {
            *at = XTF_PACK_CHAINED;
            return at + 1;
        }
        *at = 0;
        return xtf_put_varint(at + 1, value);
    default:
        return at;
    }
}

/* Returns the maximum bytes of the stream of templates. */
static uint64_t templates_bound(const XtfSchema *schema, uint32_t count)
{
    uint64_t n = MIN(count, XTF_PACK_TEMPLATES_MAX);
    return (n + 1) * schema->n_fields * XTF_PACK_FIELD_MAX + 1 + count;
}

/* Writes the modes of the fields, the templates field by field, and the number of each row's template. */
static void put_templates(XtfStreamWriter *writer, XtfPackInput *input)
{
    uint8_t *stream = xtf_scratch(XTF_SCRATCH_STREAM, templates_bound(input->schema, input->count));
    uint8_t *numbers = xtf_scratch(XTF_SCRATCH_TAILS, input->count), *at = stream;
    uint32_t firsts[XTF_PACK_TEMPLATES_MAX];
    unsigned n = xtf_find_templates(input, numbers, firsts);

    for (unsigned f = 0; f < input->n_fields; f++) {
        XtfPackField *field = &input->fields[f];
        if (field->mode == XTF_PACK_COLUMN)
            field->mode = xtf_choose_column(field, input->rows, input->schema->row_size, input->count);
        *at++ = (uint8_t)field->mode;
        if (field->mode == XTF_PACK_STEP)
            at = xtf_put_varint(at, xtf_zigzag(input->before[f], field->load.shift));
    }
    *at++ = (uint8_t)(n - 1);
    for (unsigned f = 0; f < input->n_fields; f++)
        for (unsigned i = 0; i < n; i++)
            at = put_template_value(at, input, &input->fields[f], firsts[i]);
    if (n > 1) {
        memcpy(at, numbers, input->count);
        at += input->count;
    }
    xtf_put_stream(writer, stream, (size_t)(at - stream), XTF_STREAM_PLAIN);
}

uint64_t xtf_pack_bound(const XtfSchema *schema, uint32_t count)
{
    uint64_t bytes = (uint64_t)count * (1 + XTF_TAIL_MAX) + templates_bound(schema, count);

    for (uint32_t f = 1; f < schema->n_fields; f++)
        bytes += (uint64_t)count * (1 + schema->fields[f].width);
    return bytes + (OTHER_STREAMS + (uint64_t)schema->n_fields * FIELD_STREAMS_MAX) * XTF_STREAM_HEAD_MAX;
}

uint32_t xtf_pack(const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level, uint8_t *out,
                  uint32_t room, XtfPackForecast *forecast)
{
    uint8_t *packed = xtf_scratch(XTF_SCRATCH_PACKED, xtf_pack_bound(schema, count));
    XtfStreamWriter writer = {.at = packed,
                              .level = CLAMP(level, XTF_PACK_LEVEL_DEFAULT, XTF_PACK_LEVEL_MAX),
                              .for_reading = level == XTF_PACK_LEVEL_READING,
                              .for_size = level > XTF_PACK_LEVEL_DEFAULT};
    XtfNumbers times = encode_times(rows, schema->row_size, count);
    uint32_t estimate = forecast ? xtf_estimate_numbers(&writer, &times) : 0;
    XtfPackInput input;

    if (forecast && !is_expected_to_fit(forecast, count, estimate)) {
        xtf_scratch_done();
        return 0;
    }
    xtf_put_numbers(&writer, &times);
    if (schema->n_fields > 1) {
        xtf_pack_input_init(&input, schema, rows, count);
        put_templates(&writer, &input);
        for (unsigned f = 0; f < input.n_fields; f++)
            if (input.fields[f].mode >= XTF_PACK_COLUMN)
                xtf_put_column(&writer, &input.fields[f], rows, schema->row_size, count);
    }
    size_t length = (size_t)(writer.at - packed);
    bool fits = length <= room;
    if (fits)
        memcpy(out, packed, length);
    if (forecast) {
        forecast->count = count;
        forecast->other_bytes = (int32_t)((int64_t)MIN(length, INT32_MAX) - estimate);
        forecast->estimate = (uint32_t)MIN(length, UINT32_MAX);
    }
    xtf_scratch_done();
    return fits ? (uint32_t)length : 0;
}

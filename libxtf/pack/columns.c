#include "libxtf/pack/columns.h"

enum { SAMPLES = 512 }; /* rows sampled to choose the mode of a column */

static inline uint64_t get_column_number(const XtfPackField *field, const uint8_t *row, uint64_t previous,
                                         XtfPackMode mode)
{
    uint64_t value = xtf_pack_get(field, row);
    bool is_signed = field->field->type == XTF_TYPE_I32 || field->field->type == XTF_TYPE_I64;

    if (mode == XTF_PACK_STEPS)
        return xtf_zigzag(value - previous, field->load.shift);
    return is_signed ? xtf_zigzag(value, field->load.shift) : value;
}

/* Estimates the bytes of a column of numbers: deflated heads and lowest bytes of tails, and the other bytes of tails
 * stored. */
static double estimate_numbers(const XtfPackField *field, const uint8_t *rows, size_t row_size, uint32_t count,
                               XtfPackMode mode)
{
    uint32_t step = MAX(1, count / SAMPLES), heads[256] = {0}, tails[256] = {0}, n_tails = 0;
    double other_tail_bytes = 0;

    for (uint32_t n = 1; n < count; n += step) {
        const uint8_t *row = rows + n * row_size;
        uint8_t head, tail[XTF_TAIL_MAX];
        XtfNumberWriter writer = {&head, tail};
        xtf_put_number(&writer, get_column_number(field, row, xtf_pack_get(field, row - row_size), mode));
        heads[head]++;
        if (writer.tail == tail)
            continue;
        tails[tail[0]]++;
        n_tails++;
        other_tail_bytes += (double)(writer.tail - tail - 1);
    }
    return xtf_estimate_bytes(heads) + MIN(xtf_estimate_bytes(tails), n_tails) + other_tail_bytes;
}

static double estimate_planes(const XtfPackField *field, const uint8_t *rows, size_t row_size, uint32_t count)
{
    uint32_t step = MAX(1, count / SAMPLES), n_samples = 0;
    uint32_t frequencies[XTF_TAIL_MAX][256] = {0};
    double bytes = 0;

    for (uint32_t n = 1; n < count; n += step, n_samples++)
        for (unsigned plane = 0; plane < field->field->width; plane++)
            frequencies[plane][rows[n * row_size + field->field->offset + plane]]++;
    for (unsigned plane = 0; plane < field->field->width; plane++)
        bytes += MIN(xtf_estimate_bytes(frequencies[plane]), n_samples);
    return bytes;
}

XtfPackMode xtf_choose_column(const XtfPackField *field, const uint8_t *rows, size_t row_size, uint32_t count)
{
    double planes = estimate_planes(field, rows, row_size, count);
    double values = estimate_numbers(field, rows, row_size, count, XTF_PACK_COLUMN);
    double steps = estimate_numbers(field, rows, row_size, count, XTF_PACK_STEPS);

    if (steps < values && steps < planes)
        return XTF_PACK_STEPS;
    return values < planes ? XTF_PACK_COLUMN : XTF_PACK_PLANES;
}

static void put_planes(XtfStreamWriter *writer, const XtfPackField *field, const uint8_t *rows, size_t row_size,
                       uint32_t count)
{
    uint8_t *plane = xtf_scratch(XTF_SCRATCH_STREAM, count);

    for (unsigned byte = 0; byte < field->field->width; byte++) {
        const uint8_t *from = rows + field->field->offset + byte;
        for (uint32_t n = 0; n < count; n++)
            plane[n] = from[n * row_size];
        xtf_put_stream(writer, plane, count, XTF_STREAM_NOISY);
    }
}

void xtf_put_column(XtfStreamWriter *writer, const XtfPackField *field, const uint8_t *rows, size_t row_size,
                    uint32_t count)
{
    if (field->mode == XTF_PACK_PLANES) {
        put_planes(writer, field, rows, row_size, count);
        return;
    }
    XtfNumbers numbers = xtf_begin_numbers(count);
    uint64_t previous = 0;

    for (uint32_t n = 0; n < count; n++) {
        const uint8_t *row = rows + n * row_size;
        xtf_put_number(&numbers.end, get_column_number(field, row, previous, field->mode));
        previous = xtf_pack_get(field, row);
    }
    xtf_put_numbers(writer, &numbers);
}

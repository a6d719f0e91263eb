#include "libxtf/pack-stream.h"

#include "libxtf/deflate.h"

enum {
    DEFLATE_SLACK =
        64,          /* bytes by which a stream may be longer than what it stands for, and more than that is wasted */
    SAMPLES = 512,   /* rows that are looked at to choose how a column is written */
    SYMBOL_BITS = 5, /* that a symbol costs in the head of a deflate stream */
    WORTH_IT = 31,   /* thirty-seconds that deflate must be expected to leave at most */
};

/* log2(n) to a hundredth, without the mathematical library: n is 2^power * (1 + part). */
static double binary_log(uint32_t n)
{
    int power = 31 - __builtin_clz(n);
    double part = (double)n / (double)(1u << power) - 1;

    return power + part * (1.3465 - 0.3465 * part);
}

double xtf_estimate_bytes(const uint32_t frequencies[256])
{
    double bits = 0;
    uint32_t total = 0;
    unsigned symbols = 0;

    for (unsigned i = 0; i < 256; i++)
        if (frequencies[i] > 0) {
            bits -= frequencies[i] * binary_log(frequencies[i]);
            total += frequencies[i];
            symbols++;
        }
    bits += total > 0 ? total * binary_log(total) : 0;
    return (bits + symbols * SYMBOL_BITS) / 8;
}

static bool is_repeated(const uint8_t *bytes, size_t length)
{
    return length > 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static bool is_noise(const uint8_t *bytes, size_t length)
{
    uint32_t frequencies[256] = {0};

    for (size_t i = 0; i < length; i++)
        frequencies[bytes[i]]++;
    return xtf_estimate_bytes(frequencies) * 32 > (double)length * WORTH_IT;
}

/* The length of the stream; 0 if deflate does not make it shorter. */
static size_t deflated(const XtfStreamWriter *writer, const uint8_t *bytes, size_t length, XtfStreamNature nature,
                       uint8_t *out)
{
    if (length < 16 || (nature == XTF_STREAM_NOISY && is_noise(bytes, length)))
        return 0;
    return xtf_deflate->deflate(writer->level, bytes, length, out, length - 1);
}

void xtf_put_stream(XtfStreamWriter *writer, const uint8_t *bytes, size_t length, XtfStreamNature nature)
{
    if (is_repeated(bytes, length)) {
        writer->at = xtf_put_varint(writer->at, length << 2 | XTF_STREAM_REPEATED);
        *writer->at++ = *bytes;
        return;
    }
    uint8_t *body = writer->at + XTF_STREAM_HEAD_MAX; /* then moved to where its head ends */
    size_t packed = deflated(writer, bytes, length, nature, body);
    writer->at = xtf_put_varint(writer->at, length << 2 | (packed > 0 ? XTF_STREAM_DEFLATED : XTF_STREAM_STORED));
    if (packed > 0) {
        writer->at = xtf_put_varint(writer->at, packed);
        memmove(writer->at, body, packed);
        writer->at += packed;
    } else {
        memcpy(writer->at, bytes, length);
        writer->at += length;
    }
}

static inline uint64_t column_number(const XtfPackField *field, const uint8_t *row, uint64_t before, XtfPackMode mode)
{
    uint64_t value = xtf_pack_get(field, row);
    bool is_signed = field->field->type == XTF_TYPE_I32 || field->field->type == XTF_TYPE_I64;

    if (mode == XTF_PACK_STEPS)
        return xtf_zigzag(value - before, field->shift);
    return is_signed ? xtf_zigzag(value, field->shift) : value;
}

/* What a column of numbers takes: its heads deflated, its tails stored. */
static double estimate_numbers(const XtfPackField *field, const uint8_t *rows, size_t row_size, uint32_t count,
                               XtfPackMode mode)
{
    uint32_t step = MAX(1, count / SAMPLES), frequencies[256] = {0};
    double tails = 0;

    for (uint32_t n = 1; n < count; n += step) {
        const uint8_t *row = rows + n * row_size;
        uint8_t head, tail[XTF_TAIL_MAX];
        XtfNumberWriter writer = {&head, tail};
        xtf_put_number(&writer, column_number(field, row, xtf_pack_get(field, row - row_size), mode));
        frequencies[head]++;
        tails += (double)(writer.tail - tail);
    }
    return xtf_estimate_bytes(frequencies) + tails;
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
    uint8_t *heads = xtf_scratch(XTF_SCRATCH_STREAM, count);
    uint8_t *tails = xtf_scratch(XTF_SCRATCH_TAILS, (size_t)count * XTF_TAIL_MAX + XTF_TAIL_MAX);
    XtfNumberWriter numbers = {heads, tails};
    uint64_t before = 0;

    for (uint32_t n = 0; n < count; n++) {
        const uint8_t *row = rows + n * row_size;
        xtf_put_number(&numbers, column_number(field, row, before, field->mode));
        before = xtf_pack_get(field, row);
    }
    xtf_put_stream(writer, heads, count, XTF_STREAM_PLAIN);
    xtf_put_stream(writer, tails, (size_t)(numbers.tail - tails), XTF_STREAM_NOISY);
}

/*
 * Writing streams. Deflate takes most of the time of packing, and a third of that of reading a leaf. So bytes that it
 * hardly shrinks are stored, except at levels for size. HPCC's trace is 2.2 % larger then, and a histogram of it
 * executes 14 % fewer instructions.
 *
 * Totals are read in small parts. With the limit of `for_reading`, their streams take 1 % of a file more, and a profile
 * of 100 slices 10 % fewer instructions.
 */
#include "libxtf/pack/streams.h"

#include "libxtf/base/le.h"
#include "libxtf/pack/deflate.h"

enum {
    N_WEIGHTS = 1024,
    SYMBOL_BITS = 5,        /* bits of a symbol in the head of a deflate stream */
    NOISE_MAX_32NDS = 29,   /* deflate noise if the estimate is at most this many 32nds of the bytes */
    SIZE_MAX_32NDS = 31,    /* and this many at levels for size */
    MIN_LENGTH = 16,        /* bytes; shorter streams are not deflated */
    SHORT_LENGTH = 256,     /* bytes; in shorter streams inflating the head takes longer than inflating the bytes */
    SHORT_MAX_32NDS = 12,   /* deflate must shrink short streams to at most this many 32nds */
    READING_MAX_32NDS = 16, /* and streams of a writer for reading to at most this many */
    FIXED_SHARE = 16,       /* fixed codes must shrink a stream to at most this share */
    FIXED_MAX = 256,        /* and to at most this many bytes: longer streams gain more by codes of their own */
};

/* Returns log2(n) within a hundredth, without libm: n is 2^power * (1 + part). */
static double binary_log(uint32_t n)
{
    int power = 31 - __builtin_clz(n);
    double part = (double)n / (double)(1u << power) - 1;

    return power + part * (1.3465 - 0.3465 * part);
}

/* Returns n log2 n; 0 for n = 0. Most frequencies come from some hundred samples, and are in the table. */
static double get_weight(const double *weights, uint32_t n)
{
    return G_LIKELY(n < N_WEIGHTS) ? weights[n] : n * binary_log(n);
}

static const double *get_weights(void)
{
    static double weights[N_WEIGHTS];
    static gsize initialized;

    if (g_once_init_enter(&initialized)) {
        for (uint32_t n = 1; n < N_WEIGHTS; n++)
            weights[n] = n * binary_log(n);
        g_once_init_leave(&initialized, 1);
    }
    return weights;
}

double xtf_estimate_bytes(const uint32_t frequencies[256])
{
    const double *weights = get_weights();
    double even = 0, odd = 0; /* two sums, because the latency of an addition would dominate */
    uint32_t total = 0;
    unsigned symbols = 0;

    for (const uint32_t *f = frequencies; f < frequencies + 256; f += 4) {
        if ((f[0] | f[1] | f[2] | f[3]) == 0)
            continue;
        even += get_weight(weights, f[0]) + get_weight(weights, f[2]);
        odd += get_weight(weights, f[1]) + get_weight(weights, f[3]);
        total += f[0] + f[1] + f[2] + f[3];
        symbols += (f[0] > 0) + (f[1] > 0) + (f[2] > 0) + (f[3] > 0);
    }
    return (get_weight(weights, total) - even - odd + symbols * SYMBOL_BITS) / 8;
}

static bool is_repeated(const uint8_t *bytes, size_t length)
{
    return length > 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static double estimate_stream(const uint8_t *bytes, size_t length)
{
    uint32_t frequencies[256] = {0};

    for (size_t i = 0; i < length; i++)
        frequencies[bytes[i]]++;
    return xtf_estimate_bytes(frequencies);
}

/* Returns the expected bytes of a stream of noise; its length if it is stored without trying deflate. */
static double estimate_noise(const XtfStreamWriter *writer, const uint8_t *bytes, size_t length)
{
    const double estimate = estimate_stream(bytes, length), all = (double)length;
    const unsigned most = writer->for_size ? SIZE_MAX_32NDS : NOISE_MAX_32NDS;

    return estimate * 32 > all * most ? all : estimate;
}

/* Returns the most bytes of a deflated stream of `length` bytes. */
static size_t deflated_most(const XtfStreamWriter *writer, size_t length)
{
    if (length <= SHORT_LENGTH)
        return length * SHORT_MAX_32NDS / 32;
    return writer->for_reading ? length * READING_MAX_32NDS / 32 : length - 1;
}

/* True if most bytes equal the byte two before, as in the templates of calls that begin and end in turn. At most half
 * of the words differ from the words two bytes before. */
static bool is_alternating(const uint8_t *bytes, size_t length)
{
    size_t differ = 0, most = length / (2 * sizeof(uint64_t)), i = 2;

    for (; i + sizeof(uint64_t) <= length && differ <= most; i += sizeof(uint64_t))
        differ += xtf_load64(bytes + i) != xtf_load64(bytes + i - 2);
    return differ <= most;
}

/* Compresses a stream. Returns the compressed length; 0 if deflate does not make it short enough. */
static size_t deflate_bytes(const XtfStreamWriter *writer, const uint8_t *bytes, size_t length, XtfStreamNature nature,
                            uint8_t *out)
{
    if (length < MIN_LENGTH || (nature == XTF_STREAM_NOISY && estimate_noise(writer, bytes, length) >= (double)length))
        return 0;
    /* Codes of its own hardly shorten such a stream, but with their tables inflating takes three times as long. */
    if (nature == XTF_STREAM_PLAIN && !writer->for_size && is_alternating(bytes, length)) {
        size_t packed = xtf_deflate_fixed(bytes, length, out, MIN(length / FIXED_SHARE, FIXED_MAX));
        if (packed > 0)
            return packed;
    }
    return xtf_deflate->deflate(writer->level, bytes, length, out, deflated_most(writer, length));
}

void xtf_put_stream(XtfStreamWriter *writer, const uint8_t *bytes, size_t length, XtfStreamNature nature)
{
    if (is_repeated(bytes, length)) {
        writer->at = xtf_put_varint(writer->at, length << 2 | XTF_STREAM_REPEATED);
        *writer->at++ = *bytes;
        return;
    }
    /* The body is moved to the end of the stream's head when the length of the head is known. */
    uint8_t *body = writer->at + XTF_STREAM_HEAD_MAX;
    size_t packed = deflate_bytes(writer, bytes, length, nature, body);
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

XtfNumbers xtf_begin_numbers(uint32_t count)
{
    XtfNumbers numbers = {.heads = xtf_scratch(XTF_SCRATCH_STREAM, count),
                          .tails = xtf_scratch(XTF_SCRATCH_TAILS, ((size_t)count + 1) * XTF_TAIL_MAX)};

    numbers.end = (XtfNumberWriter){numbers.heads, numbers.tails};
    return numbers;
}

void xtf_put_numbers(XtfStreamWriter *writer, const XtfNumbers *numbers)
{
    xtf_put_stream(writer, numbers->heads, (size_t)(numbers->end.head - numbers->heads), XTF_STREAM_PLAIN);
    xtf_put_stream(writer, numbers->tails, (size_t)(numbers->end.tail - numbers->tails), XTF_STREAM_NOISY);
}

uint32_t xtf_estimate_numbers(const XtfStreamWriter *writer, const XtfNumbers *numbers)
{
    size_t n_heads = (size_t)(numbers->end.head - numbers->heads),
           n_tails = (size_t)(numbers->end.tail - numbers->tails);
    double heads = estimate_stream(numbers->heads, n_heads);

    return (uint32_t)(MIN(heads, (double)n_heads) + estimate_noise(writer, numbers->tails, n_tails));
}

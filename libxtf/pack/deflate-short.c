#include "libxtf/pack/deflate-short.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "libxtf/base/le.h"
#include "libxtf/pack/huffman.h"

enum {
    LITERALS = 256,
    END = 256,     /* the symbol that ends a block */
    LENGTHS = 257, /* symbols from here on begin a match */
    SYMBOLS = 286, /* literals, END, lengths */
    SYMBOLS_FIXED = 288,
    DISTANCES = 30,
    DISTANCES_FIXED = 32,
    RUN_SYMBOLS = 19, /* of the lengths of codes */
    MATCH_MIN = 4,
    MATCH_MAX = 257, /* 258 has a symbol of its own, which is not worth a branch */
    CODE_BITS_MAX = 15,
    RUN_BITS_MAX = 7,
    HASH_BITS = 11,
    SKIP_SHIFT = 5,          /* where nothing matched for 2^5 bytes, every second position is looked at, and so on */
    SCALE = 16,              /* parts of a bit */
    MATCH_COST = 11 * SCALE, /* bits of a match beside those of its distance, about */
    BLOCK_FIXED = 1,
    BLOCK_DYNAMIC = 2,
};

/* So many literals, then a match; without one (length 0) at the end. */
typedef struct {
    uint16_t literals, length, distance;
} Sequence;

typedef struct {
    Sequence sequences[XTF_DEFLATE_SHORT_MAX / MATCH_MIN + 1];
    unsigned n;
    uint16_t symbols[SYMBOLS], distances[DISTANCES]; /* frequencies */
    uint32_t extra_bits;                             /* of all lengths and distances */
} Parse;

/* A number as a symbol and extra bits. */
typedef struct {
    unsigned symbol, bits, extra;
} Coded;

static unsigned log2_of(unsigned n)
{
    return 31u - (unsigned)__builtin_clz(n | 1);
}

static Coded code_length(unsigned length)
{
    unsigned above = length - 3, log2 = log2_of(above), bits = log2 > 2 ? log2 - 2 : 0;

    return (Coded){.symbol = LENGTHS + 4 * bits + (above >> bits), .bits = bits, .extra = above & ((1u << bits) - 1)};
}

static Coded code_distance(unsigned distance)
{
    unsigned above = distance - 1, log2 = log2_of(above), bits = log2 > 1 ? log2 - 1 : 0;

    return (Coded){.symbol = 2 * bits + (above >> bits), .bits = bits, .extra = above & ((1u << bits) - 1)};
}

/* ---- Parsing: literals and matches. */

static uint32_t load32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static unsigned match_length(const uint8_t *earlier, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *from = at, *most = end - at > MATCH_MAX ? at + MATCH_MAX : end;

    for (; most - at >= 8; at += 8, earlier += 8) {
        uint64_t differs = xtf_load64(at) ^ xtf_load64(earlier);
        if (differs != 0)
            return (unsigned)(at - from) + (unsigned)__builtin_ctzll(differs) / 8;
    }
    while (at < most && *at == *earlier)
        at++, earlier++;
    return (unsigned)(at - from);
}

static void add_sequence(Parse *parse, const uint8_t *literals, size_t n, unsigned length, unsigned distance)
{
    parse->sequences[parse->n++] = (Sequence){(uint16_t)n, (uint16_t)length, (uint16_t)distance};
    for (size_t i = 0; i < n; i++)
        parse->symbols[literals[i]]++;
    if (length == 0)
        return;
    Coded l = code_length(length), d = code_distance(distance);
    parse->symbols[l.symbol]++;
    parse->distances[d.symbol]++;
    parse->extra_bits += l.bits + d.bits;
}

/* `literal_cost`: of a literal, in parts of a bit. */
static void parse_bytes(Parse *parse, const uint8_t *data, size_t length, unsigned literal_cost)
{
    const uint8_t *at = data, *literals = data, *end = data + length;
    uint16_t places[1 << HASH_BITS]; /* of the last bytes of that hash, plus 1; 0: none */

    memset(places, 0, sizeof places);
    while (end - at >= 8) {
        uint32_t bytes = load32(at);
        uint16_t *place = &places[bytes * UINT32_C(0x9e3779b1) >> (32 - HASH_BITS)];
        const uint8_t *earlier = data + *place - 1;
        bool same = *place > 0 && load32(earlier) == bytes;
        *place = (uint16_t)(at - data + 1);
        unsigned matched = same ? match_length(earlier, at, end) : 0, distance = (unsigned)(at - earlier);
        if (!same || matched * literal_cost <= MATCH_COST + SCALE * log2_of(distance)) {
            at += 1 + ((size_t)(at - literals) >> SKIP_SHIFT);
            continue;
        }
        for (; at > literals && earlier > data && matched < MATCH_MAX && at[-1] == earlier[-1]; matched++)
            at--, earlier--; /* bytes that were not looked at */
        add_sequence(parse, literals, (size_t)(at - literals), matched, distance);
        at += matched;
        literals = at;
    }
    add_sequence(parse, literals, (size_t)(end - literals), 0, 0);
    parse->symbols[END] = 1;
}

/* ---- The codes of a block, and how its head tells them. */

typedef struct {
    uint8_t lengths[SYMBOLS_FIXED + DISTANCES_FIXED]; /* of codes, in bits: of symbols, then of distances */
    unsigned n_symbols, n_distances;                  /* that the head tells */
    uint8_t runs[SYMBOLS + DISTANCES];                /* the lengths as symbols, runs among them... */
    uint8_t run_extra[SYMBOLS + DISTANCES];           /* ...and their extra bits */
    unsigned n_runs;
    uint16_t run_frequencies[RUN_SYMBOLS];
    uint8_t run_lengths[RUN_SYMBOLS];
    unsigned n_run_lengths; /* in the order of run_order */
} Codes;

static const uint8_t run_order[RUN_SYMBOLS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

static unsigned run_extra_bits(unsigned symbol)
{
    return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
}

static void add_run(Codes *codes, unsigned symbol, unsigned extra)
{
    codes->runs[codes->n_runs] = (uint8_t)symbol;
    codes->run_extra[codes->n_runs++] = (uint8_t)extra;
    codes->run_frequencies[symbol]++;
}

/* A run of `n` equal lengths of codes. */
static void add_runs(Codes *codes, unsigned length, unsigned n)
{
    while (length == 0 && n >= 11) {
        unsigned some = MIN(n, 138);
        add_run(codes, 18, some - 11);
        n -= some;
    }
    if (length == 0 && n >= 3) {
        add_run(codes, 17, n - 3);
        return;
    }
    if (length > 0 && n >= 4) {
        add_run(codes, length, 0);
        for (n--; n >= 3; n -= MIN(n, 6))
            add_run(codes, 16, MIN(n, 6) - 3);
    }
    while (n-- > 0)
        add_run(codes, length, 0);
}

static unsigned n_used(const uint8_t *lengths, unsigned n, unsigned least)
{
    while (n > least && lengths[n - 1] == 0)
        n--;
    return n;
}

static void make_codes(Codes *codes, const Parse *parse)
{
    uint8_t distances[DISTANCES];

    codes->n_runs = 0;
    memset(codes->run_frequencies, 0, sizeof codes->run_frequencies);
    xtf_huffman_lengths(parse->symbols, SYMBOLS, CODE_BITS_MAX, codes->lengths);
    xtf_huffman_lengths(parse->distances, DISTANCES, CODE_BITS_MAX, distances);
    codes->n_symbols = n_used(codes->lengths, SYMBOLS, LENGTHS);
    codes->n_distances = n_used(distances, DISTANCES, 1);
    memcpy(codes->lengths + codes->n_symbols, distances, DISTANCES);
    for (unsigned i = 0, n, all = codes->n_symbols + codes->n_distances; i < all; i += n) {
        for (n = 1; i + n < all && codes->lengths[i + n] == codes->lengths[i];)
            n++;
        add_runs(codes, codes->lengths[i], n);
    }
    xtf_huffman_lengths(codes->run_frequencies, RUN_SYMBOLS, RUN_BITS_MAX, codes->run_lengths);
    codes->n_run_lengths = RUN_SYMBOLS;
    while (codes->n_run_lengths > 4 && codes->run_lengths[run_order[codes->n_run_lengths - 1]] == 0)
        codes->n_run_lengths--;
}

/* The codes that need no head. */
static void make_fixed_codes(Codes *codes)
{
    memset(codes->lengths, 8, 144);
    memset(codes->lengths + 144, 9, 256 - 144);
    memset(codes->lengths + 256, 7, 280 - 256);
    memset(codes->lengths + 280, 8, SYMBOLS_FIXED - 280);
    memset(codes->lengths + SYMBOLS_FIXED, 5, DISTANCES_FIXED);
    codes->n_symbols = SYMBOLS_FIXED;
    codes->n_distances = DISTANCES_FIXED;
}

static uint64_t head_bits(const Codes *codes)
{
    uint64_t bits = 5 + 5 + 4 + 3 * codes->n_run_lengths;

    for (unsigned i = 0; i < RUN_SYMBOLS; i++)
        bits += codes->run_frequencies[i] * (codes->run_lengths[i] + run_extra_bits(i));
    return bits;
}

static uint64_t body_bits(const Parse *parse, const Codes *codes)
{
    uint64_t bits = parse->extra_bits;

    for (unsigned i = 0; i < MIN(codes->n_symbols, (unsigned)SYMBOLS); i++)
        bits += parse->symbols[i] * codes->lengths[i];
    for (unsigned i = 0; i < MIN(codes->n_distances, (unsigned)DISTANCES); i++)
        bits += parse->distances[i] * codes->lengths[codes->n_symbols + i];
    return bits;
}

/* ---- Writing. */

typedef struct {
    uint64_t bits;
    unsigned n;
    uint8_t *at, *end;
} BitWriter;

/* At most 48 bits, at once or between two calls of flush(). */
static inline void put(BitWriter *writer, uint64_t bits, unsigned n)
{
    writer->bits |= bits << writer->n;
    writer->n += n;
}

static inline void flush(BitWriter *writer)
{
    if (G_LIKELY(writer->end - writer->at >= 8)) {
        xtf_store64(writer->at, writer->bits);
        writer->at += writer->n / 8;
        writer->bits >>= writer->n & ~7u;
        writer->n &= 7;
        return;
    }
    for (; writer->n >= 8; writer->n -= 8, writer->bits >>= 8)
        *writer->at++ = (uint8_t)writer->bits;
}

static void put_head(BitWriter *writer, const Codes *codes)
{
    uint16_t run_codes[RUN_SYMBOLS];

    xtf_huffman_codes(codes->run_lengths, RUN_SYMBOLS, run_codes);
    put(writer, (codes->n_symbols - LENGTHS) | (codes->n_distances - 1) << 5 | (codes->n_run_lengths - 4) << 10, 14);
    for (unsigned i = 0; i < codes->n_run_lengths; i++) {
        flush(writer);
        put(writer, codes->run_lengths[run_order[i]], 3);
    }
    for (unsigned i = 0; i < codes->n_runs; i++) {
        unsigned symbol = codes->runs[i];
        flush(writer);
        put(writer, run_codes[symbol], codes->run_lengths[symbol]);
        put(writer, codes->run_extra[i], run_extra_bits(symbol));
    }
    flush(writer);
}

static void put_match(BitWriter *writer, const Codes *codes, const uint16_t *bits, const Sequence *sequence)
{
    Coded length = code_length(sequence->length), distance = code_distance(sequence->distance);
    unsigned symbol = codes->n_symbols + distance.symbol;

    put(writer, bits[length.symbol], codes->lengths[length.symbol]);
    put(writer, length.extra, length.bits);
    flush(writer);
    put(writer, bits[symbol], codes->lengths[symbol]);
    put(writer, distance.extra, distance.bits);
    flush(writer);
}

static void put_body(BitWriter *writer, const Parse *parse, const Codes *codes, const uint8_t *data)
{
    uint16_t bits[SYMBOLS_FIXED + DISTANCES_FIXED];

    xtf_huffman_codes(codes->lengths, codes->n_symbols, bits);
    xtf_huffman_codes(codes->lengths + codes->n_symbols, codes->n_distances, bits + codes->n_symbols);
    for (unsigned i = 0; i < parse->n; i++) {
        const Sequence *sequence = &parse->sequences[i];
        const uint8_t *end = data + sequence->literals;
        for (; end - data >= 3; data += 3) { /* 45 bits at most */
            put(writer, bits[data[0]], codes->lengths[data[0]]);
            put(writer, bits[data[1]], codes->lengths[data[1]]);
            put(writer, bits[data[2]], codes->lengths[data[2]]);
            flush(writer);
        }
        for (; data < end; data++) {
            put(writer, bits[*data], codes->lengths[*data]);
            flush(writer);
        }
        if (sequence->length > 0)
            put_match(writer, codes, bits, sequence);
        data += sequence->length;
    }
    put(writer, bits[END], codes->lengths[END]);
    flush(writer);
}

size_t xtf_deflate_short(const uint8_t *data, size_t length, double literal_bytes, uint8_t *out, size_t room)
{
    BitWriter writer = {.at = out, .end = out + room};
    unsigned block = BLOCK_DYNAMIC;
    Parse parse;
    Codes codes;

    parse.n = parse.extra_bits = 0;
    memset(parse.symbols, 0, sizeof parse.symbols);
    memset(parse.distances, 0, sizeof parse.distances);
    parse_bytes(&parse, data, length, (unsigned)(literal_bytes * 8 * SCALE / (double)MAX(length, 1)) + 1);
    make_codes(&codes, &parse);
    uint64_t size = 3 + head_bits(&codes) + body_bits(&parse, &codes);
    if (length < 512) { /* the head of a longer one is worth it */
        Codes fixed;
        make_fixed_codes(&fixed);
        uint64_t fixed_size = 3 + body_bits(&parse, &fixed);
        if (fixed_size <= size) {
            block = BLOCK_FIXED;
            size = fixed_size;
            codes = fixed;
        }
    }
    if ((size + 7) / 8 > room)
        return 0;
    put(&writer, 1 | block << 1, 3);
    if (block == BLOCK_DYNAMIC)
        put_head(&writer, &codes);
    put_body(&writer, &parse, &codes, data);
    put(&writer, 0, 7);
    flush(&writer);
    return (size + 7) / 8;
}

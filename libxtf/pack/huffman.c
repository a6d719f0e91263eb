#include "libxtf/pack/huffman.h"

#include <stdbool.h>
#include <string.h>

enum { SYMBOL_BITS = 9, FREQUENCY_BITS = 16, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* Sorts by one digit of the frequency, without changing the order of equal ones. */
static void sort_by_digit(const uint32_t *from, unsigned n, unsigned shift, uint32_t *to)
{
    uint16_t starts[DIGITS + 1] = {0};

    for (unsigned i = 0; i < n; i++)
        starts[(from[i] >> shift) % DIGITS + 1]++;
    for (unsigned i = 0; i < DIGITS; i++)
        starts[i + 1] += starts[i];
    for (unsigned i = 0; i < n; i++)
        to[starts[(from[i] >> shift) % DIGITS]++] = from[i];
}

/* The symbols that have codes, each behind its frequency, the least frequent first; their number. */
static unsigned sort_symbols(const uint16_t *frequencies, unsigned n, uint32_t *sorted)
{
    uint32_t other[XTF_HUFFMAN_SYMBOLS_MAX];
    unsigned used = 0;
    bool rare = true; /* no frequency has a second digit */

    for (unsigned i = 0; i < n; i++)
        if (frequencies[i] > 0) {
            sorted[used++] = (uint32_t)frequencies[i] << SYMBOL_BITS | i;
            rare &= frequencies[i] < DIGITS;
        }
    for (unsigned i = 0; used < 2; i++)
        if (frequencies[i] == 0)
            sorted[used++] = 1u << SYMBOL_BITS | i;
    sort_by_digit(sorted, used, SYMBOL_BITS, other);
    if (rare)
        memcpy(sorted, other, used * sizeof *sorted);
    else
        sort_by_digit(other, used, SYMBOL_BITS + DIGIT_BITS, sorted);
    return used;
}

/*
 * The depths of the leaves of a Huffman tree, in place: `weights` are ascending, and become depths, which fall. By
 * A. Moffat and J. Katajainen, "In-place calculation of minimum-redundancy codes", 1995. The weights of inner nodes
 * take the places of leaves that are joined already, then numbers of parents take theirs, then depths.
 */
static void find_depths(uint32_t *weights, unsigned n)
{
    unsigned leaf = 0, root = 0;

    for (unsigned next = 0; next + 1 < n; next++) {
        uint32_t sum = 0;
        for (unsigned child = 0; child < 2; child++) {
            if (leaf >= n || (root < next && weights[root] < weights[leaf])) {
                sum += weights[root];
                weights[root++] = next;
            } else {
                sum += weights[leaf++];
            }
        }
        weights[next] = sum;
    }
    weights[n - 2] = 0;
    for (unsigned i = n - 2; i-- > 0;)
        weights[i] = weights[weights[i]] + 1;
    unsigned available = 1, used = 0, depth = 0, inner = n - 1, to = n;
    while (available > 0) {
        while (inner > 0 && weights[inner - 1] == depth) {
            used++;
            inner--;
        }
        for (; available > used; available--)
            weights[--to] = depth;
        available = 2 * used;
        used = 0;
        depth++;
    }
}

/* Takes codes that are too long for others: for each one that becomes shorter than it is, a shorter one becomes longer,
 * until all of them fit again. */
static void limit_depths(unsigned *counts, unsigned most)
{
    uint32_t taken = 0, all = UINT32_C(1) << most;

    for (unsigned bits = 1; bits <= most; bits++)
        taken += counts[bits] << (most - bits);
    for (; taken > all; taken--) {
        unsigned bits = most - 1;
        while (counts[bits] == 0)
            bits--;
        counts[bits]--;
        counts[bits + 1] += 2;
        counts[most]--;
    }
}

void xtf_huffman_lengths(const uint16_t *frequencies, unsigned n, unsigned most, uint8_t *lengths)
{
    uint32_t sorted[XTF_HUFFMAN_SYMBOLS_MAX], weights[XTF_HUFFMAN_SYMBOLS_MAX];
    unsigned counts[XTF_HUFFMAN_BITS_MAX + 1] = {0}, used = sort_symbols(frequencies, n, sorted);

    memset(lengths, 0, n);
    for (unsigned i = 0; i < used; i++)
        weights[i] = sorted[i] >> SYMBOL_BITS;
    find_depths(weights, used);
    for (unsigned i = 0; i < used; i++)
        counts[weights[i] < most ? weights[i] : most]++;
    limit_depths(counts, most);
    for (unsigned bits = most, i = 0; bits > 0; bits--)
        for (unsigned k = 0; k < counts[bits]; k++)
            lengths[sorted[i++] % (1u << SYMBOL_BITS)] = (uint8_t)bits;
}

static uint16_t reversed(unsigned code, unsigned bits)
{
    code = (code & 0x5555) << 1 | (code >> 1 & 0x5555);
    code = (code & 0x3333) << 2 | (code >> 2 & 0x3333);
    code = (code & 0x0f0f) << 4 | (code >> 4 & 0x0f0f);
    code = (code & 0x00ff) << 8 | code >> 8;
    return (uint16_t)(code >> (16 - bits));
}

void xtf_huffman_codes(const uint8_t *lengths, unsigned n, uint16_t *codes)
{
    unsigned counts[XTF_HUFFMAN_BITS_MAX + 1] = {0}, next[XTF_HUFFMAN_BITS_MAX + 1] = {0};

    for (unsigned i = 0; i < n; i++)
        counts[lengths[i]]++;
    counts[0] = 0;
    for (unsigned bits = 1; bits <= XTF_HUFFMAN_BITS_MAX; bits++)
        next[bits] = (next[bits - 1] + counts[bits - 1]) << 1;
    for (unsigned i = 0; i < n; i++)
        codes[i] = lengths[i] > 0 ? reversed(next[lengths[i]]++, lengths[i]) : 0;
}

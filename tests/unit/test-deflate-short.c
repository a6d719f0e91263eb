/*
 * Deflating short streams: what zlib and libdeflate, which we did not write, make of the streams is what went in.
 */
#include "fixture.h"

#include "libxtf/pack/deflate-short.h"
#include "libxtf/pack/deflate.h"
#include "libxtf/pack/huffman.h"

static const XtfDeflateLibrary *const libraries[] = {
    &xtf_deflate_zlib,
#ifdef XTF_HAVE_LIBDEFLATE
    &xtf_deflate_libdeflate,
#endif
};

static size_t assert_inflates(const uint8_t *data, size_t length, double literal_bytes)
{
    size_t room = 2 * length + 1000, size;
    g_autofree uint8_t *stream = g_malloc(room), *again = g_malloc(length);

    size = xtf_deflate_short(data, length, literal_bytes, stream, room);
    cr_assert(size > 0 && size <= room);
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        memset(again, 0xaa, length);
        cr_assert(libraries[i]->inflate(stream, size, again, length), "%s: %zu bytes", libraries[i]->name, length);
        cr_assert(memcmp(again, data, length) == 0, "%s: %zu bytes differ", libraries[i]->name, length);
    }
    /* Into just as much room as it takes, and into one byte less: nothing is written behind it. */
    g_autofree uint8_t *exact = g_malloc(size);
    cr_assert_eq(xtf_deflate_short(data, length, literal_bytes, exact, size), size);
    cr_assert_arr_eq(exact, stream, size);
    cr_assert_eq(xtf_deflate_short(data, length, literal_bytes, exact, size - 1), 0);
    return size;
}

/* Bytes below `kinds`, where earlier ones come again as often as `repeats` says, of 100. */
static void fill(GRand *random, uint8_t *data, size_t length, int kinds, int repeats)
{
    for (size_t i = 0; i < length;) {
        if (i > 0 && g_rand_int_range(random, 0, 100) < repeats) {
            size_t from = (size_t)g_rand_int_range(random, 0, (gint32)i);
            for (gint32 n = g_rand_int_range(random, 1, 400); n > 0 && i < length; n--)
                data[i++] = data[from++];
        } else {
            data[i++] = (uint8_t)g_rand_int_range(random, 0, kinds);
        }
    }
}

Test(deflate_short, whatever_the_bytes)
{
    static const int kinds[] = {1, 2, 3, 20, 150, 256}, repeats[] = {0, 1, 20, 90};
    g_autoptr(GRand) random = g_rand_new_with_seed(9);
    uint8_t data[XTF_DEFLATE_SHORT_MAX];

    for (unsigned round = 0; round < 1500; round++) {
        size_t length = round < 40 ? round + 1 : (size_t)g_rand_int_range(random, 1, round % 3 ? 700 : sizeof data + 1);
        fill(random, data, length, kinds[round % G_N_ELEMENTS(kinds)], repeats[round / 6 % G_N_ELEMENTS(repeats)]);
        assert_inflates(data, length, (double)length * g_rand_double(random));
    }
    memset(data, 7, sizeof data);
    assert_inflates(data, sizeof data, 0);
}

/* Streams are about as long as a library's. */
Test(deflate_short, is_worth_it)
{
    static const int repeats[] = {0, 1, 20};
    g_autoptr(GRand) random = g_rand_new_with_seed(10);
    uint8_t data[4000], stream[2 * sizeof data];

    for (unsigned round = 0; round < 60; round++) {
        fill(random, data, sizeof data, 2 + (int)round * 3, repeats[round % 3]);
        size_t ours = assert_inflates(data, sizeof data, sizeof data * 0.8);
        size_t theirs = xtf_deflate_zlib.deflate(1, data, sizeof data, stream, sizeof stream);
        cr_assert(ours * 100 <= theirs * 110 + 2000, "round %u: %zu, zlib's %zu", round, ours, theirs);
    }
}

/* Frequencies like Fibonacci's numbers make the deepest trees. */
Test(deflate_short, codes_are_no_longer_than_allowed)
{
    uint16_t frequencies[22], codes[22];
    uint8_t lengths[22];

    for (unsigned most = 5; most <= XTF_HUFFMAN_BITS_MAX; most++) {
        uint32_t taken = 0, before = 0;
        for (unsigned i = 0, a = 1, b = 1; i < G_N_ELEMENTS(frequencies); i++, b += a, a = b - a)
            frequencies[i] = (uint16_t)a;
        xtf_huffman_lengths(frequencies, G_N_ELEMENTS(frequencies), most, lengths);
        for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
            cr_assert(lengths[i] > 0 && lengths[i] <= most);
            cr_assert(i == 0 || lengths[i] <= before);
            before = lengths[i];
            taken += 1u << (most - lengths[i]);
        }
        cr_assert_eq(taken, 1u << most);
        xtf_huffman_codes(lengths, G_N_ELEMENTS(lengths), codes);
        for (unsigned i = 0; i < G_N_ELEMENTS(codes); i++)
            for (unsigned k = 0; k < i; k++)
                cr_assert(((codes[i] ^ codes[k]) & ((1u << lengths[i]) - 1)) != 0, "a code begins with another");
    }
}

/* The sum of all lengths is that of the tree of a naive computation, which joins the two least weights. */
Test(deflate_short, codes_are_the_shortest)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);

    for (unsigned round = 0; round < 200; round++) {
        unsigned n = 2 + round % 60;
        uint16_t frequencies[62];
        uint8_t lengths[62];
        uint32_t weights[62], ours = 0, least = 0;
        for (unsigned i = 0; i < n; i++)
            weights[i] = frequencies[i] = (uint16_t)g_rand_int_range(random, 1, round % 2 ? 20 : 900);
        xtf_huffman_lengths(frequencies, n, XTF_HUFFMAN_BITS_MAX, lengths);
        for (unsigned i = 0; i < n; i++)
            ours += (uint32_t)lengths[i] * frequencies[i];
        for (unsigned left = n; left > 1; left--) {
            for (unsigned k = 0; k < 2; k++) /* the two least to the end */
                for (unsigned i = 0; i + 1 + k < left; i++)
                    if (weights[i] < weights[i + 1]) {
                        uint32_t swapped = weights[i];
                        weights[i] = weights[i + 1];
                        weights[i + 1] = swapped;
                    }
            weights[left - 2] += weights[left - 1];
            least += weights[left - 2];
        }
        cr_assert_eq(ours, least, "%u symbols: %u bits, at least %u", n, ours, least);
    }
}

#include "src/network/cluster/numbering.h"

#include <glib.h>
#include <string.h>

enum {
    FIRST_BITS = 10,
};

static void allocate_places(XtfNumbering *numbering, unsigned bits)
{
    size_t n_places = (size_t)1 << bits;

    numbering->bits = bits;
    numbering->keys = g_new(uint64_t, n_places);
    numbering->numbers = g_new(uint32_t, n_places);
    memset(numbering->numbers, 0xff, n_places * sizeof *numbering->numbers);
}

void xtf_numbering_init(XtfNumbering *numbering)
{
    numbering->n = 0;
    allocate_places(numbering, FIRST_BITS);
}

void xtf_numbering_finish(XtfNumbering *numbering)
{
    g_clear_pointer(&numbering->keys, g_free);
    g_clear_pointer(&numbering->numbers, g_free);
}

void xtf_numbering_clear(XtfNumbering *numbering)
{
    numbering->n = 0;
    memset(numbering->numbers, 0xff, ((size_t)1 << numbering->bits) * sizeof *numbering->numbers);
}

/* Returns the place of a key, or the free place for it. */
static size_t find_place(const XtfNumbering *numbering, uint64_t key)
{
    size_t mask = ((size_t)1 << numbering->bits) - 1;
    size_t place = (key * 0x9e3779b97f4a7c15) >> (64 - numbering->bits); /* Fibonacci hashing, Knuth 6.4 */

    while (numbering->numbers[place] != XTF_UNNUMBERED && numbering->keys[place] != key)
        place = (place + 1) & mask;
    return place;
}

static void double_places(XtfNumbering *numbering)
{
    XtfNumbering old = *numbering;

    allocate_places(numbering, old.bits + 1);
    for (size_t i = 0; i < (size_t)1 << old.bits; i++) {
        if (old.numbers[i] != XTF_UNNUMBERED) {
            size_t place = find_place(numbering, old.keys[i]);
            numbering->keys[place] = old.keys[i];
            numbering->numbers[place] = old.numbers[i];
        }
    }
    xtf_numbering_finish(&old);
}

uint32_t xtf_numbering_get(XtfNumbering *numbering, uint32_t a, uint32_t b)
{
    uint64_t key = (uint64_t)a << 32 | b;
    size_t place = find_place(numbering, key);

    if (numbering->numbers[place] == XTF_UNNUMBERED) {
        if ((size_t)numbering->n >= (size_t)1 << (numbering->bits - 1)) {
            double_places(numbering);
            place = find_place(numbering, key);
        }
        numbering->keys[place] = key;
        numbering->numbers[place] = numbering->n++;
    }
    return numbering->numbers[place];
}

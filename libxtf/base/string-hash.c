/*
 * SipHash-1-3 (J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF, 2012): one round for each 8 bytes,
 * three at the end.
 */
#include "libxtf/base/string-hash.h"

#include <string.h>
#include <sys/random.h>

#include "libxtf/base/le.h"

typedef struct {
    uint64_t a, b;
} HashKey;

static const HashKey *get_key(void)
{
    static HashKey key;
    static gsize ready;

    if (g_once_init_enter(&ready)) {
        if (getrandom(&key, sizeof key, 0) != sizeof key) /* a key of times is still better than none */
            key = (HashKey){(uint64_t)g_get_monotonic_time(), (uint64_t)g_get_real_time()};
        g_once_init_leave(&ready, 1);
    }
    return &key;
}

static inline uint64_t rotate_left(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline void mix_state(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[2] = rotate_left(v[2], 32);
}

static inline void mix_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix_state(v);
    v[0] ^= word;
}

guint xtf_string_hash(gconstpointer text)
{
    const HashKey *key = get_key();
    const uint8_t *at = text;
    size_t length = strlen(text), left = length;
    uint64_t v[4] = {key->a ^ UINT64_C(0x736f6d6570736575), key->b ^ UINT64_C(0x646f72616e646f6d),
                     key->a ^ UINT64_C(0x6c7967656e657261), key->b ^ UINT64_C(0x7465646279746573)};
    uint64_t last = (uint64_t)length << 56;

    for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t))
        mix_word(v, xtf_load64(at));
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)at[i] << 8 * i;
    mix_word(v, last);
    v[2] ^= 0xff;
    for (unsigned i = 0; i < 3; i++)
        mix_state(v);
    uint64_t hash = v[0] ^ v[1] ^ v[2] ^ v[3];
    return (guint)(hash ^ hash >> 32);
}

#include <errno.h>
#include <string.h>

#include "src/record/core/inner.h"

enum {
    PIECE = 8 * (XTF_WIRE_WORDS_MAX - 4),
    TIMEOUT_MS = 100,
};

/* Waits for space in a hole: records after the hole need the definition, too. */
static bool await_room_in_hole(XtfRing *ring, uint64_t size)
{
    for (int i = 0; i < TIMEOUT_MS; i++) {
        uint64_t tail = atomic_load_explicit(&ring->shared->tail, memory_order_acquire);
        if (!xtf_core_life.owns_rings || atomic_load_explicit(&xtf_core.lost, memory_order_relaxed))
            return false;
        if (ring->head + size <= tail + ring->mask + 1 - XTF_CORE_RESERVE)
            return true;
        _Atomic uint32_t word = 0; /* a futex that no thread wakes: the wait is a pause */
        xtf_core_wake_collector();
        xtf_core_futex_wait(&word, 0, 1000000);
    }
    return false;
}

static bool put_piece(XtfRing *ring, XtfDefinition kind, uint64_t id, const uint8_t *data, size_t from, size_t n,
                      size_t all)
{
    unsigned n_words = (unsigned)(4 + (n + 7) / 8);

    if (ring->hole || ring->head + 8 * n_words > ring->limit) {
        bool room = !ring->hole && xtf_core_find_room(ring, 8 * (uint64_t)n_words);
        if (!room && !await_room_in_hole(ring, 8 * (uint64_t)n_words))
            return false;
    }
    uint64_t *word = (uint64_t *)(ring->data + (ring->head & ring->mask));
    word[n_words - 1] = 0;
    word[0] = xtf_core_now();
    word[1] = xtf_core_word1(XTF_WIRE_DEFINE, kind, (uint32_t)n);
    word[2] = id;
    word[3] = xtf_core_pair((uint32_t)from, (uint32_t)all);
    if (n)
        memcpy(word + 4, data + from, n);
    xtf_core_publish(ring, n_words);
    return true;
}

bool xtf_core_define(XtfRing *ring, XtfDefinition kind, uint64_t id, const void *data, size_t size)
{
    int saved = errno;
    size_t from = 0;
    bool done;

    do {
        size_t n = size - from < PIECE ? size - from : PIECE;
        done = put_piece(ring, kind, id, data, from, n, size);
        from += n;
    } while (done && from < size);
    errno = saved;
    return done;
}

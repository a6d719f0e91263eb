#include "src/record/mpi/library/valid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    HASH_BITS = 10,
    LINES = 1 << HASH_BITS,
    WAYS = 8,       /* handles in one line of the processor's cache */
    FIRST_BITS = 6, /* of the others */
};

/* The handles, each in the line that its hash says, where all threads find it without a lock; 0: no handle. */
static struct {
    _Alignas(64) _Atomic uint64_t handles[WAYS];
} lines[LINES];

/* Those whose lines are full: each in the slot that its hash says, or in the first one behind it that was empty; 0: an
 * empty slot. At least half of them are. */
static uint64_t *slots;
static unsigned slot_bits; /* 0: there are none */
static _Atomic size_t n_others;

/* Whoever adds or removes a handle, or looks at the others, has it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline uint64_t hash_of(uint64_t handle)
{
    return handle * UINT64_C(0x9e3779b97f4a7c15);
}

static _Atomic uint64_t *line_of(uint64_t handle)
{
    return lines[hash_of(handle) >> (64 - HASH_BITS)].handles;
}

/* The place in its line; NULL: it is not there. */
static inline _Atomic uint64_t *find(uint64_t handle)
{
    _Atomic uint64_t *line = line_of(handle);

    for (int i = 0; i < WAYS; i++)
        if (atomic_load_explicit(&line[i], memory_order_relaxed) == handle)
            return &line[i];
    return NULL;
}

/* ---- The others, all with the lock. */

static size_t slot_mask(void)
{
    return ((size_t)1 << slot_bits) - 1;
}

/* By other bits of the hash than those that say the line, of which the others have few. */
static size_t first_slot_of(uint64_t handle)
{
    return (size_t)(hash_of(handle) << HASH_BITS >> (64 - slot_bits));
}

/* The slot that has it, or the empty one that would get it, if there are slots. */
static size_t slot_of(uint64_t handle)
{
    size_t at = first_slot_of(handle);

    while (slots[at] != 0 && slots[at] != handle)
        at = (at + 1) & slot_mask();
    return at;
}

static bool is_other(uint64_t handle)
{
    return n_others > 0 && slots[slot_of(handle)] == handle;
}

static bool grow_slots(void)
{
    size_t n_before = slot_bits > 0 ? slot_mask() + 1 : 0;
    unsigned bits = slot_bits > 0 ? slot_bits + 1 : (unsigned)FIRST_BITS;
    uint64_t *before = slots, *more = calloc((size_t)1 << bits, sizeof *more);

    if (!more)
        return false;
    slots = more;
    slot_bits = bits;
    for (size_t i = 0; i < n_before; i++)
        if (before[i] != 0)
            slots[slot_of(before[i])] = before[i];
    free(before);
    return true;
}

static void add_other(uint64_t handle)
{
    if ((slot_bits == 0 || 2 * (n_others + 1) > slot_mask() + 1) && !grow_slots())
        return;
    slots[slot_of(handle)] = handle;
    n_others++;
}

/* What lies behind it moves up, as far as that is not before its first slot: no search ends too early. */
static bool remove_other(uint64_t handle)
{
    if (!is_other(handle))
        return false;
    size_t mask = slot_mask(), hole = slot_of(handle);
    for (size_t at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask)
        if (((at - first_slot_of(slots[at])) & mask) >= ((at - hole) & mask)) {
            slots[hole] = slots[at];
            hole = at;
        }
    slots[hole] = 0;
    n_others--;
    return true;
}

/* ---- All. */

static void add(uint64_t handle)
{
    _Atomic uint64_t *line = line_of(handle);

    for (int i = 0; i < WAYS; i++)
        if (line[i] == 0) {
            line[i] = handle;
            return;
        }
    add_other(handle);
}

void xtf_mpi_valid_add(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    if (handle != 0 && !find(handle) && !is_other(handle))
        add(handle);
    pthread_mutex_unlock(&lock);
}

bool xtf_mpi_valid_remove(uint64_t handle)
{
    bool was = handle != 0;

    pthread_mutex_lock(&lock);
    _Atomic uint64_t *place = was ? find(handle) : NULL;
    if (place)
        *place = 0;
    else if (was)
        was = remove_other(handle);
    pthread_mutex_unlock(&lock);
    return was;
}

static bool look_among_others(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    bool is = is_other(handle);
    pthread_mutex_unlock(&lock);
    return is;
}

bool xtf_mpi_valid_has(uint64_t handle)
{
    if (__builtin_expect(handle != 0 && find(handle) != NULL, 1))
        return true;
    return handle != 0 && atomic_load_explicit(&n_others, memory_order_relaxed) > 0 && look_among_others(handle);
}

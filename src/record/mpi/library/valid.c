#include "src/record/mpi/library/valid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    HASH_BITS = 10,
    LINES = 1 << HASH_BITS,
    WAYS = 8,       /* handles in one cache line */
    FIRST_BITS = 6, /* bits of the first table of overflow slots */
};

/* Valid handles, each in the line that its hash selects. Threads read them without a lock. 0: empty place. */
static struct {
    _Alignas(64) _Atomic uint64_t handles[WAYS];
} lines[LINES];

/* Overflow table for handles whose lines are full. Each is in the slot that its hash selects, or the first slot
 * after it that was empty. 0: empty slot. At least half of the slots are empty. */
static uint64_t *slots;
static unsigned slot_bits; /* log2 of the number of slots; 0: there are none yet */
static _Atomic size_t n_overflow;

/* Held to add or remove a handle, and to read the overflow table. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline uint64_t hash_of(uint64_t handle)
{
    return handle * UINT64_C(0x9e3779b97f4a7c15);
}

static _Atomic uint64_t *line_of(uint64_t handle)
{
    return lines[hash_of(handle) >> (64 - HASH_BITS)].handles;
}

/* Finds the place of a handle in its line; NULL: the line does not have it. */
static inline _Atomic uint64_t *find_place(uint64_t handle)
{
    _Atomic uint64_t *line = line_of(handle);

    for (int i = 0; i < WAYS; i++)
        if (atomic_load_explicit(&line[i], memory_order_relaxed) == handle)
            return &line[i];
    return NULL;
}

/* ---- The overflow table. The caller holds the lock. */

static size_t slot_mask(void)
{
    return ((size_t)1 << slot_bits) - 1;
}

/* Returns where the search for a handle begins. Does not use the bits of the hash that select the line: they differ
 * little among overflowed handles. */
static size_t first_slot_of(uint64_t handle)
{
    return (size_t)(hash_of(handle) << HASH_BITS >> (64 - slot_bits));
}

/* Finds the slot of a handle, or the empty slot where it would be added. There must be slots. */
static size_t slot_of(uint64_t handle)
{
    size_t at = first_slot_of(handle);

    while (slots[at] != 0 && slots[at] != handle)
        at = (at + 1) & slot_mask();
    return at;
}

static bool has_overflow(uint64_t handle)
{
    return n_overflow > 0 && slots[slot_of(handle)] == handle;
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

static void add_overflow(uint64_t handle)
{
    if ((slot_bits == 0 || 2 * (n_overflow + 1) > slot_mask() + 1) && !grow_slots())
        return;
    slots[slot_of(handle)] = handle;
    n_overflow++;
}

/* Removes a handle. Moves later handles up, but none before its first slot, so that no search stops too early. */
static bool remove_overflow(uint64_t handle)
{
    if (!has_overflow(handle))
        return false;
    size_t mask = slot_mask(), hole = slot_of(handle);
    for (size_t at = (hole + 1) & mask; slots[at] != 0; at = (at + 1) & mask)
        if (((at - first_slot_of(slots[at])) & mask) >= ((at - hole) & mask)) {
            slots[hole] = slots[at];
            hole = at;
        }
    slots[hole] = 0;
    n_overflow--;
    return true;
}

/* ---- Lines and overflow table. */

static void add_handle(uint64_t handle)
{
    _Atomic uint64_t *line = line_of(handle);

    for (int i = 0; i < WAYS; i++)
        if (line[i] == 0) {
            line[i] = handle;
            return;
        }
    add_overflow(handle);
}

void xtf_mpi_valid_add(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    if (handle != 0 && !find_place(handle) && !has_overflow(handle))
        add_handle(handle);
    pthread_mutex_unlock(&lock);
}

bool xtf_mpi_valid_remove(uint64_t handle)
{
    bool was_valid = handle != 0;

    pthread_mutex_lock(&lock);
    _Atomic uint64_t *place = was_valid ? find_place(handle) : NULL;
    if (place)
        *place = 0;
    else if (was_valid)
        was_valid = remove_overflow(handle);
    pthread_mutex_unlock(&lock);
    return was_valid;
}

static bool find_overflow(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    bool has_handle = has_overflow(handle);
    pthread_mutex_unlock(&lock);
    return has_handle;
}

bool xtf_mpi_valid_has(uint64_t handle)
{
    if (__builtin_expect(handle != 0 && find_place(handle) != NULL, 1))
        return true;
    return handle != 0 && atomic_load_explicit(&n_overflow, memory_order_relaxed) > 0 && find_overflow(handle);
}

#include "src/record/mpi/valid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum {
    HASH_BITS = 10,
    LINES = 1 << HASH_BITS,
    WAYS = 8, /* handles in one line of the processor's cache */
};

/* The handles, each in the line that its hash says, where all threads find it without a lock; 0: no handle. */
static struct {
    _Alignas(64) _Atomic uint64_t handles[WAYS];
} lines[LINES];

/* Those whose lines are full. */
static uint64_t *others;
static size_t room;
static _Atomic size_t n_others;

/* Whoever adds or removes a handle, or looks at the others, has it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic uint64_t *line_of(uint64_t handle)
{
    return lines[handle * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS)].handles;
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

/* The place among the others, with the lock; n_others: it is not there. */
static size_t find_other(uint64_t handle)
{
    size_t at = 0;

    while (at < n_others && others[at] != handle)
        at++;
    return at;
}

static bool is_other(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    bool is = find_other(handle) < n_others;
    pthread_mutex_unlock(&lock);
    return is;
}

static void add_other(uint64_t handle)
{
    if (n_others == room) {
        uint64_t *more = realloc(others, (2 * room + WAYS) * sizeof *more);
        if (!more)
            return;
        others = more;
        room = 2 * room + WAYS;
    }
    others[n_others++] = handle;
}

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
    if (handle != 0 && !find(handle) && find_other(handle) == n_others)
        add(handle);
    pthread_mutex_unlock(&lock);
}

bool xtf_mpi_valid_remove(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    _Atomic uint64_t *place = handle != 0 ? find(handle) : NULL;
    size_t other = place ? n_others : find_other(handle);
    bool found = true;

    if (place)
        *place = 0;
    else if (other < n_others)
        others[other] = others[--n_others];
    else
        found = false;
    pthread_mutex_unlock(&lock);
    return found;
}

bool xtf_mpi_valid_has(uint64_t handle)
{
    if (__builtin_expect(handle != 0 && find(handle) != NULL, 1))
        return true;
    return atomic_load_explicit(&n_others, memory_order_relaxed) > 0 && is_other(handle);
}

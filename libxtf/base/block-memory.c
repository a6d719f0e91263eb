#include "libxtf/base/block-memory.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SLAB_BYTES = 4 << 20,
    HUGE_BYTES = 2 << 20,
    UNIT_BYTES = 1 << 10, /* blocks are rounded up to units */
    UNITS = SLAB_BYTES / UNIT_BYTES,
    WORDS = UNITS / 64,
    /* A part is the memory of a word of units. The kernel gets back parts: a multiple of its pages on all systems. */
    PART_BYTES = SLAB_BYTES / WORDS,
    HUGE_PARTS = HUGE_BYTES / PART_BYTES,
    UNUSED_MIN = 8 << 20, /* free bytes in slabs that are always permitted */
    UNUSED_DIVISOR = 8,   /* share of the used bytes that may be free in addition */
    HEAP_BYTES = 4 << 20, /* total length of the blocks that the heap gets before the first slab */
};

_Static_assert(WORDS == 64, "the parts of a slab are the bits of a word");
_Static_assert((int)XTF_BLOCK_IN_SLAB_MAX <= (int)SLAB_BYTES, "a block fits a slab");

typedef struct {
    uint8_t *bytes; /* aligned to SLAB_BYTES */
    uint32_t index; /* of its entry in the pool */
    uint32_t n_used;
    bool huge;               /* the kernel may use huge pages: no memory was given back yet */
    uint64_t absent;         /* bit i: the kernel has no memory for part i */
    uint64_t used[WORDS];    /* bit i: a block uses unit i */
    uint16_t lengths[UNITS]; /* units of the block that begins with a unit */
} Slab;

/* A slab, and the bound by which a search for space passes it over without reading it. */
typedef struct {
    Slab *slab;
    uint32_t longest; /* no run of free units is longer; runs may be shorter */
} SlabEntry;

struct XtfSlabPool {
    GMutex lock;
    GArray *slabs;       /* SlabEntry, by number */
    GHashTable *by_base; /* Slab by its `bytes` */
    size_t used, held;
    size_t freed; /* bytes of blocks freed since the pool last looked for memory to give back */
};

XtfSlabPool *xtf_slab_pool_new(void)
{
    XtfSlabPool *pool = g_new0(XtfSlabPool, 1);

    g_mutex_init(&pool->lock);
    pool->slabs = g_array_new(FALSE, FALSE, sizeof(SlabEntry));
    pool->by_base = g_hash_table_new(NULL, NULL);
    return pool;
}

void xtf_slab_pool_free(XtfSlabPool *pool)
{
    for (guint i = 0; i < pool->slabs->len; i++) {
        Slab *slab = g_array_index(pool->slabs, SlabEntry, i).slab;
        munmap(slab->bytes, SLAB_BYTES);
        g_free(slab);
    }
    g_array_unref(pool->slabs);
    g_hash_table_unref(pool->by_base);
    g_mutex_clear(&pool->lock);
    g_free(pool);
}

/* Maps a slab's memory, aligned to its size. Returns NULL if the kernel refuses. */
static uint8_t *map_slab(void)
{
    uint8_t *memory =
        mmap(NULL, 2 * (size_t)SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = (SLAB_BYTES - (uintptr_t)memory % SLAB_BYTES) % SLAB_BYTES;
    if (before > 0)
        munmap(memory, before);
    munmap(memory + before + SLAB_BYTES, SLAB_BYTES - before);
    madvise(memory + before, SLAB_BYTES, MADV_HUGEPAGE); /* a kernel without huge pages refuses */
    return memory + before;
}

/* Appends an empty slab. Returns NULL if there is no memory. */
static SlabEntry *add_slab(XtfSlabPool *pool)
{
    uint8_t *bytes = map_slab();

    if (!bytes)
        return NULL;
    Slab *slab = g_new0(Slab, 1);
    slab->bytes = bytes;
    slab->index = pool->slabs->len;
    slab->absent = UINT64_MAX;
    slab->huge = true;
    const SlabEntry entry = {.slab = slab, .longest = UNITS};
    g_array_append_val(pool->slabs, entry);
    g_hash_table_insert(pool->by_base, bytes, slab);
    return &g_array_index(pool->slabs, SlabEntry, slab->index);
}

static size_t held_bytes(const Slab *slab)
{
    return (size_t)(WORDS - __builtin_popcountll(slab->absent)) * PART_BYTES;
}

/* Unmaps a slab without blocks. The slabs behind it move up. */
static void remove_slab(XtfSlabPool *pool, Slab *slab)
{
    pool->held -= held_bytes(slab);
    g_hash_table_remove(pool->by_base, slab->bytes);
    g_array_remove_index(pool->slabs, slab->index);
    for (guint i = slab->index; i < pool->slabs->len; i++)
        g_array_index(pool->slabs, SlabEntry, i).slab->index = i;
    munmap(slab->bytes, SLAB_BYTES);
    g_free(slab);
}

/* Returns the first unit from `from` on that is in use, or that is free; UNITS if there is none. */
static uint32_t next_unit(const Slab *slab, uint32_t from, bool in_use)
{
    uint64_t flip = in_use ? 0 : UINT64_MAX, hidden = ~(UINT64_MAX << from % 64);

    for (uint32_t word = from / 64; word < WORDS; word++, hidden = 0) {
        uint64_t bits = (slab->used[word] ^ flip) & ~hidden;
        if (bits != 0)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return UNITS;
}

/* Returns the first of n free units. If there are none returns UNITS, and sets *longest to the longest run. */
static uint32_t find_run(const Slab *slab, uint32_t n, uint32_t *longest)
{
    uint32_t most = 0;

    for (uint32_t begin = next_unit(slab, 0, false); begin < UNITS;) {
        uint32_t end = next_unit(slab, begin, true);
        if (end - begin >= n)
            return begin;
        most = MAX(most, end - begin);
        begin = end < UNITS ? next_unit(slab, end, false) : UNITS;
    }
    *longest = most;
    return UNITS;
}

/* Returns the bits of the units from `begin` to `end` in a word. */
static uint64_t bits_in_word(uint32_t word, uint32_t begin, uint32_t end)
{
    uint32_t first = MAX(begin, word * 64) - word * 64, last = MIN(end, word * 64 + 64) - word * 64;

    return (UINT64_MAX << first) & (UINT64_MAX >> (64 - last));
}

/* Notes that the kernel gets memory for the parts of some units. The first access to a huge page maps all of it. */
static void note_present(XtfSlabPool *pool, Slab *slab, uint32_t begin, uint32_t end)
{
    const uint64_t huge = UINT64_MAX >> (64 - HUGE_PARTS);

    pool->held -= held_bytes(slab);
    for (uint32_t word = begin / 64; word * 64 < end; word++) {
        slab->absent &= ~(slab->huge ? huge << word / HUGE_PARTS * HUGE_PARTS : UINT64_C(1) << word);
    }
    pool->held += held_bytes(slab);
}

static uint8_t *take_units(XtfSlabPool *pool, Slab *slab, uint32_t begin, uint32_t n)
{
    for (uint32_t word = begin / 64; word * 64 < begin + n; word++)
        slab->used[word] |= bits_in_word(word, begin, begin + n);
    slab->lengths[begin] = (uint16_t)n;
    slab->n_used += n;
    pool->used += (size_t)n * UNIT_BYTES;
    note_present(pool, slab, begin, begin + n);
    return slab->bytes + (size_t)begin * UNIT_BYTES;
}

uint8_t *xtf_slab_pool_alloc(XtfSlabPool *pool, size_t length)
{
    uint32_t n = (uint32_t)((length + UNIT_BYTES - 1) / UNIT_BYTES);
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&pool->lock);

    for (guint i = 0; i < pool->slabs->len; i++) {
        SlabEntry *entry = &g_array_index(pool->slabs, SlabEntry, i);
        uint32_t begin = entry->longest >= n ? find_run(entry->slab, n, &entry->longest) : UNITS;
        if (begin < UNITS)
            return take_units(pool, entry->slab, begin, n);
    }
    const SlabEntry *added = add_slab(pool);
    return added ? take_units(pool, added->slab, 0, n) : NULL;
}

size_t xtf_slab_pool_held_max(size_t used)
{
    return used + MAX((size_t)UNUSED_MIN, used / UNUSED_DIVISOR);
}

/* Ends the use of huge pages in a slab of which memory is given back. Otherwise the kernel's thread for huge pages
 * would map the memory again. */
static void split_huge_pages(Slab *slab)
{
    if (slab->huge)
        madvise(slab->bytes, SLAB_BYTES, MADV_NOHUGEPAGE);
    slab->huge = false;
}

static bool is_free_part(const Slab *slab, uint32_t part)
{
    return slab->used[part] == 0 && !(slab->absent >> part & 1);
}

/* Gives back the parts of a slab that no block uses. */
static void give_back_parts(XtfSlabPool *pool, Slab *slab)
{
    pool->held -= held_bytes(slab);
    for (uint32_t begin = 0, end; begin < WORDS; begin = end + 1) {
        for (end = begin; end < WORDS && is_free_part(slab, end); end++)
            continue;
        if (end == begin)
            continue;
        split_huge_pages(slab);
        madvise(slab->bytes + (size_t)begin * PART_BYTES, (size_t)(end - begin) * PART_BYTES, MADV_DONTNEED);
        for (uint32_t part = begin; part < end; part++)
            slab->absent |= UINT64_C(1) << part;
    }
    pool->held += held_bytes(slab);
}

/* Gives back memory, from the last slab on, until at most `unused` free bytes are held. Empty slabs go first. */
static void reduce_unused(XtfSlabPool *pool, size_t unused)
{
    for (guint i = pool->slabs->len; i > 0 && pool->held - pool->used > unused; i--) {
        Slab *slab = g_array_index(pool->slabs, SlabEntry, i - 1).slab;
        if (slab->n_used == 0)
            remove_slab(pool, slab);
    }
    for (guint i = pool->slabs->len; i > 0 && pool->held - pool->used > unused; i--)
        give_back_parts(pool, g_array_index(pool->slabs, SlabEntry, i - 1).slab);
}

/* Frees the units of a block. */
static void clear_units(XtfSlabPool *pool, Slab *slab, uint32_t begin)
{
    uint32_t n = slab->lengths[begin];

    for (uint32_t word = begin / 64; word * 64 < begin + n; word++)
        slab->used[word] &= ~bits_in_word(word, begin, begin + n);
    slab->n_used -= n;
    pool->used -= (size_t)n * UNIT_BYTES;
    pool->freed += (size_t)n * UNIT_BYTES;
    g_array_index(pool->slabs, SlabEntry, slab->index).longest = UNITS - slab->n_used;
}

bool xtf_slab_pool_release(XtfSlabPool *pool, void *block)
{
    uintptr_t offset = (uintptr_t)block % SLAB_BYTES;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&pool->lock);
    Slab *slab = g_hash_table_lookup(pool->by_base, (uint8_t *)block - offset);

    if (!slab)
        return false;
    clear_units(pool, slab, (uint32_t)(offset / UNIT_BYTES));
    size_t unused_max = xtf_slab_pool_held_max(pool->used) - pool->used;
    if (pool->held - pool->used > unused_max && pool->freed > unused_max / 2) {
        pool->freed = 0;
        reduce_unused(pool, unused_max / 2);
    }
    return true;
}

/* Gives back the whole pages of each run of free units. */
static void give_back_pages(Slab *slab)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (uint32_t begin = next_unit(slab, 0, false), end; begin < UNITS; begin = next_unit(slab, end, false)) {
        end = next_unit(slab, begin, true);
        size_t from = ((size_t)begin * UNIT_BYTES + page - 1) / page * page,
               to = (size_t)end * UNIT_BYTES / page * page;
        if (from < to) {
            split_huge_pages(slab);
            madvise(slab->bytes + from, to - from, MADV_DONTNEED);
        }
        if (end == UNITS)
            return;
    }
}

void xtf_slab_pool_give_back(XtfSlabPool *pool)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&pool->lock);

    reduce_unused(pool, 0);
    for (guint i = 0; i < pool->slabs->len; i++)
        give_back_pages(g_array_index(pool->slabs, SlabEntry, i).slab);
}

void xtf_slab_pool_get_stats(XtfSlabPool *pool, XtfSlabStats *stats)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&pool->lock);

    *stats = (XtfSlabStats){.used = pool->used, .held = pool->held, .slabs = pool->slabs->len};
}

/* ---- The pool of the process. */

#ifdef __SANITIZE_ADDRESS__
static const bool uses_slabs = false;
#else
static const bool uses_slabs = true;
#endif

static _Atomic(XtfSlabPool *) shared_pool; /* NULL before the first slab */
static atomic_size_t heap_bytes;           /* bytes of all blocks made in the heap before */

static bool fits_slab(size_t length)
{
    return uses_slabs && length >= XTF_BLOCK_IN_SLAB_MIN && length <= XTF_BLOCK_IN_SLAB_MAX;
}

/* Returns the shared pool, creating it. Returns NULL for the first blocks. */
static XtfSlabPool *pool_for_block(size_t length)
{
    static gsize created;

    if (atomic_load_explicit(&heap_bytes, memory_order_relaxed) < HEAP_BYTES) {
        atomic_fetch_add_explicit(&heap_bytes, length, memory_order_relaxed);
        return NULL;
    }
    if (g_once_init_enter(&created)) {
        atomic_store(&shared_pool, xtf_slab_pool_new());
        g_once_init_leave(&created, 1);
    }
    return atomic_load(&shared_pool);
}

uint8_t *xtf_block_memory_try(size_t length)
{
    XtfSlabPool *pool = fits_slab(length) ? pool_for_block(length) : NULL;
    uint8_t *block = pool ? xtf_slab_pool_alloc(pool, length) : NULL;

    return block ? block : g_try_malloc(length);
}

uint8_t *xtf_block_memory_new(size_t length)
{
    uint8_t *block = xtf_block_memory_try(length);

    return block || length == 0 ? block : g_malloc(length); /* which ends the process with a message */
}

void xtf_block_memory_free(void *block)
{
    XtfSlabPool *pool = atomic_load(&shared_pool);

    if (!block || (pool && xtf_slab_pool_release(pool, block)))
        return;
    g_free(block);
}

void xtf_block_memory_give_back(void)
{
    XtfSlabPool *pool = atomic_load(&shared_pool);

    if (pool)
        xtf_slab_pool_give_back(pool);
}

size_t xtf_block_memory_cost(size_t length)
{
    if (!fits_slab(length))
        return length;
    size_t rounded = (length + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
    return rounded + rounded / UNUSED_DIVISOR;
}

#include "libxtf/cache/cache.h"

#include <string.h>

#include "libxtf/error.h"

typedef struct Entry Entry;

struct Entry {
    XtfBlock block; /* first: what getters hold is the entry */
    Entry *chain;   /* in the hash table */
    Entry *older, *newer;
    uint32_t pins; /* a thread that waits for the load holds one too, so that the entry is there when it wakes */
    bool loading, failed;
    bool passed_before; /* it left the cache when a reader passed it, and was asked for again */
    uint8_t *owned;     /* NULL where the source lent its own bytes */
    /* Its name, beside its offset. A made block's own length is that of the bytes made. */
    uint32_t length;
    XtfBlockCheck check; /* that it passed: bytes that were checked as an item are not good as a page */
    XtfBlockMaker maker; /* NULL: it was read */
};

/* A block that is asked for. */
typedef struct {
    uint64_t offset, hash;
    uint64_t version;
    uint32_t length;
    XtfBlockCheck check;
    XtfBlockMaker maker;
    const void *check_context;
    void *maker_context;
} Request;

typedef struct {
    GMutex lock;
    GCond loaded;
    Entry **buckets;
    uint32_t n_buckets, n_entries;
    Entry lru; /* ring of idle entries: lru.newer is the oldest, lru.older the newest */
    size_t limit;
    uint32_t
        *passed; /* names of blocks that left the cache when a reader passed them, by hash; a newer name replaces */
    uint64_t hits, misses, loads, evictions, bytes, pinned_bytes;
} Shard;

struct XtfCache {
    XtfSource *source;
    atomic_size_t limit;
    uint32_t n_shards; /* a power of two */
    Shard *shards;
};

enum {
    PASSED_NAMES = 1024, /* that a shard remembers: a power of two */
    SHARDS_MAX = 16,
    SHARD_BYTES_MIN =
        16 << 20, /* a smaller shard evicts by chance, not by age; and the totals of a large page must fit */
};

XtfCache *xtf_cache_new(XtfSource *source, size_t limit)
{
    XtfCache *cache = g_new0(XtfCache, 1);

    cache->source = source;
    cache->limit = limit;
    cache->n_shards = 1;
    while (cache->n_shards < SHARDS_MAX && limit / (2 * cache->n_shards) >= SHARD_BYTES_MIN)
        cache->n_shards *= 2;
    cache->shards = g_new0(Shard, cache->n_shards);
    for (uint32_t i = 0; i < cache->n_shards; i++) {
        Shard *shard = &cache->shards[i];
        g_mutex_init(&shard->lock);
        g_cond_init(&shard->loaded);
        shard->passed = g_new0(uint32_t, PASSED_NAMES);
        shard->n_buckets = 64;
        shard->buckets = g_new0(Entry *, shard->n_buckets);
        shard->lru.older = shard->lru.newer = &shard->lru;
        shard->limit = limit / cache->n_shards;
    }
    return cache;
}

static void entry_free(Entry *entry)
{
    g_free(entry->owned);
    g_free(entry);
}

void xtf_cache_free(XtfCache *cache)
{
    if (!cache)
        return;
    for (uint32_t i = 0; i < cache->n_shards; i++) {
        Shard *shard = &cache->shards[i];
        for (uint32_t b = 0; b < shard->n_buckets; b++) {
            for (Entry *entry = shard->buckets[b], *next; entry; entry = next) {
                next = entry->chain;
                entry_free(entry);
            }
        }
        g_free(shard->buckets);
        g_free(shard->passed);
        g_mutex_clear(&shard->lock);
        g_cond_clear(&shard->loaded);
    }
    g_free(cache->shards);
    g_free(cache);
}

/* The bytes that an entry counts for. An entry whose content is lent by the source costs only itself. */
static size_t entry_cost(const Entry *entry)
{
    return sizeof(Entry) + (entry->owned ? entry->block.length : 0);
}

static uint64_t hash_offset(uint64_t offset)
{
    return (offset * UINT64_C(0x9e3779b97f4a7c15)) >> 24;
}

static Shard *shard_of(XtfCache *cache, uint64_t hash)
{
    return &cache->shards[(hash >> 32) & (cache->n_shards - 1)];
}

static void lru_add(Shard *shard, Entry *entry)
{
    entry->newer = &shard->lru;
    entry->older = shard->lru.older;
    entry->older->newer = entry;
    shard->lru.older = entry;
}

static void lru_remove(Entry *entry)
{
    entry->older->newer = entry->newer;
    entry->newer->older = entry->older;
}

static void table_grow(Shard *shard)
{
    uint32_t n_buckets = 2 * shard->n_buckets;
    Entry **buckets = g_new0(Entry *, n_buckets);

    for (uint32_t b = 0; b < shard->n_buckets; b++) {
        for (Entry *entry = shard->buckets[b], *next; entry; entry = next) {
            next = entry->chain;
            Entry **bucket = &buckets[hash_offset(entry->block.offset) & (n_buckets - 1)];
            entry->chain = *bucket;
            *bucket = entry;
        }
    }
    g_free(shard->buckets);
    shard->buckets = buckets;
    shard->n_buckets = n_buckets;
}

static void table_add(Shard *shard, Entry *entry, uint64_t hash)
{
    if (shard->n_entries++ >= shard->n_buckets)
        table_grow(shard);
    Entry **bucket = &shard->buckets[hash & (shard->n_buckets - 1)];
    entry->chain = *bucket;
    *bucket = entry;
}

static void table_remove(Shard *shard, Entry *entry)
{
    Entry **link = &shard->buckets[hash_offset(entry->block.offset) & (shard->n_buckets - 1)];
    while (*link != entry)
        link = &(*link)->chain;
    *link = entry->chain;
    shard->n_entries--;
}

static bool is_asked_for(const Entry *entry, const Request *request)
{
    return entry->block.offset == request->offset && entry->length == request->length &&
           entry->block.version == request->version && entry->check == request->check && entry->maker == request->maker;
}

static Entry *table_find(const Shard *shard, const Request *request)
{
    Entry *entry = shard->buckets[request->hash & (shard->n_buckets - 1)];
    while (entry && !is_asked_for(entry, request))
        entry = entry->chain;
    return entry;
}

/* Frees an entry that nobody holds, and that is not in the LRU list. */
static void drop(Shard *shard, Entry *entry)
{
    table_remove(shard, entry);
    shard->bytes -= entry_cost(entry);
    entry_free(entry);
}

/* Drops idle entries, oldest first, until `room` more bytes fit. */
static void make_room(Shard *shard, size_t room)
{
    while (shard->bytes + room > shard->limit && shard->lru.newer != &shard->lru) {
        Entry *oldest = shard->lru.newer;
        lru_remove(oldest);
        shard->evictions++;
        drop(shard, oldest);
    }
}

/* Lets go of an entry whose load failed: it is in no list any more, and goes with the last pin. */
static void drop_failed(Entry *entry)
{
    if (--entry->pins == 0)
        entry_free(entry);
}

/* An entry that is there: pins it, waiting for its load if need be. NULL if that load failed. Called and left with the
 * lock held. */
static Entry *pin_present(Shard *shard, Entry *entry)
{
    if (entry->pins++ == 0) {
        lru_remove(entry);
        shard->pinned_bytes += entry_cost(entry);
    }
    if (!entry->loading) {
        shard->hits++;
        return entry;
    }
    shard->misses++;
    while (entry->loading)
        g_cond_wait(&shard->loaded, &shard->lock);
    if (!entry->failed)
        return entry;
    drop_failed(entry);
    return NULL;
}

/* Where a shard remembers that a block with this name was passed. Two names may share a place: then one is forgotten.
 */
static uint32_t *passed_place(Shard *shard, uint64_t hash)
{
    return &shard->passed[hash & (PASSED_NAMES - 1)];
}

/* Not 0, which stands for none. */
static uint32_t passed_name(uint64_t hash, uint64_t version)
{
    return ((uint32_t)hash ^ (uint32_t)version ^ (uint32_t)(version >> 32)) | 1;
}

static Entry *entry_new(XtfCache *cache, const Request *request)
{
    XtfSource *source = cache->source;
    Entry *entry = g_new0(Entry, 1);

    entry->block.cache = cache;
    entry->block.offset = request->offset;
    entry->block.version = request->version;
    entry->length = request->length;
    entry->check = request->check;
    entry->maker = request->maker;
    entry->loading = true;
    entry->pins = 1;
    if (request->maker)
        return entry;
    entry->block.length = request->length;
    entry->block.data = source->ops->map ? source->ops->map(source, request->offset, request->length) : NULL;
    if (!entry->block.data)
        entry->block.data = entry->owned = g_try_malloc(request->length);
    return entry;
}

static bool read_block(XtfSource *source, const Entry *entry, const Request *request, GError **error)
{
    const XtfBlock *block = &entry->block;

    if (!block->data)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "byte %" PRIu64 ": there is no memory for %u bytes", block->offset,
                        block->length);
    uint64_t shown = source->ops->where ? source->ops->where(source, block->offset) : block->offset;
    bool good = !entry->owned || source->ops->read(source, block->offset, entry->owned, block->length, error);
    if (good && request->check)
        good = request->check(block->data, block->length, shown, request->check_context, error);
    if (!good && source->ops->blame)
        source->ops->blame(source, block->offset, error);
    return good;
}

static void account(Shard *shard, size_t cost)
{
    make_room(shard, cost);
    shard->bytes += cost;
    shard->pinned_bytes += cost;
}

/* Reads or makes a block that is not there. Called and left with the lock held, which is let go meanwhile. */
static Entry *load(XtfCache *cache, Shard *shard, const Request *request, GError **error)
{
    Entry *entry = entry_new(cache, request);
    uint8_t *made = NULL;
    uint32_t length = 0;

    entry->passed_before = *passed_place(shard, request->hash) == passed_name(request->hash, request->version);
    shard->misses++;
    shard->loads++;
    account(shard, entry_cost(entry));
    table_add(shard, entry, request->hash);

    g_mutex_unlock(&shard->lock);
    bool good = request->maker ? request->maker(request->maker_context, &made, &length, error)
                               : read_block(cache->source, entry, request, error);
    g_mutex_lock(&shard->lock);

    if (good && request->maker) {
        entry->block.data = entry->owned = made;
        entry->block.length = length;
        account(shard, length);
    }
    entry->loading = false;
    entry->failed = !good;
    if (entry->pins > 1)
        g_cond_broadcast(&shard->loaded);
    if (good)
        return entry;
    table_remove(shard, entry);
    shard->bytes -= entry_cost(entry);
    shard->pinned_bytes -= entry_cost(entry);
    drop_failed(entry);
    return NULL;
}

static XtfBlock *pin(XtfCache *cache, const Request *request, GError **error)
{
    Shard *shard = shard_of(cache, request->hash);
    Entry *entry = NULL;
    g_autoptr(GError) reason = NULL;

    g_mutex_lock(&shard->lock);
    while (!entry && !reason) {
        entry = table_find(shard, request);
        /* Where the load that it waited for failed, it tries for itself, to have the reason. */
        entry = entry ? pin_present(shard, entry) : load(cache, shard, request, &reason);
    }
    g_mutex_unlock(&shard->lock);
    if (!entry) {
        g_propagate_error(error, g_steal_pointer(&reason));
        return NULL;
    }
    atomic_fetch_add_explicit(&entry->block.uses, 1, memory_order_relaxed);
    return &entry->block;
}

XtfBlock *xtf_cache_get(XtfCache *cache, uint64_t offset, uint32_t length, uint64_t version, XtfBlockCheck check,
                        const void *context, GError **error)
{
    uint64_t size = xtf_source_size(cache->source);

    if (length == 0 || length > size || offset > size - length) {
        xtf_damaged(error, "byte %" PRIu64 ": %u bytes should lie here, but the file ends at %" PRIu64, offset, length,
                    size);
        return NULL;
    }
    const Request request = {
        .offset = offset,
        .hash = hash_offset(offset),
        .length = length,
        .version = version,
        .check = check,
        .check_context = context,
    };
    return pin(cache, &request, error);
}

XtfBlock *xtf_cache_make(XtfCache *cache, uint64_t offset, uint32_t length, uint64_t version, XtfBlockMaker maker,
                         void *context, GError **error)
{
    const Request request = {
        .offset = offset,
        .hash = hash_offset(offset),
        .length = length,
        .version = version,
        .maker = maker,
        .maker_context = context,
    };
    return pin(cache, &request, error);
}

/* What becomes of an entry that nobody holds any more. */
static void keep(Shard *shard, Entry *entry)
{
    lru_add(shard, entry);
    make_room(shard, 0);
}

static void let_pass(Shard *shard, Entry *entry)
{
    uint64_t hash = hash_offset(entry->block.offset);

    if (entry->passed_before || atomic_load_explicit(&entry->block.uses, memory_order_relaxed) > 1) {
        keep(shard, entry);
        return;
    }
    *passed_place(shard, hash) = passed_name(hash, entry->block.version);
    drop(shard, entry);
}

static void put(XtfBlock *block, void (*let_go)(Shard *shard, Entry *entry))
{
    if (!block)
        return;
    Entry *entry = (Entry *)block;
    Shard *shard = shard_of(block->cache, hash_offset(block->offset));

    g_mutex_lock(&shard->lock);
    if (--entry->pins == 0) {
        shard->pinned_bytes -= entry_cost(entry);
        let_go(shard, entry);
    }
    g_mutex_unlock(&shard->lock);
}

void xtf_block_put(XtfBlock *block)
{
    put(block, keep);
}

void xtf_block_drop(XtfBlock *block)
{
    put(block, drop);
}

void xtf_block_pass(XtfBlock *block)
{
    put(block, let_pass);
}

void xtf_cache_set_limit(XtfCache *cache, size_t limit)
{
    atomic_store_explicit(&cache->limit, limit, memory_order_relaxed);
    for (uint32_t i = 0; i < cache->n_shards; i++) {
        Shard *shard = &cache->shards[i];
        g_mutex_lock(&shard->lock);
        shard->limit = limit / cache->n_shards;
        make_room(shard, 0);
        g_mutex_unlock(&shard->lock);
    }
}

void xtf_cache_get_stats(XtfCache *cache, XtfCacheStats *stats)
{
    XtfCacheStats sum = {.limit = atomic_load_explicit(&cache->limit, memory_order_relaxed)};

    for (uint32_t i = 0; i < cache->n_shards; i++) {
        Shard *shard = &cache->shards[i];
        g_mutex_lock(&shard->lock);
        sum.hits += shard->hits;
        sum.misses += shard->misses;
        sum.loads += shard->loads;
        sum.evictions += shard->evictions;
        sum.bytes += shard->bytes;
        sum.pinned_bytes += shard->pinned_bytes;
        g_mutex_unlock(&shard->lock);
    }
    *stats = sum;
}

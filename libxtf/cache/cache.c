#include "libxtf/cache/cache.h"

#include <string.h>

#include "libxtf/base/block-memory.h"
#include "libxtf/error.h"

typedef struct Entry Entry;

struct Entry {
    XtfBlock block; /* must be first: an XtfBlock pointer is cast to its entry */
    Entry *chain;   /* next entry of the hash bucket */
    Entry *older, *newer;
    uint32_t pins; /* includes the threads that wait for the load, so that the entry still exists when they wake up */
    bool loading, failed;
    bool dropped_before; /* a reader dropped the block after one pass, and it was then requested again */
    uint8_t *owned;      /* memory of the block's bytes; NULL if the source lent its own */
    /* Length in the request: with the offset, part of the key. In a made block, block.length is that of the made
     * bytes. */
    uint32_t length;
    XtfBlockCheck check; /* the check that the block passed: bytes valid as an item need not be valid as a page */
    XtfBlockMaker maker; /* NULL: the block was read */
};

/* A requested block. */
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
    /* Names of blocks dropped after one pass, by hash; a newer name overwrites an older one in its slot. NULL until a
     * block is dropped. */
    uint32_t *dropped_names;
    uint64_t hits, misses, loads, evictions, bytes, pinned_bytes;
} Shard;

struct XtfCache {
    XtfSource *source;
    atomic_size_t limit;
    uint32_t n_shards; /* a power of two */
    Shard *shards;
};

enum {
    DROPPED_NAMES = 1024, /* per shard: a power of two */
    SHARDS_MAX = 16,
    /* A smaller shard would evict by chance, not by age. The totals of a large page must also fit. */
    SHARD_BYTES_MIN = 16 << 20,
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
        shard->n_buckets = 64;
        shard->buckets = g_new0(Entry *, shard->n_buckets);
        shard->lru.older = shard->lru.newer = &shard->lru;
        shard->limit = limit / cache->n_shards;
    }
    return cache;
}

static void free_entry(Entry *entry)
{
    xtf_block_memory_free(entry->owned);
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
                free_entry(entry);
            }
        }
        g_free(shard->buckets);
        g_free(shard->dropped_names);
        g_mutex_clear(&shard->lock);
        g_cond_clear(&shard->loaded);
    }
    g_free(cache->shards);
    g_free(cache);
}

/* Returns the bytes that an entry counts for. An entry with bytes lent by the source counts only itself. */
static size_t entry_cost(const Entry *entry)
{
    return sizeof(Entry) + (entry->owned ? xtf_block_memory_cost(entry->block.length) : 0);
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

static bool entry_matches(const Entry *entry, const Request *request)
{
    return entry->block.offset == request->offset && entry->length == request->length &&
           entry->block.version == request->version && entry->check == request->check && entry->maker == request->maker;
}

static Entry *table_find(const Shard *shard, const Request *request)
{
    Entry *entry = shard->buckets[request->hash & (shard->n_buckets - 1)];
    while (entry && !entry_matches(entry, request))
        entry = entry->chain;
    return entry;
}

/* Frees an entry that has no pins and is not in the LRU list. */
static void drop_entry(Shard *shard, Entry *entry)
{
    table_remove(shard, entry);
    shard->bytes -= entry_cost(entry);
    free_entry(entry);
}

/* Drops idle entries, oldest first, until at most `bytes` are left. */
static void evict_down_to(Shard *shard, size_t bytes)
{
    while (shard->bytes > bytes && shard->lru.newer != &shard->lru) {
        Entry *oldest = shard->lru.newer;
        lru_remove(oldest);
        shard->evictions++;
        drop_entry(shard, oldest);
    }
}

/* Drops idle entries, oldest first, until `room` more bytes fit. */
static void evict_entries(Shard *shard, size_t room)
{
    evict_down_to(shard, shard->limit - MIN(room, shard->limit));
}

/* Releases a pin of an entry whose load failed. The entry is in no list, and the last pin frees it. */
static void drop_failed_entry(Entry *entry)
{
    if (--entry->pins == 0)
        free_entry(entry);
}

/* Pins an existing entry, and waits for its load if needed. Returns NULL if that load failed. The caller holds the
 * lock. */
static Entry *pin_existing(Shard *shard, Entry *entry)
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
    drop_failed_entry(entry);
    return NULL;
}

/* Returns the name of a dropped block: never 0, which marks an empty slot. */
static uint32_t make_dropped_name(uint64_t hash, uint64_t version)
{
    return ((uint32_t)hash ^ (uint32_t)version ^ (uint32_t)(version >> 32)) | 1;
}

/* Returns the slot of a dropped block's name. */
static unsigned dropped_name_slot(uint64_t hash)
{
    return hash & (DROPPED_NAMES - 1);
}

static bool was_dropped(const Shard *shard, uint64_t hash, uint64_t version)
{
    return shard->dropped_names && shard->dropped_names[dropped_name_slot(hash)] == make_dropped_name(hash, version);
}

static void note_dropped(Shard *shard, uint64_t hash, uint64_t version)
{
    if (!shard->dropped_names)
        shard->dropped_names = g_new0(uint32_t, DROPPED_NAMES);
    shard->dropped_names[dropped_name_slot(hash)] = make_dropped_name(hash, version);
}

static Entry *new_entry(XtfCache *cache, const Request *request)
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
        entry->block.data = entry->owned = xtf_block_memory_try(request->length);
    return entry;
}

static bool read_block(XtfSource *source, const Entry *entry, const Request *request, GError **error)
{
    const XtfBlock *block = &entry->block;

    if (!block->data)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "byte %" PRIu64 ": not enough memory for %u bytes", block->offset,
                        block->length);
    uint64_t file_offset = source->ops->file_offset ? source->ops->file_offset(source, block->offset) : block->offset;
    bool success = !entry->owned || source->ops->read(source, block->offset, entry->owned, block->length, error);
    if (success && request->check)
        success = request->check(block->data, block->length, file_offset, request->check_context, error);
    if (!success && source->ops->name_file)
        source->ops->name_file(source, block->offset, error);
    return success;
}

static void add_cost(Shard *shard, size_t cost)
{
    evict_entries(shard, cost);
    shard->bytes += cost;
    shard->pinned_bytes += cost;
}

/* Reads or makes a block that is not in the cache. The caller holds the lock; the function releases it during the
 * load. */
static Entry *load_block(XtfCache *cache, Shard *shard, const Request *request, GError **error)
{
    Entry *entry = new_entry(cache, request);
    uint8_t *made_data = NULL;
    uint32_t length = 0;

    entry->dropped_before = was_dropped(shard, request->hash, request->version);
    shard->misses++;
    shard->loads++;
    add_cost(shard, entry_cost(entry));
    table_add(shard, entry, request->hash);

    g_mutex_unlock(&shard->lock);
    bool success = request->maker ? request->maker(request->maker_context, &made_data, &length, error)
                                  : read_block(cache->source, entry, request, error);
    g_mutex_lock(&shard->lock);

    if (success && request->maker) {
        entry->block.data = entry->owned = made_data;
        entry->block.length = length;
        add_cost(shard, xtf_block_memory_cost(length));
    }
    entry->loading = false;
    entry->failed = !success;
    if (entry->pins > 1)
        g_cond_broadcast(&shard->loaded);
    if (success)
        return entry;
    table_remove(shard, entry);
    shard->bytes -= entry_cost(entry);
    shard->pinned_bytes -= entry_cost(entry);
    drop_failed_entry(entry);
    return NULL;
}

static XtfBlock *pin_block(XtfCache *cache, const Request *request, GError **error)
{
    Shard *shard = shard_of(cache, request->hash);
    Entry *entry = NULL;
    g_autoptr(GError) load_error = NULL;

    g_mutex_lock(&shard->lock);
    while (!entry && !load_error) {
        entry = table_find(shard, request);
        /* After waiting for a failed load, the thread loads the block itself, to get the error. */
        entry = entry ? pin_existing(shard, entry) : load_block(cache, shard, request, &load_error);
    }
    g_mutex_unlock(&shard->lock);
    if (!entry) {
        g_propagate_error(error, g_steal_pointer(&load_error));
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
    return pin_block(cache, &request, error);
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
    return pin_block(cache, &request, error);
}

/* Makes an entry without pins idle, and evicts the oldest idle entries if the shard exceeds its limit. */
static void make_idle(Shard *shard, Entry *entry)
{
    lru_add(shard, entry);
    evict_entries(shard, 0);
}

static void drop_after_pass(Shard *shard, Entry *entry)
{
    uint64_t hash = hash_offset(entry->block.offset);

    if (entry->dropped_before || atomic_load_explicit(&entry->block.uses, memory_order_relaxed) > 1) {
        make_idle(shard, entry);
        return;
    }
    note_dropped(shard, hash, entry->block.version);
    drop_entry(shard, entry);
}

static void release_pin(XtfBlock *block, void (*release_entry)(Shard *shard, Entry *entry))
{
    if (!block)
        return;
    Entry *entry = (Entry *)block;
    Shard *shard = shard_of(block->cache, hash_offset(block->offset));

    g_mutex_lock(&shard->lock);
    if (--entry->pins == 0) {
        shard->pinned_bytes -= entry_cost(entry);
        release_entry(shard, entry);
    }
    g_mutex_unlock(&shard->lock);
}

void xtf_block_put(XtfBlock *block)
{
    release_pin(block, make_idle);
}

void xtf_block_drop(XtfBlock *block)
{
    release_pin(block, drop_entry);
}

void xtf_block_pass(XtfBlock *block)
{
    release_pin(block, drop_after_pass);
}

void xtf_cache_set_limit(XtfCache *cache, size_t limit)
{
    atomic_store_explicit(&cache->limit, limit, memory_order_relaxed);
    for (uint32_t i = 0; i < cache->n_shards; i++) {
        Shard *shard = &cache->shards[i];
        g_mutex_lock(&shard->lock);
        shard->limit = limit / cache->n_shards;
        evict_entries(shard, 0);
        g_mutex_unlock(&shard->lock);
    }
}

void xtf_cache_trim(XtfCache *cache, size_t bytes)
{
    for (uint32_t i = 0; i < cache->n_shards; i++) {
        Shard *shard = &cache->shards[i];
        g_mutex_lock(&shard->lock);
        evict_down_to(shard, bytes / cache->n_shards);
        g_mutex_unlock(&shard->lock);
    }
    xtf_block_memory_give_back();
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

#include <lmdb.h>
#include <string.h>

#include "bench.h"
#include "peers.h"

typedef struct {
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    MDB_cursor *cursor;
} Environment;

/* A value: time and number, big-endian, so that their order is that of the bytes. Sorted, and no two are the same. */
typedef struct {
    uint64_t time, n;
} Value;

typedef struct {
    uint64_t location, type;
} Key;

static void check(int code, const char *what)
{
    bench_check(code == MDB_SUCCESS, NULL, "lmdb: %s: %s", what, mdb_strerror(code));
}

static Environment *begin(const char *folder, unsigned env_flags, unsigned txn_flags)
{
    g_autofree char *path = g_build_filename(folder, peer_lmdb.file, NULL);
    Environment *self = g_new0(Environment, 1);

    check(mdb_env_create(&self->env), "create");
    check(mdb_env_set_mapsize(self->env, (size_t)64 << 30), "map size");
    check(mdb_env_open(self->env, path, MDB_NOSUBDIR | MDB_NOLOCK | env_flags, 0600), path);
    check(mdb_txn_begin(self->env, NULL, txn_flags, &self->txn), "begin");
    check(mdb_dbi_open(self->txn, NULL, txn_flags == 0 ? MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED : 0, &self->dbi),
          "open");
    check(mdb_cursor_open(self->txn, self->dbi, &self->cursor), "cursor");
    return self;
}

static void build(const char *folder, const PeerArray *arrays, size_t n_arrays)
{
    Environment *self = begin(folder, MDB_NOSYNC, 0);

    for (size_t i = 0; i < n_arrays; i++) {
        Key key = {GUINT64_TO_BE(arrays[i].location), GUINT64_TO_BE(arrays[i].type)};
        for (uint64_t n = 0; n < arrays[i].n; n++) {
            Value value = {GUINT64_TO_BE(arrays[i].times[n]), GUINT64_TO_BE(n)};
            MDB_val k = {sizeof key, &key}, v = {sizeof value, &value};
            check(mdb_cursor_put(self->cursor, &k, &v, MDB_APPENDDUP), "put");
        }
    }
    mdb_cursor_close(self->cursor);
    check(mdb_txn_commit(self->txn), "commit");
    mdb_env_close(self->env);
    g_free(self);
}

static void *open_it(const char *folder)
{
    return begin(folder, MDB_RDONLY, MDB_RDONLY);
}

/* How many of a page's values are below a time. */
static size_t below(const Value *values, size_t n, uint64_t time)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (GUINT64_FROM_BE(values[middle].time) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t count(void *opaque, const PeerArray *array, uint64_t from, uint64_t to)
{
    Environment *self = opaque;
    Key key = {GUINT64_TO_BE(array->location), GUINT64_TO_BE(array->type)};
    Value value = {GUINT64_TO_BE(from), 0};
    MDB_val k = {sizeof key, &key}, v = {sizeof value, &value};
    uint64_t result = 0;

    if (mdb_cursor_get(self->cursor, &k, &v, MDB_GET_BOTH_RANGE) != MDB_SUCCESS)
        return 0;
    /* Values lie side by side, a page at a time. */
    int code = mdb_cursor_get(self->cursor, &k, &v, MDB_GET_MULTIPLE);
    while (code == MDB_SUCCESS) {
        size_t n = v.mv_size / sizeof(Value), end = n;
        const Value *values = v.mv_data;
        if (GUINT64_FROM_BE(values[n - 1].time) >= to)
            end = below(values, n, to);
        result += end - (GUINT64_FROM_BE(values[0].time) < from ? below(values, n, from) : 0);
        if (end < n)
            break;
        code = mdb_cursor_get(self->cursor, &k, &v, MDB_NEXT_MULTIPLE);
    }
    return result;
}

static void close_it(void *opaque)
{
    Environment *self = opaque;

    mdb_cursor_close(self->cursor);
    mdb_txn_abort(self->txn);
    mdb_env_close(self->env);
    g_free(self);
}

const Peer peer_lmdb = {
    .name = "LMDB", .build = build, .open = open_it, .count = count, .close = close_it, .file = "peer.lmdb"};

/*
 * LMDB: one key for each type of each location, and sorted values of one size under it, read a page at a time.
 */
#include <lmdb.h>
#include <string.h>

#include "ask.h"

typedef struct {
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi[2]; /* calls, sends: values of one size each */
    MDB_cursor *cursor[2];
    Tally tally;
} Environment;

/* Time and seq are big-endian, so that the order of values is that of the bytes. */
typedef struct __attribute__((packed)) {
    uint64_t time, seq, enter;
    uint32_t region;
    uint8_t event;
} CallValue;

typedef struct __attribute__((packed)) {
    uint64_t time, seq, bytes, request;
    uint32_t region, peer, comm, tag;
    uint8_t event;
} SendValue;

static const size_t value_size[2] = {sizeof(CallValue), sizeof(SendValue)};

static void check(int code, const char *what)
{
    bench_check(code == MDB_SUCCESS, NULL, "lmdb: %s: %s", what, mdb_strerror(code));
}

static Environment *begin(const char *folder, unsigned env_flags, unsigned txn_flags)
{
    g_autofree char *path = g_build_filename(folder, peer_lmdb.file, NULL);
    const char *const names[2] = {"calls", "sends"};
    Environment *self = g_new0(Environment, 1);

    check(mdb_env_create(&self->env), "create");
    check(mdb_env_set_mapsize(self->env, (size_t)64 << 30), "map size");
    check(mdb_env_set_maxdbs(self->env, 2), "databases");
    check(mdb_env_open(self->env, path, MDB_NOSUBDIR | MDB_NOLOCK | env_flags, 0600), path);
    check(mdb_txn_begin(self->env, NULL, txn_flags, &self->txn), "begin");
    for (int i = 0; i < 2; i++) {
        unsigned flags = txn_flags == 0 ? MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED : 0;
        check(mdb_dbi_open(self->txn, names[i], flags, &self->dbi[i]), names[i]);
        check(mdb_cursor_open(self->txn, self->dbi[i], &self->cursor[i]), "cursor");
    }
    return self;
}

static void put(Environment *self, int which, uint32_t location, const void *value)
{
    uint32_t key = GUINT32_TO_BE(location);
    MDB_val k = {sizeof key, &key}, v = {value_size[which], (void *)value};
    check(mdb_cursor_put(self->cursor[which], &k, &v, MDB_APPENDDUP), "put");
}

static void put_call(void *self, uint32_t location, const XtfEntersLeavesRow *row)
{
    CallValue value = {.time = GUINT64_TO_BE(row->time),
                       .seq = GUINT64_TO_BE(row->seq),
                       .enter = row->enter,
                       .region = row->region,
                       .event = row->event};
    put(self, 0, location, &value);
}

static void put_send(void *self, uint32_t location, const XtfSendsRow *row)
{
    SendValue value = {.time = GUINT64_TO_BE(row->time),
                       .seq = GUINT64_TO_BE(row->seq),
                       .bytes = row->bytes,
                       .request = row->request,
                       .region = row->region,
                       .peer = row->peer,
                       .comm = row->comm,
                       .tag = row->tag,
                       .event = row->event};
    put(self, 1, location, &value);
}

static void build(const char *folder, const char *trace)
{
    static const RowSink sink = {put_call, put_send};
    Environment *self = begin(folder, MDB_NOSYNC, 0);

    ask_each_row(trace, &sink, self);
    for (int i = 0; i < 2; i++)
        mdb_cursor_close(self->cursor[i]);
    check(mdb_txn_commit(self->txn), "commit");
    mdb_env_close(self->env);
    g_free(self);
}

static void *open_it(const char *folder)
{
    return begin(folder, MDB_RDONLY, MDB_RDONLY);
}

static uint64_t time_of(const uint8_t *values, size_t size, size_t i)
{
    uint64_t time;
    memcpy(&time, values + i * size, sizeof time);
    return GUINT64_FROM_BE(time);
}

/* How many of a page's values are below a time. */
static size_t below(const uint8_t *values, size_t size, size_t n, uint64_t time)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (time_of(values, size, middle) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t add(Kind kind, const uint8_t *values, size_t from, size_t to, Tally *tally)
{
    uint64_t sum = 0;

    if (kind == ASK_ROWS)
        return to - from;
    for (size_t i = from; i < to; i++) {
        if (kind == ASK_BYTES)
            sum += ((const SendValue *)values)[i].bytes;
        else if (((const CallValue *)values)[i].event == 0)
            tally_add(tally, ((const CallValue *)values)[i].region, 1);
    }
    return sum;
}

static uint64_t ask(void *opaque, const Question *question)
{
    Environment *self = opaque;
    int which = question->kind == ASK_BYTES;
    size_t size = value_size[which];
    MDB_cursor *cursor = self->cursor[which];
    uint32_t key = GUINT32_TO_BE(question->location);
    uint8_t first[sizeof(SendValue)] = {0};
    uint64_t from = GUINT64_TO_BE(question->from), result = 0;

    memcpy(first, &from, sizeof from);
    MDB_val k = {sizeof key, &key}, v = {size, first};
    if (mdb_cursor_get(cursor, &k, &v, MDB_GET_BOTH_RANGE) != MDB_SUCCESS)
        return 0;
    for (int code = mdb_cursor_get(cursor, &k, &v, MDB_GET_MULTIPLE); code == MDB_SUCCESS;
         code = mdb_cursor_get(cursor, &k, &v, MDB_NEXT_MULTIPLE)) {
        const uint8_t *values = v.mv_data;
        size_t n = v.mv_size / size, begin = 0, end = n;
        if (time_of(values, size, n - 1) >= question->to)
            end = below(values, size, n, question->to);
        if (time_of(values, size, 0) < question->from)
            begin = below(values, size, n, question->from);
        result += add(question->kind, values, begin, end, &self->tally);
        if (end < n)
            break;
    }
    return question->kind == ASK_CALLS ? tally_end(&self->tally) : result;
}

static void close_it(void *opaque)
{
    Environment *self = opaque;

    tally_clear(&self->tally);
    for (int i = 0; i < 2; i++)
        mdb_cursor_close(self->cursor[i]);
    mdb_txn_abort(self->txn);
    mdb_env_close(self->env);
    g_free(self);
}

const Peer peer_lmdb = {
    .name = "lmdb", .build = build, .open = open_it, .ask = ask, .close = close_it, .file = "peer.lmdb"};

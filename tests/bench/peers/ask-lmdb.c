/*
 * LMDB: one key for each type of each location, and sorted values of one size under it, read a page at a time. Values
 * hold their ordinal in the location or the bytes sent before them, and a third database the ENTERs by region before
 * each block of calls (prefix.h); so counts and sums are those at the window's end less those at its begin. The file is
 * opened without readahead: a question reads single pages.
 */
#include <lmdb.h>
#include <string.h>

#include "ask.h"
#include "prefix.h"

enum { CALLS, SENDS, BLOCKS, N_DATABASES };

typedef struct {
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi[N_DATABASES]; /* calls and sends: values of one size each */
    MDB_cursor *cursor[N_DATABASES];
    Tally tally;
    /* While it is built. */
    Prefix prefix;
    uint32_t sender;
    uint64_t sent;
} Environment;

/* Where a row lies; big-endian, so that the order of values is that of the bytes. */
typedef struct __attribute__((packed)) {
    uint64_t time, seq;
} Position;

typedef struct __attribute__((packed)) {
    Position position;
    uint64_t n; /* calls of the location before it */
    uint64_t enter;
    uint32_t region;
    uint8_t event;
} CallValue;

typedef struct __attribute__((packed)) {
    Position position;
    uint64_t sent; /* bytes of the location before it */
    uint64_t bytes, request;
    uint32_t region, peer, comm, tag;
    uint8_t event;
} SendValue;

typedef struct {
    uint32_t location, block; /* big-endian */
} BlockKey;

/* The block's last row but one block, then the counts. */
typedef struct __attribute__((packed)) {
    Position last_before;
    RegionCount counts[];
} Block;

static const size_t value_size[2] = {sizeof(CallValue), sizeof(SendValue)};

static void check(int code, const char *what)
{
    bench_check(code == MDB_SUCCESS, NULL, "lmdb: %s: %s", what, mdb_strerror(code));
}

static Environment *begin(const char *folder, unsigned env_flags, unsigned txn_flags)
{
    g_autofree char *path = g_build_filename(folder, peer_lmdb.file, NULL);
    const char *const names[N_DATABASES] = {"calls", "sends", "blocks"};
    Environment *self = g_new0(Environment, 1);

    check(mdb_env_create(&self->env), "create");
    check(mdb_env_set_mapsize(self->env, (size_t)64 << 30), "map size");
    check(mdb_env_set_maxdbs(self->env, N_DATABASES), "databases");
    check(mdb_env_open(self->env, path, MDB_NOSUBDIR | MDB_NOLOCK | env_flags, 0600), path);
    check(mdb_txn_begin(self->env, NULL, txn_flags, &self->txn), "begin");
    for (int i = 0; i < N_DATABASES; i++) {
        unsigned flags = txn_flags != 0 ? 0 : i == BLOCKS ? MDB_CREATE : MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED;
        check(mdb_dbi_open(self->txn, names[i], flags, &self->dbi[i]), names[i]);
        check(mdb_cursor_open(self->txn, self->dbi[i], &self->cursor[i]), "cursor");
    }
    return self;
}

static Position position_of(uint64_t time, uint64_t seq)
{
    return (Position){GUINT64_TO_BE(time), GUINT64_TO_BE(seq)};
}

static void put(Environment *self, int which, uint32_t location, const void *value)
{
    uint32_t key = GUINT32_TO_BE(location);
    MDB_val k = {sizeof key, &key}, v = {value_size[which], (void *)value};
    check(mdb_cursor_put(self->cursor[which], &k, &v, MDB_APPENDDUP), "put");
}

static void put_block(Environment *self, uint32_t location, uint64_t block, Position last_before)
{
    BlockKey key = {GUINT32_TO_BE(location), GUINT32_TO_BE((uint32_t)block)};
    const GArray *counts = self->prefix.counts;
    MDB_val k = {sizeof key, &key}, v = {sizeof last_before + counts->len * sizeof(RegionCount), NULL};

    check(mdb_cursor_put(self->cursor[BLOCKS], &k, &v, MDB_APPEND | MDB_RESERVE), "put");
    memcpy(v.mv_data, &last_before, sizeof last_before);
    memcpy((uint8_t *)v.mv_data + sizeof last_before, counts->data, counts->len * sizeof(RegionCount));
}

static void put_call(void *opaque, uint32_t location, const XtfEntersLeavesRow *row)
{
    Environment *self = opaque;
    CallValue value = {.position = position_of(row->time, row->seq),
                       .n = prefix_next(&self->prefix, location),
                       .enter = row->enter,
                       .region = row->region,
                       .event = row->event};
    put(self, CALLS, location, &value);
    if (prefix_add(&self->prefix, row))
        put_block(self, location, self->prefix.n_rows / BLOCK_ROWS, value.position);
}

static void put_send(void *opaque, uint32_t location, const XtfSendsRow *row)
{
    Environment *self = opaque;

    if (location != self->sender)
        self->sent = 0;
    self->sender = location;
    SendValue value = {.position = position_of(row->time, row->seq),
                       .sent = self->sent,
                       .bytes = row->bytes,
                       .request = row->request,
                       .region = row->region,
                       .peer = row->peer,
                       .comm = row->comm,
                       .tag = row->tag,
                       .event = row->event};
    self->sent += row->bytes;
    put(self, SENDS, location, &value);
}

static void build(const char *folder, const char *trace)
{
    static const RowSink sink = {put_call, put_send};
    Environment *self = begin(folder, MDB_NOSYNC, 0);

    prefix_init(&self->prefix);
    ask_each_row(trace, &sink, self);
    prefix_clear(&self->prefix);
    for (int i = 0; i < N_DATABASES; i++)
        mdb_cursor_close(self->cursor[i]);
    check(mdb_txn_commit(self->txn), "commit");
    mdb_env_close(self->env);
    g_free(self);
}

static void *open_it(const char *folder)
{
    return begin(folder, MDB_RDONLY | MDB_NORDAHEAD, MDB_RDONLY);
}

/* Sets the cursor to the first row at or behind a position. False if there is none; then it stands at the last row, if
 * the location has one: `v` is empty if not. */
static bool seek(Environment *self, int which, uint32_t location, Position position, MDB_val *v)
{
    uint32_t key = GUINT32_TO_BE(location);
    uint8_t first[sizeof(SendValue)] = {0};
    MDB_val k = {sizeof key, &key};

    memcpy(first, &position, sizeof position);
    *v = (MDB_val){value_size[which], first};
    if (mdb_cursor_get(self->cursor[which], &k, v, MDB_GET_BOTH_RANGE) == MDB_SUCCESS)
        return true;
    *v = (MDB_val){0};
    if (mdb_cursor_get(self->cursor[which], &k, v, MDB_SET_KEY) == MDB_SUCCESS)
        check(mdb_cursor_get(self->cursor[which], &k, v, MDB_LAST_DUP), "last");
    return false;
}

/* Calls, or bytes sent, before a time. */
static uint64_t before(Environment *self, int which, uint32_t location, uint64_t time)
{
    MDB_val v;
    bool found = seek(self, which, location, position_of(time, 0), &v);

    if (v.mv_size == 0)
        return 0;
    if (which == CALLS)
        return ((const CallValue *)v.mv_data)->n + (found ? 0 : 1);
    const SendValue *send = v.mv_data;
    return send->sent + (found ? 0 : send->bytes);
}

/* The ENTERs among the calls [from, to), from a position at or before them on. */
static void tally_rows(Environment *self, uint32_t location, Position position, uint64_t from, uint64_t to,
                       uint64_t one)
{
    MDB_cursor *cursor = self->cursor[CALLS];
    MDB_val k, v;

    if (from == to || !seek(self, CALLS, location, position, &v))
        return;
    for (int code = mdb_cursor_get(cursor, &k, &v, MDB_GET_MULTIPLE); code == MDB_SUCCESS;
         code = mdb_cursor_get(cursor, &k, &v, MDB_NEXT_MULTIPLE)) {
        const CallValue *calls = v.mv_data; /* all of the page */
        uint64_t n = v.mv_size / sizeof *calls, first = calls[0].n;
        for (uint64_t i = from > first ? from - first : 0; i < MIN(n, to - first); i++)
            if (calls[i].event == 0)
                tally_add(&self->tally, calls[i].region, one);
        if (first + n >= to)
            return;
    }
}

/* The ENTERs among the first n calls: a block's, and those behind its begin. `one` is 1 or -1. */
static void tally_first(Environment *self, uint32_t location, uint64_t n, uint64_t one)
{
    BlockKey key = {GUINT32_TO_BE(location), GUINT32_TO_BE((uint32_t)(n / BLOCK_ROWS))};
    MDB_val k = {sizeof key, &key}, v;
    Position position = {0};

    if (n >= BLOCK_ROWS) {
        check(mdb_cursor_get(self->cursor[BLOCKS], &k, &v, MDB_SET_KEY), "block");
        const Block *block = v.mv_data;
        for (size_t i = 0; i < (v.mv_size - sizeof *block) / sizeof *block->counts; i++)
            tally_add(&self->tally, block->counts[i].region, one * block->counts[i].n);
        position = block->last_before;
    }
    tally_rows(self, location, position, n / BLOCK_ROWS * BLOCK_ROWS, n, one);
}

static uint64_t ask(void *opaque, const Question *question)
{
    Environment *self = opaque;
    int which = question->kind == ASK_BYTES ? SENDS : CALLS;
    uint64_t lo = before(self, which, question->location, question->from),
             hi = before(self, which, question->location, question->to);

    if (question->kind != ASK_CALLS)
        return hi - lo;
    if (hi - lo <= 2 * BLOCK_ROWS) {
        tally_rows(self, question->location, position_of(question->from, 0), lo, hi, 1);
    } else {
        tally_first(self, question->location, hi, 1);
        tally_first(self, question->location, lo, UINT64_MAX);
    }
    return tally_end(&self->tally);
}

static void close_it(void *opaque)
{
    Environment *self = opaque;

    tally_clear(&self->tally);
    for (int i = 0; i < N_DATABASES; i++)
        mdb_cursor_close(self->cursor[i]);
    mdb_txn_abort(self->txn);
    mdb_env_close(self->env);
    g_free(self);
}

const Peer peer_lmdb = {
    .name = "lmdb", .build = build, .open = open_it, .ask = ask, .close = close_it, .file = "peer.lmdb"};

/*
 * LMDB: one key for each type of each location, and sorted values of one size under it, read a page at a time. A call's
 * value has its ordinal in the location, a send's value the bytes sent before it. A third database has the ENTERs by
 * region before each block of calls (prefix.h). So counts and sums are differences between the window's end and its
 * begin. The file is opened without readahead, as a question reads single pages.
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
    /* only during building */
    Prefix prefix;
    uint32_t sender;
    uint64_t sent;
} Environment;

/* Position of a row; big-endian, so that values are in the order of their bytes. */
typedef struct __attribute__((packed)) {
    uint64_t time, seq;
} Position;

typedef struct __attribute__((packed)) {
    Position position;
    uint64_t n; /* calls of the location before this one */
    uint64_t enter;
    uint32_t region;
    uint8_t event;
} CallValue;

typedef struct __attribute__((packed)) {
    Position position;
    uint64_t sent; /* bytes that the location sent before this message */
    uint64_t bytes, request;
    uint32_t region, peer, comm, tag;
    uint8_t event;
} SendValue;

typedef struct {
    uint32_t location, block; /* big-endian */
} BlockKey;

/* Value of a block: the last row before it, then the counts. */
typedef struct __attribute__((packed)) {
    Position last_before;
    RegionCount counts[];
} Block;

static const size_t value_size[2] = {sizeof(CallValue), sizeof(SendValue)};

static void check_code(int code, const char *action)
{
    bench_check(code == MDB_SUCCESS, NULL, "lmdb: %s: %s", action, mdb_strerror(code));
}

static Environment *open_environment(const char *folder, unsigned env_flags, unsigned txn_flags)
{
    g_autofree char *path = g_build_filename(folder, peer_lmdb.file, NULL);
    const char *const names[N_DATABASES] = {"calls", "sends", "blocks"};
    Environment *self = g_new0(Environment, 1);

    check_code(mdb_env_create(&self->env), "create");
    check_code(mdb_env_set_mapsize(self->env, (size_t)64 << 30), "map size");
    check_code(mdb_env_set_maxdbs(self->env, N_DATABASES), "databases");
    check_code(mdb_env_open(self->env, path, MDB_NOSUBDIR | MDB_NOLOCK | env_flags, 0600), path);
    check_code(mdb_txn_begin(self->env, NULL, txn_flags, &self->txn), "begin");
    for (int i = 0; i < N_DATABASES; i++) {
        unsigned flags = txn_flags != 0 ? 0 : i == BLOCKS ? MDB_CREATE : MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED;
        check_code(mdb_dbi_open(self->txn, names[i], flags, &self->dbi[i]), names[i]);
        check_code(mdb_cursor_open(self->txn, self->dbi[i], &self->cursor[i]), "cursor");
    }
    return self;
}

static Position position_of(uint64_t time, uint64_t seq)
{
    return (Position){GUINT64_TO_BE(time), GUINT64_TO_BE(seq)};
}

static void put_row(Environment *self, int database, uint32_t location, const void *value)
{
    uint32_t key = GUINT32_TO_BE(location);
    MDB_val k = {sizeof key, &key}, v = {value_size[database], (void *)value};
    check_code(mdb_cursor_put(self->cursor[database], &k, &v, MDB_APPENDDUP), "put");
}

static void put_block(Environment *self, uint32_t location, uint64_t block, Position last_before)
{
    BlockKey key = {GUINT32_TO_BE(location), GUINT32_TO_BE((uint32_t)block)};
    const GArray *counts = self->prefix.counts;
    MDB_val k = {sizeof key, &key}, v = {sizeof last_before + counts->len * sizeof(RegionCount), NULL};

    check_code(mdb_cursor_put(self->cursor[BLOCKS], &k, &v, MDB_APPEND | MDB_RESERVE), "put");
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
    put_row(self, CALLS, location, &value);
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
    put_row(self, SENDS, location, &value);
}

static void build_lmdb(const char *folder, const char *trace)
{
    static const RowSink sink = {put_call, put_send};
    Environment *self = open_environment(folder, MDB_NOSYNC, 0);

    prefix_init(&self->prefix);
    ask_each_row(trace, &sink, self);
    prefix_clear(&self->prefix);
    for (int i = 0; i < N_DATABASES; i++)
        mdb_cursor_close(self->cursor[i]);
    check_code(mdb_txn_commit(self->txn), "commit");
    mdb_env_close(self->env);
    g_free(self);
}

static void *open_lmdb(const char *folder)
{
    return open_environment(folder, MDB_RDONLY | MDB_NORDAHEAD, MDB_RDONLY);
}

/* Sets the cursor to the first row at or after a position. Returns false if there is none. The cursor is then at the
 * location's last row; `v` is empty if the location has no rows. */
static bool seek_row(Environment *self, int database, uint32_t location, Position position, MDB_val *v)
{
    uint32_t key = GUINT32_TO_BE(location);
    uint8_t first[sizeof(SendValue)] = {0};
    MDB_val k = {sizeof key, &key};

    memcpy(first, &position, sizeof position);
    *v = (MDB_val){value_size[database], first};
    if (mdb_cursor_get(self->cursor[database], &k, v, MDB_GET_BOTH_RANGE) == MDB_SUCCESS)
        return true;
    *v = (MDB_val){0};
    if (mdb_cursor_get(self->cursor[database], &k, v, MDB_SET_KEY) == MDB_SUCCESS)
        check_code(mdb_cursor_get(self->cursor[database], &k, v, MDB_LAST_DUP), "last");
    return false;
}

/* Counts the calls, or the bytes sent, before a time. */
static uint64_t count_before(Environment *self, int database, uint32_t location, uint64_t time)
{
    MDB_val v;
    bool found = seek_row(self, database, location, position_of(time, 0), &v);

    if (v.mv_size == 0)
        return 0;
    if (database == CALLS)
        return ((const CallValue *)v.mv_data)->n + (found ? 0 : 1);
    const SendValue *send = v.mv_data;
    return send->sent + (found ? 0 : send->bytes);
}

/* Adds the ENTERs among the calls [from, to) to the tally, reading from a position at or before them. */
static void tally_rows(Environment *self, uint32_t location, Position position, uint64_t from, uint64_t to,
                       uint64_t one)
{
    MDB_cursor *cursor = self->cursor[CALLS];
    MDB_val k, v;

    if (from == to || !seek_row(self, CALLS, location, position, &v))
        return;
    for (int code = mdb_cursor_get(cursor, &k, &v, MDB_GET_MULTIPLE); code == MDB_SUCCESS;
         code = mdb_cursor_get(cursor, &k, &v, MDB_NEXT_MULTIPLE)) {
        const CallValue *calls = v.mv_data; /* all calls of the page */
        uint64_t n = v.mv_size / sizeof *calls, first = calls[0].n;
        for (uint64_t i = from > first ? from - first : 0; i < MIN(n, to - first); i++)
            if (calls[i].event == 0)
                tally_add(&self->tally, calls[i].region, one);
        if (first + n >= to)
            return;
    }
}

/* Adds the ENTERs among the first n calls to the tally: a block's counts, and the rows after its begin. `one` is 1
 * or -1. */
static void tally_first(Environment *self, uint32_t location, uint64_t n, uint64_t one)
{
    BlockKey key = {GUINT32_TO_BE(location), GUINT32_TO_BE((uint32_t)(n / BLOCK_ROWS))};
    MDB_val k = {sizeof key, &key}, v;
    Position position = {0};

    if (n >= BLOCK_ROWS) {
        check_code(mdb_cursor_get(self->cursor[BLOCKS], &k, &v, MDB_SET_KEY), "block");
        const Block *block = v.mv_data;
        for (size_t i = 0; i < (v.mv_size - sizeof *block) / sizeof *block->counts; i++)
            tally_add(&self->tally, block->counts[i].region, one * block->counts[i].n);
        position = block->last_before;
    }
    tally_rows(self, location, position, n / BLOCK_ROWS * BLOCK_ROWS, n, one);
}

static uint64_t ask_lmdb(void *opaque, const Question *question)
{
    Environment *self = opaque;
    int database = question->kind == ASK_BYTES ? SENDS : CALLS;
    uint64_t lo = count_before(self, database, question->location, question->from),
             hi = count_before(self, database, question->location, question->to);

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

static void close_lmdb(void *opaque)
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
    .name = "lmdb", .build = build_lmdb, .open = open_lmdb, .ask = ask_lmdb, .close = close_lmdb, .file = "peer.lmdb"};

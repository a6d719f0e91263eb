/*
 * SQLite: tables clustered by location and time. Each call has its ordinal in its location. Each message has the bytes
 * that its location sent up to and with it. Each block of calls has the ENTERs by region before it (prefix.h). So
 * counts and sums are differences between the window's end and its begin.
 */
#include <sqlite3.h>

#include "ask.h"
#include "prefix.h"

enum { STATEMENT_ORDINAL, STATEMENT_BYTES, STATEMENT_SCAN, STATEMENT_BLOCKS, N_STATEMENTS };

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *statements[N_STATEMENTS];
    /* only during building */
    sqlite3_stmt *call, *send, *block;
    Prefix prefix;
    uint32_t sender;
    uint64_t sent;
} Connection;

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
    "CREATE TABLE calls (location, time, seq, region, event, enter, n, PRIMARY KEY (location, time, seq)) WITHOUT "
    "ROWID;"
    "CREATE TABLE sends (location, time, seq, region, event, peer, comm, tag, bytes, request, total,"
    " PRIMARY KEY (location, time, seq)) WITHOUT ROWID;"
    "CREATE TABLE begun (location, block, region, n, PRIMARY KEY (location, block, region)) WITHOUT ROWID; BEGIN";

/* Selects from the last row before a time. ?1 location, ?2 time. */
#define LAST_BEFORE(column, table) \
    "SELECT " column " FROM " table " WHERE location = ?1 AND time < ?2 ORDER BY time DESC, seq DESC LIMIT 1"

/* Selects ENTERs by region before a time: of a block, and of the rows after the block's begin. */
#define BEFORE(sign, time, block, n_rows)                                                                            \
    "SELECT region, " sign "n AS k FROM begun WHERE location = ?1 AND block = " block                                \
    " UNION ALL SELECT region, " sign "1 FROM (SELECT region, event FROM calls WHERE location = ?1 AND time < " time \
    " ORDER BY time DESC, seq DESC LIMIT " n_rows ") WHERE event = 0"

static const char *const questions[N_STATEMENTS] = {
    [STATEMENT_ORDINAL] = LAST_BEFORE("n + 1", "calls"),
    [STATEMENT_BYTES] = LAST_BEFORE("total", "sends"),
    [STATEMENT_SCAN] = "SELECT count(*) FROM calls WHERE location = ?1 AND time >= ?2 AND time < ?3 AND event = 0"
                       " GROUP BY region",
    [STATEMENT_BLOCKS] = "SELECT sum(k) FROM (" BEFORE("", "?3", "?6", "?7") " UNION ALL " BEFORE(
        "-", "?2", "?4", "?5") ") GROUP BY region",
};

static void check_code(sqlite3 *db, int code, int expected)
{
    bench_check(code == expected, NULL, "sqlite: %s", sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare_statement(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    check_code(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    return statement;
}

static Connection *connect_to(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, peer_sqlite.file, NULL);
    g_autofree char *cache = g_strdup_printf("PRAGMA cache_size = -%" G_GUINT64_FORMAT, ask_cache_bytes() >> 10);
    Connection *self = g_new0(Connection, 1);

    bench_check(sqlite3_open(path, &self->db) == SQLITE_OK, NULL, "%s", path);
    check_code(self->db, sqlite3_exec(self->db, cache, NULL, NULL, NULL), SQLITE_OK);
    return self;
}

static void insert_row(Connection *self, sqlite3_stmt *statement, const uint64_t *values, int n)
{
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)values[i]);
    check_code(self->db, sqlite3_step(statement), SQLITE_DONE);
    sqlite3_reset(statement);
}

static void insert_call(void *opaque, uint32_t location, const XtfEntersLeavesRow *row)
{
    Connection *self = opaque;
    uint64_t n = prefix_next(&self->prefix, location);
    const uint64_t values[] = {location, row->time, row->seq, row->region, row->event, row->enter, n};

    insert_row(self, self->call, values, G_N_ELEMENTS(values));
    if (!prefix_add(&self->prefix, row))
        return;
    for (guint i = 0; i < self->prefix.counts->len; i++) {
        const RegionCount *count = &g_array_index(self->prefix.counts, RegionCount, i);
        const uint64_t block[] = {location, (n + 1) / BLOCK_ROWS, count->region, count->n};
        insert_row(self, self->block, block, G_N_ELEMENTS(block));
    }
}

static void insert_send(void *opaque, uint32_t location, const XtfSendsRow *row)
{
    Connection *self = opaque;

    if (location != self->sender)
        self->sent = 0;
    self->sender = location;
    self->sent += row->bytes;
    const uint64_t values[] = {location,  row->time, row->seq,   row->region,  row->event, row->peer,
                               row->comm, row->tag,  row->bytes, row->request, self->sent};
    insert_row(self, self->send, values, G_N_ELEMENTS(values));
}

static void build_sqlite(const char *folder, const char *trace)
{
    static const RowSink sink = {insert_call, insert_send};
    Connection *self = connect_to(folder);

    check_code(self->db, sqlite3_exec(self->db, schema, NULL, NULL, NULL), SQLITE_OK);
    self->call = prepare_statement(self->db, "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?)");
    self->send = prepare_statement(self->db, "INSERT INTO sends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    self->block = prepare_statement(self->db, "INSERT INTO begun VALUES (?, ?, ?, ?)");
    prefix_init(&self->prefix);
    ask_each_row(trace, &sink, self);
    prefix_clear(&self->prefix);
    sqlite3_finalize(self->call);
    sqlite3_finalize(self->send);
    sqlite3_finalize(self->block);
    check_code(self->db, sqlite3_exec(self->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(self->db);
    g_free(self);
}

static void *open_sqlite(const char *folder)
{
    Connection *self = connect_to(folder);

    /* One transaction for all questions: otherwise each question locks the file, and checks it for changes. */
    check_code(self->db, sqlite3_exec(self->db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    for (unsigned i = 0; i < N_STATEMENTS; i++)
        self->statements[i] = prepare_statement(self->db, questions[i]);
    return self;
}

/* Returns the sum, or the sum of the squares, of the last column. Binds the values from ?1 on. */
static uint64_t add_up(Connection *self, unsigned statement_number, const uint64_t *values, int n, bool squares)
{
    sqlite3_stmt *statement = self->statements[statement_number];
    uint64_t result = 0;
    int code;

    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)values[i]);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        uint64_t value = (uint64_t)sqlite3_column_int64(statement, 0);
        result += squares ? value * value : value;
    }
    check_code(self->db, code, SQLITE_DONE);
    sqlite3_reset(statement);
    return result;
}

static uint64_t sum_before(Connection *self, unsigned statement_number, uint32_t location, uint64_t time)
{
    const uint64_t values[] = {location, time};
    return add_up(self, statement_number, values, 2, false);
}

static uint64_t ask_sqlite(void *self, const Question *question)
{
    unsigned statement_number = question->kind == ASK_BYTES ? STATEMENT_BYTES : STATEMENT_ORDINAL;
    uint64_t lo = sum_before(self, statement_number, question->location, question->from),
             hi = sum_before(self, statement_number, question->location, question->to);
    const uint64_t values[] = {question->location, question->from,  question->to,   lo / BLOCK_ROWS,
                               lo % BLOCK_ROWS,    hi / BLOCK_ROWS, hi % BLOCK_ROWS};

    if (question->kind != ASK_CALLS)
        return hi - lo;
    if (hi - lo <= 2 * BLOCK_ROWS)
        return add_up(self, STATEMENT_SCAN, values, 3, true);
    return add_up(self, STATEMENT_BLOCKS, values, G_N_ELEMENTS(values), true);
}

static void close_sqlite(void *opaque)
{
    Connection *self = opaque;

    for (unsigned i = 0; i < N_STATEMENTS; i++)
        sqlite3_finalize(self->statements[i]);
    sqlite3_close(self->db);
    g_free(self);
}

const Peer peer_sqlite = {.name = "sqlite",
                          .build = build_sqlite,
                          .open = open_sqlite,
                          .ask = ask_sqlite,
                          .close = close_sqlite,
                          .file = "peer.sqlite"};

#include <sqlite3.h>

#include "ask.h"

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *statements[N_KINDS];
    sqlite3_stmt *call, *send;
} Connection;

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "CREATE TABLE calls (location, time, seq, region, event, enter, PRIMARY KEY (location, time, seq)) WITHOUT ROWID;"
    "CREATE TABLE sends (location, time, seq, region, event, peer, comm, tag, bytes, request,"
    " PRIMARY KEY (location, time, seq)) WITHOUT ROWID; BEGIN";

static const char *const questions[N_KINDS] = {
    [ASK_ROWS] = "SELECT count(*) FROM calls WHERE location = ? AND time >= ? AND time < ?",
    [ASK_CALLS] = "SELECT region, count(*) FROM calls WHERE location = ? AND time >= ? AND time < ? AND event = 0"
                  " GROUP BY region",
    [ASK_BYTES] = "SELECT sum(bytes) FROM sends WHERE location = ? AND time >= ? AND time < ?",
};

static void check(sqlite3 *db, int code, int wanted)
{
    bench_check(code == wanted, NULL, "sqlite: %s", sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    return statement;
}

static Connection *connect_to(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, peer_sqlite.file, NULL);
    Connection *self = g_new0(Connection, 1);

    bench_check(sqlite3_open(path, &self->db) == SQLITE_OK, NULL, "%s", path);
    check(self->db, sqlite3_exec(self->db, "PRAGMA cache_size = -65536", NULL, NULL, NULL), SQLITE_OK);
    return self;
}

static void insert(Connection *self, sqlite3_stmt *statement, const uint64_t *values, int n)
{
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)values[i]);
    check(self->db, sqlite3_step(statement), SQLITE_DONE);
    sqlite3_reset(statement);
}

static void insert_call(void *self, uint32_t location, const XtfEntersLeavesRow *row)
{
    const uint64_t values[] = {location, row->time, row->seq, row->region, row->event, row->enter};
    insert(self, ((Connection *)self)->call, values, G_N_ELEMENTS(values));
}

static void insert_send(void *self, uint32_t location, const XtfSendsRow *row)
{
    const uint64_t values[] = {location,  row->time, row->seq, row->region, row->event,
                               row->peer, row->comm, row->tag, row->bytes,  row->request};
    insert(self, ((Connection *)self)->send, values, G_N_ELEMENTS(values));
}

static void build(const char *folder, const char *trace)
{
    static const RowSink sink = {insert_call, insert_send};
    Connection *self = connect_to(folder);

    check(self->db, sqlite3_exec(self->db, schema, NULL, NULL, NULL), SQLITE_OK);
    self->call = prepare(self->db, "INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?)");
    self->send = prepare(self->db, "INSERT INTO sends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ask_each_row(trace, &sink, self);
    sqlite3_finalize(self->call);
    sqlite3_finalize(self->send);
    check(self->db, sqlite3_exec(self->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(self->db);
    g_free(self);
}

static void *open_it(const char *folder)
{
    Connection *self = connect_to(folder);

    for (unsigned kind = 0; kind < N_KINDS; kind++)
        self->statements[kind] = prepare(self->db, questions[kind]);
    return self;
}

static uint64_t ask(void *opaque, const Question *question)
{
    Connection *self = opaque;
    sqlite3_stmt *statement = self->statements[question->kind];
    uint64_t result = 0;
    int code;

    sqlite3_bind_int64(statement, 1, question->location);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)question->from);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)question->to);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        uint64_t last = (uint64_t)sqlite3_column_int64(statement, sqlite3_column_count(statement) - 1);
        result += question->kind == ASK_CALLS ? last * last : last;
    }
    check(self->db, code, SQLITE_DONE);
    sqlite3_reset(statement);
    return result;
}

static void close_it(void *opaque)
{
    Connection *self = opaque;

    for (unsigned kind = 0; kind < N_KINDS; kind++)
        sqlite3_finalize(self->statements[kind]);
    sqlite3_close(self->db);
    g_free(self);
}

const Peer peer_sqlite = {
    .name = "sqlite", .build = build, .open = open_it, .ask = ask, .close = close_it, .file = "peer.sqlite"};

#include <sqlite3.h>

#include "bench.h"
#include "peers.h"

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *statement;
} Connection;

static void run(sqlite3 *db, const char *sql)
{
    bench_check(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, NULL, "sqlite: %s: %s", sql, sqlite3_errmsg(db));
}

static sqlite3 *connect_to(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, peer_sqlite.file, NULL);
    sqlite3 *db;

    bench_check(sqlite3_open(path, &db) == SQLITE_OK, NULL, "%s", path);
    run(db, "PRAGMA cache_size = -65536");
    return db;
}

static void build(const char *folder, const PeerArray *arrays, size_t n_arrays)
{
    sqlite3 *db = connect_to(folder);
    sqlite3_stmt *insert;

    run(db,
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
        "CREATE TABLE records (location, type, time, n, PRIMARY KEY (location, type, time, n)) WITHOUT ROWID; BEGIN");
    bench_check(sqlite3_prepare_v2(db, "INSERT INTO records VALUES (?, ?, ?, ?)", -1, &insert, NULL) == SQLITE_OK, NULL,
                "sqlite: %s", sqlite3_errmsg(db));
    for (size_t i = 0; i < n_arrays; i++) {
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)arrays[i].location);
        sqlite3_bind_int64(insert, 2, arrays[i].type);
        for (uint64_t n = 0; n < arrays[i].n; n++) {
            sqlite3_bind_int64(insert, 3, (sqlite3_int64)arrays[i].times[n]);
            sqlite3_bind_int64(insert, 4, (sqlite3_int64)n);
            bench_check(sqlite3_step(insert) == SQLITE_DONE, NULL, "sqlite: %s", sqlite3_errmsg(db));
            sqlite3_reset(insert);
        }
    }
    sqlite3_finalize(insert);
    run(db, "COMMIT");
    sqlite3_close(db);
}

static void *open_it(const char *folder)
{
    Connection *self = g_new0(Connection, 1);

    self->db = connect_to(folder);
    bench_check(sqlite3_prepare_v2(
                    self->db, "SELECT count(*) FROM records WHERE location = ? AND type = ? AND time >= ? AND time < ?",
                    -1, &self->statement, NULL) == SQLITE_OK,
                NULL, "sqlite: %s", sqlite3_errmsg(self->db));
    return self;
}

static uint64_t count(void *opaque, const PeerArray *array, uint64_t from, uint64_t to)
{
    Connection *self = opaque;

    sqlite3_bind_int64(self->statement, 1, (sqlite3_int64)array->location);
    sqlite3_bind_int64(self->statement, 2, array->type);
    sqlite3_bind_int64(self->statement, 3, (sqlite3_int64)from);
    sqlite3_bind_int64(self->statement, 4, (sqlite3_int64)to);
    bench_check(sqlite3_step(self->statement) == SQLITE_ROW, NULL, "sqlite: %s", sqlite3_errmsg(self->db));
    uint64_t result = (uint64_t)sqlite3_column_int64(self->statement, 0);
    sqlite3_reset(self->statement);
    return result;
}

static void close_it(void *opaque)
{
    Connection *self = opaque;

    sqlite3_finalize(self->statement);
    sqlite3_close(self->db);
    g_free(self);
}

const Peer peer_sqlite = {
    .name = "SQLite", .build = build, .open = open_it, .count = count, .close = close_it, .file = "peer.sqlite"};

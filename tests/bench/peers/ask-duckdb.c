/*
 * DuckDB with its own files and with Parquet files, through its C interface. The library's package has no header. So
 * this file opens the library that the environment's LIBDUCKDB names, and declares the few functions of its stable
 * interface that it calls.
 */
#include <dlfcn.h>

#include "ask.h"

typedef struct {
    uint64_t deprecated[5];
    void *internal;
} Result;

typedef struct {
    int (*open)(const char *path, void **database);
    void (*close)(void **database);
    int (*connect)(void *database, void **connection);
    void (*disconnect)(void **connection);
    int (*query)(void *connection, const char *sql, Result *result);
    const char *(*result_error)(Result *result);
    void (*destroy_result)(Result *result);
    uint64_t (*row_count)(Result *result);
    uint64_t (*value_uint64)(Result *result, uint64_t column, uint64_t row);
    int (*prepare)(void *connection, const char *sql, void **statement);
    void (*destroy_prepare)(void **statement);
    int (*bind_uint64)(void *statement, uint64_t parameter, uint64_t value);
    int (*execute_prepared)(void *statement, Result *result);
    int (*appender_create)(void *connection, const char *schema, const char *table, void **appender);
    int (*append_uint64)(void *appender, uint64_t value);
    int (*append_uint32)(void *appender, uint32_t value);
    int (*append_uint8)(void *appender, uint8_t value);
    int (*appender_end_row)(void *appender);
    int (*appender_destroy)(void **appender);
} Library;

typedef struct {
    void *database, *connection;
    void *calls, *sends; /* appenders */
    void *statements[N_KINDS];
    bool parquet;
} Connection;

static const char tables[] =
    "CREATE TABLE calls (location UINTEGER, time UBIGINT, seq UBIGINT, region UINTEGER, event UTINYINT, enter UBIGINT);"
    "CREATE TABLE sends (location UINTEGER, time UBIGINT, seq UBIGINT, region UINTEGER, event UTINYINT, peer UINTEGER,"
    " comm UINTEGER, tag UINTEGER, bytes UBIGINT, request UBIGINT)";

static const char *const questions[N_KINDS] = {
    [ASK_ROWS] = "SELECT count(*)::UBIGINT FROM calls WHERE location = ? AND time >= ? AND time < ?",
    [ASK_CALLS] = "SELECT sum(n * n)::UBIGINT FROM (SELECT count(*) AS n FROM calls"
                  " WHERE location = ? AND time >= ? AND time < ? AND event = 0 GROUP BY region)",
    [ASK_BYTES] = "SELECT sum(bytes)::UBIGINT FROM sends WHERE location = ? AND time >= ? AND time < ?",
};

static void *load_symbol(void *handle, const char *name)
{
    g_autofree char *full = g_strconcat("duckdb_", name, NULL);
    void *address = dlsym(handle, full);
    bench_check(address, NULL, "%s: %s", full, dlerror());
    return address;
}

static const Library *library(void)
{
    static Library duckdb;
    const char *path = g_getenv("LIBDUCKDB");

    if (duckdb.open)
        return &duckdb;
    bench_check(path, NULL, "LIBDUCKDB is not set");
    void *handle = dlopen(path, RTLD_NOW);
    bench_check(handle, NULL, "%s", dlerror());
#define LOAD(name) *(void **)&duckdb.name = load_symbol(handle, #name)
    LOAD(open), LOAD(close), LOAD(connect), LOAD(disconnect), LOAD(query), LOAD(result_error), LOAD(destroy_result);
    LOAD(row_count), LOAD(value_uint64), LOAD(prepare), LOAD(destroy_prepare), LOAD(bind_uint64);
    LOAD(execute_prepared), LOAD(appender_create), LOAD(append_uint64), LOAD(append_uint32), LOAD(append_uint8);
    LOAD(appender_end_row), LOAD(appender_destroy);
#undef LOAD
    return &duckdb;
}

static void run_sql(Connection *self, const char *sql)
{
    const Library *duckdb = library();
    Result result;
    int failed = duckdb->query(self->connection, sql, &result);

    bench_check(!failed, NULL, "duckdb: %s", duckdb->result_error(&result));
    duckdb->destroy_result(&result);
}

static Connection *connect_to(const char *folder, bool parquet)
{
    const Library *duckdb = library();
    Connection *self = g_new0(Connection, 1);
    g_autofree char *path = parquet ? NULL : g_build_filename(folder, peer_duckdb.file, NULL);

    self->parquet = parquet;
    bench_check(duckdb->open(path, &self->database) == 0 && duckdb->connect(self->database, &self->connection) == 0,
                NULL, "duckdb: %s", folder);
    if (ask_threads() > 0) {
        g_autofree char *sql = g_strdup_printf("SET threads = %u", ask_threads());
        run_sql(self, sql);
    }
    return self;
}

static void close_connection(void *opaque)
{
    const Library *duckdb = library();
    Connection *self = opaque;

    for (unsigned kind = 0; kind < N_KINDS; kind++)
        if (self->statements[kind])
            duckdb->destroy_prepare(&self->statements[kind]);
    duckdb->disconnect(&self->connection);
    duckdb->close(&self->database);
    g_free(self);
}

static void append_call(void *opaque, uint32_t location, const XtfEntersLeavesRow *row)
{
    const Library *duckdb = library();
    void *to = ((Connection *)opaque)->calls;
    int bad = duckdb->append_uint32(to, location) | duckdb->append_uint64(to, row->time) |
              duckdb->append_uint64(to, row->seq) | duckdb->append_uint32(to, row->region) |
              duckdb->append_uint8(to, row->event) | duckdb->append_uint64(to, row->enter) |
              duckdb->appender_end_row(to);
    bench_check(!bad, NULL, "duckdb: append");
}

static void append_send(void *opaque, uint32_t location, const XtfSendsRow *row)
{
    const Library *duckdb = library();
    void *to = ((Connection *)opaque)->sends;
    int bad = duckdb->append_uint32(to, location) | duckdb->append_uint64(to, row->time) |
              duckdb->append_uint64(to, row->seq) | duckdb->append_uint32(to, row->region) |
              duckdb->append_uint8(to, row->event) | duckdb->append_uint32(to, row->peer) |
              duckdb->append_uint32(to, row->comm) | duckdb->append_uint32(to, row->tag) |
              duckdb->append_uint64(to, row->bytes) | duckdb->append_uint64(to, row->request) |
              duckdb->appender_end_row(to);
    bench_check(!bad, NULL, "duckdb: append");
}

static void build_duckdb(const char *folder, const char *trace)
{
    static const RowSink sink = {append_call, append_send};
    const Library *duckdb = library();
    Connection *self = connect_to(folder, false);

    run_sql(self, tables);
    bench_check(duckdb->appender_create(self->connection, NULL, "calls", &self->calls) == 0 &&
                    duckdb->appender_create(self->connection, NULL, "sends", &self->sends) == 0,
                NULL, "duckdb: appender");
    ask_each_row(trace, &sink, self);
    bench_check(duckdb->appender_destroy(&self->calls) == 0 && duckdb->appender_destroy(&self->sends) == 0, NULL,
                "duckdb: appender");
    run_sql(self, "CHECKPOINT");
    close_connection(self);
}

/* Writes Parquet files from DuckDB's file, which must exist. */
static void build_parquet(const char *folder, const char *trace)
{
    Connection *self = connect_to(folder, false);
    g_autofree char *to = g_build_filename(folder, peer_parquet.file, NULL);

    bench_check(g_mkdir_with_parents(to, 0700) == 0, NULL, "%s", to);
    for (int i = 0; i < 2; i++) {
        const char *table = i == 0 ? "calls" : "sends";
        g_autofree char *sql = g_strdup_printf("COPY (SELECT * FROM %s ORDER BY location, time, seq) TO '%s/%s.parquet'"
                                               " (FORMAT parquet, COMPRESSION zstd)",
                                               table, to, table);
        run_sql(self, sql);
    }
    close_connection(self);
}

static void prepare_questions(Connection *self)
{
    for (unsigned kind = 0; kind < N_KINDS; kind++)
        bench_check(library()->prepare(self->connection, questions[kind], &self->statements[kind]) == 0, NULL,
                    "duckdb: %s", questions[kind]);
}

static void *open_duckdb(const char *folder)
{
    Connection *self = connect_to(folder, false);

    prepare_questions(self);
    return self;
}

static void *open_parquet(const char *folder)
{
    Connection *self = connect_to(folder, true);

    for (int i = 0; i < 2; i++) {
        const char *table = i == 0 ? "calls" : "sends";
        g_autofree char *sql = g_strdup_printf("CREATE VIEW %s AS SELECT * FROM read_parquet('%s/%s/%s.parquet')",
                                               table, folder, peer_parquet.file, table);
        run_sql(self, sql);
    }
    prepare_questions(self);
    return self;
}

static uint64_t ask_duckdb(void *opaque, const Question *question)
{
    const Library *duckdb = library();
    void *statement = ((Connection *)opaque)->statements[question->kind];
    Result result;

    duckdb->bind_uint64(statement, 1, question->location);
    duckdb->bind_uint64(statement, 2, question->from);
    duckdb->bind_uint64(statement, 3, question->to);
    int failed = duckdb->execute_prepared(statement, &result);
    bench_check(!failed, NULL, "duckdb: %s", duckdb->result_error(&result));
    uint64_t answer = duckdb->row_count(&result) > 0 ? duckdb->value_uint64(&result, 0, 0) : 0;
    duckdb->destroy_result(&result);
    return answer;
}

/* Writes rows in any order: unlike XTF, DuckDB need not merge the rows of different locations. */
static uint64_t write_text(void *opaque)
{
    const Library *duckdb = library();
    Result result;

    run_sql(opaque, "SET preserve_insertion_order = false");
    int failed = duckdb->query(
        ((Connection *)opaque)->connection,
        "COPY calls TO '/dev/null' (FORMAT csv, DELIMITER ' ', HEADER false, USE_TMP_FILE false)", &result);
    bench_check(!failed, NULL, "duckdb: %s", duckdb->result_error(&result));
    uint64_t n = duckdb->value_uint64(&result, 0, 0);
    duckdb->destroy_result(&result);
    return n;
}

const Peer peer_duckdb = {.name = "duckdb",
                          .build = build_duckdb,
                          .open = open_duckdb,
                          .ask = ask_duckdb,
                          .close = close_connection,
                          .write_text = write_text,
                          .file = "peer.duckdb"};
const Peer peer_parquet = {.name = "parquet",
                           .build = build_parquet,
                           .open = open_parquet,
                           .ask = ask_duckdb,
                           .close = close_connection,
                           .write_text = write_text,
                           .file = "parquet"};

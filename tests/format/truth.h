/*
 * Writes a test file through libxtf, and its rows as JSON beside it.
 *
 * The JSON is made from the arguments of these functions alone. Nothing of it is read back from the file.
 * test_format_files.py adds what it computes from the rows: global times and totals.
 *
 * All functions end the program after an error.
 */
#pragma once

#include "libxtf/xtf.h"

/* A value of a row. */
typedef struct {
    char kind; /* 'u' unsigned, 'i' signed, 'd' double, 't' text, 'n' none */
    uint64_t bits;
    const char *text;
} Cell;

#define U(value)    ((Cell){.kind = 'u', .bits = (value)})
#define I(value)    ((Cell){.kind = 'i', .bits = (uint64_t)(value)})
#define D(value)    ((Cell){.kind = 'd', .bits = xtf_f64_to_bits(value)})
#define BITS(value) ((Cell){.kind = 'd', .bits = (value)})
#define T(value)    ((Cell){.kind = 't', .text = (value)})
#define NONE        ((Cell){.kind = 'n', .bits = UINT64_MAX})

typedef struct TestFile TestFile;

/* Sets the folder of all files. */
void test_files_set_folder(const char *folder);
/* Returns the path of a file in the folder. The caller frees it. */
char *test_files_path(const char *name, const char *ending);
/* Sets what getrandom() returns from now on: a file's id. */
void test_files_set_id(uint8_t id);
/* Ends the program with the message of `error`, which may be NULL, unless `good`. */
void test_files_check(bool good, GError **error);

/* Creates NAME.xtf with pages of 4 KiB. */
TestFile *test_file_new(const char *name, uint8_t id, const char *codec);
/* Creates NAME.xtf, a trace that keeps the last `keep_volumes` earlier volumes. */
TestFile *test_file_new_keeping(const char *name, uint8_t id, const char *codec, uint32_t keep_volumes);
/* Creates NAME.xtf, the companion file of the file BASE.xtf. */
TestFile *test_file_new_companion(const char *name, uint8_t id, const char *base);

uint32_t test_file_add_schema(TestFile *file, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields);
/* Adds a schema with aggregates. */
uint32_t test_file_add_schema_with(TestFile *file, const char *name, XtfSchemaKind kind, const XtfFieldSpec *fields,
                                   const XtfAggregateSpec *aggregates, unsigned n);
/* Appends a row to a table, or to the array of a location. `cells` has a value for each field. */
void test_file_add_table_row(TestFile *file, uint32_t schema, const Cell *cells);
void test_file_add_row(TestFile *file, uint64_t location, uint32_t schema, const Cell *cells);
void test_file_set_clock(TestFile *file, uint64_t location, const XtfClockKnot *knots, uint32_t n);
void test_file_set_complete(TestFile *file, uint64_t time);
void test_file_commit(TestFile *file);
/* Begins a volume. The rows so far are in NAME.xtf.0001 and so on. */
void test_file_begin_volume(TestFile *file);
/* Closes the array of a location. */
void test_file_close_array(TestFile *file, uint64_t location, uint32_t schema);

/* Writes the JSON, closes the file, and frees `file`. */
void test_file_close(TestFile *file);
/* Writes the JSON and frees `file`, but leaves it as its last commit did. The caller has appended nothing since. */
void test_file_leave_open(TestFile *file);

/* Groups of test files. */
void make_plain_files(void);
void make_packed_files(void);
void make_totals_files(void);
void make_volumes(void);
void make_runs(void);
void make_high_file(void);

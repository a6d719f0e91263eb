/*
 * XTF files made by an enemy: mutations aimed at the structures of a file, whose checksums are then made right again,
 * so that what is wrong gets past them and meets the checks behind.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    FUZZ_SUPERBLOCK,
    FUZZ_SECTION, /* of the catalog */
    FUZZ_NODE,    /* of the P index */
    FUZZ_ITEM,    /* right edges, tables, strings */
    FUZZ_HEADER,  /* of a page */
    FUZZ_PAYLOAD,
    FUZZ_RECORDS, /* side by side: entries of nodes and index pages, heads of edges, segments, rows of tables, knots */
} FuzzKind;

typedef struct {
    FuzzKind kind;
    size_t offset, length; /* never past the end of the file */
    size_t record;         /* bytes of one of FUZZ_RECORDS, else 0 */
} FuzzPart;

/* Makes every checksum right that can be reached from the superblocks, from the lowest up. If `parts` is not NULL the
 * structures that were met are appended to it. */
void fuzz_seal(uint8_t *data, size_t size, GArray *parts);

/* Changes a few fields of structures, copies structures over others, or cuts the file short; seals it mostly. Returns
 * the new size. The same seed makes the same file. */
size_t fuzz_mutate(uint8_t *data, size_t size, uint32_t seed);

/* Opens the bytes as a trace and reads everything in them, with bounded work. Aborts if an answer is impossible. False
 * if they are refused as a whole. */
bool fuzz_read(const uint8_t *data, size_t size);

/* The same of a file, which may name others beside it. */
bool fuzz_read_file(const char *path);
/* Whether the bytes say that they name other files. */
bool fuzz_names_files(const uint8_t *data, size_t size);

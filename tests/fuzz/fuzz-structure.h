/*
 * Hostile XTF files: mutations of the structures of a file. The checksums of the mutated structures are corrected, so
 * that the mutations pass them and reach the checks behind.
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
    FUZZ_PAYLOAD, /* of a page, sealed or open */
    FUZZ_RECORDS, /* adjacent: entries of nodes and index pages, heads of edges, segments, rows of tables, knots */
} FuzzKind;

typedef struct {
    FuzzKind kind;
    size_t offset, length; /* within the file */
    size_t record;         /* bytes of one record of FUZZ_RECORDS, else 0 */
} FuzzPart;

/* Corrects all checksums that can be reached from the superblocks, the innermost first. If `parts` is not NULL,
 * appends the visited structures to it. */
void fuzz_correct_checksums(uint8_t *data, size_t size, GArray *parts);

/* Changes a few fields of structures, copies structures over others, or cuts the file short. Usually corrects the
 * checksums afterwards. Returns the new size. The same seed makes the same file. */
size_t fuzz_mutate(uint8_t *data, size_t size, uint32_t seed);

/* Changes a field in the rows or entries of one page, and corrects the checksums. */
void fuzz_change_payload(uint8_t *data, size_t size, uint32_t seed);

/* Writes the trace in the bytes once more, with some other values, another codec, and so on: a file without a fault.
 * Returns its size; 0 if the bytes are no trace, or the file would exceed max_size. `rewritten` may be `data`. */
size_t fuzz_rewrite(const uint8_t *data, size_t size, uint8_t *rewritten, size_t max_size, uint32_t seed);

/* Opens the bytes as a trace and reads everything in them, with bounded work. Aborts if an answer is impossible.
 * Returns false if the bytes cannot be opened. */
bool fuzz_read(const uint8_t *data, size_t size);

/* Does the same with a file, which may name other files beside it. */
bool fuzz_read_file(const char *path);
/* True if the bytes name other files. */
bool fuzz_names_files(const uint8_t *data, size_t size);

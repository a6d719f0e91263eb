/* Writes small traces with the schemas of src/model. Each schema is declared with its first row. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/xtf.h"
#include "src/model/labels.h"
#include "src/model/schemas.h"
#include "src/tree/paths/tree.h"

typedef struct {
    char *path;
    XtfWriter *writer;
    uint32_t ids[XTF_N_ALL_SCHEMAS];
    bool declared[XTF_N_ALL_SCHEMAS];
} Writing;

void writing_begin(Writing *writing);
uint32_t writing_string(Writing *writing, const char *string);
void writing_define(Writing *writing, unsigned table, const void *row);
void writing_append(Writing *writing, uint64_t location, unsigned type, const void *row);

/* A written trace, open for reading. */
typedef struct {
    char *path;
    XtfTrace *trace;
    XtfTree *tree;
} Written;

void writing_end(Writing *writing, Written *written);
void written_finish(Written *written); /* removes the file */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Written, written_finish)

/* Reads a whole file and asserts that it has the stated size. */
GString *written_read(const Written *written, const char *path);

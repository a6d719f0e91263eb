/*
 * The memory of a schema: one block that holds the struct, the fields, the pointers to labels and all strings. A trace
 * has hundreds of strings, so opening it would otherwise spend most of its time allocating them.
 */
#pragma once

#include "libxtf/schema.h"

/* A schema that is being filled, and the unused rest of its block. */
typedef struct {
    XtfSchema *schema;
    char **labels;
    char *text;
} XtfSchemaBlock;

/* Allocates a schema with `n_fields` fields of zeros. `n_labels` counts the pointers of all lists of labels, with the
 * NULL that ends each list. `text_bytes` counts the bytes of the strings that xtf_schema_block_text() will add, with
 * their ends. The caller frees the schema. */
XtfSchemaBlock xtf_schema_block_new(uint32_t n_fields, size_t n_labels, size_t text_bytes);
/* Adds a string. The schema owns it. Strings of no bytes share their memory and need no block (NULL): do not write to
 * them. */
char *xtf_schema_block_text(XtfSchemaBlock *block, const char *text, size_t length);
/* Returns the memory for n labels and a NULL. */
char **xtf_schema_block_labels(XtfSchemaBlock *block, uint32_t n);

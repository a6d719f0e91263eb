/* Reading of a file of the tree by several threads at once. */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "src/tree/node/node.h"

enum { READERS = 4 };

typedef struct {
    XtfNode *node;
    const GString *whole;
    unsigned first;
} Reader;

/* Reads every fourth block, in an order in which a kernel that reads ahead may ask for them. */
static inline void *read_blocks(void *data)
{
    Reader *reader = data;
    char buffer[4096];

    for (uint64_t offset = reader->first * sizeof buffer; offset < reader->whole->len;
         offset += READERS * sizeof buffer) {
        size_t got = 0;
        if (!xtf_node_read(reader->node, offset, buffer, sizeof buffer, &got, NULL) ||
            got != MIN(sizeof buffer, reader->whole->len - offset) ||
            memcmp(buffer, reader->whole->str + offset, got) != 0)
            return "differs";
    }
    return NULL;
}

/* Asserts that the threads together read the whole file. */
static inline void assert_read_side_by_side(XtfNode *node, const GString *whole)
{
    Reader readers[READERS];
    GThread *threads[READERS];

    for (unsigned i = 0; i < READERS; i++) {
        readers[i] = (Reader){node, whole, i};
        threads[i] = g_thread_new("reader", read_blocks, &readers[i]);
    }
    for (unsigned i = 0; i < READERS; i++)
        cr_assert_null(g_thread_join(threads[i]));
}

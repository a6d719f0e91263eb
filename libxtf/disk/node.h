/*
 * Nodes of the P index as bytes: a head (XtfDiskNode), then arrays on the lowest level, branches above.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/disk/catalog.h"

/* A node of the level below: see XtfDiskBranch. */
typedef struct {
    uint64_t location;
    uint32_t schema;
    uint64_t arrays, n_rows;
    XtfRef child;
} XtfBranch;

/* Whether bytes are a node of a level; then *count is the number of its entries, at least 1. */
bool xtf_node_valid(const uint8_t *node, uint32_t length, unsigned level, uint32_t *count);
/* An array, and the id of its schema: array->trace and array->schema are not set. */
void xtf_node_array(const uint8_t *node, uint32_t i, XtfArray *array, uint32_t *schema);
XtfBranch xtf_node_branch(const uint8_t *node, uint32_t i);
/* The key of an entry, on any level. */
void xtf_node_key(const uint8_t *node, unsigned level, uint32_t i, uint64_t *location, uint32_t *schema);

/* Arrays are ordered by location, then schema: less than 0, 0 or greater. */
static inline int xtf_compare_array_keys(uint64_t location_a, uint32_t schema_a, uint64_t location_b, uint32_t schema_b)
{
    if (location_a != location_b)
        return location_a < location_b ? -1 : 1;
    return (schema_a > schema_b) - (schema_a < schema_b);
}

/* The sums of a node's entries: what a branch that leads to the node says. The child is not set. */
XtfBranch xtf_node_sums(const uint8_t *node, unsigned level, uint32_t count);
/* True if the keys of a node's entries ascend. */
bool xtf_node_ascends(const uint8_t *node, unsigned level, uint32_t count);

/* Begins a node without entries in `bytes`, and adds entries to it. */
void xtf_node_encode(GByteArray *bytes, unsigned level);
void xtf_node_add_array(GByteArray *bytes, const XtfArray *array);
void xtf_node_add_branch(GByteArray *bytes, const XtfBranch *branch);

/*
 * Encoding of the nodes of the P index: a head (XtfDiskNode), then arrays on the lowest level, branches above.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/disk/catalog.h"

/* An entry above the lowest level, which references a node of the level below: see XtfDiskBranch. */
typedef struct {
    uint64_t location;
    uint32_t schema;
    uint64_t arrays, n_rows;
    XtfRef child;
} XtfBranch;

/* True if the bytes are a node of the level. Sets *count to the number of its entries, at least 1. */
bool xtf_node_valid(const uint8_t *node, uint32_t length, unsigned level, uint32_t *count);
/* Decodes the entry of an array and the id of its schema. Does not set array->trace and array->schema. */
void xtf_array_entry_decode(const XtfDiskArray *disk, XtfArray *array, uint32_t *schema);
/* Encodes the entry of an array. */
void xtf_array_entry_encode(const XtfArray *array, XtfDiskArray *disk);
/* Decodes an array and the id of its schema. Does not set array->trace and array->schema. */
void xtf_node_array(const uint8_t *node, uint32_t i, XtfArray *array, uint32_t *schema);
XtfBranch xtf_node_branch(const uint8_t *node, uint32_t i);
/* Returns the key of an entry on any level. */
void xtf_node_key(const uint8_t *node, unsigned level, uint32_t i, uint64_t *location, uint32_t *schema);

/* Compares keys of arrays by location, then schema. Returns a number less than, equal to or greater than 0. */
static inline int xtf_compare_array_keys(uint64_t location_a, uint32_t schema_a, uint64_t location_b, uint32_t schema_b)
{
    if (location_a != location_b)
        return location_a < location_b ? -1 : 1;
    return (schema_a > schema_b) - (schema_a < schema_b);
}

/* Returns the branch that a node should have, from the sums of its entries. Does not set the child. */
XtfBranch xtf_node_sums(const uint8_t *node, unsigned level, uint32_t count);
/* True if the keys of a node's entries ascend. */
bool xtf_node_ascends(const uint8_t *node, unsigned level, uint32_t count);

/* Starts a node without entries in `bytes`; the functions below add entries. */
void xtf_node_encode(GByteArray *bytes, unsigned level);
void xtf_node_add_array(GByteArray *bytes, const XtfArray *array);
void xtf_node_add_branch(GByteArray *bytes, const XtfBranch *branch);

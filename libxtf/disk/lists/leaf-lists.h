/*
 * The item of section LEAF_LISTS: for each array that it lists, the entries of all pages of level 1, packed.
 *
 *     XtfDiskLeafLists
 *     XtfDiskLeafList    a head for each list, by segment, then array
 *     packed entries     of each list, at the next multiple of 8
 */
#pragma once

#include "libxtf/disk/catalog.h"

/* A list within the item. */
typedef struct {
    uint32_t segment, array;
    uint32_t n_entries;
    uint32_t length; /* bytes of the packed entries */
    uint64_t at;     /* offset of the packed entries in the item */
} XtfLeafList;

enum {
    /* Most bytes of the item: the opening has the P index, tables and strings, too. */
    XTF_LEAF_LISTS_BYTES = XTF_OPENING_BYTES / 4 * 3,
    XTF_LEAF_LIST_ENTRIES = 1 << 18, /* most entries of a list */
};

/* Adds an array's list to `heads` (XtfDiskLeafList) and `packed`. `entries` are its XtfDiskEntry, at least 2. Returns
 * false, and adds nothing, if the item would take more than XTF_LEAF_LISTS_BYTES. */
bool xtf_leaf_lists_add(GByteArray *heads, GByteArray *packed, uint32_t segment, uint32_t array, const GArray *entries);
/* Returns the item of these lists, which must be in order. */
GByteArray *xtf_leaf_lists_encode(const GByteArray *heads, const GByteArray *packed);

/* Returns the heads of an item's lists (XtfLeafList); NULL with an error if the item is damaged. */
GArray *xtf_leaf_lists_decode(const uint8_t *item, uint32_t length, GError **error);
/* Finds the list of an array; NULL if there is none. */
const XtfLeafList *xtf_leaf_lists_find(const GArray *lists, uint32_t segment, uint32_t array);
/* Unpacks a list to `entries`, of list->n_entries. Returns what is wrong with the list; NULL if nothing is. */
const char *xtf_leaf_list_unpack(const XtfLeafList *list, const uint8_t *item, uint64_t n_rows, XtfDiskEntry *entries);

/*
 * A hash table from keys to their numbers. A key is a tuple of words in the caller's memory.
 *
 * The table uses open addressing. A slot holds a key's number plus 1, or 0 if it is free. At most half of the slots are
 * used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keys' memory: key i has `length` words and begins at words[i * stride]. */
typedef struct {
    const uint64_t *words;
    unsigned length, stride;
} XtfKeys;

typedef struct {
    uint32_t *slots; /* NULL: the table is empty */
    uint8_t shift;   /* 64 - log2(number of slots) */
    uint64_t multiplier;
} XtfKeyTable;

static inline bool xtf_key_equal(const uint64_t *a, const uint64_t *b, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static inline uint32_t xtf_key_table_n_slots(const XtfKeyTable *table)
{
    return table->slots ? UINT32_C(1) << (64 - table->shift) : 0;
}

/* Returns the key's slot, or the free slot where it would be entered. The upper bits of the hash are the best mixed. */
static inline uint32_t *xtf_key_table_slot(const XtfKeyTable *table, XtfKeys keys, const uint64_t *key)
{
    uint64_t hash = 0, mask = UINT64_MAX >> table->shift;

    for (unsigned i = 0; i < keys.length; i++)
        hash = (hash ^ key[i]) * table->multiplier;
    uint64_t at = hash >> table->shift;
    while (table->slots[at] != 0 &&
           !xtf_key_equal(keys.words + (size_t)(table->slots[at] - 1) * keys.stride, key, keys.length))
        at = (at + 1) & mask;
    return &table->slots[at];
}

/* Ensures a free slot for one more key. The table has n keys. */
void xtf_key_table_reserve(XtfKeyTable *table, XtfKeys keys, uint32_t n);
/* Enters keys 0 to n - 1 again, after the caller has reordered them. */
void xtf_key_table_rebuild(XtfKeyTable *table, XtfKeys keys, uint32_t n);
void xtf_key_table_clear(XtfKeyTable *table);  /* keeps the memory of the slots */
void xtf_key_table_finish(XtfKeyTable *table); /* frees the slots; a table of zeros is empty and valid */

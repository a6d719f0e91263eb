/*
 * A hash table from keys to their numbers. A key is a tuple of words, and lies where the caller keeps it.
 *
 * Open addressing: a slot holds a key's number plus 1, or 0. No more than half of the slots are taken.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where keys lie: key i is `length` words, `stride` words behind the key before it. */
typedef struct {
    const uint64_t *words;
    unsigned length, stride;
} XtfKeys;

typedef struct {
    uint32_t *slots; /* NULL while the table is empty */
    uint8_t shift;   /* 64 less the slots' bits */
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

/* The slot of a key, or the free one that it would take. The upper bits of the hash are the good ones. */
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

/* Makes room for one more key than the n that the table has. */
void xtf_key_table_reserve(XtfKeyTable *table, XtfKeys keys, uint32_t n);
/* Enters keys 0 to n - 1 anew, after their order changed. */
void xtf_key_table_rebuild(XtfKeyTable *table, XtfKeys keys, uint32_t n);
void xtf_key_table_clear(XtfKeyTable *table);  /* keeps the slots */
void xtf_key_table_finish(XtfKeyTable *table); /* a table begins as zeros */

#include "libxtf/base/key-table.h"

#include <glib.h>
#include <string.h>

enum { FIRST_SLOT_BITS = 4 };

/*
 * Returns the multiplier of hashes: 2^64 / golden ratio, which spreads small numbers, the usual keys, evenly over the
 * slots. The low bits are random per process, so that a malicious file cannot have keys that collide.
 */
static uint64_t get_multiplier(void)
{
    static gsize low_bits;

    if (g_once_init_enter(&low_bits))
        g_once_init_leave(&low_bits, ((gsize)g_random_int() << 8) | 1);
    return UINT64_C(0x9e37790000000000) | low_bits;
}

static void enter_keys(XtfKeyTable *table, unsigned slot_bits, XtfKeys keys, uint32_t n)
{
    g_free(table->slots);
    table->slots = g_new0(uint32_t, (size_t)1 << slot_bits);
    table->shift = (uint8_t)(64 - slot_bits);
    table->multiplier = get_multiplier();
    for (uint32_t i = 0; i < n; i++)
        *xtf_key_table_slot(table, keys, keys.words + (size_t)i * keys.stride) = i + 1;
}

void xtf_key_table_reserve(XtfKeyTable *table, XtfKeys keys, uint32_t n)
{
    if (n >= xtf_key_table_n_slots(table) / 2)
        enter_keys(table, table->slots ? 64u - table->shift + 1 : FIRST_SLOT_BITS, keys, n);
}

void xtf_key_table_rebuild(XtfKeyTable *table, XtfKeys keys, uint32_t n)
{
    if (table->slots)
        enter_keys(table, 64u - table->shift, keys, n);
}

void xtf_key_table_clear(XtfKeyTable *table)
{
    if (table->slots)
        memset(table->slots, 0, xtf_key_table_n_slots(table) * sizeof *table->slots);
}

void xtf_key_table_finish(XtfKeyTable *table)
{
    g_clear_pointer(&table->slots, g_free);
}

#include "src/import/definitions/id-map.h"

enum {
    INITIAL_BITS = 4,
};

/* Returns 2^64 over the golden ratio, which spreads consecutive numbers evenly. The lower half is a random number,
 * drawn once per process. */
static uint64_t get_multiplier(void)
{
    static gsize random;

    if (g_once_init_enter(&random))
        g_once_init_leave(&random, g_random_int() | 1);
    return UINT64_C(0x9e3779b900000000) | random;
}

unsigned xtf_id_hash(const uint64_t *key, unsigned n_words)
{
    uint64_t hash = 0, multiplier = get_multiplier();

    for (unsigned i = 0; i < n_words; i++) {
        hash = (hash ^ key[i]) * multiplier;
        hash ^= hash >> 32;
    }
    return (unsigned)hash;
}

unsigned xtf_id_hash64(const void *id)
{
    return xtf_id_hash(id, 1);
}

void xtf_id_map_init(XtfIdMap *map)
{
    map->multiplier = UINT32_C(0x9e370001) | (uint32_t)(get_multiplier() & 0xffff);
    map->bits = INITIAL_BITS;
    map->count = 0;
    map->slots = g_new0(uint32_t, 2u << INITIAL_BITS);
}

void xtf_id_map_finish(XtfIdMap *map)
{
    g_clear_pointer(&map->slots, g_free);
}

static void double_slots(XtfIdMap *map)
{
    XtfIdMap larger = {.slots = g_new0(uint32_t, (gsize)4 << map->bits),
                       .count = map->count,
                       .bits = map->bits + 1,
                       .multiplier = map->multiplier};

    for (uint32_t i = 0; i < UINT32_C(1) << map->bits; i++) {
        if (map->slots[2 * i + 1] == 0)
            continue;
        uint32_t slot = xtf_id_map_slot(&larger, map->slots[2 * i]);
        larger.slots[2 * slot] = map->slots[2 * i];
        larger.slots[2 * slot + 1] = map->slots[2 * i + 1];
    }
    g_free(map->slots);
    *map = larger;
}

void xtf_id_map_insert(XtfIdMap *map, uint32_t key, uint32_t row)
{
    /* The map is at most half full, so that searches are short and end. */
    if (map->count >= (UINT32_C(1) << map->bits) / 2)
        double_slots(map);
    uint32_t slot = xtf_id_map_slot(map, key);
    if (map->slots[2 * slot + 1] == 0)
        map->count++;
    map->slots[2 * slot] = key;
    map->slots[2 * slot + 1] = row + 1;
}

GArray *xtf_id_map_keys(const XtfIdMap *map)
{
    GArray *keys = g_array_new(FALSE, FALSE, sizeof *map->slots);

    for (uint32_t i = 0; i < UINT32_C(1) << map->bits; i++)
        if (map->slots[2 * i + 1] != 0)
            g_array_append_val(keys, map->slots[2 * i]);
    return keys;
}

#include <criterion/criterion.h>
#include <glib.h>

#include "src/import/definitions/id-map.h"

/* Ids as eztrace assigns them: runs of consecutive ids with distant starts. */
Test(id_map, agrees_with_a_hash_table)
{
    g_autoptr(GHashTable) expected = g_hash_table_new(NULL, NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    XtfIdMap map;

    xtf_id_map_init(&map);
    for (uint32_t i = 0; i < 50000; i++) {
        uint32_t key = g_rand_int_range(random, 0, 4) * UINT32_C(536870911) + g_rand_int_range(random, 0, 20000);
        xtf_id_map_insert(&map, key, i);
        g_hash_table_insert(expected, GUINT_TO_POINTER(key), GUINT_TO_POINTER(i));
    }
    cr_assert_eq(map.count, g_hash_table_size(expected));
    for (uint32_t start = 0; start < 4; start++) {
        for (uint32_t key = start * UINT32_C(536870911), end = key + 20100; key < end; key++) {
            gpointer row;
            uint32_t found = 12345;
            bool there = g_hash_table_lookup_extended(expected, GUINT_TO_POINTER(key), NULL, &row);
            cr_assert_eq(xtf_id_map_find(&map, key, &found), there);
            cr_assert_eq(found, there ? GPOINTER_TO_UINT(row) : 12345);
        }
    }
    xtf_id_map_finish(&map);
}

Test(id_map, has_the_extreme_keys)
{
    XtfIdMap map;
    uint32_t row = 1;

    xtf_id_map_init(&map);
    cr_assert_not(xtf_id_map_find(&map, 0, &row));
    cr_assert_not(xtf_id_map_find(&map, UINT32_MAX, &row));
    xtf_id_map_insert(&map, 0, 0);
    xtf_id_map_insert(&map, UINT32_MAX, 7);
    cr_assert(xtf_id_map_find(&map, 0, &row));
    cr_assert_eq(row, 0);
    cr_assert(xtf_id_map_find(&map, UINT32_MAX, &row));
    cr_assert_eq(row, 7);
    xtf_id_map_finish(&map);
}

/* The keys are multiples of the inverse of the golden ratio's multiplier, so all would be in one slot if the
 * multiplier were known. */
Test(id_map, keys_cannot_be_made_to_collide, .timeout = 60)
{
    enum { KEYS = 400000 };
    uint32_t inverse = 1, row;
    XtfIdMap map;

    while (inverse * UINT32_C(2654435769) != 1)
        inverse *= 2 - inverse * UINT32_C(2654435769);
    xtf_id_map_init(&map);
    for (uint32_t i = 0; i < KEYS; i++)
        xtf_id_map_insert(&map, i * inverse, i);
    for (uint32_t i = 0; i < KEYS; i++) {
        cr_assert(xtf_id_map_find(&map, i * inverse, &row));
        cr_assert_eq(row, i);
    }
    xtf_id_map_finish(&map);
}

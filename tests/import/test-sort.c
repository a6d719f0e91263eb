/*
 * Tests of the external sort against a stable sort in memory.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "src/files/sort.h"

enum {
    LEAST_MEMORY = 1, /* so little that the sort uses its least amount of memory */
    DATA_MAX = 200,
};

typedef struct {
    XtfSortKey key;
    guint number;
} Item;

static int compare_items(const void *a, const void *b)
{
    const Item *x = a, *y = b;
    const uint64_t p[] = {x->key.major, x->key.minor, x->key.least, x->number},
                   q[] = {y->key.major, y->key.minor, y->key.least, y->number};

    for (unsigned i = 0; i < G_N_ELEMENTS(p); i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Fills the data of item `number`: its number, and bytes that depend on it. */
static uint32_t make_data(guint number, uint8_t *data)
{
    uint32_t size = (uint32_t)sizeof number + number * 7 % (DATA_MAX - (uint32_t)sizeof number);

    memset(data, (int)(number % 251), size);
    memcpy(data, &number, sizeof number);
    return size;
}

/* Sorts n items with keys below `range`, and compares the result. Returns the number of runs. */
static guint sort_items(guint n, gint range, bool in_order, uint32_t seed)
{
    g_autoptr(XtfSort) sort = xtf_sort_new(LEAST_MEMORY, NULL);
    g_autofree Item *items = g_new(Item, n + 1);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    uint8_t data[DATA_MAX];
    XtfSortEntry entry;
    GError *error = NULL;

    for (guint i = 0; i < n; i++) {
        items[i] = (Item){.key = {in_order ? i : (guint)g_rand_int_range(random, 0, range),
                                  (guint)g_rand_int_range(random, 0, range), (guint)g_rand_int_range(random, 0, 2)},
                          .number = i};
        uint32_t size = make_data(i, data);
        cr_assert(xtf_sort_add(sort, &items[i].key, data, size, &error));
    }
    qsort(items, n, sizeof *items, compare_items);
    cr_assert(xtf_sort_end(sort, &error));
    for (guint i = 0; i < n; i++) {
        cr_assert(xtf_sort_next(sort, &entry, &error));
        uint32_t size = make_data(items[i].number, data);
        cr_assert(entry.data && (uintptr_t)entry.data % 8 == 0);
        cr_assert_eq(entry.size, size, "item %u", i);
        cr_assert_arr_eq(entry.data, data, size, "item %u", i);
        cr_assert_arr_eq(&entry.key, &items[i].key, sizeof entry.key);
    }
    cr_assert(xtf_sort_next(sort, &entry, &error) && !entry.data);
    cr_assert_null(error);
    return xtf_sort_n_runs(sort);
}

Test(sort, in_memory)
{
    for (guint n = 0; n < 5; n++)
        cr_assert_eq(sort_items(n, 3, false, n), 0);
    cr_assert_eq(sort_items(2000, 100, false, 5), 0);
    cr_assert_eq(sort_items(2000, 100, true, 6), 0);
}

/* With fewer items all of them would fit into one run, in any build. */
Test(sort, in_runs)
{
    enum { ITEMS = 60000 };

    cr_assert_gt(sort_items(ITEMS, 1000, false, 1), 1);
    cr_assert_gt(sort_items(ITEMS, 2, false, 2), 1);
    cr_assert_gt(sort_items(ITEMS, 1000, true, 3), 1);
}

/* Adds entries of the greatest size, which need larger buffers than a run's share of the memory. */
Test(sort, large_entries)
{
    g_autoptr(XtfSort) sort = xtf_sort_new(LEAST_MEMORY, NULL);
    g_autofree uint8_t *data = g_malloc0(XTF_SORT_ENTRY_MAX + 1);
    XtfSortKey key = {0};
    XtfSortEntry entry;
    GError *error = NULL;

    for (guint i = 0; i < 9; i++) {
        key.minor = 9 - i;
        data[XTF_SORT_ENTRY_MAX - 1] = (uint8_t)i;
        cr_assert(xtf_sort_add(sort, &key, data, XTF_SORT_ENTRY_MAX, &error));
    }
    cr_assert_not(xtf_sort_add(sort, &key, data, XTF_SORT_ENTRY_MAX + 1, &error));
    g_clear_error(&error);
    cr_assert(xtf_sort_end(sort, &error));
    for (guint i = 9; i-- > 0;) {
        cr_assert(xtf_sort_next(sort, &entry, &error) && entry.data);
        cr_assert_eq(((const uint8_t *)entry.data)[XTF_SORT_ENTRY_MAX - 1], i);
    }
}

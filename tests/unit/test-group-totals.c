/* Totals by group, against lists that are searched from the start. */
#include "fixture.h"

#include "libxtf/aggregates.h"

static const XtfAggregate pairs = {
    .kind = XTF_AGGREGATE_GROUPS, .n_keys = 2, .n_values = 1, .keys = {0, 1}, .values = {2}};
static const XtfAggregate frames = {
    .kind = XTF_AGGREGATE_FRAMES, .n_keys = 1, .n_values = 3, .keys = {0}, .values = {1, 2, 3}};

typedef struct {
    uint64_t key[2], cells[2];
} Group;

static void add_naively(GArray *groups, const uint64_t *key, unsigned depth, const uint64_t *cells)
{
    guint i = 0;

    for (; i < groups->len; i++)
        if (memcmp(g_array_index(groups, Group, i).key, key, depth * sizeof *key) == 0)
            break;
    if (i == groups->len) {
        Group group = {{0}, {0}};
        memcpy(group.key, key, depth * sizeof *key);
        g_array_append_val(groups, group);
    }
    for (unsigned c = 0; c < 2; c++)
        g_array_index(groups, Group, i).cells[c] += cells[c];
}

static void assert_same_groups(const XtfGroupTotals *totals, const GArray *groups, unsigned depth)
{
    cr_assert_eq(xtf_group_totals_n(totals), groups->len);
    for (guint i = 0; i < groups->len; i++) {
        const Group *group = &g_array_index(groups, Group, i);
        cr_assert_eq(memcmp(xtf_group_totals_key(totals, i), group->key, depth * sizeof(uint64_t)), 0);
        cr_assert_eq(memcmp(xtf_group_totals_cells(totals, i), group->cells, sizeof group->cells), 0);
        cr_assert_eq(xtf_group_totals_find(totals, group->key), xtf_group_totals_cells(totals, i));
    }
}

static int compare_groups(const void *a, const void *b)
{
    const Group *left = a, *right = b;

    for (unsigned i = 0; i < 2; i++)
        if (left->key[i] != right->key[i])
            return left->key[i] < right->key[i] ? -1 : 1;
    return 0;
}

Test(group_totals, groups_of_every_depth)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        g_autoptr(XtfGroupTotals) full = xtf_group_totals_new(&pairs, 2);
        GArray *naive[3];

        for (unsigned depth = 0; depth <= 2; depth++)
            naive[depth] = g_array_new(FALSE, FALSE, sizeof(Group));
        for (unsigned i = 0; i < 30 * seed; i++) {
            uint64_t key[2] = {(uint64_t)g_rand_int_range(random, 0, 5) << (seed % 3) * 20,
                               (uint64_t)(int64_t)g_rand_int_range(random, -100, 100)};
            uint64_t cells[2] = {1, g_rand_int(random)};
            xtf_group_totals_add(full, key, cells);
            for (unsigned depth = 0; depth <= 2; depth++)
                add_naively(naive[depth], key, depth, cells);
        }
        for (unsigned depth = 0; depth <= 2; depth++) {
            g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&pairs, depth);
            xtf_group_totals_add_all(totals, full);
            assert_same_groups(totals, naive[depth], depth);
            xtf_group_totals_sort(totals);
            g_array_sort(naive[depth], compare_groups);
            assert_same_groups(totals, naive[depth], depth);
            xtf_group_totals_clear(totals);
            cr_assert_eq(xtf_group_totals_n(totals), 0);
            cr_assert_null(xtf_group_totals_find(totals, (const uint64_t[]){0, 0}));
            xtf_group_totals_add_all(totals, full);
            cr_assert_eq(xtf_group_totals_n(totals), naive[depth]->len);
            g_array_unref(naive[depth]);
        }
    }
}

Test(group_totals, empty_totals)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&pairs, 2);

    xtf_group_totals_sort(totals);
    xtf_group_totals_clear(totals);
    cr_assert_eq(xtf_group_totals_n(totals), 0);
    cr_assert_null(xtf_group_totals_find(totals, (const uint64_t[]){0, 0}));
}

/* Ends without a begin are also rows of other keys, and must not count twice in totals without keys. */
Test(group_totals, frames_of_no_key_count_each_row_once)
{
    g_autoptr(XtfGroupTotals) full = xtf_group_totals_new(&frames, 1), none = xtf_group_totals_new(&frames, 0);
    uint64_t keys[] = {3, XTF_FRAMES_BEFORE, 4};

    for (unsigned i = 0; i < 3; i++)
        xtf_group_totals_add(full, &keys[i], (const uint64_t[]){10, 20, 30, 40, 15});
    xtf_group_totals_add_all(none, full);
    cr_assert_eq(xtf_group_totals_n(none), 1);
    cr_assert_arr_eq(xtf_group_totals_cells(none, 0), ((const uint64_t[]){20, 40, 60, 80, 15}), 5 * sizeof(uint64_t));
}

/* Cells that cannot be known with fewer keys are 0: last values, and sums of values of several types. */
Test(group_totals, unknown_cells_of_coarse_totals_are_0)
{
    const XtfAggregate typed = {.kind = XTF_AGGREGATE_GROUPS,
                                .n_keys = 2,
                                .n_values = 1,
                                .extremes = true,
                                .keys = {0, 1},
                                .values = {2},
                                .typed_by = 2,
                                .reals = 2,
                                .typed_values = 1};
    XtfAggregate plain = typed;
    const uint64_t cells[] = {3, 60, 10, 30, 20};

    plain.typed_by = plain.typed_values = 0;
    plain.reals = 0;
    g_autoptr(XtfGroupTotals) full = xtf_group_totals_new(&typed, 2), coarse = xtf_group_totals_new(&typed, 1);
    g_autoptr(XtfGroupTotals) full_plain = xtf_group_totals_new(&plain, 2),
                              coarse_plain = xtf_group_totals_new(&plain, 1);
    for (uint64_t key = 0; key < 3; key += 2) {
        xtf_group_totals_add(full, (const uint64_t[]){7, key}, cells);
        xtf_group_totals_add(full_plain, (const uint64_t[]){7, key}, cells);
    }
    xtf_group_totals_add_all(coarse, full);
    xtf_group_totals_add_all(coarse_plain, full_plain);
    cr_assert_arr_eq(xtf_group_totals_cells(full, 1), cells, sizeof cells);
    cr_assert_arr_eq(xtf_group_totals_cells(coarse, 0), ((const uint64_t[]){6, 0, 0, 0, 0}), sizeof cells);
    cr_assert_arr_eq(xtf_group_totals_cells(coarse_plain, 0), ((const uint64_t[]){6, 120, 10, 30, 0}), sizeof cells);
}

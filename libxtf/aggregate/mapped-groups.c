#include "libxtf/aggregate/mapped-groups.h"

#include "libxtf/tree/row-maps.h"

bool xtf_mapped_groups_init(XtfMappedGroups *groups, const XtfArray *array, unsigned index,
                            XtfChildTotalsBuilder *builder, GError **error)
{
    const XtfAggregate *aggregate = &array->schema->aggregates[index];
    const XtfRowMap *map;

    if (!xtf_array_row_map(array, &map, error))
        return false;
    *groups = (XtfMappedGroups){.builder = builder, .aggregate = aggregate};
    for (unsigned k = 0; map && k < aggregate->n_keys; k++) {
        groups->keys[k] = xtf_row_map_of_key(map, aggregate->keys[k]);
        groups->any |= groups->keys[k] != NULL;
    }
    if (groups->any)
        groups->groups = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    return true;
}

void xtf_mapped_groups_finish(XtfMappedGroups *groups)
{
    if (groups->groups)
        g_array_unref(groups->groups);
    groups->groups = NULL;
}

/* Groups whose keys have become the same are added up. */
static void add_joined(XtfMappedGroups *groups, unsigned stride)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(groups->aggregate, groups->depth);
    uint64_t key[XTF_AGGREGATE_KEYS_MAX] = {0};

    for (guint at = 0; at < groups->groups->len; at += stride) {
        const uint64_t *group = &g_array_index(groups->groups, uint64_t, at);
        xtf_group_totals_add(totals, group, group + groups->aggregate->n_keys);
    }
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        memcpy(key, xtf_group_totals_key(totals, i), groups->depth * sizeof *key);
        xtf_child_totals_builder_add(groups->builder, key, groups->depth, xtf_group_totals_cells(totals, i));
    }
}

void xtf_mapped_groups_flush(XtfMappedGroups *groups)
{
    unsigned stride = groups->aggregate->n_keys + xtf_aggregate_n_cells(groups->aggregate);

    if (!groups->any)
        return;
    if (groups->may_join)
        add_joined(groups, stride);
    for (guint at = 0; !groups->may_join && at < groups->groups->len; at += stride) {
        const uint64_t *group = &g_array_index(groups->groups, uint64_t, at);
        xtf_child_totals_builder_add(groups->builder, group, groups->depth, group + groups->aggregate->n_keys);
    }
    g_array_set_size(groups->groups, 0);
    groups->may_join = false;
}

void xtf_mapped_groups_next(XtfMappedGroups *groups)
{
    xtf_mapped_groups_flush(groups);
    xtf_child_totals_builder_next(groups->builder);
}

void xtf_mapped_groups_add(XtfMappedGroups *groups, const uint64_t *key, unsigned depth, const uint64_t *cells)
{
    uint64_t mapped[XTF_AGGREGATE_KEYS_MAX] = {0};

    if (!groups->any) {
        xtf_child_totals_builder_add(groups->builder, key, depth, cells);
        return;
    }
    for (unsigned k = 0; k < depth; k++) {
        mapped[k] = xtf_mapped_groups_key(groups, k, key[k]);
        groups->may_join |= groups->keys[k] && xtf_number_map_may_join(groups->keys[k], key[k]);
    }
    groups->depth = depth;
    g_array_append_vals(groups->groups, mapped, groups->aggregate->n_keys);
    g_array_append_vals(groups->groups, cells, xtf_aggregate_n_cells(groups->aggregate));
}

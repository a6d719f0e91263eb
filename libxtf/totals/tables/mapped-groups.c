#include "libxtf/totals/tables/mapped-groups.h"

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
    return true;
}

void xtf_mapped_groups_finish(XtfMappedGroups *groups)
{
    g_clear_pointer(&groups->joining, xtf_group_totals_free);
}

void xtf_mapped_groups_flush(XtfMappedGroups *groups)
{
    uint64_t key[XTF_AGGREGATE_KEYS_MAX] = {0};

    for (uint32_t i = 0; groups->joining && i < xtf_group_totals_n(groups->joining); i++) {
        memcpy(key, xtf_group_totals_key(groups->joining, i), groups->depth * sizeof *key);
        xtf_child_totals_builder_add(groups->builder, key, groups->depth, xtf_group_totals_cells(groups->joining, i));
    }
    g_clear_pointer(&groups->joining, xtf_group_totals_free);
}

void xtf_mapped_groups_next(XtfMappedGroups *groups)
{
    xtf_mapped_groups_flush(groups);
    xtf_child_totals_builder_next(groups->builder);
}

void xtf_mapped_groups_add(XtfMappedGroups *groups, const uint64_t *key, unsigned depth, const uint64_t *cells)
{
    uint64_t mapped[XTF_AGGREGATE_KEYS_MAX] = {0};
    bool may_join = false;

    if (!groups->any) {
        xtf_child_totals_builder_add(groups->builder, key, depth, cells);
        return;
    }
    for (unsigned k = 0; k < depth; k++) {
        mapped[k] = xtf_mapped_groups_key(groups, k, key[k]);
        may_join |= groups->keys[k] && xtf_number_map_may_join(groups->keys[k], key[k]);
    }
    if (!may_join) {
        xtf_child_totals_builder_add(groups->builder, mapped, depth, cells);
        return;
    }
    if (!groups->joining)
        groups->joining = xtf_group_totals_new(groups->aggregate, depth);
    groups->depth = depth;
    xtf_group_totals_add(groups->joining, mapped, cells);
}

#include "prefix.h"

void prefix_init(Prefix *self)
{
    *self = (Prefix){.counts = g_array_new(FALSE, FALSE, sizeof(RegionCount)), .index = g_hash_table_new(NULL, NULL)};
}

void prefix_clear(Prefix *self)
{
    g_array_unref(self->counts);
    g_hash_table_unref(self->index);
}

uint64_t prefix_next(Prefix *self, uint32_t location)
{
    if (location != self->location) {
        self->location = location;
        self->n_rows = 0;
        g_array_set_size(self->counts, 0);
        g_hash_table_remove_all(self->index);
    }
    return self->n_rows;
}

static void count_enter(Prefix *self, uint32_t region)
{
    gpointer key = GUINT_TO_POINTER(region);
    guint place = GPOINTER_TO_UINT(g_hash_table_lookup(self->index, key));

    if (place == 0) {
        const RegionCount none = {region, 0};
        g_array_append_val(self->counts, none);
        place = self->counts->len;
        g_hash_table_insert(self->index, key, GUINT_TO_POINTER(place));
    }
    g_array_index(self->counts, RegionCount, place - 1).n++;
}

bool prefix_add(Prefix *self, const XtfEntersLeavesRow *row)
{
    if (row->event == 0)
        count_enter(self, row->region);
    return ++self->n_rows % BLOCK_ROWS == 0;
}

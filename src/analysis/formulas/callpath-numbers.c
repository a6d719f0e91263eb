#include "src/analysis/formulas/callpath-numbers.h"

/* Hashes a key. g_int64_hash() would use only the region. */
static guint hash_key(gconstpointer key)
{
    return (guint)(*(const uint64_t *)key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

void xtf_callpath_numbers_init(XtfCallpathNumbers *numbers)
{
    *numbers = (XtfCallpathNumbers){
        .all = g_array_new(FALSE, FALSE, sizeof(XtfNumberedCallpath)),
        .numbers = g_hash_table_new_full(hash_key, g_int64_equal, g_free, NULL),
    };
}

void xtf_callpath_numbers_finish(XtfCallpathNumbers *numbers)
{
    g_clear_pointer(&numbers->all, g_array_unref);
    g_clear_pointer(&numbers->numbers, g_hash_table_unref);
}

bool xtf_callpath_number(XtfCallpathNumbers *numbers, uint32_t parent, uint32_t region, uint32_t most, uint32_t *number)
{
    const uint64_t key = (uint64_t)parent << 32 | region;
    gpointer known;

    if (g_hash_table_lookup_extended(numbers->numbers, &key, NULL, &known)) {
        *number = GPOINTER_TO_UINT(known);
        return true;
    }
    if (numbers->all->len >= most)
        return false;
    const XtfNumberedCallpath new = {
        parent, region, parent == XTF_CALLPATH_NONE ? 1 : xtf_callpath_numbers_at(numbers, parent)->depth + 1};
    *number = numbers->all->len;
    g_array_append_val(numbers->all, new);
    g_hash_table_insert(numbers->numbers, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(*number));
    return true;
}

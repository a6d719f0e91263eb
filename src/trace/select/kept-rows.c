#include "src/trace/select/kept-rows.h"

bool xtf_kept_rank(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t *k, GError **error)
{
    uint64_t first_kept;

    *k = 0;
    return xtf_array_first_kept(array, &first_kept, error) &&
           (first_kept == 0 || xtf_array_group_rank(array, index, filter, first_kept, k, error));
}

bool xtf_kept_select(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t k, uint64_t *n,
                     GError **error)
{
    uint64_t removed;

    if (!xtf_kept_rank(array, index, filter, &removed, error))
        return false;
    *n = array->n_rows;
    return k < removed || xtf_array_group_select(array, index, filter, k, n, error);
}

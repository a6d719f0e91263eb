#include "src/analysis/waits/operations.h"

#include <stdlib.h>

enum { SETS_MAX = 1 << 16 }; /* lists of members that are kept */

typedef struct {
    uint64_t hash; /* the key, so the first field; of two lists with the same hash only the later one is kept */
    uint64_t first;
    uint32_t n;
} Set;

bool xtf_operations_open(XtfOperations *operations, GError **error)
{
    *operations = XTF_OPERATIONS_NONE;
    return xtf_spool_open(&operations->heads, error) && xtf_spool_open(&operations->members, error);
}

void xtf_operations_close(XtfOperations *operations)
{
    xtf_spool_close(&operations->heads);
    xtf_spool_close(&operations->members);
    g_clear_pointer(&operations->sets, g_hash_table_unref);
}

static int compare_members(const void *a, const void *b)
{
    const XtfOperationMember *first = a, *two = b;
    return first->location < two->location ? -1 : first->location > two->location;
}

static uint64_t hash_members(const XtfOperationMember *members, uint32_t n)
{
    uint64_t hash = n;

    for (uint32_t i = 0; i < n; i++) {
        hash = (hash ^ ((uint64_t)members[i].location << 1 | members[i].synchronises)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool read_members(const XtfOperations *operations, uint64_t first, XtfOperationMember *members, uint32_t n,
                         GError **error)
{
    return xtf_spool_get(&operations->members, first, members, n * sizeof *members, error);
}

/* Sets *same to true if the stored list `set` has these members. */
static bool compare_set(const XtfOperations *operations, const Set *set, const XtfOperationMember *members, bool *same,
                        GError **error)
{
    g_autofree XtfOperationMember *known = g_new(XtfOperationMember, set->n);

    if (!read_members(operations, set->first, known, set->n, error))
        return false;
    *same = true;
    for (uint32_t i = 0; i < set->n && *same; i++)
        *same = known[i].location == members[i].location && known[i].synchronises == members[i].synchronises;
    return true;
}

static bool put_members(XtfOperations *operations, const XtfOperationMember *members, uint32_t n, uint64_t *first,
                        GError **error)
{
    uint64_t hash = hash_members(members, n);
    bool same = false;

    if (!operations->sets)
        operations->sets = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    const Set *known = g_hash_table_lookup(operations->sets, &hash);
    if (known && known->n == n && !compare_set(operations, known, members, &same, error))
        return false;
    if (same) {
        *first = known->first;
        return true;
    }
    *first = xtf_spool_allot(&operations->members, n * sizeof *members);
    if (!xtf_spool_put(&operations->members, *first, members, n * sizeof *members, error))
        return false;
    if (g_hash_table_size(operations->sets) >= SETS_MAX)
        g_hash_table_remove_all(operations->sets);
    const Set set = {.hash = hash, .first = *first, .n = n};
    g_hash_table_add(operations->sets, g_memdup2(&set, sizeof set));
    return true;
}

bool xtf_operations_put_head(XtfOperations *operations, uint64_t instance, const XtfOperation *operation,
                             GError **error)
{
    operations->n = MAX(operations->n, instance + 1);
    return xtf_spool_put(&operations->heads, instance * sizeof *operation, operation, sizeof *operation, error);
}

bool xtf_operations_put(XtfOperations *operations, uint64_t instance, XtfOperation *operation,
                        XtfOperationMember *members, uint32_t n, GError **error)
{
    operation->n_members = n;
    operation->n_points = 0;
    for (uint32_t i = 0; i < n; i++)
        operation->n_points += members[i].synchronises;
    if (n > 1)
        qsort(members, n, sizeof *members, compare_members);
    return put_members(operations, members, n, &operation->first, error) &&
           xtf_operations_put_head(operations, instance, operation, error);
}

bool xtf_operations_members(const XtfOperations *operations, const XtfOperation *operation, XtfOperationMember *members,
                            GError **error)
{
    return read_members(operations, operation->first, members, operation->n_members, error);
}

bool xtf_operation_heads_get(XtfOperationHeads *heads, uint64_t instance, XtfOperation *operation, GError **error)
{
    uint64_t block = instance / XTF_OPERATION_HEADS;

    if (heads->block != block + 1) {
        heads->block = 0;
        if (!xtf_spool_get(&heads->operations->heads, block * sizeof heads->heads, heads->heads, sizeof heads->heads,
                           error))
            return false;
        heads->block = block + 1;
    }
    *operation = heads->heads[instance % XTF_OPERATION_HEADS];
    return true;
}

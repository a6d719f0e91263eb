#include "src/analysis/waits/operations.h"

#include <stdlib.h>

bool xtf_operations_open(XtfOperations *operations, GError **error)
{
    *operations = XTF_OPERATIONS_NONE;
    return xtf_spool_open(&operations->heads, error) && xtf_spool_open(&operations->members, error);
}

void xtf_operations_close(XtfOperations *operations)
{
    xtf_spool_close(&operations->heads);
    xtf_spool_close(&operations->members);
}

static int compare_members(const void *a, const void *b)
{
    const XtfOperationMember *one = a, *other = b;
    return one->location < other->location ? -1 : one->location > other->location;
}

bool xtf_operations_put(XtfOperations *operations, uint64_t instance, XtfOperation *operation,
                        XtfOperationMember *members, uint32_t n, GError **error)
{
    operation->n_members = n;
    operation->n_points = 0;
    for (uint32_t i = 0; i < n; i++)
        operation->n_points += members[i].synchronises;
    operation->first = xtf_spool_allot(&operations->members, n * sizeof *members);
    if (n > 1)
        qsort(members, n, sizeof *members, compare_members);
    return xtf_spool_put(&operations->members, operation->first, members, n * sizeof *members, error) &&
           xtf_spool_put(&operations->heads, instance * sizeof *operation, operation, sizeof *operation, error);
}

bool xtf_operations_get(const XtfOperations *operations, uint64_t instance, XtfOperation *operation, GError **error)
{
    return xtf_spool_get(&operations->heads, instance * sizeof *operation, operation, sizeof *operation, error);
}

bool xtf_operations_members(const XtfOperations *operations, const XtfOperation *operation, XtfOperationMember *members,
                            GError **error)
{
    return xtf_spool_get(&operations->members, operation->first, members, operation->n_members * sizeof *members,
                         error);
}

/*
 * Leaf lists: each copies the entries of an array's index pages of level 1.
 */
#include "libxtf/check/check-private.h"
#include "libxtf/tree/items.h"

/* Compares the list of an array with the entries of its index pages. */
static void check_list(XtfChecking *check, const XtfArray *array, const XtfLeafList *list, const uint8_t *item)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(XtfDiskEntry));
    const char *fault = NULL;

    if (array->height < 2) {
        xtf_checking_problem(check, "array %u: it has a leaf list, but no index pages", array->id);
        return;
    }
    if (!xtf_array_leaves(array, entries, G_MAXUINT, &error)) {
        xtf_checking_take_error(check, &error);
        return;
    }
    g_autofree XtfDiskEntry *listed = g_new(XtfDiskEntry, entries->len);
    if (list->n_entries != entries->len)
        fault = "it has another number of leaves than the index pages";
    else
        fault = xtf_leaf_list_unpack(list, item, array->n_rows, listed);
    if (!fault && memcmp(listed, entries->data, entries->len * sizeof *listed) != 0)
        fault = "it differs from the index pages";
    if (fault)
        xtf_checking_problem(check, "array %u: its leaf list: %s", array->id, fault);
}

void xtf_checking_leaf_lists(XtfChecking *check)
{
    XtfTrace *trace = check->trace;
    XtfRef ref = trace->catalog.leaf_lists;
    g_autoptr(GError) error = NULL;
    guint n = 0;

    if (ref.length == 0)
        return;
    xtf_checking_use_own_item(check, ref);
    g_autofree uint8_t *item = xtf_trace_read_item(trace, ref, "leaf lists", &error);
    g_autoptr(GArray) lists = item ? xtf_leaf_lists_decode(item, ref.length, &error) : NULL;
    if (!lists) {
        xtf_checking_take_error(check, &error);
        return;
    }
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(trace) && !xtf_checking_stopping(check); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, NULL))
            return; /* walk_arrays() reports the error */
        const XtfLeafList *list = xtf_leaf_lists_find(lists, array.segment, array.id);
        if (list)
            check_list(check, &array, list, item);
        n += list != NULL;
    }
    if (!xtf_checking_stopping(check) && n != lists->len)
        xtf_checking_problem(check, "leaf lists: there are %u, but only %u arrays have one", lists->len, n);
}

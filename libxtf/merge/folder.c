#include <string.h>

#include "libxtf/merge/merge-private.h"

static int compare_names(const void *a, const void *b, void *unused)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_part_name(const char *name)
{
    return name[0] != '.' && g_str_has_suffix(name, ".xtf") && !g_str_equal(name, XTF_ANCHOR_NAME);
}

char **xtf_folder_parts(const char *folder, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, &problem);
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    if (!dir) {
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", folder, problem->message);
        return NULL;
    }
    while ((name = g_dir_read_name(dir)))
        if (is_part_name(name))
            g_ptr_array_add(parts, g_build_filename(folder, name, NULL));
    g_ptr_array_sort_with_data(parts, compare_names, NULL);
    g_ptr_array_add(parts, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&parts), FALSE);
}

void xtf_part_remark_free(gpointer data)
{
    XtfPartRemark *remark = data;

    g_free(remark->path);
    g_free(remark->text);
    g_free(remark);
}

const XtfPartRemark *const *xtf_trace_part_remarks(const XtfTrace *trace, size_t *n)
{
    *n = trace->part_remarks ? trace->part_remarks->len : 0;
    return *n ? (const XtfPartRemark *const *)trace->part_remarks->pdata : NULL;
}

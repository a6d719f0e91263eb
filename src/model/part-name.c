#include "src/model/part-name.h"

#define ENDING ".xtf"

bool xtf_part_process(const char *path, guint64 *number)
{
    g_autofree char *name = g_path_get_basename(path);

    if (!g_str_has_suffix(name, ENDING))
        return false;
    name[strlen(name) - strlen(ENDING)] = '\0';
    return g_ascii_string_to_unsigned(name, 10, 0, G_MAXUINT32 - 1, number, NULL);
}

char *xtf_part_name(const char *path)
{
    guint64 number;

    return xtf_part_process(path, &number) ? g_strdup_printf("process %" G_GUINT64_FORMAT, number)
                                           : g_path_get_basename(path);
}

char *xtf_part_remark_line(const XtfPartRemark *remark)
{
    g_autofree char *file = g_path_get_basename(remark->path), *name = xtf_part_name(remark->path);

    if (g_str_equal(file, name))
        return g_strdup_printf("%s: %s", file, remark->text);
    return g_strdup_printf("%s (%s): %s", name, file, remark->text);
}

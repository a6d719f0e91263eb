#include "src/trace/context/region-classes.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/context/name-index.h"
#include "src/trace/context/name-pattern.h"

bool xtf_region_classes_load(XtfRegionClasses *classes, XtfTrace *trace, GError **error)
{
    g_autofree const char **names = NULL;
    const XtfTable *table;
    uint64_t n = 0;

    *classes = (XtfRegionClasses){0};
    if (!xtf_table_names(trace, XTF_TABLE_REGIONS, &names, &n, error) ||
        !xtf_trace_table(trace, XTF_TABLE_REGIONS, &table, error))
        return false;
    if (!names)
        return true;
    const XtfField *paradigm = xtf_schema_field(table->schema, "paradigm");
    const XtfField *role = xtf_schema_field(table->schema, "role");
    classes->n = n;
    classes->by_row = g_new(uint8_t, n + 1);
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        XtfRegionClass class = xtf_region_class(names[i], xtf_row_label(paradigm, row), xtf_row_label(role, row));
        classes->by_row[i] = (uint8_t) class;
        classes->present |= XTF_CLASS_BIT(class);
    }
    return true;
}

void xtf_region_classes_finish(XtfRegionClasses *classes)
{
    g_clear_pointer(&classes->by_row, g_free);
}

XtfNumberSet *xtf_region_classes_rows(const XtfRegionClasses *classes, XtfClassSet wanted)
{
    g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(XtfNumberRange));

    for (uint64_t row = 0, first; row < classes->n; row++) {
        for (first = row; row < classes->n && wanted & XTF_CLASS_BIT(classes->by_row[row]);)
            row++;
        XtfNumberRange range = {first, row - 1};
        if (row > first)
            g_array_append_val(ranges, range);
    }
    if (wanted & XTF_CLASS_BIT(XTF_CLASS_PROGRAM)) {
        XtfNumberRange range = {classes->n, UINT64_MAX};
        g_array_append_val(ranges, range);
    }
    return xtf_number_set_from_ranges((const XtfNumberRange *)(void *)ranges->data, ranges->len);
}

static bool fail_unknown_class(const char *name, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (const XtfClassGroup *group = xtf_class_groups; group->name; group++)
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", group->name);
    for (unsigned i = 0; i < XTF_N_CLASSES; i++)
        g_string_append_printf(names, ", %s", xtf_class_names[i]);
    return xtf_fail(error, XTF_ERROR_NOT_FOUND, "there is no class of regions \"%s\"; the classes are %s", name,
                    names->str);
}

/* Returns the classes whose name, or whose group's name, matches a text, which may be a pattern; 0: none. */
static XtfClassSet find_classes(const char *text)
{
    XtfNamePattern *pattern = xtf_name_pattern_new(text);
    XtfClassSet classes = 0;

    if (!pattern)
        return 0;
    for (unsigned i = 0; i < XTF_N_CLASSES; i++) {
        if (xtf_name_pattern_fits(pattern, xtf_class_names[i]))
            classes |= XTF_CLASS_BIT(i);
    }
    for (const XtfClassGroup *group = xtf_class_groups; group->name; group++) {
        if (xtf_name_pattern_fits(pattern, group->name))
            classes |= group->classes;
    }
    xtf_name_pattern_free(pattern);
    return classes;
}

bool xtf_class_set_parse(const char *text, XtfClassSet *classes, GError **error)
{
    g_auto(GStrv) names = g_strsplit(text, ",", -1);
    XtfClassSet all = 0;

    for (char **name = names; *name; name++) {
        XtfClassSet matching = find_classes(*name);
        if (!matching)
            return fail_unknown_class(*name, error);
        all |= matching;
    }
    *classes = all;
    return true;
}

#include "src/trace/text/value-kind.h"

#include <glib.h>

XtfValueKind xtf_growth_kind(const XtfField *type, const uint8_t *row)
{
    XtfValueKind kind = xtf_value_kind(type, row);
    return kind == XTF_KIND_REAL ? kind : XTF_KIND_SIGNED;
}

XtfValueKind xtf_value_kind(const XtfField *type, const uint8_t *row)
{
    uint64_t number = type ? xtf_field_get(type, row) : UINT64_MAX;
    const char *name = type && number < type->n_labels ? type->labels[number] : "";

    if (g_ascii_strcasecmp(name, "STRING") == 0)
        return XTF_KIND_STRING;
    if (g_ascii_strcasecmp(name, "FLOAT") == 0 || g_ascii_strcasecmp(name, "DOUBLE") == 0)
        return XTF_KIND_REAL;
    if (g_ascii_strncasecmp(name, "INT", 3) == 0 && g_ascii_strncasecmp(name, "INTERRUPT", 9) != 0)
        return XTF_KIND_SIGNED;
    return XTF_KIND_UNSIGNED;
}

/*
 * Writes the archive's properties, and converts times to its clock.
 */
#include <inttypes.h>

#include "libxtf/trace.h"
#include "src/export/otf2/archive.h"
#include "src/import/otf2/errors.h"

bool xtf_otf2_time(const XtfOtf2Export *export, uint64_t ticks, uint64_t *time, GError **error)
{
    return !__builtin_mul_overflow(ticks, export->den, time) ||
           xtf_fail(error, XTF_ERROR_TOO_LARGE,
                    "a time is too large for OTF2, which counts %" PRIu64 " ticks per second", export->num);
}

/* Returns the value of property i, and finds its name. NULL if one of the texts cannot be read. */
static const char *read_property(const XtfOtf2Names *names, uint64_t i, const char **name)
{
    uint8_t buffer[XTF_ROW_MAX];
    const XtfPropertyRow *row = xtf_model_table_row(&names->tables[XTF_MODEL_PROPERTIES].table, i, buffer);
    const char *value;

    return xtf_trace_string(names->trace, row->name, name, NULL) &&
                   xtf_trace_string(names->trace, row->value, &value, NULL)
               ? value
               : NULL;
}

bool xtf_otf2_number_property(const XtfOtf2Export *export, const char *wanted, uint64_t *number)
{
    for (uint64_t i = 0; i < export->names.tables[XTF_MODEL_PROPERTIES].table.n; i++) {
        const char *name, *value = read_property(&export->names, i, &name);
        if (value && g_str_equal(name, wanted))
            return g_ascii_string_to_unsigned(value, 10, 0, UINT64_MAX, number, NULL);
    }
    return false;
}

static OTF2_ErrorCode write_archive_property(OTF2_Archive *archive, const char *name, const char *value)
{
    if (g_str_equal(name, "machine"))
        return OTF2_Archive_SetMachineName(archive, value);
    if (g_str_equal(name, "creator"))
        return OTF2_Archive_SetCreator(archive, value);
    if (g_str_equal(name, "description"))
        return OTF2_Archive_SetDescription(archive, value);
    if (g_str_equal(name, "source") || g_str_has_prefix(name, "otf2."))
        return OTF2_SUCCESS; /* added by the import */
    return OTF2_Archive_SetProperty(archive, name, value, true);
}

bool xtf_otf2_write_properties(XtfOtf2Export *export, GError **error)
{
    for (uint64_t i = 0; i < export->names.tables[XTF_MODEL_PROPERTIES].table.n; i++) {
        const char *name, *value = read_property(&export->names, i, &name);
        if (!value)
            return xtf_damaged(error, "the name or value of a property cannot be read");
        if (write_archive_property(export->archive, name, value) != OTF2_SUCCESS) {
            xtf_export_note(export->job, "the property \"%s\" left out: its name is not valid in OTF2", name);
            xtf_otf2_forget_errors();
        }
    }
    return true;
}

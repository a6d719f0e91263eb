#include "src/record/names/dw-library.h"

#include "src/files/late-library.h"

XtfDwCalls xtf_dw_calls;

bool xtf_dw_load(GError **error)
{
    static const char *const names[] = {XTF_DW_NAMES, NULL};
    static XtfLateLibrary library = {.soname = XTF_DW_FILE, .label = "libdw", .names = names, .calls = &xtf_dw_calls};

    return xtf_late_library_load(&library, error);
}

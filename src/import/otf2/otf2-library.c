#include "src/import/otf2/otf2-library.h"

#include "src/files/late-library.h"

XtfOtf2Calls xtf_otf2_calls;

bool xtf_otf2_load(GError **error)
{
    static const char *const names[] = {XTF_OTF2_NAMES, NULL};
    static XtfLateLibrary library = {
        .soname = XTF_OTF2_FILE, .label = "OTF2's library", .names = names, .calls = &xtf_otf2_calls};

    return xtf_late_library_load(&library, error);
}

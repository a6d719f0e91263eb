#include "src/import/otf1/otf1-library.h"

#include "src/files/late-library.h"

XtfOtf1Calls xtf_otf1_calls;

bool xtf_otf1_load(GError **error)
{
    static const char *const names[] = {XTF_OTF1_NAMES, NULL};
    static XtfLateLibrary library = {
        .soname = XTF_OTF1_FILE, .label = "OTF1's library", .names = names, .calls = &xtf_otf1_calls};

    return xtf_late_library_load(&library, error);
}

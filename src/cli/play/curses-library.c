#include "src/cli/play/curses-library.h"

#include "src/files/late-library.h"

XtfCursesCalls xtf_curses_calls;

bool xtf_curses_load(GError **error)
{
    static const char *const names[] = {XTF_CURSES_NAMES, NULL};
    static XtfLateLibrary library = {
        .soname = XTF_CURSES_FILE, .label = "ncurses", .names = names, .calls = &xtf_curses_calls};

    return xtf_late_library_load(&library, error);
}

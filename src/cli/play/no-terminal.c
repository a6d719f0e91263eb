/* Built without ncurses: screens can be printed. */
#include <langinfo.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/play/terminal.h"

bool xtf_terminal_has_utf8(void)
{
    return g_str_equal(nl_langinfo(CODESET), "UTF-8");
}

bool xtf_terminal_begin(GError **error)
{
    return xtf_fail(
        error, XTF_ERROR_UNSUPPORTED,
        "this xtf was built without ncurses: only xtf play --frame and xtf top --once work, which print one screen");
}

void xtf_terminal_end(void)
{
}

void xtf_terminal_size(int *columns, int *lines)
{
    *columns = 80;
    *lines = 24;
}

void xtf_terminal_show(const XtfScreen *screen)
{
}

int xtf_terminal_key(int milliseconds)
{
    return XTF_KEY_NONE;
}

int xtf_terminal_ended(void)
{
    return 0;
}

void xtf_terminal_end_as_asked(void)
{
}

#include "src/cli/play/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/play/curses-library.h"

enum {
    COLOURS_MANY = 256,
    ESCAPE_MILLISECONDS = 25, /* time after which an escape character is the Escape key, not part of another key */
};

static volatile sig_atomic_t ended_by;
static bool is_on;

/* Colours by style, for terminals with 256 and with 8 colours. Pictures have the same hues. */
static const short many_colours[XTF_N_STYLES] = {-1, 244, -1, 71, 178, 167, 74, 209, 97, 222, 245};
static const short few_colours[XTF_N_STYLES] = {
    -1, -1, -1, COLOR_GREEN, COLOR_YELLOW, COLOR_RED, COLOR_BLUE, COLOR_RED, COLOR_MAGENTA, COLOR_YELLOW, COLOR_WHITE};

bool xtf_terminal_has_utf8(void)
{
    return g_str_equal(nl_langinfo(CODESET), "UTF-8");
}

static void record_signal(int number)
{
    ended_by = number;
}

static void end_by_signal(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* Handles a crash: restores the terminal, then lets the signal end the program. */
static void handle_crash(int number)
{
    xtf_terminal_end();
    end_by_signal(number);
}

static void catch_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT},
                     crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const struct sigaction end = {.sa_handler = record_signal}, down = {.sa_handler = handle_crash};

    for (unsigned i = 0; i < G_N_ELEMENTS(ends); i++)
        sigaction(ends[i], &end, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(crashes); i++)
        sigaction(crashes[i], &down, NULL);
}

static void begin_colours(void)
{
    const char *none = g_getenv("NO_COLOR");

    if ((none && *none) || !has_colors() || start_color() != OK || use_default_colors() != OK)
        return;
    for (short style = 0; style < XTF_N_STYLES; style++) {
        short colour = COLORS >= COLOURS_MANY ? many_colours[style] : few_colours[style];
        if (colour >= 0)
            init_pair((short)(style + 1), colour, -1);
    }
}

bool xtf_terminal_begin(GError **error)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return xtf_fail(
            error, XTF_ERROR_UNSUPPORTED,
            "stdin or stdout is not a terminal: xtf play --frame, xtf top --once and xtf watch --once print a screen");
    if (!xtf_curses_load(error))
        return false;
    /* newterm() returns on an error; initscr() would exit. */
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the terminal \"%s\" is unknown, or cannot move its cursor",
                        g_getenv("TERM") ? g_getenv("TERM") : "");
    set_term(screen);
    is_on = true;
    atexit(xtf_terminal_end);
    catch_signals();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(ESCAPE_MILLISECONDS);
    curs_set(0);
    begin_colours();
    return true;
}

void xtf_terminal_end(void)
{
    if (is_on)
        endwin();
    is_on = false;
}

void xtf_terminal_size(int *columns, int *lines)
{
    getmaxyx(stdscr, *lines, *columns);
}

static attr_t style_attribute(unsigned style)
{
    attr_t look = style == XTF_STYLE_BOLD ? A_BOLD : style == XTF_STYLE_DIM ? A_DIM : A_NORMAL;
    return look;
}

static short style_pair(unsigned style)
{
    short foreground = -1, background;

    return has_colors() && pair_content((short)(style + 1), &foreground, &background) == OK && foreground > 0
               ? (short)(style + 1)
               : 0;
}

void xtf_terminal_show(const XtfScreen *screen)
{
    int columns, lines;

    xtf_terminal_size(&columns, &lines);
    erase();
    for (int line = 0; line < MIN(lines, screen->lines); line++) {
        for (int column = 0; column < MIN(columns, screen->columns); column++) {
            const XtfScreenCell *cell = &screen->cells[line * screen->columns + column];
            const wchar_t text[] = {(wchar_t)cell->character, L'\0'};
            cchar_t shown;
            if (cell->character == ' ' ||
                setcchar(&shown, text, style_attribute(cell->style), style_pair(cell->style), NULL) != OK)
                continue;
            mvadd_wch(line, column, &shown);
        }
    }
    refresh();
}

static int translate_key(wint_t key, bool is_function)
{
    static const struct {
        wint_t code;
        int key;
    } keys[] = {{KEY_LEFT, XTF_KEY_LEFT},        {KEY_RIGHT, XTF_KEY_RIGHT}, {KEY_SLEFT, XTF_KEY_FAR_LEFT},
                {KEY_SRIGHT, XTF_KEY_FAR_RIGHT}, {KEY_UP, XTF_KEY_UP},       {KEY_DOWN, XTF_KEY_DOWN},
                {KEY_HOME, XTF_KEY_HOME},        {KEY_END, XTF_KEY_END},     {KEY_ENTER, XTF_KEY_ENTER},
                {KEY_BACKSPACE, XTF_KEY_BACK}};

    for (unsigned i = 0; is_function && i < G_N_ELEMENTS(keys); i++) {
        if (keys[i].code == key)
            return keys[i].key;
    }
    if (is_function)
        return XTF_KEY_NONE;
    return key == '\r' || key == '\n'  ? XTF_KEY_ENTER
           : key == 127 || key == '\b' ? XTF_KEY_BACK
           : key == 27                 ? XTF_KEY_ESCAPE
                                       : (int)key;
}

int xtf_terminal_key(int milliseconds)
{
    wint_t key;

    timeout(milliseconds);
    int got = get_wch(&key);
    return got == ERR ? XTF_KEY_NONE : translate_key(key, got == KEY_CODE_YES);
}

int xtf_terminal_ended(void)
{
    return ended_by;
}

void xtf_terminal_end_as_asked(void)
{
    if (ended_by)
        end_by_signal(ended_by);
}

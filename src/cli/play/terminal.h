/*
 * A terminal that shows screens and reads keys, by ncurses. Its former state is restored at xtf_terminal_end(), at
 * exit(), and on signals that end or stop the program.
 *
 * There is one terminal, used by one thread.
 */
#pragma once

#include "src/cli/play/screen.h"

/* Keys that are not characters. */
enum {
    XTF_KEY_NONE = -1, /* no key in time, or the screen was resized */
    XTF_KEY_LEFT = 0x110000,
    XTF_KEY_RIGHT,
    XTF_KEY_FAR_LEFT, /* the left arrow with the shift key */
    XTF_KEY_FAR_RIGHT,
    XTF_KEY_UP,
    XTF_KEY_DOWN,
    XTF_KEY_HOME,
    XTF_KEY_END,
    XTF_KEY_ENTER,
    XTF_KEY_BACK,
    XTF_KEY_ESCAPE,
};

/* Starts using the terminal. XTF_ERROR_UNSUPPORTED says why it cannot. */
bool xtf_terminal_begin(GError **error);
void xtf_terminal_end(void);

void xtf_terminal_size(int *columns, int *lines);
void xtf_terminal_show(const XtfScreen *screen);
/* Waits at most `milliseconds` for a key and returns it; if they are negative, waits without end. */
int xtf_terminal_key(int milliseconds);
/* Returns the number of the signal that asked the program to end; 0: none. */
int xtf_terminal_ended(void);
/* Ends the program by the signal that asked for it, so that its parent sees the reason. Does nothing if there was none.
 */
void xtf_terminal_end_as_asked(void);

/* True if the locale's encoding is UTF-8. */
bool xtf_terminal_has_utf8(void);

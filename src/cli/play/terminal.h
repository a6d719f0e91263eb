/*
 * A terminal that shows screens and gives keys, by ncurses. It is put back as it was after any end that a program can
 * see: xtf_terminal_end(), exit(), and signals that end or stop the program.
 *
 * There is one terminal; one thread uses it.
 */
#pragma once

#include "src/cli/play/screen.h"

/* Keys that are no characters. */
enum {
    XTF_KEY_NONE = -1, /* none in the time given, or the screen has another size now */
    XTF_KEY_LEFT = 0x110000,
    XTF_KEY_RIGHT,
    XTF_KEY_FAR_LEFT, /* with shift */
    XTF_KEY_FAR_RIGHT,
    XTF_KEY_UP,
    XTF_KEY_DOWN,
    XTF_KEY_HOME,
    XTF_KEY_END,
    XTF_KEY_ENTER,
    XTF_KEY_BACK,
    XTF_KEY_ESCAPE,
};

/* Takes the terminal. XTF_ERROR_UNSUPPORTED if it cannot, and says why. */
bool xtf_terminal_begin(GError **error);
void xtf_terminal_end(void);

void xtf_terminal_size(int *columns, int *lines);
void xtf_terminal_show(const XtfScreen *screen);
/* Waits for a key for so many milliseconds; a negative number: until one comes. */
int xtf_terminal_key(int milliseconds);
/* The number of the signal that asked the program to end; 0: none. */
int xtf_terminal_ended(void);
/* If there was one, ends the program by it, so that whoever started the program sees why it ended. */
void xtf_terminal_end_as_asked(void);

/* Whether the locale's characters are those of UTF-8. */
bool xtf_terminal_has_utf8(void);

/*
 * A screen as text: lines of cells, each with one character and a style. The player and `xtf top` draw on such a
 * screen, which can be printed, compared, or shown on a terminal.
 *
 * A share of time is drawn by a glyph and a colour, so each of them alone suffices.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    XTF_SCREEN_SHARES = 5, /* program, point to point, collective, waiting, other */
};

/* Style of a cell. Shares are XTF_STYLE_SHARE + 0 to 4. */
typedef enum {
    XTF_STYLE_PLAIN,
    XTF_STYLE_DIM,
    XTF_STYLE_BOLD,
    XTF_STYLE_GREEN,
    XTF_STYLE_YELLOW,
    XTF_STYLE_RED,
    XTF_STYLE_SHARE,
    XTF_N_STYLES = XTF_STYLE_SHARE + XTF_SCREEN_SHARES,
} XtfStyle;

typedef struct {
    gunichar character; /* one column wide */
    uint8_t style;      /* XtfStyle */
} XtfScreenCell;

typedef struct {
    int columns, lines;
    bool ascii; /* the terminal can show only ASCII */
    XtfScreenCell *cells;
} XtfScreen;

/* Makes a blank screen. */
XtfScreen *xtf_screen_new(int columns, int lines, bool ascii);
void xtf_screen_free(XtfScreen *screen); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfScreen, xtf_screen_free)

/* Draws text, cut off at the screen's edge. Returns the column after it. A character that is not one column wide, or
 * controls a terminal, is drawn as "?". */
int xtf_screen_put(XtfScreen *screen, int line, int column, XtfStyle style, const char *format, ...)
    G_GNUC_PRINTF(5, 6);
/* Draws text that ends before `column`. */
void xtf_screen_put_left_of(XtfScreen *screen, int line, int column, XtfStyle style, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

/* Fills `width` cells with shares of `whole`. Rounds to cells by largest remainder, so that the bar is as wide as the
 * sum of the shares. */
void xtf_screen_bar(XtfScreen *screen, int line, int column, int width, const double shares[static XTF_SCREEN_SHARES],
                    double whole);
/* Draws one cell of a share. */
void xtf_screen_share(XtfScreen *screen, int line, int column, unsigned share);

/* Prints the lines, without styles and without blanks at their ends. */
void xtf_screen_print(const XtfScreen *screen, FILE *out);

/*
 * A screen as text: lines of cells, each one character and a style. What the player and `xtf top` show is made as such
 * a screen, so that it can be printed, compared and shown on a terminal alike.
 *
 * Shares of time are drawn by a glyph and a colour together, so that neither is needed alone.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    XTF_SCREEN_SHARES = 5, /* program, point to point, collective, waiting, other */
};

/* How a cell looks. Shares are XTF_STYLE_SHARE + 0 to 4. */
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
    bool ascii; /* the terminal cannot show other characters */
    XtfScreenCell *cells;
} XtfScreen;

/* All blank. */
XtfScreen *xtf_screen_new(int columns, int lines, bool ascii);
void xtf_screen_free(XtfScreen *screen); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfScreen, xtf_screen_free)

/* Puts text, cut off at the screen's edge; returns the column behind it. What is not one column wide, or acts on a
 * terminal, is shown as "?". */
int xtf_screen_put(XtfScreen *screen, int line, int column, XtfStyle style, const char *format, ...)
    G_GNUC_PRINTF(5, 6);
/* The same so that the text ends before `column`. */
void xtf_screen_put_left_of(XtfScreen *screen, int line, int column, XtfStyle style, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

/* Fills `width` cells with shares: of `whole`, rounded to cells by largest remainder, so that together they are as wide
 * as their sum is. */
void xtf_screen_bar(XtfScreen *screen, int line, int column, int width, const double shares[static XTF_SCREEN_SHARES],
                    double whole);
/* One cell of a share. */
void xtf_screen_share(XtfScreen *screen, int line, int column, unsigned share);

/* Prints the lines, without styles and without blanks at their ends. */
void xtf_screen_print(const XtfScreen *screen, FILE *out);

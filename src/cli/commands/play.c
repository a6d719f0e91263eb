/*
 * xtf play TRACE: the trace as a film, on a terminal, in both directions.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/play/player.h"
#include "src/cli/play/terminal.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/pictures/frames/arrows.h"
#include "src/trace/typed/quantity.h"

enum {
    COLUMNS = 80,
    LINES = 24,
    SIDE_MAX = 10000,
};

typedef struct {
    const char *pause; /* seconds, as given */
    gint64 frame;
    int columns, lines;
} Play;

/* Returns a side of a printed screen: as asked, else from the environment variable, the terminal, or the default. */
static int screen_side(int wanted, const char *variable, int terminal_side, int default_side)
{
    const char *value = g_getenv(variable);
    int number = wanted > 0                 ? wanted
                 : value && atoi(value) > 0 ? atoi(value)
                 : terminal_side > 0        ? terminal_side
                                            : default_side;
    return MIN(number, SIDE_MAX);
}

static bool print_frame(const Play *play, const XtfFilm *film, uint64_t k, GError **error)
{
    struct winsize size = {0};
    XtfPlayLook look = {.speed = 1};

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    g_autoptr(XtfFilmFrame) frame = xtf_film_frame(film, k, error);
    g_autoptr(XtfScreen) screen =
        frame ? xtf_play_screen(film, frame, &look, screen_side(play->columns, "COLUMNS", size.ws_col, COLUMNS),
                                screen_side(play->lines, "LINES", size.ws_row, LINES), !xtf_terminal_has_utf8(), error)
              : NULL;
    if (!screen)
        return false;
    xtf_screen_print(screen, stdout);
    return fflush(stdout) == 0 || xtf_fail(error, XTF_ERROR_IO, "cannot write");
}

/* Prints one frame, or all frames. */
static bool print_frames(const Play *play, const XtfFilm *film, GError **error)
{
    uint64_t first = play->frame >= 0 ? (uint64_t)play->frame : 0, end = play->frame >= 0 ? first + 1 : film->n;

    if (first >= film->n)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has %" G_GUINT64_FORMAT " frames of %s, numbered from 0",
                        film->n, film->rate);
    for (uint64_t k = first; k < end; k++) {
        if (!print_frame(play, film, k, error))
            return false;
    }
    return true;
}

static bool play_film(const Play *play, XtfFilm *film, GError **error)
{
    static const XtfUnit units[] = {{"", 1}, {NULL, 0}};
    XtfPlayOptions options = {.ascii = !xtf_terminal_has_utf8()};

    if (play->frame >= 0 || !isatty(STDOUT_FILENO))
        return print_frames(play, film, error);
    if (!xtf_quantity_parse(play->pause, units, &options.pause) || options.pause == 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\" is not a number of seconds between frames", play->pause);
    return xtf_play(film, &options, error);
}

static bool is_letter(const char *text)
{
    return text[0] && !text[1] && strchr(xtf_arrow_letters, text[0]);
}

int xtf_command_play(int argc, char **argv)
{
    Play play = {.frame = -1};
    g_autofree char *rate = NULL, *arrows = NULL, *pause = NULL; /* texts of the options, as the user typed them */
    gboolean incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"rate", 'r', 0, G_OPTION_ARG_STRING, &rate, "Frames per second of the trace, 25fps, or length of one, 40ms",
         "RATE"},
        {"speed", 's', 0, G_OPTION_ARG_STRING, &pause, "Time between two frames on the screen (default: 0.04)",
         "SECONDS"},
        {"frame", 'f', 0, G_OPTION_ARG_INT64, &play.frame, "Print one frame and exit", "NUMBER"},
        {"arrows", 'a', 0, G_OPTION_ARG_STRING, &arrows,
         "Messages to show as arrows: a letter of frames/RATE/K/arrows/", "LETTER"},
        {"columns", 0, 0, G_OPTION_ARG_INT, &play.columns, "Width of what is printed", "N"},
        {"lines", 0, 0, G_OPTION_ARG_INT, &play.lines, "Height of what is printed", "N"},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {NULL},
    };
    GError *error = NULL;
    XtfFilm film = {0};

    if (!xtf_cli_parse(&argc, &argv, 1, "TRACE",
                       "Shows a trace as a film on a terminal: what each process does, frame by frame, forwards and\n"
                       "backwards. Press ? for the keys. Without a terminal, prints the frames.\n"
                       "\n"
                       "  xtf play run.xtf\n"
                       "  xtf play -r 40ms --frame=20 run.xtf     print one frame",
                       entries))
        return XTF_EXIT_USAGE;
    const char *letter = arrows ? arrows : "a";
    if (!is_letter(letter)) {
        fprintf(stderr, "xtf: play: arrows are one of the letters %s\n", xtf_arrow_letters);
        return XTF_EXIT_USAGE;
    }
    play.pause = pause ? pause : "0.04";
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(argv[1], incomplete, &error);
    g_autofree char *name = g_path_get_basename(argv[1]);
    bool good = tree && xtf_film_init(&film, tree, name, rate ? rate : "25fps", letter[0], &error) &&
                play_film(&play, &film, &error);
    xtf_film_finish(&film);
    if (!good)
        return xtf_cli_fail(error);
    xtf_terminal_end_as_asked();
    return XTF_EXIT_DONE;
}

#include "src/cli/play/player.h"

#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/play/terminal.h"
#include "src/trace/typed/quantity.h"

enum {
    FAR = 10,        /* frames that a far key moves */
    REFRESH_MS = 20, /* least time between two screens */
    IDLE_MS = 500,   /* time after which the player checks for a signal */
};

/* Seconds of the trace per second of playing. */
static const double speeds[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.02, 0.04, 0.1, 0.2, 0.5, 1, 2, 5, 10, 25, 50, 100};

typedef struct {
    XtfFilm *film;
    bool ascii;
    XtfPlayLook look;
    uint64_t k;
    gint64 since; /* time at which the film was at frame `from`, microseconds */
    uint64_t from;
    guint finding; /* number of the next finding */
    bool quits;
} Player;

/* ---- Time. */

static void set_frame(Player *player, uint64_t k)
{
    player->k = MIN(k, player->film->n - 1);
    player->from = player->k;
    player->since = g_get_monotonic_time();
}

static void move_frames(Player *player, int64_t frames)
{
    uint64_t back = (uint64_t)-frames;

    if (frames < 0)
        set_frame(player, player->k > back ? player->k - back : 0);
    else
        set_frame(player, (uint64_t)frames > player->film->n - 1 - player->k ? player->film->n - 1
                                                                             : player->k + (uint64_t)frames);
}

/* Sets the frame that is due by the clock; skips frames if drawing was slow. */
static void follow_clock(Player *player)
{
    double seconds = (double)(g_get_monotonic_time() - player->since) / G_USEC_PER_SEC;
    double frames = floor(seconds * player->look.speed / player->film->length);

    player->k =
        frames >= (double)(player->film->n - 1 - player->from) ? player->film->n - 1 : player->from + (uint64_t)frames;
    if (player->k == player->film->n - 1)
        player->look.playing = false;
}

/* Returns the milliseconds until the next frame is due. */
static int time_to_next(const Player *player)
{
    double next = (double)(player->k - player->from + 1) * player->film->length / player->look.speed;
    double now = (double)(g_get_monotonic_time() - player->since) / G_USEC_PER_SEC;
    return (int)CLAMP(ceil((next - now) * 1e3), REFRESH_MS, IDLE_MS);
}

static void set_speed(Player *player, double speed)
{
    set_frame(player, player->k);
    player->look.speed = speed;
}

static void change_speed(Player *player, bool faster)
{
    unsigned n = G_N_ELEMENTS(speeds);

    for (unsigned i = 0; i < n; i++) {
        unsigned at = faster ? i : n - 1 - i;
        if (faster ? speeds[at] > player->look.speed * 1.001 : speeds[at] < player->look.speed * 0.999) {
            set_speed(player, speeds[at]);
            return;
        }
    }
}

/* ---- Messages in place of the line of keys. */

static void set_message(Player *player, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void set_message(Player *player, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_free(player->look.message);
    player->look.message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

static void set_error_message(Player *player, GError *error)
{
    set_message(player, "%s", error->message);
    g_error_free(error);
}

/* ---- Lengths of frames: 1, 2, 5 of powers of ten. */

static void change_rate(Player *player, bool shorter)
{
    double seconds = (double)player->k * player->film->length, fps = 1 / player->film->length;
    double power = pow(10, floor(log10(fps) + 1e-9)), step = fps / power;
    double next = shorter ? (step < 1.99   ? 2
                             : step < 4.99 ? 5
                                           : 10) *
                                power
                          : (step > 5.01   ? 5
                             : step > 2.01 ? 2
                             : step > 1.01 ? 1
                                           : 0.5) *
                                power;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    GError *error = NULL;

    g_ascii_formatd(number, sizeof number, next < 1 ? "%.6f" : "%.0f", next);
    g_autofree char *rate = g_strconcat(number, "fps", NULL);
    double pace = player->look.speed / player->film->length; /* the number of frames per second stays */
    if (!xtf_film_set_rate(player->film, rate, &error)) {
        set_error_message(player, error);
        return;
    }
    player->look.speed = pace * player->film->length;
    set_frame(player, xtf_film_at(player->film, seconds));
}

/* ---- Jumps. */

/* Moves to a time that the user has typed: "1.5", "20ms" or "50%". */
static void go_to_time(Player *player, const char *text)
{
    const double percent = player->film->duration / 100;
    const XtfUnit units[] = {{"", 1}, {"%", percent}, {"m", 60}, {"h", 3600}, {NULL, 0}};
    double seconds;

    if (xtf_quantity_parse(text, units, &seconds) || xtf_quantity_parse(text, xtf_units_of_time, &seconds))
        set_frame(player, xtf_film_at(player->film, seconds));
    else
        set_message(player, "\"%s\" is not a time: 1.5, 20ms, 50%%", text);
}

/* Moves to the first call of a region in a later frame. */
static void go_to_call(Player *player, const char *region)
{
    char after[G_ASCII_DTOSTR_BUF_SIZE];
    GError *error = NULL;

    g_ascii_formatd(after, sizeof after, "%.9f", (double)(player->k + 1) * player->film->length);
    g_autoptr(XtfValueTable) call =
        xtf_value_table_read(player->film->tree, &error, "time/%s-/region/%s/calls/num/0-1/longest", after, region);
    if (!call)
        set_error_message(player, error);
    else if (g_str_equal(xtf_value_table_text(call, 0, "start"), "-"))
        set_message(player, "no later call of %s", region);
    else
        set_frame(player, xtf_film_at(player->film, xtf_value_table_number(call, 0, "start")));
}

/* Shows the next finding, and goes to its window if it has one. */
static void show_next_finding(Player *player)
{
    GError *error = NULL;
    g_autoptr(XtfValueTable) findings = xtf_value_table_read(player->film->tree, &error, "findings");

    if (!findings) {
        set_error_message(player, error);
        return;
    }
    guint n = xtf_value_table_n(findings);
    if (!n) {
        set_message(player, "there are no findings");
        return;
    }
    guint line = player->finding++ % n;
    const char *path = xtf_value_table_text(findings, line, "table");
    if (g_str_has_prefix(path, "time/"))
        set_frame(player, xtf_film_at(player->film, g_ascii_strtod(path + strlen("time/"), NULL)));
    set_message(player, "%s %s: %s  %s", xtf_value_table_text(findings, line, "score%"),
                xtf_value_table_text(findings, line, "rule"), xtf_value_table_text(findings, line, "finding"), path);
}

/* ---- Keys. */

static void begin_question(Player *player, const char *question)
{
    player->look.typing = question;
    g_string_truncate(player->look.typed, 0);
}

static void handle_typed_key(Player *player, int key)
{
    GString *typed = player->look.typed;
    bool is_time = player->look.typing[0] == 't';

    if (key == XTF_KEY_ESCAPE || key == XTF_KEY_ENTER)
        player->look.typing = NULL;
    if (key == XTF_KEY_ENTER && typed->len && is_time)
        go_to_time(player, typed->str);
    else if (key == XTF_KEY_ENTER && typed->len)
        go_to_call(player, typed->str);
    else if (key == XTF_KEY_BACK && typed->len)
        g_string_truncate(typed, (gsize)(g_utf8_find_prev_char(typed->str, typed->str + typed->len) - typed->str));
    else if (key >= ' ' && key < XTF_KEY_LEFT && g_unichar_isprint((gunichar)key))
        g_string_append_unichar(typed, (gunichar)key);
}

/* Handles keys that move the film. Returns false for other keys. */
static bool handle_move_key(Player *player, int key)
{
    switch (key) {
    case XTF_KEY_LEFT:
        move_frames(player, -1);
        return true;
    case XTF_KEY_RIGHT:
        move_frames(player, 1);
        return true;
    case XTF_KEY_FAR_LEFT:
    case ',':
        move_frames(player, -FAR);
        return true;
    case XTF_KEY_FAR_RIGHT:
    case '.':
        move_frames(player, FAR);
        return true;
    case XTF_KEY_HOME:
        set_frame(player, 0);
        return true;
    case XTF_KEY_END:
        set_frame(player, player->film->n - 1);
        return true;
    default:
        return false;
    }
}

static void handle_key(Player *player, int key)
{
    XtfPlayLook *look = &player->look;

    if (key == XTF_KEY_NONE)
        return;
    g_clear_pointer(&look->message, g_free);
    if (look->typing) {
        handle_typed_key(player, key);
        return;
    }
    if (handle_move_key(player, key))
        return;
    switch (key) {
    case ' ':
        look->playing = !look->playing;
        set_frame(player, look->playing && player->k == player->film->n - 1 ? 0 : player->k);
        break;
    case '[':
    case ']':
        change_speed(player, key == ']');
        break;
    case '+':
    case '-':
        change_rate(player, key == '+');
        break;
    case XTF_KEY_UP:
        look->process -= look->process > 0;
        break;
    case XTF_KEY_DOWN:
        look->process++; /* drawing the screen limits it to the last process */
        break;
    case 'm':
        look->map = !look->map;
        break;
    case '?':
        look->help = !look->help;
        break;
    case 'g':
        begin_question(player, "time:");
        break;
    case '/':
        begin_question(player, "region:");
        break;
    case 'f':
        show_next_finding(player);
        break;
    case 'q':
        player->quits = true;
        break;
    default:
        break;
    }
}

static bool show_frame(Player *player, GError **error)
{
    int columns, lines;
    g_autoptr(XtfFilmFrame) frame = xtf_film_frame(player->film, player->k, error);

    xtf_terminal_size(&columns, &lines);
    g_autoptr(XtfScreen) screen =
        frame ? xtf_play_screen(player->film, frame, &player->look, columns, lines, player->ascii, error) : NULL;
    if (screen)
        xtf_terminal_show(screen);
    return screen;
}

bool xtf_play(XtfFilm *film, const XtfPlayOptions *options, GError **error)
{
    Player player = {.film = film, .ascii = options->ascii};
    bool good = true;

    if (!xtf_terminal_begin(error))
        return false;
    player.look.speed = film->length / options->pause;
    player.look.typed = g_string_new(NULL);
    set_frame(&player, options->frame);
    while (good && !player.quits && !xtf_terminal_ended()) {
        if (player.look.playing)
            follow_clock(&player);
        good = show_frame(&player, error);
        if (good)
            handle_key(&player, xtf_terminal_key(player.look.playing ? time_to_next(&player) : IDLE_MS));
    }
    xtf_terminal_end();
    g_string_free(player.look.typed, TRUE);
    g_free(player.look.message);
    return good;
}

#include "src/cli/play/player.h"

#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/play/terminal.h"

enum {
    FAR = 10,        /* frames */
    REFRESH_MS = 20, /* between two screens, at least */
    IDLE_MS = 500,   /* looks after a signal */
};

/* Seconds shown in a second. */
static const double speeds[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.02, 0.04, 0.1, 0.2, 0.5, 1, 2, 5, 10, 25, 50, 100};

typedef struct {
    XtfFilm *film;
    bool ascii;
    XtfPlayLook look;
    uint64_t k;
    gint64 since; /* microseconds: when the film was at frame `from` */
    uint64_t from;
    guint finding; /* the next one */
    bool quits;
} Player;

/* ---- Time. */

static void stand_at(Player *player, uint64_t k)
{
    player->k = MIN(k, player->film->n - 1);
    player->from = player->k;
    player->since = g_get_monotonic_time();
}

static void move(Player *player, int64_t frames)
{
    uint64_t back = (uint64_t)-frames;

    if (frames < 0)
        stand_at(player, player->k > back ? player->k - back : 0);
    else
        stand_at(player, (uint64_t)frames > player->film->n - 1 - player->k ? player->film->n - 1
                                                                            : player->k + (uint64_t)frames);
}

/* Frames for which there was no time are left out. */
static void follow_clock(Player *player)
{
    double seconds = (double)(g_get_monotonic_time() - player->since) / G_USEC_PER_SEC;
    double frames = floor(seconds * player->look.speed / player->film->length);

    player->k =
        frames >= (double)(player->film->n - 1 - player->from) ? player->film->n - 1 : player->from + (uint64_t)frames;
    if (player->k == player->film->n - 1)
        player->look.playing = false;
}

/* Milliseconds until the next frame is due. */
static int until_next(const Player *player)
{
    double next = (double)(player->k - player->from + 1) * player->film->length / player->look.speed;
    double now = (double)(g_get_monotonic_time() - player->since) / G_USEC_PER_SEC;
    return (int)CLAMP(ceil((next - now) * 1e3), REFRESH_MS, IDLE_MS);
}

static void set_speed(Player *player, double speed)
{
    stand_at(player, player->k);
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

/* ---- What a key says, instead of the line of keys. */

static void say(Player *player, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void say(Player *player, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_free(player->look.message);
    player->look.message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

static void say_error(Player *player, GError *error)
{
    say(player, "%s", error->message);
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
    double pace = player->look.speed / player->film->length; /* frames a second of the clock stay */
    if (!xtf_film_set_rate(player->film, rate, &error)) {
        say_error(player, error);
        return;
    }
    player->look.speed = pace * player->film->length;
    stand_at(player, xtf_film_at(player->film, seconds));
}

/* ---- Going somewhere. */

/* "1.5", "20ms", "50%". */
static void go_to(Player *player, const char *text)
{
    char *unit;
    double number = g_ascii_strtod(text, &unit);
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"m", 60}, {"h", 3600}};

    if (unit != text && g_str_equal(unit, "%")) {
        stand_at(player, xtf_film_at(player->film, number / 100 * player->film->duration));
        return;
    }
    for (unsigned i = 0; unit != text && i < G_N_ELEMENTS(units); i++) {
        if (g_str_equal(unit, units[i].name)) {
            stand_at(player, xtf_film_at(player->film, number * units[i].seconds));
            return;
        }
    }
    say(player, "\"%s\" is no time: 1.5, 20ms, 50%%", text);
}

/* The first call of a region in a later frame. */
static void find_call(Player *player, const char *region)
{
    char after[G_ASCII_DTOSTR_BUF_SIZE];
    GError *error = NULL;

    g_ascii_formatd(after, sizeof after, "%.9f", (double)(player->k + 1) * player->film->length);
    g_autoptr(XtfValueTable) call =
        xtf_value_table_read(player->film->tree, &error, "time/%s-/region/%s/calls/num/0-1/longest", after, region);
    if (!call)
        say_error(player, error);
    else if (g_str_equal(xtf_value_table_text(call, 0, "start"), "-"))
        say(player, "no later call of %s", region);
    else
        stand_at(player, xtf_film_at(player->film, xtf_value_table_number(call, 0, "start")));
}

/* Says the next finding, and goes to its window if it has one. */
static void next_finding(Player *player)
{
    GError *error = NULL;
    g_autoptr(XtfValueTable) findings = xtf_value_table_read(player->film->tree, &error, "findings");

    if (!findings) {
        say_error(player, error);
        return;
    }
    guint n = xtf_value_table_n(findings);
    if (!n) {
        say(player, "there are no findings");
        return;
    }
    guint line = player->finding++ % n;
    const char *path = xtf_value_table_text(findings, line, "table");
    if (g_str_has_prefix(path, "time/"))
        stand_at(player, xtf_film_at(player->film, g_ascii_strtod(path + strlen("time/"), NULL)));
    say(player, "%s %s: %s  %s", xtf_value_table_text(findings, line, "score%"),
        xtf_value_table_text(findings, line, "rule"), xtf_value_table_text(findings, line, "finding"), path);
}

/* ---- Keys. */

static void ask(Player *player, const char *question)
{
    player->look.typing = question;
    g_string_truncate(player->look.typed, 0);
}

static void type(Player *player, int key)
{
    GString *typed = player->look.typed;
    bool is_time = player->look.typing[0] == 't';

    if (key == XTF_KEY_ESCAPE || key == XTF_KEY_ENTER)
        player->look.typing = NULL;
    if (key == XTF_KEY_ENTER && typed->len && is_time)
        go_to(player, typed->str);
    else if (key == XTF_KEY_ENTER && typed->len)
        find_call(player, typed->str);
    else if (key == XTF_KEY_BACK && typed->len)
        g_string_truncate(typed, (gsize)(g_utf8_find_prev_char(typed->str, typed->str + typed->len) - typed->str));
    else if (key >= ' ' && key < XTF_KEY_LEFT && g_unichar_isprint((gunichar)key))
        g_string_append_unichar(typed, (gunichar)key);
}

/* Keys that move the film. */
static bool press_to_move(Player *player, int key)
{
    switch (key) {
    case XTF_KEY_LEFT:
        move(player, -1);
        return true;
    case XTF_KEY_RIGHT:
        move(player, 1);
        return true;
    case XTF_KEY_FAR_LEFT:
    case ',':
        move(player, -FAR);
        return true;
    case XTF_KEY_FAR_RIGHT:
    case '.':
        move(player, FAR);
        return true;
    case XTF_KEY_HOME:
        stand_at(player, 0);
        return true;
    case XTF_KEY_END:
        stand_at(player, player->film->n - 1);
        return true;
    default:
        return false;
    }
}

static void press(Player *player, int key)
{
    XtfPlayLook *look = &player->look;

    if (key == XTF_KEY_NONE)
        return;
    g_clear_pointer(&look->message, g_free);
    if (look->typing) {
        type(player, key);
        return;
    }
    if (press_to_move(player, key))
        return;
    switch (key) {
    case ' ':
        look->playing = !look->playing;
        stand_at(player, look->playing && player->k == player->film->n - 1 ? 0 : player->k);
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
        look->process++; /* the screen stops it at the last */
        break;
    case 'm':
        look->map = !look->map;
        break;
    case '?':
        look->help = !look->help;
        break;
    case 'g':
        ask(player, "time:");
        break;
    case '/':
        ask(player, "region:");
        break;
    case 'f':
        next_finding(player);
        break;
    case 'q':
        player->quits = true;
        break;
    default:
        break;
    }
}

static bool show(Player *player, GError **error)
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
    stand_at(&player, options->frame);
    while (good && !player.quits && !xtf_terminal_ended()) {
        if (player.look.playing)
            follow_clock(&player);
        good = show(&player, error);
        if (good)
            press(&player, xtf_terminal_key(player.look.playing ? until_next(&player) : IDLE_MS));
    }
    xtf_terminal_end();
    g_string_free(player.look.typed, TRUE);
    g_free(player.look.message);
    return good;
}

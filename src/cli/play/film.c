#include "src/cli/play/film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/tables/views/state/state-figures.h"

static const char *const share_columns[XTF_SCREEN_SHARES] = {"program", "p2p", "collective", "wait", "other"};

/* ---- Rates. */

/* Returns the length of a frame in seconds. The tree has accepted the rate, so it is a number with a unit. */
static double frame_length(const char *rate)
{
    char *unit;
    double number = g_ascii_strtod(rate, &unit);
    double second = g_str_equal(unit, "ms")   ? 1e-3
                    : g_str_equal(unit, "us") ? 1e-6
                    : g_str_equal(unit, "ns") ? 1e-9
                                              : 1;

    return g_str_equal(unit, "fps") ? 1 / number : number * second;
}

bool xtf_film_set_rate(XtfFilm *film, const char *rate, GError **error)
{
    g_autofree char *path = g_strdup_printf("frames/%s/count", rate);
    g_autofree char *count = xtf_read_file(film->tree, path, error);

    if (!count)
        return false;
    uint64_t n = g_ascii_strtoull(count, NULL, 10);
    if (!n)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has no records, and so no frames");
    char *kept = g_strdup(rate);
    g_free(film->rate);
    film->rate = kept;
    film->length = frame_length(rate);
    film->n = n;
    return true;
}

bool xtf_film_init(XtfFilm *film, XtfTree *tree, const char *name, const char *rate, char letter, GError **error)
{
    *film = (XtfFilm){.tree = tree, .name = g_strdup(name), .letter = letter};
    g_autoptr(XtfValueTable) info = xtf_value_table_read(tree, error, "info");

    if (info)
        film->duration = xtf_value_table_number(info, xtf_value_table_find(info, "what", "duration"), "value");
    return info && xtf_film_set_rate(film, rate, error);
}

void xtf_film_finish(XtfFilm *film)
{
    g_clear_pointer(&film->name, g_free);
    g_clear_pointer(&film->rate, g_free);
}

uint64_t xtf_film_at(const XtfFilm *film, double seconds)
{
    double k = floor(seconds / film->length);
    return k <= 0 ? 0 : k >= (double)(film->n - 1) ? film->n - 1 : (uint64_t)k;
}

/* ---- Frames. */

double xtf_film_weight(const XtfValueTable *arrows, guint line)
{
    bool tasks = g_str_equal(xtf_value_table_text(arrows, line, "bytes"), "-");
    return xtf_value_table_number(arrows, line, tasks ? "count" : "bytes");
}

static int compare_bytes(const void *a, const void *b, void *data)
{
    const guint *x = a, *y = b;
    double p = xtf_film_weight(data, *x), q = xtf_film_weight(data, *y);
    return p > q ? -1 : p < q ? 1 : *x < *y ? -1 : *x > *y;
}

static void sort_arrows(XtfFilmFrame *frame)
{
    guint n = xtf_value_table_n(frame->arrows);

    frame->by_bytes = g_new(guint, MAX(n, 1));
    for (guint i = 0; i < n; i++) {
        if (!g_str_equal(xtf_value_table_text(frame->arrows, i, "to"), "-"))
            frame->by_bytes[frame->n_arrows++] = i;
    }
    g_qsort_with_data(frame->by_bytes, (int)frame->n_arrows, sizeof *frame->by_bytes, compare_bytes, frame->arrows);
}

XtfFilmFrame *xtf_film_frame(const XtfFilm *film, uint64_t k, GError **error)
{
    g_autoptr(XtfFilmFrame) frame = g_new0(XtfFilmFrame, 1);
    g_autofree char *path = g_strdup_printf("frames/%s/%" G_GUINT64_FORMAT, film->rate, k);

    frame->k = k;
    if (!(frame->state = xtf_value_table_read(film->tree, error, "%s/state", path)) ||
        !(frame->total = xtf_value_table_read(film->tree, error, "%s/total", path)) ||
        !(frame->run = xtf_value_table_read(film->tree, error, "%s/run", path)))
        return NULL;
    /* A trace may have no calls, or no messages. */
    if (!xtf_value_table_read_optional(film->tree, &frame->profile, error, "%s/profile", path) ||
        !xtf_value_table_read_optional(film->tree, &frame->arrows, error, "%s/arrows/%c", path, film->letter))
        return NULL;
    if (frame->arrows)
        sort_arrows(frame);
    frame->from = xtf_value_table_number(frame->run, xtf_value_table_find(frame->run, "what", "from"), "value");
    return g_steal_pointer(&frame);
}

void xtf_film_frame_free(XtfFilmFrame *frame)
{
    if (!frame)
        return;
    xtf_value_table_free(frame->state);
    xtf_value_table_free(frame->total);
    xtf_value_table_free(frame->run);
    xtf_value_table_free(frame->profile);
    xtf_value_table_free(frame->arrows);
    g_free(frame->by_bytes);
    g_free(frame);
}

XtfValueTable *xtf_film_profile(const XtfFilm *film, uint64_t k, const char *proc, GError **error)
{
    return xtf_value_table_read(film->tree, error, "frames/%s/%" G_GUINT64_FORMAT "/proc/%s/profile", film->rate, k,
                                proc);
}

char *xtf_film_mostly(const XtfFilm *film, uint64_t k, const char *proc)
{
    /* A window without calls, or a trace without any, has neither table. The greatest line of a profile is the first.
     */
    g_autoptr(XtfValueTable) profile = xtf_film_profile(film, k, proc, NULL);
    g_autoptr(XtfValueTable) classes =
        xtf_value_table_read(film->tree, NULL, "frames/%s/%" G_GUINT64_FORMAT "/proc/%s/classes", film->rate, k, proc);
    double most = profile ? xtf_value_table_number(profile, 0, "exclusive") : 0;
    double outside = 0;

    if (classes)
        outside = xtf_value_table_number(classes, xtf_value_table_find(classes, "class", "(no region)"), "exclusive");
    if (outside > most)
        return g_strdup("(program)");
    return most > 0 ? g_strdup(xtf_value_table_text(profile, 0, "region")) : NULL;
}

void xtf_film_shares(const XtfValueTable *table, guint line, double shares[static XTF_SCREEN_SHARES])
{
    for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++)
        shares[i] = xtf_value_table_number(table, line, share_columns[i]);
}

/* ---- Strips. */

/* Returns the index of the share that has a class; -1 for a line that sums classes. */
static int find_share(const char *name)
{
    if (g_str_equal(name, "(no region)"))
        return XTF_SHARE_PROGRAM;
    for (unsigned class = 0; class < XTF_N_CLASSES; class ++) {
        if (g_str_equal(xtf_class_names[class], name))
            return (int)xtf_share_of_class(class);
    }
    return -1;
}

static uint8_t find_largest_share(const double times[static XTF_SCREEN_SHARES])
{
    unsigned most = 0;

    for (unsigned i = 1; i < XTF_SCREEN_SHARES; i++)
        most = times[i] > times[most] ? i : most;
    return times[most] > 0 ? (uint8_t)most : 255;
}

/* Fills the strip from classes of regions. The table has n parts with equally many lines. */
static void fill_from_classes(const XtfValueTable *classes, uint8_t *strip, guint n)
{
    guint lines = xtf_value_table_n(classes) / MAX(n, 1);

    for (guint i = 0; i < n; i++) {
        double times[XTF_SCREEN_SHARES] = {0};
        for (guint line = i * lines; line < (i + 1) * lines; line++) {
            int share = find_share(xtf_value_table_text(classes, line, "class"));
            if (share >= 0)
                times[share] += xtf_value_table_number(classes, line, "exclusive");
        }
        strip[i] = find_largest_share(times);
    }
}

static void fill_from_totals(const XtfValueTable *totals, uint8_t *strip, guint n)
{
    for (guint i = 0; i < n; i++) {
        double times[XTF_SCREEN_SHARES] = {0};
        if (i < xtf_value_table_n(totals))
            xtf_film_shares(totals, i, times);
        strip[i] = find_largest_share(times);
    }
}

uint8_t *xtf_film_strip(const XtfFilm *film, const char *proc, double from, double to, guint n, GError **error)
{
    char begin[G_ASCII_DTOSTR_BUF_SIZE], end[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(begin, sizeof begin, "%.9f", from);
    g_ascii_formatd(end, sizeof end, "%.9f", to);
    g_autofree char *path = g_strdup_printf("time/%s-%s/proc/%s/by/time:%u", begin, end, proc, n);
    uint8_t *strip = g_malloc(MAX(n, 1));
    /* A trace without calls has no classes. */
    g_autoptr(XtfValueTable) classes = NULL;
    if (!xtf_value_table_read_optional(film->tree, &classes, error, "%s/classes", path)) {
        g_free(strip);
        return NULL;
    }
    if (classes) {
        fill_from_classes(classes, strip, n);
        return strip;
    }
    g_autoptr(XtfValueTable) totals = xtf_value_table_read(film->tree, error, "%s/total", path);
    if (totals)
        fill_from_totals(totals, strip, n);
    else
        g_clear_pointer(&strip, g_free);
    return strip;
}

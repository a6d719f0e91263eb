#include "src/cli/ui/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_INTERVAL (100 * G_TIME_SPAN_MILLISECOND)
#define BAR_MIN         10
#define BAR_MAX         40

struct XtfProgress {
    GMutex lock; /* protects the members below */
    char *label, *unit;
    const char *step; /* NULL: the work has no steps */
    bool shown;
    gint64 started, drawn; /* monotonic, microseconds */
};

XtfProgress *xtf_progress_new(const char *label, const char *unit, bool quiet)
{
    XtfProgress *progress = g_new0(XtfProgress, 1);

    g_mutex_init(&progress->lock);
    progress->label = g_strdup(label);
    progress->unit = g_strdup(unit);
    progress->shown = !quiet && isatty(STDERR_FILENO);
    progress->started = g_get_monotonic_time();
    return progress;
}

static unsigned terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* Appends a count with a unit prefix: 1234567 as "1.2 M". */
static void append_count(GString *text, double count)
{
    static const char prefixes[] = " kMGTP";
    unsigned i = 0;

    for (; count >= 1000 && i < sizeof prefixes - 2; i++)
        count /= 1000;
    g_string_append_printf(text, i > 0 && count < 100 ? "%.1f" : "%.0f", count);
    if (i > 0)
        g_string_append_printf(text, " %c", prefixes[i]);
}

static void append_time_left(GString *text, double seconds)
{
    uint64_t s = (uint64_t)(seconds + 0.5);

    if (s >= 3600)
        g_string_append_printf(text, "  %" PRIu64 ":%02u:%02u left", s / 3600, (unsigned)(s / 60 % 60),
                               (unsigned)(s % 60));
    else
        g_string_append_printf(text, "  %u:%02u left", (unsigned)(s / 60), (unsigned)(s % 60));
}

/* Returns the text to the right of the bar. */
static GString *format_figures(const XtfProgress *progress, double share, uint64_t count, double seconds)
{
    GString *text = g_string_new(NULL);

    if (share >= 0)
        g_string_append_printf(text, " %3.0f%%", 100 * share);
    if (progress->unit) {
        g_string_append(text, "  ");
        append_count(text, (double)count);
        g_string_append_printf(text, " %s", progress->unit);
        if (seconds > 0.5) {
            g_string_append(text, "  ");
            append_count(text, (double)count / seconds);
            g_string_append(text, "/s");
        }
    }
    if (share > 0 && seconds > 1)
        append_time_left(text, seconds * (1 - share) / share);
    return text;
}

static void draw_bar(XtfProgress *progress, double share, uint64_t count, double seconds)
{
    g_autoptr(GString) line = g_string_new("\r");
    GString *right = format_figures(progress, share, count, seconds);
    unsigned width = terminal_width();
    size_t used = right->len + 4;

    g_string_append(line, progress->label);
    if (progress->step)
        g_string_append_printf(line, ": %s", progress->step);
    used += line->len - 1;
    if (share >= 0 && used + BAR_MIN <= width) {
        unsigned bar = (unsigned)MIN(width - used, BAR_MAX);
        unsigned full = (unsigned)(share * bar);
        g_string_append(line, " [");
        for (unsigned i = 0; i < bar; i++)
            g_string_append_c(line, i < full ? '=' : i == full ? '>' : ' ');
        g_string_append_c(line, ']');
    }
    g_string_append(line, right->str);
    g_string_free(right, TRUE);
    if (line->len > width) /* a line that wraps cannot be overwritten */
        g_string_truncate(line, width);
    g_string_append(line, "\033[K");
    fputs(line->str, stderr);
    fflush(stderr);
}

void xtf_progress_update(XtfProgress *progress, uint64_t done, uint64_t total, uint64_t count)
{
    gint64 now = g_get_monotonic_time();

    if (!progress->shown)
        return;
    g_mutex_lock(&progress->lock);
    if (now - progress->drawn >= REDRAW_INTERVAL) {
        double share = total > 0 ? (double)MIN(done, total) / (double)total : -1;
        progress->drawn = now;
        draw_bar(progress, share, count, (double)(now - progress->started) / G_TIME_SPAN_SECOND);
    }
    g_mutex_unlock(&progress->lock);
}

void xtf_progress_step(const char *step, uint64_t done, uint64_t total, void *data)
{
    XtfProgress *progress = data;

    if (!progress->shown)
        return;
    g_mutex_lock(&progress->lock);
    if (step != progress->step) {
        progress->step = step;
        progress->started = g_get_monotonic_time();
        progress->drawn = 0; /* even a very short step is drawn once */
    }
    g_mutex_unlock(&progress->lock);
    xtf_progress_update(progress, done, total, done);
}

bool xtf_progress_bytes(uint64_t done, uint64_t total, void *data)
{
    const XtfBytesProgress *work = data;

    xtf_progress_update(work->progress, done, total, done >> 20);
    return !atomic_load(work->cancel);
}

void xtf_progress_hide(XtfProgress *progress)
{
    g_mutex_lock(&progress->lock);
    if (progress->drawn > 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = 0;
    }
    g_mutex_unlock(&progress->lock);
}

void xtf_progress_finish(XtfProgress *progress)
{
    if (!progress)
        return;
    xtf_progress_hide(progress);
    g_mutex_clear(&progress->lock);
    g_free(progress->label);
    g_free(progress->unit);
    g_free(progress);
}

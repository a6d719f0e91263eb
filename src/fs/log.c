#include "src/fs/log.h"

#include <glib.h>
#include <string.h>

enum {
    BYTES_MAX = 64 << 10,
    BYTES_KEPT = 48 << 10, /* when older lines go */
    MESSAGE_MAX = 2 << 10,
};

static GMutex lock; /* of all below */
static GString *lines;
static char *last; /* message */
static uint64_t repeats;
static gsize repeats_at; /* where the line about repeats begins */

static void append_line(const char *message)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *when = now ? g_date_time_format(now, "%Y-%m-%d %H:%M:%S") : g_strdup("-");

    g_string_append_printf(lines, "%s %.*s\n", when, MESSAGE_MAX, message);
}

static void drop_oldest(void)
{
    if (lines->len <= BYTES_MAX)
        return;
    const char *kept = strchr(lines->str + lines->len - BYTES_KEPT, '\n');
    g_string_erase(lines, 0, kept ? kept + 1 - lines->str : -1);
}

/* The counts have one width, so each may need another byte to differ in size from the one before. */
static void append_repeats(void)
{
    repeats++;
    g_string_truncate(lines, repeats_at);
    g_string_append_printf(lines, "  (%" G_GUINT64_FORMAT " times more)%s\n", repeats, repeats % 2 ? "" : " ");
}

void xtf_fs_log(const char *message)
{
    g_mutex_lock(&lock);
    if (!lines)
        lines = g_string_new(NULL);
    gsize before = lines->len;
    if (last && strcmp(last, message) == 0) {
        append_repeats();
    } else {
        g_free(last);
        last = g_strdup(message);
        repeats = 0;
        append_line(message);
        drop_oldest();
        repeats_at = lines->len;
    }
    if (lines->len == before) {
        g_string_insert_c(lines, (gssize)lines->len - 1, ' ');
        repeats_at += repeats == 0;
    }
    g_mutex_unlock(&lock);
}

uint64_t xtf_fs_log_size(void)
{
    g_mutex_lock(&lock);
    uint64_t size = lines ? lines->len : 0;
    g_mutex_unlock(&lock);
    return size;
}

size_t xtf_fs_log_read(uint64_t offset, char *buffer, size_t size)
{
    size_t n = 0;

    g_mutex_lock(&lock);
    if (lines && offset < lines->len) {
        n = MIN(size, lines->len - (gsize)offset);
        memcpy(buffer, lines->str + offset, n);
    }
    g_mutex_unlock(&lock);
    return n;
}

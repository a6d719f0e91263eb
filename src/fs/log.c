#include "src/fs/log.h"

#include <glib.h>
#include <string.h>

enum {
    BYTES_MAX = 64 << 10,
    BYTES_KEPT = 48 << 10, /* bytes kept when older lines are dropped */
    MESSAGE_MAX = 2 << 10,
};

static GMutex lock; /* protects all variables below */
static GString *lines;
static char *last_message;
static uint64_t repeats;
static gsize repeats_at; /* offset of the line that counts repeats */

static void append_line(const char *message)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *time = now ? g_date_time_format(now, "%Y-%m-%d %H:%M:%S") : g_strdup("-");

    g_string_append_printf(lines, "%s %.*s\n", time, MESSAGE_MAX, message);
}

static void drop_oldest(void)
{
    if (lines->len <= BYTES_MAX)
        return;
    const char *kept = strchr(lines->str + lines->len - BYTES_KEPT, '\n');
    g_string_erase(lines, 0, kept ? kept + 1 - lines->str : -1);
}

/* Replaces the line that counts repeats. Counts of equal width differ in length only by the space that each second one
 * gets: the size must change whenever the content does. */
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
    gsize size_before = lines->len;
    if (last_message && strcmp(last_message, message) == 0) {
        append_repeats();
    } else {
        g_free(last_message);
        last_message = g_strdup(message);
        repeats = 0;
        append_line(message);
        drop_oldest();
        repeats_at = lines->len;
    }
    if (lines->len == size_before) {
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

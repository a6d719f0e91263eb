/*
 * Reads the file in pieces, converts them to UTF-8, and passes them to the parser. Limits the size of one element,
 * which the parser keeps in memory.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/source.h"
#include "src/import/opents/import.h"
#include "src/import/opents/prolog.h"

enum {
    PIECE_BYTES = 64 << 10,            /* bytes read at once */
    ELEMENT_MAX = 1 << 20,             /* most bytes of a tag, or of text between two tags */
    CONVERTED_BYTES = 4 * PIECE_BYTES, /* enough for a piece in UTF-8 */
};

typedef struct {
    XtfOpentsImport *import;
    const char *path;
    int fd;
    uint64_t size, done; /* bytes of the file, and bytes read so far */
    GIConv converter;    /* (GIConv)-1: the file is in UTF-8 */
    char *encoding;
    char bytes[PIECE_BYTES];
    size_t kept; /* bytes at the beginning of `bytes` that are an incomplete character */
    char *converted;
    uint64_t calls;  /* import->calls after the last piece */
    uint64_t silent; /* bytes since the parser's last callback */
} Feed;

static bool feed_text(Feed *feed, const char *text, size_t n, GError **error)
{
    XtfOpentsImport *import = feed->import;
    GError *problem = NULL;

    if (!g_markup_parse_context_parse(import->markup, text, (gssize)n, &problem)) {
        bool from_callback = problem->domain == XTF_ERROR;
        if (!from_callback)
            xtf_fail(error, XTF_ERROR_DAMAGED, "%s: %s", feed->path, problem->message);
        else
            g_propagate_error(error, problem);
        if (!from_callback)
            g_error_free(problem);
        return false;
    }
    feed->silent = import->calls == feed->calls ? feed->silent + n : 0;
    feed->calls = import->calls;
    int line;
    g_markup_parse_context_get_position(import->markup, &line, NULL);
    return feed->silent <= ELEMENT_MAX || xtf_fail(error, XTF_ERROR_DAMAGED, "%s: line %d: a tag of more than %u MiB",
                                                   feed->path, line, ELEMENT_MAX >> 20);
}

/* Converts n bytes to UTF-8 and passes them to the parser. Keeps an incomplete character at the end for the next piece.
 */
static bool feed_converted(Feed *feed, size_t n, GError **error)
{
    char *in = feed->bytes;
    gsize left = n;
    bool good = true;

    while (left > 0 && good) {
        char *out = feed->converted;
        gsize room = CONVERTED_BYTES;
        gsize done = g_iconv(feed->converter, &in, &left, &out, &room);
        int problem = done == (gsize)-1 ? errno : 0;
        good = feed_text(feed, feed->converted, CONVERTED_BYTES - room, error);
        if (problem == EINVAL) /* an incomplete character */
            break;
        if (good && problem == EILSEQ)
            good = xtf_fail(error, XTF_ERROR_DAMAGED, "%s: byte %" G_GUINT64_FORMAT ": no character of %s", feed->path,
                            feed->done - left, feed->encoding);
    }
    memmove(feed->bytes, in, left);
    feed->kept = left;
    return good;
}

/* Finds the file's encoding from its first n bytes, and opens the converter. */
static bool open_converter(Feed *feed, size_t n, GError **error)
{
    feed->encoding = xtf_opents_encoding(feed->bytes, n);
    if (g_ascii_strcasecmp(feed->encoding, "UTF-8") == 0)
        return true;
    feed->converter = g_iconv_open("UTF-8", feed->encoding);
    feed->converted = g_malloc(CONVERTED_BYTES);
    return feed->converter != (GIConv)-1 ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED, "%s: is in the encoding \"%.40s\", which this system does not know",
                    feed->path, feed->encoding);
}

/* Returns the length in bytes of the byte order mark; 0 without one. */
static size_t byte_order_mark_length(const Feed *feed, size_t n)
{
    if (g_str_has_prefix(feed->encoding, "UTF-16") && n >= 2 &&
        (memcmp(feed->bytes, "\xff\xfe", 2) == 0 || memcmp(feed->bytes, "\xfe\xff", 2) == 0))
        return 2;
    return n >= 3 && memcmp(feed->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool feed_piece(Feed *feed, size_t n, GError **error)
{
    size_t skip = 0;

    if (!feed->encoding) {
        if (!open_converter(feed, n, error))
            return false;
        skip = byte_order_mark_length(feed, n);
        memmove(feed->bytes, feed->bytes + skip, n - skip);
    }
    return feed->converter == (GIConv)-1 ? feed_text(feed, feed->bytes, n - skip, error)
                                         : feed_converted(feed, n - skip, error);
}

static bool feed_all(Feed *feed, GError **error)
{
    XtfSupervised *shared = feed->import->job->shared;

    for (;;) {
        ssize_t n = read(feed->fd, feed->bytes + feed->kept, PIECE_BYTES - feed->kept);
        if (n < 0)
            return xtf_fail(error, XTF_ERROR_IO, "%s: %s", feed->path, g_strerror(errno));
        if (n == 0)
            return true;
        feed->done += (uint64_t)n;
        if (!feed_piece(feed, feed->kept + (size_t)n, error))
            return false;
        atomic_fetch_add(&shared->heartbeat, 1);
        atomic_store(&shared->events, feed->import->job->report.read);
        atomic_store(&shared->per_million, (uint32_t)((double)MIN(feed->done, feed->size) / (double)feed->size * 1e6));
    }
}

/* Checks at the end of the file that the trace has begun. Sets *cut if it has not ended. */
static bool check_end(Feed *feed, bool *cut, GError **error)
{
    XtfOpentsImport *import = feed->import;

    *cut = !import->ended && import->depth > 0;
    if (!import->ended && import->depth == 0)
        return xtf_fail(error, XTF_ERROR_DAMAGED, "%s: the file ends before <trace>", feed->path);
    return true;
}

bool xtf_opents_feed(XtfOpentsImport *import, bool *cut, GError **error)
{
    g_autofree Feed *feed = g_new(Feed, 1);

    feed->import = import;
    feed->path = import->job->anchor;
    feed->converter = (GIConv)-1;
    feed->encoding = feed->converted = NULL;
    feed->kept = 0;
    feed->done = feed->calls = feed->silent = 0;
    feed->fd = xtf_file_open(feed->path, &feed->size, error);
    bool good = feed->fd >= 0 && feed_all(feed, error) && check_end(feed, cut, error);
    if (feed->fd >= 0)
        close(feed->fd);
    if (feed->converter != (GIConv)-1)
        g_iconv_close(feed->converter);
    g_free(feed->encoding);
    g_free(feed->converted);
    return good;
}

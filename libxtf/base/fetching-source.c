#include "libxtf/base/fetching-source.h"

#include <inttypes.h>
#include <string.h>

enum {
    NEAR_BYTES = 8 << 10,      /* ranges this near to each other are fetched as one */
    FETCH_BYTES_MAX = 8 << 20, /* most bytes of one request; ranges beyond them are left to later reads */
    HEAD_BYTES = 8 << 10,      /* the begin of the file, with the superblocks */
    TAIL_BYTES = 128 << 10,    /* the end of the file, where the opening of most files lies */
};

typedef struct {
    XtfSource source;
    XtfSource *base; /* owned */
} FetchingSource;

typedef struct {
    uint64_t offset, length;
    uint8_t *bytes;
} Piece;

static _Thread_local XtfGathering *current; /* the gathering of the calling thread; NULL: none */

static void clear_piece(gpointer piece)
{
    g_free(((Piece *)piece)->bytes);
}

/* ---- Reading. */

/* Returns the piece that holds byte end - 1, the last one of a range; NULL if none does. */
static const Piece *find_end(const XtfGathering *gathering, uint64_t end)
{
    for (guint i = gathering->pieces->len; i-- > 0;) {
        const Piece *piece = &g_array_index(gathering->pieces, Piece, i);
        if (piece->offset < end && end - piece->offset <= piece->length)
            return piece;
    }
    return NULL;
}

static void note_missing(XtfGathering *gathering, uint64_t offset, uint64_t length)
{
    const XtfReadRange range = {.offset = offset, .length = length};

    g_array_append_val(gathering->missing, range);
}

static bool read_base(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    XtfSource *base = ((FetchingSource *)source)->base;

    return base->ops->read(base, offset, buffer, length, error);
}

static bool fetching_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    XtfGathering *gathering = current && current->source == source ? current : NULL;
    const Piece *piece = gathering ? find_end(gathering, offset + length) : NULL;
    uint64_t before = !piece                   ? length
                      : offset < piece->offset ? piece->offset - offset
                                               : 0; /* bytes of the range that lie before the piece */

    if (gathering && gathering->mode == XTF_GATHER_NOTED && before > 0) {
        note_missing(gathering, offset, length);
        return xtf_fail(error, XTF_ERROR_IO, "byte %" PRIu64 ": not fetched yet", offset);
    }
    if (before > 0 && !read_base(source, offset, buffer, before, error))
        return false;
    if (piece)
        memcpy((uint8_t *)buffer + before, piece->bytes + (offset + before - piece->offset), length - before);
    return true;
}

static bool fetching_grow(XtfSource *source, GError **error)
{
    XtfSource *base = ((FetchingSource *)source)->base;

    if (current && current->source == source)
        g_array_set_size(current->pieces, 0); /* their bytes were read before the file grew, and may have changed */
    bool good = !base->ops->grow || base->ops->grow(base, error);
    __atomic_store_n(&source->size, xtf_source_size(base), __ATOMIC_RELAXED);
    return good;
}

static void fetching_close(XtfSource *source)
{
    xtf_source_close(((FetchingSource *)source)->base);
    g_free(source);
}

static const char *fetching_path(XtfSource *source)
{
    XtfSource *base = ((FetchingSource *)source)->base;

    return base->ops->path ? base->ops->path(base) : NULL;
}

static const XtfSourceOps fetching_ops = {.read = fetching_read, .close = fetching_close, .path = fetching_path};
static const XtfSourceOps growing_ops = {
    .read = fetching_read, .grow = fetching_grow, .close = fetching_close, .path = fetching_path};

bool xtf_source_is_fetching(const XtfSource *source)
{
    return source->ops->read == fetching_read;
}

XtfSource *xtf_fetching_source_new(XtfSource *base)
{
    FetchingSource *self = g_new(FetchingSource, 1);

    *self = (FetchingSource){
        .source = {.ops = base->ops->grow ? &growing_ops : &fetching_ops, .size = xtf_source_size(base)}, .base = base};
    return &self->source;
}

/* ---- Gathering. */

static int compare_ranges(gconstpointer a, gconstpointer b)
{
    const XtfReadRange *x = a, *y = b;

    return x->offset != y->offset  ? (x->offset < y->offset ? -1 : 1)
           : x->length < y->length ? -1
                                   : x->length > y->length;
}

/* Sorts the ranges, joins ranges that are near to each other, and drops ranges that exceed the bounds. */
static void join_ranges(GArray *ranges, uint64_t size)
{
    uint64_t total = 0;
    guint n = 0;

    g_array_sort(ranges, compare_ranges);
    for (guint i = 0; i < ranges->len; i++) {
        XtfReadRange range = g_array_index(ranges, XtfReadRange, i);
        XtfReadRange *last = n > 0 ? &g_array_index(ranges, XtfReadRange, n - 1) : NULL;
        if (range.offset >= size)
            continue;
        uint64_t end = range.offset + MIN(range.length, size - range.offset);
        bool near = last && range.offset <= last->offset + last->length + NEAR_BYTES;
        uint64_t begin = near ? MIN(last->offset + last->length, end) : range.offset;
        if (total + (end - begin) > FETCH_BYTES_MAX)
            continue;
        total += end - begin;
        if (near)
            last->length += end - begin;
        else
            g_array_index(ranges, XtfReadRange, n++) = (XtfReadRange){.offset = begin, .length = end - begin};
    }
    g_array_set_size(ranges, n);
}

bool xtf_gathering_fetch(XtfGathering *gathering)
{
    GArray *ranges = gathering->missing;
    FetchingSource *self = (FetchingSource *)gathering->source;
    bool any;

    join_ranges(ranges, xtf_source_size(&self->source));
    any = ranges->len > 0;
    for (guint i = 0; i < ranges->len; i++) {
        XtfReadRange *range = &g_array_index(ranges, XtfReadRange, i);
        range->buffer = g_malloc(range->length);
    }
    bool good =
        any && self->base->ops->read_ranges(self->base, (XtfReadRange *)(void *)ranges->data, ranges->len, NULL);
    for (guint i = 0; i < ranges->len; i++) {
        const XtfReadRange *range = &g_array_index(ranges, XtfReadRange, i);
        const Piece piece = {.offset = range->offset, .length = range->length, .bytes = range->buffer};
        if (good)
            g_array_append_val(gathering->pieces, piece);
        else
            g_free(range->buffer);
    }
    g_array_set_size(ranges, 0);
    return good;
}

bool xtf_gathering_begin(XtfGathering *gathering, XtfSource *source, XtfGatherMode mode)
{
    *gathering = (XtfGathering){0};
    if (current || !xtf_source_is_fetching(source))
        return false;
    *gathering = (XtfGathering){
        .source = source,
        .mode = mode,
        .pieces = g_array_new(FALSE, FALSE, sizeof(Piece)),
        .missing = g_array_new(FALSE, FALSE, sizeof(XtfReadRange)),
    };
    g_array_set_clear_func(gathering->pieces, clear_piece);
    current = gathering;
    if (mode == XTF_GATHER_OPENING) {
        uint64_t size = xtf_source_size(source);
        note_missing(gathering, 0, HEAD_BYTES);
        note_missing(gathering, size - MIN(size, TAIL_BYTES), TAIL_BYTES);
        /* If this fails, each later read goes to the store, and reports its own error. */
        xtf_gathering_fetch(gathering);
    }
    return true;
}

void xtf_gathering_end(XtfGathering *gathering)
{
    if (!gathering->source)
        return;
    current = NULL;
    g_array_unref(gathering->pieces);
    g_array_unref(gathering->missing);
    *gathering = (XtfGathering){0};
}

void xtf_gathering_expect(XtfSource *source, uint64_t offset, uint64_t length)
{
    if (current && current->source == source && current->mode == XTF_GATHER_NOTED)
        note_missing(current, offset, length);
}

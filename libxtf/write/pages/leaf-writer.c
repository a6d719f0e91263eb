#include "libxtf/write/pages/leaf-writer.h"

#include "libxtf/disk/format.h"

enum {
    BYTES_FIRST = 512,           /* first allocation: most arrays of a large trace are small */
    FILL_PERCENT_AIM = 97,       /* percent of a page that a guess aims at, so that rows seldom need more */
    FILL_PERCENT_LEAST = 91,     /* sufficient if no rows remain */
    FILL_PERCENT_REMAINING = 85, /* sufficient if rows remain for the next leaf */
    ATTEMPTS_MAX = 5,            /* most attempts to pack one leaf */
    HEAD_BYTES = 100,            /* fixed bytes of a packed leaf, about */
    PLAIN_PAGES_FIRST = 4,       /* first guess: the rows that fill this number of pages unpacked */
};

void xtf_leaf_writer_init(XtfLeafWriter *leaf, const XtfSchema *schema, XtfCodecId codec, unsigned level, uint32_t room)
{
    uint32_t plain = room / schema->row_size;
    uint32_t most = xtf_leaf_rows_max(room + (uint32_t)sizeof(XtfDiskPage), schema->row_size);
    bool side_by_side = xtf_codec(codec)->side_by_side;

    *leaf = (XtfLeafWriter){
        .schema = schema,
        .room = room,
        .most = most,
        .target = side_by_side ? plain : MIN(PLAIN_PAGES_FIRST * plain, most),
        .codec = (uint8_t)codec,
        .level = (uint8_t)level,
    };
}

void xtf_leaf_writer_finish(XtfLeafWriter *leaf)
{
    g_clear_pointer(&leaf->rows, g_free);
    leaf->next = leaf->end = NULL;
    leaf->allotted = 0;
}

/* Sets `end` to the end of the allocation or to the target, whichever is first. */
static void set_end(XtfLeafWriter *leaf)
{
    uint32_t row_size = leaf->schema->row_size;
    leaf->end = leaf->rows + (size_t)MIN(leaf->allotted / row_size, leaf->target) * row_size;
}

void xtf_leaf_writer_grow(XtfLeafWriter *leaf)
{
    uint32_t row_size = leaf->schema->row_size, used = (uint32_t)(leaf->next - leaf->rows);

    if (used + row_size > leaf->allotted) {
        uint32_t most = (leaf->target + leaf->target / 8) * row_size; /* the next target may be greater */
        leaf->allotted = MIN(MAX(2 * leaf->allotted, MAX(BYTES_FIRST, used + row_size)), most);
        leaf->rows = g_realloc(leaf->rows, leaf->allotted);
        leaf->next = leaf->rows + used;
    }
    set_end(leaf);
}

/* Returns the number of rows that should nearly fill a page, if `count` rows took `length` bytes. */
static uint32_t guess_rows(const XtfLeafWriter *leaf, uint32_t count, uint32_t length)
{
    uint32_t head = MIN(HEAD_BYTES, length / 2), aim = leaf->room * FILL_PERCENT_AIM / 100;
    uint64_t rows = (uint64_t)count * (aim - head) / MAX(length - head, 1);
    return (uint32_t)CLAMP(rows, 1, leaf->most);
}

/* A packing attempt: the rows, and the bytes that they took or would take. */
typedef struct {
    uint32_t count, bytes;
} Attempt;

/* Returns the number of rows to try next. Where the rows' content changes, earlier rows predict later ones badly. So
 * the number is between the attempt that fitted (count 0: none has yet) and the one that did not. */
static uint32_t guess_between(const XtfLeafWriter *leaf, Attempt fits, Attempt over)
{
    uint32_t aim = leaf->room * FILL_PERCENT_AIM / 100;

    if (fits.count == 0)
        return MIN(guess_rows(leaf, over.count, over.bytes), over.count - 1 - over.count / 64);
    uint64_t step = (uint64_t)(over.count - fits.count) * (aim - MIN(aim, fits.bytes));
    uint32_t count = fits.count + (uint32_t)(step / MAX(over.bytes - fits.bytes, 1));
    return CLAMP(count, fits.count, over.count - 1);
}

/* Packs the first rows that fill the page well. If all rows are expected not to fill it and more may be appended, packs
 * none: count is 0, and `bytes` is the expected size. */
static Attempt pack_some(XtfLeafWriter *leaf, uint32_t all, uint8_t *payload)
{
    Attempt fits = {0}, over = {0};
    uint32_t count = MIN(all, leaf->target);

    for (unsigned attempts = 1;; attempts++) {
        bool may_wait = count == all && all < leaf->most;
        leaf->forecast.low = may_wait ? leaf->room * FILL_PERCENT_LEAST / 100 : 0;
        leaf->forecast.high = fits.count == 0 && attempts < ATTEMPTS_MAX && count > 1 ? leaf->room : UINT32_MAX;
        Attempt last = {count,
                        xtf_codec(leaf->codec)
                            ->pack(leaf->schema, leaf->rows, count, leaf->level, payload, leaf->room, &leaf->forecast)};
        uint32_t estimate = leaf->forecast.estimate;
        if (last.bytes == 0 && estimate < leaf->forecast.low)
            return (Attempt){0, estimate};
        if (last.bytes > 0)
            fits = last;
        else
            over = (Attempt){count, MAX(estimate, leaf->room + 1)};
        bool filled = (uint64_t)fits.bytes * 100 >= (uint64_t)leaf->room * FILL_PERCENT_REMAINING;
        bool settled = over.count == 0 || filled || attempts >= ATTEMPTS_MAX;
        if (settled && last.bytes > 0)
            return fits;
        g_assert(over.count > 1); /* a row always fits */
        count = settled && fits.count > 0 ? fits.count : guess_between(leaf, fits, over);
        if (last.bytes > 0 && count == fits.count)
            return fits;
    }
}

uint32_t xtf_leaf_writer_pack(XtfLeafWriter *leaf, uint8_t *payload, uint32_t *length)
{
    uint32_t all = xtf_leaf_writer_count(leaf);
    Attempt packed = pack_some(leaf, all, payload);
    *length = packed.bytes;
    if (packed.count == 0) { /* the rows take fewer bytes than the aim, so the guess is greater */
        leaf->target = MAX(guess_rows(leaf, all, packed.bytes), all + 1);
        return 0;
    }
    if (xtf_codec(leaf->codec)->side_by_side) /* rows have one size, so the target is exact */
        return packed.count;
    bool filled = (uint64_t)packed.bytes * 100 >= (uint64_t)leaf->room * FILL_PERCENT_LEAST;
    leaf->target = guess_rows(leaf, packed.count, packed.bytes);
    if (!filled && packed.count == all && all < leaf->most) {
        leaf->target = MAX(leaf->target, all + 1);
        return 0;
    }
    return packed.count;
}

void xtf_leaf_writer_drop(XtfLeafWriter *leaf, uint32_t count)
{
    size_t dropped = (size_t)count * leaf->schema->row_size, remaining = (size_t)(leaf->next - leaf->rows) - dropped;

    memmove(leaf->rows, leaf->rows + dropped, remaining);
    leaf->next = leaf->rows + remaining;
    set_end(leaf);
}

void xtf_leaf_writer_pack_open(const XtfLeafWriter *leaf, GByteArray *bytes)
{
    const XtfCodec *codec = xtf_codec(leaf->codec);
    uint32_t count = xtf_leaf_writer_count(leaf), bound = (uint32_t)codec->bound(leaf->schema, count);
    guint start = bytes->len;

    g_byte_array_set_size(bytes, start + bound);
    uint32_t length = codec->pack(leaf->schema, leaf->rows, count, leaf->level, bytes->data + start, bound, NULL);
    g_byte_array_set_size(bytes, start + length);
}

void xtf_leaf_writer_resume(XtfLeafWriter *leaf, const uint8_t *rows, uint32_t count, uint32_t length)
{
    uint32_t row_size = leaf->schema->row_size;

    leaf->allotted = count * row_size;
    leaf->rows = g_memdup2(rows, leaf->allotted);
    leaf->next = leaf->rows + leaf->allotted;
    if (!xtf_codec(leaf->codec)->side_by_side && count >= leaf->target)
        leaf->target = MAX(guess_rows(leaf, count, length), count);
    set_end(leaf);
}

#include "libxtf/writer-leaf.h"

#include "libxtf/pack.h"

enum {
    BYTES_FIRST = 512,       /* what a leaf is allotted before it grows: most arrays of a large trace are small */
    FILL_PERCENT_AIM = 97,   /* of a page: what a guess aims at, so that it seldom takes more... */
    FILL_PERCENT_LEAST = 93, /* ...and what is good enough */
    PLAIN_PAGES_FIRST = 2,   /* the first guess: as many rows as fill so many pages if they are not packed */
};

void xtf_leaf_writer_init(XtfLeafWriter *leaf, const XtfSchema *schema, XtfCodec codec, unsigned level, uint32_t room)
{
    uint32_t plain = room / schema->row_size;

    *leaf = (XtfLeafWriter){
        .schema = schema,
        .room = room,
        .target = codec == XTF_CODEC_PLAIN ? plain : MIN(PLAIN_PAGES_FIRST * plain, XTF_LEAF_ROWS_MAX),
        .codec = (uint8_t)codec,
        .level = (uint8_t)level,
    };
}

void xtf_leaf_writer_clear(XtfLeafWriter *leaf)
{
    g_clear_pointer(&leaf->rows, g_free);
    leaf->next = leaf->end = NULL;
    leaf->allotted = 0;
}

/* Rows may come up to the end of what is allotted, or to the target. */
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

/* How many rows should come near to filling a page, where `count` took `length` bytes. */
static uint32_t guess(const XtfLeafWriter *leaf, uint32_t count, uint32_t length)
{
    uint64_t rows = (uint64_t)count * leaf->room * FILL_PERCENT_AIM / 100 / MAX(length, 1);
    return (uint32_t)CLAMP(rows, 1, XTF_LEAF_ROWS_MAX);
}

static uint32_t pack_plain(const XtfLeafWriter *leaf, uint8_t *payload, uint32_t *length)
{
    *length = leaf->target * leaf->schema->row_size;
    memcpy(payload, leaf->rows, *length);
    return leaf->target;
}

uint32_t xtf_leaf_writer_pack(XtfLeafWriter *leaf, uint8_t *payload, uint32_t *length)
{
    if (leaf->codec == XTF_CODEC_PLAIN)
        return pack_plain(leaf, payload, length);

    uint32_t all = xtf_leaf_writer_count(leaf), count = MIN(all, leaf->target), taken, estimate;
    while (!(taken = xtf_pack(leaf->schema, leaf->rows, count, leaf->level, payload, leaf->room, &estimate))) {
        g_assert(count > 1); /* a row always fits */
        count = MIN(guess(leaf, count, estimate), count - 1 - count / 64);
    }
    bool filled = (uint64_t)taken * 100 >= (uint64_t)leaf->room * FILL_PERCENT_LEAST;
    leaf->target = guess(leaf, count, taken);
    if (!filled && count == all && count < XTF_LEAF_ROWS_MAX) {
        leaf->target = MAX(leaf->target, count + 1);
        return 0;
    }
    *length = taken;
    return count;
}

void xtf_leaf_writer_drop(XtfLeafWriter *leaf, uint32_t count)
{
    size_t gone = (size_t)count * leaf->schema->row_size, left = (size_t)(leaf->next - leaf->rows) - gone;

    memmove(leaf->rows, leaf->rows + gone, left);
    leaf->next = leaf->rows + left;
    set_end(leaf);
}

uint32_t xtf_leaf_writer_pack_open(const XtfLeafWriter *leaf, GByteArray *bytes)
{
    uint32_t count = xtf_leaf_writer_count(leaf), length = count * leaf->schema->row_size;

    if (leaf->codec == XTF_CODEC_PLAIN) {
        g_byte_array_append(bytes, leaf->rows, length);
        return length;
    }
    guint start = bytes->len;
    uint32_t bound = (uint32_t)xtf_pack_bound(leaf->schema, count);
    g_byte_array_set_size(bytes, start + bound);
    length = xtf_pack(leaf->schema, leaf->rows, count, leaf->level, bytes->data + start, bound, NULL);
    g_byte_array_set_size(bytes, start + length);
    return length;
}

void xtf_leaf_writer_resume(XtfLeafWriter *leaf, const uint8_t *rows, uint32_t count, uint32_t length)
{
    uint32_t row_size = leaf->schema->row_size;

    leaf->allotted = count * row_size;
    leaf->rows = g_memdup2(rows, leaf->allotted);
    leaf->next = leaf->rows + leaf->allotted;
    if (leaf->codec == XTF_CODEC_COMPACT && count >= leaf->target)
        leaf->target = MAX(guess(leaf, count, length), count);
    set_end(leaf);
}

#include "libxtf/write/commit-block.h"

#include "libxtf/base/checksum.h"
#include "libxtf/error.h"

enum { PIECE_BYTES = 1 << 20 };

void xtf_commit_block_init(XtfCommitBlock *block, XtfWriter *writer)
{
    *block = (XtfCommitBlock){.writer = writer, .bytes = g_byte_array_new()};
}

void xtf_commit_block_finish(XtfCommitBlock *block)
{
    g_clear_pointer(&block->bytes, g_byte_array_unref);
}

static bool write_bytes(XtfCommitBlock *block, GError **error)
{
    bool good = xtf_writer_put(block->writer, block->start, block->bytes->data, block->bytes->len, error);

    block->start += block->bytes->len;
    block->room -= block->bytes->len;
    block->written += block->bytes->len;
    g_byte_array_set_size(block->bytes, 0);
    return good;
}

/* Leaves the current pages. Unused pages become free again or, at the end of the file, are not allocated. */
static bool leave_pages(XtfCommitBlock *block, GError **error)
{
    XtfWriter *writer = block->writer;
    uint64_t room = block->room - block->bytes->len;

    if (!write_bytes(block, error))
        return false;
    uint64_t page = (block->start + writer->page_size - 1) / writer->page_size;
    if (room > UINT64_MAX / 2)
        writer->pages = page;
    else
        xtf_space_give_back(writer->space, page, room / writer->page_size);
    block->room = 0;
    return true;
}

static bool enter_pages(XtfCommitBlock *block, uint64_t length, GError **error)
{
    XtfWriter *writer = block->writer;
    uint64_t page, n_pages;

    if (block->room > 0 && !leave_pages(block, error))
        return false;
    if (xtf_space_take(writer->space, length, &page, &n_pages)) {
        block->start = page * writer->page_size;
        block->room = n_pages * writer->page_size;
    } else {
        block->start = writer->pages * writer->page_size;
        block->room = UINT64_MAX;
    }
    return true;
}

/* Releases the current pages beyond `length` bytes behind the last item. */
static void trim_room(XtfCommitBlock *block, uint64_t length)
{
    XtfWriter *writer = block->writer;
    uint64_t end = (xtf_commit_block_position(block) + length + writer->page_size - 1) / writer->page_size;
    uint64_t room = end * writer->page_size - block->start;

    if (block->room > UINT64_MAX / 2)
        writer->pages = end;
    else
        xtf_space_give_back(writer->space, end, (block->room - room) / writer->page_size);
    block->room = room;
}

/* Allocates pages for one copy of `length` bytes. */
static bool reserve_copy(XtfCommitBlock *block, uint64_t length, XtfPlace *place, GError **error)
{
    if (!enter_pages(block, length, error))
        return false;
    trim_room(block, length);
    *place = (XtfPlace){block->start, block->room};
    block->room = 0; /* the block writes there only after xtf_commit_block_enter() */
    return true;
}

bool xtf_commit_block_in_free_pages(const XtfCommitBlock *block)
{
    return block->room > 0 && block->room <= UINT64_MAX / 2;
}

bool xtf_commit_block_reserve(XtfCommitBlock *block, uint64_t length, XtfPlace *places, unsigned n, GError **error)
{
    uint64_t used = xtf_commit_block_position(block) - block->start;

    /* At the end of the file the copies get pages without other items: all these pages become free together. */
    bool stay = xtf_commit_block_in_free_pages(block) && block->room >= used + n * length;
    if (!stay && !xtf_commit_block_end(block, error))
        return false;
    if (!stay && !xtf_space_has(block->writer->space, n * length, 1) &&
        xtf_space_has(block->writer->space, length, n)) {
        for (unsigned i = 0; i < n; i++)
            if (!reserve_copy(block, length, &places[i], error))
                return false;
        return true;
    }
    if (!stay && !enter_pages(block, n * length, error))
        return false;
    trim_room(block, n * length);
    memset(places, 0, n * sizeof *places);
    return true;
}

bool xtf_commit_block_enter(XtfCommitBlock *block, const XtfPlace *place, GError **error)
{
    if (place->room == 0)
        return true;
    if (!xtf_commit_block_end(block, error))
        return false;
    block->start = place->start;
    block->room = place->room;
    return true;
}

uint64_t xtf_commit_block_position(const XtfCommitBlock *block)
{
    uint64_t end = block->start + block->bytes->len;
    return (end + XTF_ITEM_ALIGNMENT - 1) / XTF_ITEM_ALIGNMENT * XTF_ITEM_ALIGNMENT;
}

bool xtf_commit_block_add_run(XtfCommitBlock *block, const void *bytes, size_t length, uint64_t *offset, GError **error)
{
    static const uint8_t zeros[XTF_ITEM_ALIGNMENT];
    guint gap = (guint)(xtf_commit_block_position(block) - block->start - block->bytes->len);

    if (block->room - block->bytes->len < length + gap || block->room == 0) {
        if (!enter_pages(block, length, error))
            return false;
        gap = 0;
    }
    g_byte_array_append(block->bytes, zeros, gap);
    *offset = block->start + block->bytes->len;
    g_byte_array_append(block->bytes, bytes, (guint)length);
    xtf_space_use(block->writer->space, *offset, length);
    return block->bytes->len < PIECE_BYTES || write_bytes(block, error);
}

bool xtf_commit_block_add(XtfCommitBlock *block, const GByteArray *bytes, XtfRef *ref, GError **error)
{
    XtfRef before = *ref;

    if (bytes->len > XTF_ITEM_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: an item of the commit has %u bytes, and the format allows %d",
                        block->writer->path, bytes->len, XTF_ITEM_MAX);
    if (!xtf_commit_block_add_run(block, bytes->data, bytes->len, &ref->offset, error))
        return false;
    ref->length = bytes->len;
    ref->checksum = xtf_checksum(bytes->data, bytes->len);
    if (before.length > 0)
        xtf_space_drop(block->writer->space, before.offset, before.length);
    return true;
}

bool xtf_commit_block_end(XtfCommitBlock *block, GError **error)
{
    return block->room == 0 || leave_pages(block, error);
}

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

static bool flush(XtfCommitBlock *block, GError **error)
{
    bool good = xtf_writer_put(block->writer, block->start, block->bytes->data, block->bytes->len, error);

    block->start += block->bytes->len;
    block->room -= block->bytes->len;
    block->written += block->bytes->len;
    g_byte_array_set_size(block->bytes, 0);
    return good;
}

/* Ends the pages that items went to: those that took none are free again, or were never allotted. */
static bool leave_pages(XtfCommitBlock *block, GError **error)
{
    XtfWriter *writer = block->writer;
    uint64_t room = block->room - block->bytes->len;

    if (!flush(block, error))
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

bool xtf_commit_block_reserve(XtfCommitBlock *block, uint64_t length, GError **error)
{
    XtfWriter *writer = block->writer;
    uint64_t n_pages = (length + writer->page_size - 1) / writer->page_size;

    if (!enter_pages(block, length, error))
        return false;
    uint64_t end = block->start / writer->page_size + n_pages;
    if (block->room > UINT64_MAX / 2)
        writer->pages = end;
    else
        xtf_space_give_back(writer->space, end, block->room / writer->page_size - n_pages);
    block->room = n_pages * writer->page_size;
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
    return block->bytes->len < PIECE_BYTES || flush(block, error);
}

bool xtf_commit_block_add(XtfCommitBlock *block, const GByteArray *bytes, XtfRef *ref, GError **error)
{
    XtfRef before = *ref;

    if (bytes->len > XTF_ITEM_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: an item of %u bytes is too large", block->writer->path,
                        bytes->len);
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

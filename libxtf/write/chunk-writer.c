#include "libxtf/write/chunk-writer.h"

enum {
    STORED_CHUNKS = 64,           /* commits may divide the bytes into about this number of chunks */
    STORED_CHUNK_BYTES = 2 << 10, /* a shorter chunk is stored again rather than followed by another one */
};

void xtf_chunk_writer_init(XtfChunkWriter *chunks)
{
    *chunks = (XtfChunkWriter){
        .bytes = g_byte_array_new(),
        .starts = g_array_new(FALSE, FALSE, sizeof(guint)),
        .refs = g_array_new(FALSE, TRUE, sizeof(XtfRef)),
    };
}

void xtf_chunk_writer_finish(XtfChunkWriter *chunks)
{
    g_clear_pointer(&chunks->bytes, g_byte_array_unref);
    g_clear_pointer(&chunks->starts, g_array_unref);
    g_clear_pointer(&chunks->refs, g_array_unref);
}

void xtf_chunk_writer_resume(XtfChunkWriter *chunks, const XtfChunks *stored, GByteArray *bytes)
{
    guint start = 0;

    g_byte_array_unref(chunks->bytes);
    chunks->bytes = g_byte_array_ref(bytes);
    for (uint32_t i = 0; i < stored->n; i++) {
        g_array_append_val(chunks->starts, start);
        start += stored->chunks[i].length;
    }
    g_array_append_vals(chunks->refs, stored->chunks, stored->n);
    chunks->stored = chunks->bytes->len;
}

/* True if the last chunk is stored and long enough, so that a commit need not store it again. */
static bool may_stay(const XtfChunkWriter *chunks, guint length)
{
    guint bytes = chunks->bytes->len;

    return chunks->stored == bytes && length >= CLAMP(bytes / STORED_CHUNKS, STORED_CHUNK_BYTES, XTF_CHUNK_BYTES);
}

void xtf_chunk_writer_begin_unit(XtfChunkWriter *chunks)
{
    guint start = chunks->bytes->len, n = chunks->starts->len;
    guint length = n > 0 ? start - g_array_index(chunks->starts, guint, n - 1) : 0;

    if (n == 0 || length >= XTF_CHUNK_BYTES || may_stay(chunks, length) || (start == chunks->elsewhere && length > 0))
        g_array_append_val(chunks->starts, start);
}

static guint chunk_end(const XtfChunkWriter *chunks, guint i)
{
    return i + 1 < chunks->starts->len ? g_array_index(chunks->starts, guint, i + 1) : chunks->bytes->len;
}

/* Returns the index of the first chunk of the growing bytes that changed since a commit stored it. */
static guint first_changed(const XtfChunkWriter *chunks)
{
    guint n = chunks->refs->len;

    while (n > 0 && chunk_end(chunks, n - 1) > chunks->stored)
        n--;
    return n;
}

void xtf_chunk_writer_drop_changed(XtfChunkWriter *chunks, XtfSpace *space)
{
    guint first = first_changed(chunks);

    for (guint i = first; i < chunks->refs->len; i++) {
        const XtfRef *ref = &g_array_index(chunks->refs, XtfRef, i);
        xtf_space_drop(space, ref->offset, ref->length);
    }
    g_array_set_size(chunks->refs, first);
}

void xtf_chunk_writer_forget(XtfChunkWriter *chunks)
{
    g_array_set_size(chunks->refs, 0);
    chunks->stored = 0;
}

uint64_t xtf_chunk_writer_changed_bytes(const XtfChunkWriter *chunks)
{
    uint64_t bytes = 0;

    for (guint i = first_changed(chunks); i < chunks->starts->len; i++) {
        guint length = chunk_end(chunks, i) - g_array_index(chunks->starts, guint, i);
        bytes += (length + XTF_ITEM_ALIGNMENT - 1) / XTF_ITEM_ALIGNMENT * XTF_ITEM_ALIGNMENT;
    }
    return bytes;
}

bool xtf_chunk_writer_store(XtfChunkWriter *chunks, XtfCommitBlock *block, XtfChunks *stored, GError **error)
{
    guint first = first_changed(chunks), n = chunks->starts->len;

    g_array_set_size(chunks->refs, n);
    for (guint i = first; i < n; i++) {
        guint start = g_array_index(chunks->starts, guint, i);
        const GByteArray chunk = {.data = chunks->bytes->data + start, .len = chunk_end(chunks, i) - start};
        if (!xtf_commit_block_add(block, &chunk, &g_array_index(chunks->refs, XtfRef, i), error))
            return false;
    }
    chunks->stored = chunks->bytes->len;
    *stored = (XtfChunks){.chunks = (XtfRef *)(void *)chunks->refs->data, .n = n, .bytes = chunks->bytes->len};
    return true;
}

/*
 * Bytes that only grow, stored in chunks: strings, table rows, schemas. A chunk is an item. Once a chunk has
 * XTF_CHUNK_BYTES, the next unit (a string, a row or a schema) begins a new chunk. If a commit has stored the chunk,
 * less is enough. A commit stores the last chunk again if it has grown, and the new chunks behind it; earlier chunks
 * stay where they are. So over all commits each byte is written once, plus at most a short chunk per commit.
 */
#pragma once

#include "libxtf/write/commit-block.h"

void xtf_chunk_writer_init(XtfChunkWriter *chunks);
void xtf_chunk_writer_finish(XtfChunkWriter *chunks);
/* Continues with the chunks that another writer stored; `bytes` holds the bytes of all of them. */
void xtf_chunk_writer_resume(XtfChunkWriter *chunks, const XtfChunks *stored, GByteArray *bytes);

/* Forgets where chunks are stored, so that the next xtf_chunk_writer_store() stores all of them anew. */
void xtf_chunk_writer_forget(XtfChunkWriter *chunks);

/* Begins a unit at the end of the bytes. The caller then appends the unit to chunks->bytes. */
void xtf_chunk_writer_begin_unit(XtfChunkWriter *chunks);

/* Returns the bytes that storing the changed chunks will take. */
uint64_t xtf_chunk_writer_changed_bytes(const XtfChunkWriter *chunks);
/* Drops the stored copies of the changed chunks from the space. Without this call xtf_chunk_writer_store() does so. */
void xtf_chunk_writer_drop_changed(XtfChunkWriter *chunks, XtfSpace *space);
/* Stores the changed chunks. *stored, borrowed from the chunk writer, gets references to all chunks. */
bool xtf_chunk_writer_store(XtfChunkWriter *chunks, XtfCommitBlock *block, XtfChunks *stored, GError **error);

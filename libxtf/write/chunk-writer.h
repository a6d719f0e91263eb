/*
 * Bytes that only grow, stored in chunks: strings, rows of tables, schemas. A chunk is an item. It ends where the next
 * unit (a string, a row, a schema) would begin once it has XTF_CHUNK_BYTES. A commit stores the last chunk again if it
 * has grown, and those behind it; the chunks before it stay where they are. So growing to any size costs, over all
 * commits, the bytes once, and at most a chunk for each commit.
 */
#pragma once

#include "libxtf/write/commit-block.h"

void xtf_chunk_writer_init(XtfChunkWriter *chunks);
void xtf_chunk_writer_finish(XtfChunkWriter *chunks);
/* Goes on with what another writer stored; `bytes` are all of them. */
void xtf_chunk_writer_resume(XtfChunkWriter *chunks, const XtfChunks *stored, GByteArray *bytes);

/* Says that a unit begins at the end of the bytes; the caller appends it to chunks->bytes then. */
void xtf_chunk_writer_begin_unit(XtfChunkWriter *chunks);

/* The bytes that storing the chunks that have changed will take. */
uint64_t xtf_chunk_writer_changed_bytes(const XtfChunkWriter *chunks);
/* Says that what is stored of these is no longer used; without it, storing them says so. */
void xtf_chunk_writer_drop_changed(XtfChunkWriter *chunks, XtfSpace *space);
/* Stores the chunks that have changed; *stored, borrowed from the writer of chunks, says where all of them lie. */
bool xtf_chunk_writer_store(XtfChunkWriter *chunks, XtfCommitBlock *block, XtfChunks *stored, GError **error);

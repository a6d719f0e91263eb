/*
 * Moving arrays from one writer to another.
 *
 * Processes that share the work on a trace may each write rows, by a writer of their own: a sender. The process that
 * writes the file, the receiver, then adds the arrays of each sender to its own. It gets packed pages and right edges,
 * not rows. A sender computes their places, links and checksums for the receiver's file. So the receiver copies bytes,
 * and its work does not depend on the number of rows.
 *
 * The receiver and its senders are of one build of this library, on machines of one byte order. How bytes travel is up
 * to the caller.
 *
 *     sender                                        receiver
 *                                                   xtf_writer_layout()
 *     xtf_writer_create_sender(), rows
 *     xtf_transfer_size()
 *                                                   xtf_receiver_new() with this size
 *     xtf_transfer_send() with the receiver's place
 *                                                   xtf_receiver_read() for each block, xtf_receiver_end()
 */
#pragma once

#include "libxtf/writer.h"

XTF_BEGIN_DECLS

/* The size of a sender's arrays. */
typedef struct {
    uint64_t n_pages;
    uint64_t n_arrays;
} XtfTransferSize;

/* The place of these arrays in the receiver's file. */
typedef struct {
    uint64_t segment;
    uint64_t first_page;
    uint32_t epoch;
    uint32_t first_array; /* id of the first array */
} XtfTransferPlace;

/* Gets page_size, codec and level of a writer; the other options are 0. */
void xtf_writer_layout(const XtfWriter *writer, XtfWriterOptions *options);

/* Creates a sender, with the layout of the receiver. It keeps its pages in temporary files without names, and is never
 * committed. Rows with strings cannot be moved, as their ids are valid in one file. */
XtfWriter *xtf_writer_create_sender(const XtfWriterOptions *layout, GError **error);

/* Ends a sender: gets the size of its arrays, which must all be closed. Nothing may be appended later. */
bool xtf_transfer_size(XtfWriter *sender, XtfTransferSize *size, GError **error);

/* Returns space for the next block, which xtf_transfer_send() fills before its next call; NULL with an error ends the
 * transfer. `n_bytes` is a multiple of 8. */
typedef void *(*XtfTransferPut)(void *data, uint32_t n_bytes, GError **error);
/* Sends all pages and arrays of a sender as blocks, once. */
bool xtf_transfer_send(XtfWriter *sender, const XtfTransferPlace *place, XtfTransferPut put, void *data,
                       GError **error);

/* The arrays of one sender that arrive. */
typedef struct XtfReceiver XtfReceiver;

/* Reserves pages and ids for a sender's arrays. Borrows the writer, which must have the schemas of all arrays, without
 * rows of the same locations. The same thread may
 * write other rows before the blocks arrive. XTF_ERROR_TOO_LARGE if the file has no ids for the arrays. */
XtfReceiver *xtf_receiver_new(XtfWriter *writer, const XtfTransferSize *size, GError **error);
void xtf_receiver_free(XtfReceiver *receiver); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfReceiver, xtf_receiver_free)
XtfTransferPlace xtf_receiver_place(const XtfReceiver *receiver);
/* Reads the next block. XTF_ERROR_INVALID if the block does not have the announced size, or the writer lacks the
 * schema, or already has rows in the array. The writer cannot commit then. */
bool xtf_receiver_read(XtfReceiver *receiver, const void *block, uint32_t n_bytes, GError **error);
/* Checks that all blocks have arrived. */
bool xtf_receiver_end(const XtfReceiver *receiver, GError **error);

XTF_END_DECLS

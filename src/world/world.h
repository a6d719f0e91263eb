/*
 * Processes that work together: the ranks of a job that the launcher of an MPI started.
 *
 * The command links with no MPI. A process that a launcher started loads a module for that MPI (module.h). Any other
 * process is rank 0 of 1, and loads nothing.
 *
 * Batches are for work in which any rank may send to any other at any time. xtf_world_send() never blocks. Batches of
 * one rank arrive in the order in which it sent them. A rank sends to another rank at most XTF_WORLD_CREDIT pieces
 * that the other has not received yet, so MPI's buffers stay bounded. Further batches wait in the sender's memory;
 * xtf_world_n_waiting() says how many, so that a caller may slow down.
 *
 * Collective functions are called by all ranks, in the same order. They deliver messages while they wait, and yield the
 * processor.
 *
 * All functions of a job are called by one thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_WORLD_CREDIT = 8,
    XTF_WORLD_PIECE = 1 << 20, /* most bytes of a message; longer batches are sent in pieces */
    XTF_WORLD_END_SECONDS = 30,
    XTF_WORLD_FAILED_END_SECONDS = 5,
};

typedef struct XtfWorld XtfWorld;

/* Starts MPI if a launcher started this process. Collective. NULL with an error: the module or the library of MPI is
 * missing, or is not the launcher's. The only process of a job needs neither. */
XtfWorld *xtf_world_start(GError **error);
/* True if the environment shows that the launcher started this process alone, so that it needs no MPI. */
bool xtf_world_is_alone(void);
/* Ends a process whose xtf_world_start() has failed, if the job has more processes: without it, they would wait in
 * xtf_world_start(). Launchers end a job if a process ends by a signal. The caller has reported the error. */
void xtf_world_give_up(void);
/* Ends MPI. Collective. Batches that have not been received are lost. Some MPIs hang while they end. All work is done
 * then, so this process ends with `status` after XTF_WORLD_END_SECONDS, or sooner if it is not 0. NULL is allowed. */
void xtf_world_end(XtfWorld *world, int status);

unsigned xtf_world_rank(const XtfWorld *world);
unsigned xtf_world_size(const XtfWorld *world);
/* True if a launcher started the process. There may be one rank only. */
bool xtf_world_is_launched(const XtfWorld *world);

/* ---- Batches. */

/* Sends a batch, of any length, also to the own rank. Copies the bytes. */
void xtf_world_send(XtfWorld *world, unsigned to, const void *bytes, size_t length);
/* Returns the next batch that has arrived, which the caller unrefs, and its sender; NULL: none has. */
GBytes *xtf_world_receive(XtfWorld *world, unsigned *from);
/* True if a batch has arrived. The second function delivers messages first. */
bool xtf_world_has_batch(const XtfWorld *world);
bool xtf_world_deliver_batches(XtfWorld *world);
/* Returns the number of messages that wait in this process until they can be sent. */
size_t xtf_world_n_waiting(const XtfWorld *world);
/* Delivers messages. If there are none, yields the processor, and sleeps some microseconds after some calls without a
 * message, but at most 2 ms. */
void xtf_world_wait(XtfWorld *world);
/* True if all ranks are done: each has received all batches, and has nothing left to do. A rank calls the function when
 * it has nothing to do, and repeats the call, and receives batches, until it is true. It is true in all ranks once,
 * then batches may begin again. */
bool xtf_world_are_done(XtfWorld *world);

/* ---- Collective functions. */

/* Returns the bytes of rank 0 in all ranks. Only rank 0 passes `bytes`. The caller unrefs them. */
GBytes *xtf_world_broadcast(XtfWorld *world, GBytes *bytes);
/* Returns in rank 0 the bytes of all ranks, an array of GBytes that the caller unrefs; NULL in other ranks. */
GPtrArray *xtf_world_gather(XtfWorld *world, GBytes *bytes);

/* Adds up n numbers over all ranks. All ranks get the sums, in place. */
void xtf_world_sum(XtfWorld *world, uint64_t *numbers, size_t n);

/* Warns all other ranks that this one has failed. They need not finish their work before xtf_world_agree(). Not
 * collective. */
void xtf_world_warn(XtfWorld *world);
/* True if a rank has failed. Delivers messages. Not collective. */
bool xtf_world_were_warned(XtfWorld *world);

/* True if no rank has an error. Else one rank has to report its error: the lowest that has one. *reports is true in
 * that rank. Errors XTF_ERROR_CANCELLED count only if there are no others, since a rank that was warned gives up. */
bool xtf_world_agree(XtfWorld *world, const GError *own, bool *reports);
/* True if no rank has failed. Takes over the error of this rank, and warns the others of it. The one rank that reports
 * gets it in *error, with its number and host. Collective, until it is false; then it is false at once, and *error gets
 * the rank's error. Without a world (NULL) it judges this process alone. */
bool xtf_world_have_succeeded(XtfWorld *world, GError *own, GError **error);

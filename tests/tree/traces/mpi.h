/*
 * Small traces of messages, written call by call. Ticks are nanoseconds. The writer finds postings by a linear
 * search and uses no code of the importer.
 */
#pragma once

#include "tests/tree/traces/writing.h"

enum {
    MPI_WORLD,    /* all processes */
    MPI_REVERSED, /* all, in reverse order */
    MPI_SELF,     /* no group: each process is alone in it */
    MPI_INTER,    /* between the even and the odd processes */
    MPI_COMMS,
};

enum {
    MPI_SEND_CALL,
    MPI_ISEND_CALL,
    MPI_RECV_CALL,
    MPI_IRECV_CALL,
    MPI_WAIT_CALL,
    MPI_TEST_CALL,
    MPI_MRECV_CALL,
    MPI_WORK_CALL,
    MPI_CALLS,
};

typedef struct {
    uint32_t peer; /* a rank */
    uint32_t comm, tag;
    uint64_t bytes;
} Envelope;

typedef struct {
    uint64_t seq, n_calls, n_sends, n_recvs;
    uint32_t depth;
    uint64_t enters[8]; /* rows of the open calls */
    uint32_t regions[8];
    GArray *postings, *cancelled; /* XtfPostingsRow */
    GArray *open;                 /* of Open: incomplete operations with their requests */
} MpiLocation;

typedef struct {
    Writing writing;
    unsigned n_processes, n_threads;
    MpiLocation *locations; /* process * n_threads + thread */
} Mpi;

void mpi_begin(Mpi *mpi, unsigned n_processes, unsigned n_threads);
/* Writes the postings so far. None of them may be later than an incomplete receive. */
void mpi_flush(Mpi *mpi);
void mpi_end(Mpi *mpi, Written *written);

void mpi_enter(Mpi *mpi, unsigned location, uint64_t t, unsigned call);
void mpi_leave(Mpi *mpi, unsigned location, uint64_t t);

/* Appends a record without a call. */
void mpi_record_send(Mpi *mpi, unsigned location, uint64_t t, Envelope envelope, uint64_t request);
void mpi_record_recv(Mpi *mpi, unsigned location, uint64_t t, Envelope envelope);
void mpi_record_post(Mpi *mpi, unsigned location, uint64_t t, uint64_t request);
void mpi_record_complete(Mpi *mpi, unsigned location, uint64_t t, Envelope envelope, uint64_t request);
void mpi_record_sent(Mpi *mpi, unsigned location, uint64_t t, uint64_t request);
void mpi_record_cancel_send(Mpi *mpi, unsigned location, uint64_t t, uint64_t request);

/* Writes a call from t to t + ticks with its record in the middle. */
void mpi_send(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope);
void mpi_isend(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope, uint64_t request);
void mpi_recv(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope);
void mpi_irecv(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, uint64_t request);
/* Writes a call that completes a receive. */
void mpi_wait(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope, uint64_t request);

#include "tests/tree/traces/mpi.h"

#include <criterion/criterion.h>

typedef struct {
    uint64_t request;
    bool is_send;
    XtfPostingsRow row;
} Open;

static void define_group(Mpi *mpi, uint32_t id, uint64_t *first, const uint32_t *procs, unsigned n)
{
    writing_define(&mpi->writing, XTF_MODEL_GROUPS, &(XtfGroupRow){.first = *first, .count = n, .id = id});
    for (unsigned i = 0; i < n; i++)
        writing_define(&mpi->writing, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = procs[i], .proc = procs[i]});
    *first += n;
}

static void define_groups(Mpi *mpi)
{
    g_autofree uint32_t *all = g_new(uint32_t, mpi->n_processes), *back = g_new(uint32_t, mpi->n_processes);
    g_autofree uint32_t *even = g_new(uint32_t, mpi->n_processes), *odd = g_new(uint32_t, mpi->n_processes);
    unsigned n = mpi->n_processes;
    uint64_t first = 0;

    for (unsigned i = 0; i < n; i++) {
        all[i] = i;
        back[i] = n - 1 - i;
        *(i % 2 ? &odd[i / 2] : &even[i / 2]) = i;
    }
    define_group(mpi, 0, &first, all, n);
    define_group(mpi, 1, &first, back, n);
    define_group(mpi, 2, &first, even, (n + 1) / 2);
    define_group(mpi, 3, &first, odd, n / 2);
}

static void define_all(Mpi *mpi)
{
    static const char *const regions[MPI_CALLS] = {"MPI_Send", "MPI_Isend", "MPI_Recv",  "MPI_Irecv",
                                                   "MPI_Wait", "MPI_Test",  "MPI_Mrecv", "work"};
    static const uint32_t groups[MPI_COMMS][2] = {{0, XTF_NONE32}, {1, XTF_NONE32}, {XTF_NONE32, XTF_NONE32}, {2, 3}};

    for (unsigned i = 0; i < MPI_CALLS; i++)
        writing_define(&mpi->writing, XTF_MODEL_REGIONS,
                       &(XtfRegionRow){.line = XTF_NONE32, .name = writing_string(&mpi->writing, regions[i])});
    for (uint32_t i = 0; i < mpi->n_processes * mpi->n_threads; i++)
        writing_define(&mpi->writing, XTF_MODEL_LOCATIONS,
                       &(XtfLocationRow){.id = i, .proc = i / mpi->n_threads, .thread = i % mpi->n_threads});
    for (uint32_t i = 0; i < MPI_COMMS; i++)
        writing_define(
            &mpi->writing, XTF_MODEL_COMMUNICATORS,
            &(XtfCommunicatorRow){.id = i, .group = groups[i][0], .remote_group = groups[i][1], .parent = XTF_NONE32});
    define_groups(mpi);
}

void mpi_begin(Mpi *mpi, unsigned n_processes, unsigned n_threads)
{
    *mpi = (Mpi){.n_processes = n_processes, .n_threads = n_threads};
    writing_begin(&mpi->writing);
    define_all(mpi);
    mpi->locations = g_new0(MpiLocation, n_processes * n_threads);
    for (unsigned i = 0; i < n_processes * n_threads; i++) {
        mpi->locations[i].postings = g_array_new(FALSE, FALSE, sizeof(XtfPostingsRow));
        mpi->locations[i].cancelled = g_array_new(FALSE, FALSE, sizeof(XtfPostingsRow));
        mpi->locations[i].open = g_array_new(FALSE, FALSE, sizeof(Open));
    }
}

static int compare_postings(const void *a, const void *b)
{
    const XtfPostingsRow *x = a, *y = b;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void write_side(Mpi *mpi, unsigned location, unsigned type, GArray *rows)
{
    g_array_sort(rows, compare_postings);
    for (guint i = 0; i < rows->len; i++)
        writing_append(&mpi->writing, location, type, &g_array_index(rows, XtfPostingsRow, i));
    g_array_set_size(rows, 0);
}

void mpi_flush(Mpi *mpi)
{
    for (unsigned i = 0; i < mpi->n_processes * mpi->n_threads; i++) {
        write_side(mpi, i, XTF_MODEL_POSTINGS, mpi->locations[i].postings);
        write_side(mpi, i, XTF_MODEL_CANCELLED, mpi->locations[i].cancelled);
    }
}

void mpi_end(Mpi *mpi, Written *written)
{
    mpi_flush(mpi);
    for (unsigned i = 0; i < mpi->n_processes * mpi->n_threads; i++) {
        g_array_unref(mpi->locations[i].postings);
        g_array_unref(mpi->locations[i].cancelled);
        g_array_unref(mpi->locations[i].open);
    }
    g_free(mpi->locations);
    writing_end(&mpi->writing, written);
}

/* ---- Calls. */

void mpi_enter(Mpi *mpi, unsigned location, uint64_t t, unsigned call)
{
    MpiLocation *at = &mpi->locations[location];
    XtfEntersLeavesRow row = {.time = t, .seq = at->seq++, .region = call, .outermost = 1, .depth = at->depth + 1};

    if (at->depth > 0)
        row.enter = at->n_calls - at->enters[at->depth - 1];
    at->enters[at->depth] = at->n_calls++;
    at->regions[at->depth++] = call;
    writing_append(&mpi->writing, location, XTF_MODEL_ENTERS_LEAVES, &row);
}

void mpi_leave(Mpi *mpi, unsigned location, uint64_t t)
{
    MpiLocation *at = &mpi->locations[location];
    XtfEntersLeavesRow row = {.time = t, .seq = at->seq++, .event = 1, .outermost = 1, .depth = at->depth};

    at->depth--;
    row.region = at->regions[at->depth];
    row.enter = at->n_calls++ - at->enters[at->depth];
    writing_append(&mpi->writing, location, XTF_MODEL_ENTERS_LEAVES, &row);
}

/* ---- Records. */

static uint32_t region_of(const MpiLocation *location)
{
    return location->depth ? location->regions[location->depth - 1] : XTF_NONE32;
}

static XtfPostingsRow side_row(uint64_t t, uint64_t seq, const Envelope *envelope, uint64_t message)
{
    return (XtfPostingsRow){.time = t,
                            .seq = seq,
                            .comm = envelope->comm,
                            .peer = envelope->peer,
                            .tag = envelope->tag,
                            .bytes = envelope->bytes,
                            .message = message};
}

void mpi_record_send(Mpi *mpi, unsigned location, uint64_t t, Envelope envelope, uint64_t request)
{
    MpiLocation *at = &mpi->locations[location];
    XtfSendsRow row = {.time = t,
                       .seq = at->seq,
                       .region = region_of(at),
                       .event = request != XTF_NONE64,
                       .peer = envelope.peer,
                       .comm = envelope.comm,
                       .tag = envelope.tag,
                       .bytes = envelope.bytes,
                       .request = request};
    Open open = {request, true, side_row(t, at->seq, &envelope, at->n_sends)};

    writing_append(&mpi->writing, location, XTF_MODEL_SENDS, &row);
    if (request != XTF_NONE64)
        g_array_append_val(at->open, open);
    at->n_sends++;
    at->seq++;
}

static void append_recv(Mpi *mpi, unsigned location, uint64_t t, const Envelope *envelope, uint64_t request,
                        uint64_t posted)
{
    MpiLocation *at = &mpi->locations[location];
    XtfRecvsRow row = {.time = t,
                       .seq = at->seq++,
                       .region = region_of(at),
                       .event = request != XTF_NONE64,
                       .peer = envelope->peer,
                       .comm = envelope->comm,
                       .tag = envelope->tag,
                       .bytes = envelope->bytes,
                       .request = request,
                       .posted = posted};
    writing_append(&mpi->writing, location, XTF_MODEL_RECVS, &row);
    at->n_recvs++;
}

void mpi_record_recv(Mpi *mpi, unsigned location, uint64_t t, Envelope envelope)
{
    MpiLocation *at = &mpi->locations[location];
    XtfPostingsRow posting = side_row(t, at->seq, &envelope, at->n_recvs);

    g_array_append_val(at->postings, posting);
    append_recv(mpi, location, t, &envelope, XTF_NONE64, 0);
}

static void append_request(Mpi *mpi, unsigned location, uint64_t t, unsigned event, uint64_t request)
{
    MpiLocation *at = &mpi->locations[location];
    writing_append(
        &mpi->writing, location, XTF_MODEL_REQUESTS,
        &(XtfRequestsRow){
            .time = t, .seq = at->seq++, .region = region_of(at), .event = (uint8_t)event, .request = request});
}

void mpi_record_post(Mpi *mpi, unsigned location, uint64_t t, uint64_t request)
{
    MpiLocation *at = &mpi->locations[location];
    Open open = {.request = request, .row = {.time = t, .seq = at->seq}};

    g_array_append_val(at->open, open);
    append_request(mpi, location, t, XTF_LABEL_MPI_IRECV_REQUEST, request);
}

/* Removes and returns the latest open operation of a request. */
static Open take_operation(MpiLocation *location, uint64_t request, bool is_send)
{
    for (guint i = location->open->len; i > 0; i--) {
        Open open = g_array_index(location->open, Open, i - 1);
        if (open.request != request || open.is_send != is_send)
            continue;
        g_array_remove_index(location->open, i - 1);
        return open;
    }
    cr_assert_fail("no request %" G_GUINT64_FORMAT, request);
    return (Open){0};
}

void mpi_record_complete(Mpi *mpi, unsigned location, uint64_t t, Envelope envelope, uint64_t request)
{
    MpiLocation *at = &mpi->locations[location];
    Open open = take_operation(at, request, false);
    XtfPostingsRow posting = side_row(open.row.time, open.row.seq, &envelope, at->n_recvs);

    g_array_append_val(at->postings, posting);
    append_recv(mpi, location, t, &envelope, request, at->seq - open.row.seq);
}

void mpi_record_sent(Mpi *mpi, unsigned location, uint64_t t, uint64_t request)
{
    take_operation(&mpi->locations[location], request, true);
    append_request(mpi, location, t, XTF_LABEL_MPI_ISEND_COMPLETE, request);
}

void mpi_record_cancel_send(Mpi *mpi, unsigned location, uint64_t t, uint64_t request)
{
    Open open = take_operation(&mpi->locations[location], request, true);

    g_array_append_val(mpi->locations[location].cancelled, open.row);
    append_request(mpi, location, t, XTF_LABEL_MPI_REQUEST_CANCELLED, request);
}

/* ---- Calls with their records. */

void mpi_send(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope)
{
    mpi_enter(mpi, location, t, MPI_SEND_CALL);
    mpi_record_send(mpi, location, t + ticks / 2, envelope, XTF_NONE64);
    mpi_leave(mpi, location, t + ticks);
}

void mpi_isend(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope, uint64_t request)
{
    mpi_enter(mpi, location, t, MPI_ISEND_CALL);
    mpi_record_send(mpi, location, t + ticks / 2, envelope, request);
    mpi_leave(mpi, location, t + ticks);
}

void mpi_recv(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope)
{
    mpi_enter(mpi, location, t, MPI_RECV_CALL);
    mpi_record_recv(mpi, location, t + ticks / 2, envelope);
    mpi_leave(mpi, location, t + ticks);
}

void mpi_irecv(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, uint64_t request)
{
    mpi_enter(mpi, location, t, MPI_IRECV_CALL);
    mpi_record_post(mpi, location, t + ticks / 2, request);
    mpi_leave(mpi, location, t + ticks);
}

void mpi_wait(Mpi *mpi, unsigned location, uint64_t t, uint64_t ticks, Envelope envelope, uint64_t request)
{
    mpi_enter(mpi, location, t, MPI_WAIT_CALL);
    mpi_record_complete(mpi, location, t + ticks / 2, envelope, request);
    mpi_leave(mpi, location, t + ticks);
}

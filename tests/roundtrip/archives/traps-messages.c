/* Requests of messages that are posted, completed in another order, cancelled, freed and used again. */
#include "traps.h"

static const uint64_t RANKS[] = {0, 1, 2};

enum { TAG = 5 };

typedef struct {
    OTF2_EvtWriter *writer;
    uint64_t time;
} Process;

static void post_receive(Process *process, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIrecvRequest(process->writer, NULL, process->time++, request));
}

static void complete_receive(Process *process, uint32_t sender, uint32_t tag, uint64_t bytes, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIrecv(process->writer, NULL, process->time++, sender, 0, tag, bytes, request));
}

static void write_receive(Process *process, uint32_t sender, uint32_t tag, uint64_t bytes)
{
    WRITE(OTF2_EvtWriter_MpiRecv(process->writer, NULL, process->time++, sender, 0, tag, bytes));
}

static void begin_send(Process *process, uint32_t receiver, uint32_t tag, uint64_t bytes, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIsend(process->writer, NULL, process->time++, receiver, 0, tag, bytes, request));
}

static void complete_send(Process *process, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIsendComplete(process->writer, NULL, process->time++, request));
}

static void cancel_request(Process *process, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiRequestCancelled(process->writer, NULL, process->time++, request));
}

/* Writes receives. The last one posted completes first; a blocking receive is between them. */
static void write_receives(Process *process)
{
    for (uint64_t request = 0; request < 8; request++)
        post_receive(process, request);
    write_receive(process, 1, TAG, 1);
    for (uint64_t request = 8; request-- > 0;)
        complete_receive(process, 1, TAG, 100 + request, request);
    for (unsigned start = 0; start < 3; start++) { /* a persistent request is posted at each start */
        post_receive(process, 77);
        complete_receive(process, 2, TAG, 200 + start, 77);
    }
    post_receive(process, 9); /* freed later: the next post with this id starts a new request */
    write_receive(process, 0, TAG, 300);
    post_receive(process, 9);
    complete_receive(process, 0, TAG, 301, 9);
    complete_receive(process, 0, TAG, 302, 9); /* no request has this id now, so the receive is its own posting */
    post_receive(process, 10);
    post_receive(process, 11);
    cancel_request(process, 10);
    complete_receive(process, 1, TAG, 303, 11);
    cancel_request(process, 10);
    post_receive(process, 12); /* never completes; the next receives follow it */
    write_receive(process, 0, TAG, 304);
    post_receive(process, 13);
    complete_receive(process, 2, TAG, 305, 13);
}

/* Writes sends. Some have the ids of open receives. */
static void write_sends(Process *process)
{
    post_receive(process, 1);
    begin_send(process, 0, TAG, 400, 1);
    begin_send(process, 0, TAG, 401, 2);
    begin_send(process, 1, TAG, 402, 3); /* process 1 sends this one to itself */
    cancel_request(process, 2);
    cancel_request(process, 1); /* cancels the send, which was posted after the receive */
    complete_send(process, 3);
    cancel_request(process, 3); /* cancels nothing: the send is complete */
    complete_receive(process, 1, TAG, 402, 1);
    begin_send(process, 2, TAG, 403, 4);
    begin_send(process, 2, TAG, 404, 4); /* frees the first one */
    cancel_request(process, 4);
    begin_send(process, 2, TAG, 405, 5);
    post_receive(process, 5);
    cancel_request(process, 5); /* cancels the receive */
    cancel_request(process, 5); /* cancels the send */
    WRITE(OTF2_EvtWriter_MpiSend(process->writer, NULL, process->time++, 2, 0, TAG, 406));
    begin_send(process, 2, TAG, 407, 6); /* never completes */
    begin_send(process, 0, TAG, 408, 7);
    cancel_request(process, 7);
}

void write_requests(const char *folder)
{
    Archive *archive = archive_new(folder, "requests");

    for (uint64_t rank = 0; rank < 3; rank++) {
        Process process = {archive_events(archive, rank), 100};
        if (rank != 1)
            write_receives(&process);
        if (rank != 0)
            write_sends(&process);
    }
    archive_clock(archive, 1000000, 100, 1000);
    ring_definitions(archive, RANKS, 3);
    archive_close(archive);
}

static void write_random_event(Process *process, GRand *random, uint64_t ids)
{
    uint64_t request = g_rand_int_range(random, 0, ids);
    uint32_t peer = g_rand_int_range(random, 0, 3), tag = g_rand_int_range(random, 0, 6);
    uint64_t bytes = g_rand_int_range(random, 0, 5000);

    switch (g_rand_int_range(random, 0, 16)) {
    case 0 ... 3:
        post_receive(process, request);
        break;
    case 4 ... 6:
        complete_receive(process, peer, tag, bytes, request);
        break;
    case 7 ... 9:
        begin_send(process, peer, tag, bytes, request);
        break;
    case 10 ... 11:
        complete_send(process, request);
        break;
    case 12:
        cancel_request(process, request);
        break;
    case 13:
        WRITE(OTF2_EvtWriter_MpiSend(process->writer, NULL, process->time++, peer, 0, tag, bytes));
        break;
    case 14:
        WRITE(OTF2_EvtWriter_MpiRequestTest(process->writer, NULL, process->time++, request));
        break;
    default:
        write_receive(process, peer, tag, bytes);
    }
    process->time -= g_rand_int_range(random, 0, 3) == 0; /* the next event has the same time */
}

/* Writes random requests. Some processes use few ids again and again, others use many. */
void write_random_requests(const char *folder)
{
    static const uint64_t ids[] = {4, 60, 3000};
    Archive *archive = archive_new(folder, "random-requests");
    GRand *random = g_rand_new_with_seed(11);

    for (uint64_t rank = 0; rank < 3; rank++) {
        Process process = {archive_events(archive, rank), 100};
        for (unsigned i = 0; i < 12000; i++)
            write_random_event(&process, random, ids[rank]);
    }
    g_rand_free(random);
    archive_clock(archive, 1000000, 100, 100000);
    ring_definitions(archive, RANKS, 3);
    archive_close(archive);
}

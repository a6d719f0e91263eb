/*
 * Requests of messages: posted, completed in another order, cancelled, freed, used again.
 */
#include "traps.h"

static const uint64_t RANKS[] = {0, 1, 2};

enum { TAG = 5 };

typedef struct {
    OTF2_EvtWriter *writer;
    uint64_t time;
} Process;

static void post(Process *process, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIrecvRequest(process->writer, NULL, process->time++, request));
}

static void complete(Process *process, uint32_t sender, uint32_t tag, uint64_t bytes, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIrecv(process->writer, NULL, process->time++, sender, 0, tag, bytes, request));
}

static void receive(Process *process, uint32_t sender, uint32_t tag, uint64_t bytes)
{
    WRITE(OTF2_EvtWriter_MpiRecv(process->writer, NULL, process->time++, sender, 0, tag, bytes));
}

static void begin_send(Process *process, uint32_t receiver, uint32_t tag, uint64_t bytes, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIsend(process->writer, NULL, process->time++, receiver, 0, tag, bytes, request));
}

static void sent(Process *process, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiIsendComplete(process->writer, NULL, process->time++, request));
}

static void cancel(Process *process, uint64_t request)
{
    WRITE(OTF2_EvtWriter_MpiRequestCancelled(process->writer, NULL, process->time++, request));
}

/* Receives: the last posted completes first, a blocking one between them. */
static void write_receives(Process *process)
{
    for (uint64_t request = 0; request < 8; request++)
        post(process, request);
    receive(process, 1, TAG, 1);
    for (uint64_t request = 8; request-- > 0;)
        complete(process, 1, TAG, 100 + request, request);
    for (unsigned start = 0; start < 3; start++) { /* a persistent request: posted at each start */
        post(process, 77);
        complete(process, 2, TAG, 200 + start, 77);
    }
    post(process, 9); /* freed: the id is posted again, and means the later one */
    receive(process, 0, TAG, 300);
    post(process, 9);
    complete(process, 0, TAG, 301, 9);
    complete(process, 0, TAG, 302, 9); /* that id is forgotten: its own posting */
    post(process, 10);
    post(process, 11);
    cancel(process, 10);
    complete(process, 1, TAG, 303, 11);
    cancel(process, 10);
    post(process, 12); /* never heard of again, and what follows waits for it */
    receive(process, 0, TAG, 304);
    post(process, 13);
    complete(process, 2, TAG, 305, 13);
}

/* Sends, some with the ids of open receives. */
static void write_sends(Process *process)
{
    post(process, 1);
    begin_send(process, 0, TAG, 400, 1);
    begin_send(process, 0, TAG, 401, 2);
    begin_send(process, 1, TAG, 402, 3); /* to itself */
    cancel(process, 2);
    cancel(process, 1); /* the send: it was posted later */
    sent(process, 3);
    cancel(process, 3); /* it is complete */
    complete(process, 1, TAG, 402, 1);
    begin_send(process, 2, TAG, 403, 4);
    begin_send(process, 2, TAG, 404, 4); /* the first is freed */
    cancel(process, 4);
    begin_send(process, 2, TAG, 405, 5);
    post(process, 5);
    cancel(process, 5); /* the receive */
    cancel(process, 5); /* the send */
    WRITE(OTF2_EvtWriter_MpiSend(process->writer, NULL, process->time++, 2, 0, TAG, 406));
    begin_send(process, 2, TAG, 407, 6); /* never heard of again */
    begin_send(process, 0, TAG, 408, 7);
    cancel(process, 7);
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

static void write_something(Process *process, GRand *random, uint64_t ids)
{
    uint64_t request = g_rand_int_range(random, 0, ids);
    uint32_t peer = g_rand_int_range(random, 0, 3), tag = g_rand_int_range(random, 0, 6);
    uint64_t bytes = g_rand_int_range(random, 0, 5000);

    switch (g_rand_int_range(random, 0, 16)) {
    case 0 ... 3:
        post(process, request);
        break;
    case 4 ... 6:
        complete(process, peer, tag, bytes, request);
        break;
    case 7 ... 9:
        begin_send(process, peer, tag, bytes, request);
        break;
    case 10 ... 11:
        sent(process, request);
        break;
    case 12:
        cancel(process, request);
        break;
    case 13:
        WRITE(OTF2_EvtWriter_MpiSend(process->writer, NULL, process->time++, peer, 0, tag, bytes));
        break;
    case 14:
        WRITE(OTF2_EvtWriter_MpiRequestTest(process->writer, NULL, process->time++, request));
        break;
    default:
        receive(process, peer, tag, bytes);
    }
    process->time -= g_rand_int_range(random, 0, 3) == 0; /* the next has the same time */
}

/* With few ids, which are soon used again, and with many. */
void write_random_requests(const char *folder)
{
    static const uint64_t ids[] = {4, 60, 3000};
    Archive *archive = archive_new(folder, "random-requests");
    GRand *random = g_rand_new_with_seed(11);

    for (uint64_t rank = 0; rank < 3; rank++) {
        Process process = {archive_events(archive, rank), 100};
        for (unsigned i = 0; i < 12000; i++)
            write_something(&process, random, ids[rank]);
    }
    g_rand_free(random);
    archive_clock(archive, 1000000, 100, 100000);
    ring_definitions(archive, RANKS, 3);
    archive_close(archive);
}

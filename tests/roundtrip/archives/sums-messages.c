#include "sums.h"

enum { N_PROCS = 4 };

static void exchange(OTF2_EvtWriter *writer, uint64_t *time, uint32_t comm, uint32_t peer, uint32_t tag, uint64_t bytes)
{
    static const char kinds[] = "SIRJ"; /* MPI_SEND, MPI_ISEND, MPI_RECV, MPI_IRECV */

    switch (kinds[(tag + peer) % 4]) {
    case 'S':
        WRITE(OTF2_EvtWriter_MpiSend(writer, NULL, *time, peer, comm, tag, bytes));
        break;
    case 'I':
        WRITE(OTF2_EvtWriter_MpiIsend(writer, NULL, *time, peer, comm, tag, bytes, *time));
        break;
    case 'R':
        WRITE(OTF2_EvtWriter_MpiRecv(writer, NULL, *time, peer, comm, tag, bytes));
        break;
    default:
        WRITE(OTF2_EvtWriter_MpiIrecv(writer, NULL, *time, peer, comm, tag, bytes, *time));
    }
    *time += bytes % 3;
}

static void define_regions(Archive *archive)
{
    archive_region(archive, 0, "work", "messages.c", 12);
    archive_region(archive, 1, "exchange", "messages.c", 34);
}

/* Writes messages. Process 0 uses each tag once; all processes use a few tags often. Some messages have nearly 2^64
 * bytes. */
void write_sums_messages(const char *folder)
{
    enum { N_TAGS = 10000 };
    Archive *archive = archive_new(folder, "sums-messages");
    Dice random = {1};

    for (uint64_t location = 0; location < N_PROCS; location++) {
        OTF2_EvtWriter *writer = archive_events(archive, location);
        uint64_t time = 100;
        WRITE(OTF2_EvtWriter_Enter(writer, NULL, time, 1));
        for (uint32_t tag = 0; location == 0 && tag < N_TAGS; tag++)
            exchange(writer, &time, 0, dice(&random, N_PROCS), tag, dice(&random, 5000));
        for (uint32_t i = 0; i < 3000; i++) {
            uint64_t bytes = i % 100 ? dice(&random, 1 << 30) : UINT64_MAX - i;
            exchange(writer, &time, 0, dice(&random, N_PROCS), dice(&random, 10), bytes);
        }
        for (uint32_t i = 0; i < 200; i++) {
            WRITE(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, time++));
            WRITE(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, time++,
                                                  i % 2 ? OTF2_COLLECTIVE_OP_ALLREDUCE : OTF2_COLLECTIVE_OP_BARRIER, 0,
                                                  OTF2_COLLECTIVE_ROOT_NONE, 8 * i, i));
        }
        WRITE(OTF2_EvtWriter_Leave(writer, NULL, time, 1));
    }
    archive_clock(archive, 1000000, 0, 100000);
    sums_places(archive, N_PROCS, 1);
    define_regions(archive);
    archive_close(archive);
}

static void define_group(Archive *archive, uint32_t id, const uint64_t *ranks, uint32_t n)
{
    WRITE(OTF2_GlobalDefWriter_WriteGroup(archive_global(archive), id, archive_string(archive, ""),
                                          OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n,
                                          ranks));
}

static void define_communicator(Archive *archive, uint32_t id, const char *name, uint32_t group)
{
    WRITE(OTF2_GlobalDefWriter_WriteComm(archive_global(archive), id, archive_string(archive, name), group, 0,
                                         OTF2_COMM_FLAG_NONE));
}

/* Writes messages in communicators of even, odd, all or half of the processes. Ranks are the communicator's. */
void write_sums_communicators(const char *folder)
{
    enum { WORLD, EVEN, ODD, REVERSED, BETWEEN, COPIES, N_COPIES = 100 };
    static const uint64_t even[] = {0, 2}, odd[] = {1, 3}, reversed[] = {3, 2, 1, 0}, low[] = {0, 1}, high[] = {2, 3};
    Archive *archive = archive_new(folder, "sums-communicators");
    Dice random = {1};

    for (uint64_t proc = 0; proc < N_PROCS; proc++) {
        OTF2_EvtWriter *writer = archive_events(archive, proc);
        uint64_t time = 100;
        for (uint32_t i = 0; i < 700; i++) {
            uint32_t tag = dice(&random, 8);
            WRITE(OTF2_EvtWriter_Enter(writer, NULL, time, tag % 2));
            exchange(writer, &time, WORLD, dice(&random, N_PROCS), tag, i);
            exchange(writer, &time, proc % 2 ? ODD : EVEN, dice(&random, 2), tag, i);
            exchange(writer, &time, REVERSED, dice(&random, N_PROCS), tag, i);
            exchange(writer, &time, BETWEEN, dice(&random, 2), tag, i);
            exchange(writer, &time, COPIES + dice(&random, N_COPIES), dice(&random, N_PROCS), tag, i);
            WRITE(OTF2_EvtWriter_Leave(writer, NULL, time++, tag % 2));
        }
    }
    archive_clock(archive, 1000000, 0, 100000);
    sums_places(archive, N_PROCS, 1);
    define_regions(archive);
    define_group(archive, 10, even, 2);
    define_group(archive, 11, odd, 2);
    define_group(archive, 12, reversed, 4);
    define_group(archive, 13, low, 2);
    define_group(archive, 14, high, 2);
    define_communicator(archive, EVEN, "half", 10);
    define_communicator(archive, ODD, "half", 11);
    define_communicator(archive, REVERSED, "reversed", 12);
    WRITE(OTF2_GlobalDefWriter_WriteInterComm(archive_global(archive), BETWEEN, archive_string(archive, "between"), 13,
                                              14, WORLD, OTF2_COMM_FLAG_NONE));
    for (uint32_t i = 0; i < N_COPIES; i++) {
        g_autofree char *name = g_strdup_printf("copy %u", i);
        define_communicator(archive, COPIES + i, name, 0);
    }
    archive_close(archive);
}

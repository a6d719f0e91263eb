/*
 * A program of N ranks that sends random batches between them, for test_exchange.py. Each rank prints a line for every
 * fault. The sender writes its rank, the number of the batch, counted for each receiver, and a sum into each batch.
 * Receivers answer some batches with more batches, so the end is only known when none is on its way.
 *
 * usage: exchange SEED BATCHES MOST_BYTES [die RANK | fail RANK | broadcast]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/world/world.h"

typedef struct {
    uint32_t from, number, hops; /* hops: how many answers may follow */
    uint32_t sum;                /* of the bytes behind the head */
} Head;

typedef struct {
    XtfWorld *world;
    GRand *random;
    uint32_t most_bytes;
    uint32_t *sent, *received; /* by rank */
    uint64_t n_received;
    unsigned faults;
} Exchange;

static void complain(Exchange *exchange, const char *fault, unsigned from)
{
    printf("FAULT rank %u: %s, from %u\n", xtf_world_rank(exchange->world), fault, from);
    exchange->faults++;
}

static void send_batch(Exchange *exchange, uint32_t hops)
{
    uint32_t to = (uint32_t)g_rand_int_range(exchange->random, 0, (gint32)xtf_world_size(exchange->world));
    uint32_t length = (uint32_t)g_rand_int_range(exchange->random, 0, (gint32)exchange->most_bytes + 1);
    g_autofree uint8_t *batch = g_malloc(sizeof(Head) + length);
    Head head = {.from = xtf_world_rank(exchange->world), .number = exchange->sent[to]++, .hops = hops};

    for (uint32_t i = 0; i < length; i++) {
        batch[sizeof head + i] = (uint8_t)(head.number * 7 + i * 13);
        head.sum += batch[sizeof head + i];
    }
    memcpy(batch, &head, sizeof head);
    xtf_world_send(exchange->world, to, batch, sizeof head + length);
}

static void check_batch(Exchange *exchange, GBytes *bytes, unsigned from)
{
    gsize length;
    const uint8_t *data = g_bytes_get_data(bytes, &length);
    uint32_t sum = 0;
    Head head;

    if (length < sizeof head) {
        complain(exchange, "a short batch", from);
        return;
    }
    memcpy(&head, data, sizeof head);
    for (gsize i = sizeof head; i < length; i++)
        sum += data[i];
    if (head.from != from)
        complain(exchange, "another sender", from);
    if (head.number != exchange->received[from]++)
        complain(exchange, "another number", from);
    if (sum != head.sum)
        complain(exchange, "other bytes", from);
    exchange->n_received++;
    for (uint32_t i = 0; i < head.hops && g_rand_boolean(exchange->random); i++)
        send_batch(exchange, head.hops - 1);
}

/* Receives one batch. Returns false if none has arrived. */
static bool receive_batch(Exchange *exchange)
{
    unsigned from;
    g_autoptr(GBytes) bytes = xtf_world_receive(exchange->world, &from);

    if (bytes)
        check_batch(exchange, bytes, from);
    return bytes;
}

static void exchange_batches(Exchange *exchange, uint32_t n)
{
    uint32_t size = xtf_world_size(exchange->world);

    memset(exchange->sent, 0, size * sizeof *exchange->sent);
    memset(exchange->received, 0, size * sizeof *exchange->received);
    for (uint32_t i = 0; i < n; i++) {
        send_batch(exchange, 3);
        while (g_rand_boolean(exchange->random) && receive_batch(exchange))
            continue;
    }
    while (receive_batch(exchange) || !xtf_world_are_done(exchange->world))
        xtf_world_wait(exchange->world);
}

/* Compares the numbers of batches that ranks have sent to this one with the numbers that have arrived. */
static void compare_counts(Exchange *exchange)
{
    uint32_t size = xtf_world_size(exchange->world), own = xtf_world_rank(exchange->world);
    g_autoptr(GBytes) bytes = g_bytes_new(exchange->sent, size * sizeof *exchange->sent);
    g_autoptr(GPtrArray) all = xtf_world_gather(exchange->world, bytes);
    g_autoptr(GByteArray) joined = g_byte_array_new();

    for (guint i = 0; all && i < all->len; i++)
        g_byte_array_append(joined, g_bytes_get_data(all->pdata[i], NULL), size * sizeof *exchange->sent);
    g_autoptr(GBytes) table = g_bytes_new(joined->data, joined->len);
    g_autoptr(GBytes) shared = xtf_world_broadcast(exchange->world, table);
    const uint32_t *sent = g_bytes_get_data(shared, NULL);
    for (uint32_t from = 0; from < size; from++)
        if (sent[from * size + own] != exchange->received[from])
            complain(exchange, "a number of batches that were not sent", from);
}

/* Tests collective functions with bytes that take several messages. */
static void exchange_long_bytes(Exchange *exchange)
{
    const gsize length = 3 * XTF_WORLD_PIECE + 17;
    g_autofree uint8_t *data = g_malloc(length);

    memset(data, xtf_world_rank(exchange->world) + 1, length);
    g_autoptr(GBytes) own = g_bytes_new(data, length), first = xtf_world_broadcast(exchange->world, own);
    const uint8_t *of_first = g_bytes_get_data(first, NULL);
    if (g_bytes_get_size(first) != length || of_first[0] != 1 || of_first[length - 1] != 1)
        complain(exchange, "other bytes of a broadcast", 0);
    g_autoptr(GPtrArray) all = xtf_world_gather(exchange->world, own);
    for (guint i = 0; all && i < all->len; i++) {
        const uint8_t *of_rank = g_bytes_get_data(all->pdata[i], NULL);
        if (g_bytes_get_size(all->pdata[i]) != length || of_rank[length - 1] != i + 1)
            complain(exchange, "other gathered bytes", i);
    }
}

/* Lets a rank die, or fail while the others wait in vain for batches. */
static int end_early(Exchange *exchange, const char *way, unsigned rank)
{
    unsigned own = xtf_world_rank(exchange->world);
    g_autoptr(GError) error = NULL;
    bool reports;

    if (own == rank && g_str_equal(way, "die"))
        raise(SIGKILL);
    if (own == rank) {
        xtf_fail(&error, XTF_ERROR_IO, "rank %u failed", own);
        xtf_world_warn(exchange->world);
    }
    while (own != rank && !xtf_world_were_warned(exchange->world)) {
        xtf_world_are_done(exchange->world);
        xtf_world_wait(exchange->world);
    }
    if (own != rank)
        xtf_fail(&error, XTF_ERROR_CANCELLED, "rank %u was warned", own);
    if (xtf_world_agree(exchange->world, error, &reports))
        puts("FAULT all ranks are good");
    if (reports)
        printf("ERROR %s\n", error->message);
    xtf_world_end(exchange->world, 1);
    return 1;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    XtfWorld *world = xtf_world_start(&error);
    bool reports;

    if (!world) {
        printf("ERROR %s\n", error->message);
        return 1;
    }
    unsigned own = xtf_world_rank(world), size = xtf_world_size(world);
    Exchange exchange = {
        .world = world,
        .random = g_rand_new_with_seed((guint32)atoi(argv[1]) * 1000 + own),
        .most_bytes = (uint32_t)atoi(argv[3]),
        .sent = g_new0(uint32_t, size),
        .received = g_new0(uint32_t, size),
    };
    for (int round = 0; round < 2; round++) {
        exchange_batches(&exchange, (uint32_t)atoi(argv[2]));
        compare_counts(&exchange);
    }
    if (xtf_world_n_waiting(world) > 0)
        complain(&exchange, "batches wait after the end", own);
    exchange_long_bytes(&exchange);
    if (!xtf_world_agree(world, NULL, &reports))
        complain(&exchange, "an error that no rank has", own);
    printf("rank %u of %u: %" G_GUINT64_FORMAT " batches\n", own, size, exchange.n_received);
    fflush(stdout);
    int status = argc > 5 ? end_early(&exchange, argv[4], (unsigned)atoi(argv[5])) : exchange.faults > 0;
    if (argc <= 5)
        xtf_world_end(world, status);
    g_rand_free(exchange.random);
    g_free(exchange.sent);
    g_free(exchange.received);
    return status;
}

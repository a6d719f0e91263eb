#include "tests/record/core/consumer.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS(NAME, words) [XTF_WIRE_##NAME] = words,
static const unsigned kind_words[] = {XTF_WIRE_KINDS(WORDS)};

static void check_frame(ConsumerThread *thread, XtfWireHead head)
{
    if (head.kind == XTF_WIRE_ENTER) {
        REQUIRE(!thread->off, "an ENTER in a hole");
        REQUIRE((head.region - 4096U) % 1000 == thread->depth % 1000, "region %u entered at depth %u", head.region,
                thread->depth);
        REQUIRE(thread->depth < CONSUMER_DEPTH, "too deep");
        thread->stack[thread->depth++] = head.region;
        thread->enters++;
        thread->entered_again += head.time == thread->on_time;
        return;
    }
    REQUIRE(thread->depth > 0, "a LEAVE of %u without its ENTER", head.region);
    thread->depth--;
    REQUIRE(thread->stack[thread->depth] == head.region, "a LEAVE of %u in %u", head.region,
            thread->stack[thread->depth]);
    thread->leaves++;
}

static void check_measurement(ConsumerThread *thread, XtfWireHead head)
{
    REQUIRE(head.arg == 1 || head.arg == 2, "mode %u", head.arg);
    REQUIRE(thread->off == (head.arg == 1), "measurement %u twice", head.arg);
    thread->off = head.arg == 2;
    thread->holes += head.arg == 2;
    if (head.arg == 1)
        thread->on_time = head.time;
}

static void check_send(ConsumerThread *thread, const uint64_t *word)
{
    REQUIRE(!thread->off, "a SEND in a hole");
    REQUIRE(word[3] >= thread->serial, "serial %lu behind %lu", (unsigned long)word[3], (unsigned long)thread->serial);
    thread->gaps += word[3] - thread->serial;
    thread->serial = word[3] + 1;
    thread->sends++;
}

static void check_record(Consumer *consumer, const uint64_t *word, XtfWireHead head)
{
    if (head.kind == XTF_WIRE_OWNER) {
        ConsumerThread *next = calloc(1, sizeof *next);
        REQUIRE(next, "no memory");
        next->before = consumer->thread;
        next->number = head.arg;
        consumer->thread = next;
    }
    ConsumerThread *thread = consumer->thread;
    REQUIRE(thread, "kind %u before the first OWNER", head.kind);
    REQUIRE(head.time >= thread->time, "kind %u goes %lu back in time", head.kind,
            (unsigned long)(thread->time - head.time));
    thread->time = head.time;
    if (head.kind == XTF_WIRE_ENTER || head.kind == XTF_WIRE_LEAVE)
        check_frame(thread, head);
    else if (head.kind == XTF_WIRE_MEASUREMENT)
        check_measurement(thread, head);
    else if (head.kind == XTF_WIRE_SEND)
        check_send(thread, word);
    else if (head.kind == XTF_WIRE_DROPPED)
        thread->missing += word[2];
    else if (head.kind == XTF_WIRE_WAITED)
        thread->waits++;
    else if (head.kind == XTF_WIRE_DEFINE)
        thread->defined += head.arg;
}

uint64_t consumer_take(Consumer *consumer)
{
    uint64_t head = atomic_load_explicit(&consumer->shared->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&consumer->shared->tail, memory_order_relaxed), from = tail;

    REQUIRE(head - tail <= consumer->size, "%lu bytes in a ring of %lu", (unsigned long)(head - tail),
            (unsigned long)consumer->size);
    while (tail < head) {
        const uint64_t *word = (const uint64_t *)(consumer->data + (tail & (consumer->size - 1)));
        XtfWireHead first;
        memcpy(&first, word, sizeof first);
        REQUIRE(first.kind > 0 && first.kind < XTF_WIRE_N_KINDS, "kind %u", first.kind);
        unsigned words = first.kind == XTF_WIRE_DEFINE ? 4 + (first.arg + 7) / 8 : kind_words[first.kind];
        REQUIRE(tail + 8 * words <= head, "half a record");
        check_record(consumer, word, first);
        tail += 8 * words;
    }
    atomic_store_explicit(&consumer->shared->tail, tail, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&consumer->shared->waiting)) {
        atomic_store(&consumer->shared->waiting, 0);
        syscall(SYS_futex, &consumer->shared->tail, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
    return tail - from;
}

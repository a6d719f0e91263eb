/*
 * A consumer of rings that believes nothing: it checks that what a producer leaves in a ring hangs together. What is
 * wrong ends the program, with a word.
 *
 * Producers that it checks enter frames of region 4096 + 1000 * anything + depth, and put SENDs with a serial number in
 * w3, which never goes back.
 */
#pragma once

#include "src/record/core/core.h"

enum { CONSUMER_DEPTH = 1024 };

/* What a thread recorded. */
typedef struct ConsumerThread {
    struct ConsumerThread *before; /* whose the ring was */
    uint32_t number, depth;
    uint32_t stack[CONSUMER_DEPTH];
    bool off;
    uint64_t time, serial, on_time;
    uint64_t enters, entered_again, leaves, sends, gaps, missing, waits, holes, defined;
} ConsumerThread;

typedef struct {
    XtfWireRing *shared;
    const uint8_t *data; /* mapped twice */
    uint64_t size;
    ConsumerThread *thread; /* whose it is; NULL: nobody's */
} Consumer;

/* Takes what is there. The number of bytes. */
uint64_t consumer_take(Consumer *consumer);

#define REQUIRE(condition, ...)                                             \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                   \
            fputc('\n', stderr);                                            \
            abort();                                                        \
        }                                                                   \
    } while (0)

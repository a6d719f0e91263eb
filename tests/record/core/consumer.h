/*
 * A consumer of rings that trusts no producer: it checks that the records in a ring are consistent. A fault ends the
 * program with a message.
 *
 * Producers that it checks enter frames of region 4096 + 1000 * anything + depth. They put SENDs with a serial number
 * in w3, which never decreases.
 */
#pragma once

#include "src/record/core/core.h"

enum { CONSUMER_DEPTH = 1024 };

/* The records of one thread. */
typedef struct ConsumerThread {
    struct ConsumerThread *before; /* the previous owner of the ring */
    uint32_t number, depth;
    uint32_t stack[CONSUMER_DEPTH];
    bool off;
    uint64_t time, serial, on_time;
    uint64_t enters, entered_again, leaves, sends, gaps, missing, waits, holes, defined;
} ConsumerThread;

typedef struct {
    XtfWireRing *shared;
    const uint8_t *data; /* bytes of the ring, mapped twice in a row */
    uint64_t size;
    ConsumerThread *thread; /* the owner; NULL if there is none */
} Consumer;

/* Consumes all published records, and returns the number of bytes. */
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

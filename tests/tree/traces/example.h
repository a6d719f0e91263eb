/* Traces written by hand, one event a line. Their locations are processes with one thread; ticks are nanoseconds. */
#pragma once

#include "tests/tree/traces/writing.h"

enum { MAIN, WORK, BARRIER, EXAMPLE_REGIONS };
enum { CYCLES, LOAD, EXAMPLE_METRICS };

typedef enum {
    EXAMPLE_ENTER,
    EXAMPLE_LEAVE,
    EXAMPLE_LEAVE_OUTER,
    EXAMPLE_LEAVE_LOST,
    EXAMPLE_SEND,
    EXAMPLE_RECV,
    EXAMPLE_UNSIGNED,
    EXAMPLE_SIGNED,
    EXAMPLE_REAL,
} ExampleKind;

typedef struct {
    uint64_t t; /* ascending in each process */
    uint32_t proc;
    ExampleKind kind;
    uint32_t operand; /* region, other process of a message, or metric */
    union {
        uint64_t bytes, u;
        int64_t i;
        double real;
    };
} ExampleEvent;

/* Events of a process at time t. LEAVE leaves the innermost open frame, LEAVE_OUTER the one around it, and LEAVE_LOST
 * one that began before the trace. */
#define ENTER(t, proc, region)           ((ExampleEvent){t, proc, EXAMPLE_ENTER, region, .u = 0})
#define LEAVE(t, proc)                   ((ExampleEvent){t, proc, EXAMPLE_LEAVE, .u = 0})
#define LEAVE_OUTER(t, proc)             ((ExampleEvent){t, proc, EXAMPLE_LEAVE_OUTER, .u = 0})
#define LEAVE_LOST(t, proc)              ((ExampleEvent){t, proc, EXAMPLE_LEAVE_LOST, .u = 0})
#define SEND(t, proc, to, n)             ((ExampleEvent){t, proc, EXAMPLE_SEND, to, .bytes = n})
#define RECV(t, proc, from, n)           ((ExampleEvent){t, proc, EXAMPLE_RECV, from, .bytes = n})
#define UNSIGNED(t, proc, metric, value) ((ExampleEvent){t, proc, EXAMPLE_UNSIGNED, metric, .u = value})
#define SIGNED(t, proc, metric, value)   ((ExampleEvent){t, proc, EXAMPLE_SIGNED, metric, .i = value})
#define REAL(t, proc, metric, value)     ((ExampleEvent){t, proc, EXAMPLE_REAL, metric, .real = value})

void example_write(Written *written, const ExampleEvent *events, unsigned n);

/* Compares lines of a file from line `first` on, with one blank between cells. The header is line 0. */
void example_assert_lines(const Written *written, const char *path, unsigned first, const char *const *lines,
                          unsigned n);

#define EXAMPLE(written, ...)                                    \
    g_auto(Written) written;                                     \
    example_write(&written, (const ExampleEvent[]){__VA_ARGS__}, \
                  sizeof((const ExampleEvent[]){__VA_ARGS__}) / sizeof(ExampleEvent))
#define LINES(written, path, first, ...)                                            \
    example_assert_lines(&written, path, first, (const char *const[]){__VA_ARGS__}, \
                         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

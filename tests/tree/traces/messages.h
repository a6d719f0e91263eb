/* Random traces of messages with the same records in memory, for tests of narrowing by the values of fields. */
#pragma once

#include "tests/tree/traces/fixture.h"

enum {
    MESSAGES_CALLS,
    MESSAGES_SENDS,
    MESSAGES_PUTS,  /* a row names a window, which names the communicator */
    MESSAGES_MARKS, /* only a time and a seq */
    N_MESSAGES_TYPES,
    N_TAGS = 5,
};

#define NOTHING UINT64_MAX /* value of a field that a record lacks */

typedef struct {
    uint64_t t, location, proc, thread, seq;
    unsigned type;
    uint64_t region, comm, tag; /* region, comm: rows of their tables; tag: a number */
    uint64_t peer;              /* a process */
} Message;

extern const char *const message_types[N_MESSAGES_TYPES];
extern const char *const message_regions[];
extern const char *const message_comms[];
extern const unsigned n_message_regions, n_message_comms;

/* Returns a fixture whose `records` are of type Message. */
Fixture *messages_new(uint32_t seed, unsigned n_locations, uint64_t records_each, bool has_aggregates);

static inline const Message *message_at(const GArray *records, uint64_t i)
{
    return &g_array_index(records, Message, i);
}

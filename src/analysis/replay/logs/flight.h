/*
 * Tables of a replay: groups of messages by their envelope, and values of unfinished messages and requests by number.
 * Both are open hash tables, each in one block of memory. Most groups have few messages in flight, and keep them in a
 * list.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/files/paged.h"

/* A group of messages. With the receiver XTF_GROUP_COLLECTIVE and no tag: a process's operations on a communicator,
 * whose begins count as sent and whose ends as received. */
typedef struct {
    uint32_t comm, tag, sender, receiver;
} XtfGroupKey;

#define XTF_GROUP_COLLECTIVE UINT32_MAX

typedef struct {
    XtfGroupKey key;
    uint32_t sent, received;   /* numbers of sends and of receives so far */
    uint32_t location;         /* the only one that sends: a number, or UINT32_MAX */
    uint32_t receiver_or_rank; /* the only location that receives; of a collective: the member's rank */
    bool uncertain;            /* the messages of the group are uncertain in the whole trace */
    bool lossy;                /* uncertain only because its counts differ: records were lost */
    bool broken;               /* true if the group's later messages are uncertain, in this run of the replay */
    uint8_t n_listed;
    /* List of some of its messages in flight, by number plus 1; 0: empty. Collectives have a hash of the process's
     * operations here until the first run. */
    uint32_t listed;
} XtfGroup;

typedef struct {
    XtfGroup *all; /* in `paged` */
    XtfPaged paged;
    uint32_t n, room;
    uint32_t *slots; /* numbers of groups plus 1; 0: free */
    uint32_t n_slots;
} XtfGroups;

void xtf_groups_finish(XtfGroups *groups);
/* Returns the number of a group. Adds a missing group if `add`; otherwise UINT32_MAX: not found. */
uint32_t xtf_groups_find(XtfGroups *groups, const XtfGroupKey *key, bool add);

/* Tables of values of a few words, by number. */
enum { XTF_FLIGHT_WORDS = 6 };

typedef struct {
    uint64_t key; /* UINT64_MAX: the slot is free */
    uint64_t words[];
} XtfFlight;

typedef struct {
    uint64_t *slots; /* each of a key and words */
    uint64_t n_slots, n;
    uint32_t few_words; /* words of a value, to be set first: many tables are small; 0: XTF_FLIGHT_WORDS */
} XtfFlights;

void xtf_flights_finish(XtfFlights *flights);
/* Adds an entry for a key, or finds the existing one. The caller sets its words before it uses the table again. */
XtfFlight *xtf_flights_add(XtfFlights *flights, uint64_t key);
XtfFlight *xtf_flights_find(const XtfFlights *flights, uint64_t key); /* NULL: there is none */
void xtf_flights_remove(XtfFlights *flights, XtfFlight *flight);

/* A message in flight: the k-th of its group. */
typedef struct {
    uint64_t location, row, time; /* of its send */
    uint64_t value;               /* the value that the consumer returned for the send */
    uint64_t bytes;
    uint32_t k, next;
} XtfMessage;

/* All messages in flight. */
typedef struct {
    XtfMessage *all;
    uint32_t n_used, room, free;
    uint64_t n;          /* number of messages in flight */
    XtfFlights unlisted; /* messages that are not in their group's list: numbers plus 1 */
} XtfMessages;

/* Adds, finds, removes a message of `group`, which is one of `groups`. A pointer to a message is valid until the next
 * one is added. */
XtfMessage *xtf_messages_add(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k);
XtfMessage *xtf_messages_find(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k);
void xtf_messages_remove(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, XtfMessage *message);
/* Frees all messages. The caller clears the lists of groups. */
void xtf_messages_finish(XtfMessages *messages);

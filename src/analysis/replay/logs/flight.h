/*
 * Tables of a replay: groups of messages by their envelope, and values of unfinished messages and requests by number.
 * Both are open hash tables, each in one block of memory. Most groups have few messages in flight, and keep them in a
 * list.
 *
 * The functions of a message are inline: each message of a trace uses most of them.
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
    uint32_t few_words;  /* words of a value, to be set first: many tables are small; 0: XTF_FLIGHT_WORDS */
    uint32_t slot_words; /* private: words of a slot */
} XtfFlights;

void xtf_flights_finish(XtfFlights *flights);
void xtf_flights_grow(XtfFlights *flights); /* private */

static inline uint64_t xtf_flights_home(const XtfFlights *flights, uint64_t key)
{
    return (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (flights->n_slots - 1);
}

static inline XtfFlight *xtf_flights_at(const XtfFlights *flights, uint64_t i)
{
    return (XtfFlight *)(void *)(flights->slots + i * flights->slot_words);
}

/* Returns the number of the slot of a key, or of the free slot for it. */
static inline uint64_t xtf_flights_search(const XtfFlights *flights, uint64_t key)
{
    uint64_t i = xtf_flights_home(flights, key);

    while (xtf_flights_at(flights, i)->key != key && xtf_flights_at(flights, i)->key != UINT64_MAX)
        i = (i + 1) & (flights->n_slots - 1);
    return i;
}

static inline XtfFlight *xtf_flights_slot(const XtfFlights *flights, uint64_t key)
{
    return xtf_flights_at(flights, xtf_flights_search(flights, key));
}

/* Adds an entry for a key, or finds the existing one. The caller sets its words before it uses the table again. */
static inline XtfFlight *xtf_flights_add(XtfFlights *flights, uint64_t key)
{
    if (3 * flights->n >= 2 * flights->n_slots)
        xtf_flights_grow(flights);
    XtfFlight *flight = xtf_flights_slot(flights, key);
    flights->n += flight->key == UINT64_MAX;
    flight->key = key;
    return flight;
}

/* Returns the entry of a key; NULL: there is none. */
static inline XtfFlight *xtf_flights_find(const XtfFlights *flights, uint64_t key)
{
    XtfFlight *flight = flights->n ? xtf_flights_slot(flights, key) : NULL;
    return flight && flight->key == key ? flight : NULL;
}

/* Removes an entry. The entries behind it in its run of slots move up, so that searches find them. A search for the
 * number of its slot is faster than a division. */
static inline void xtf_flights_remove(XtfFlights *flights, XtfFlight *flight)
{
    size_t bytes = flights->slot_words * sizeof *flights->slots;
    uint64_t mask = flights->n_slots - 1, hole = xtf_flights_search(flights, flight->key);

    for (uint64_t i = (hole + 1) & mask; xtf_flights_at(flights, i)->key != UINT64_MAX; i = (i + 1) & mask) {
        uint64_t home = xtf_flights_home(flights, xtf_flights_at(flights, i)->key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            memcpy(xtf_flights_at(flights, hole), xtf_flights_at(flights, i), bytes);
            hole = i;
        }
    }
    xtf_flights_at(flights, hole)->key = UINT64_MAX;
    flights->n--;
}

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

enum { XTF_MESSAGES_LISTED = 8 }; /* messages in the list of a group */

/* Frees all messages. The caller clears the lists of groups. */
void xtf_messages_finish(XtfMessages *messages);
void xtf_messages_grow(XtfMessages *messages); /* private */

static inline uint64_t xtf_message_key(const XtfGroups *groups, const XtfGroup *group, uint32_t k)
{
    return (uint64_t)(group - groups->all) << 32 | k;
}

/* Returns the number of a free message, plus 1. */
static inline uint32_t xtf_messages_allot(XtfMessages *messages)
{
    uint32_t number = messages->free;

    if (number > 0) {
        messages->free = messages->all[number - 1].next;
        return number;
    }
    if (messages->n_used == messages->room)
        xtf_messages_grow(messages);
    return ++messages->n_used;
}

/* Adds, finds, removes a message of `group`, which is one of `groups`. A pointer to a message is valid until the next
 * one is added. */
static inline XtfMessage *xtf_messages_add(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k)
{
    uint32_t number = xtf_messages_allot(messages);
    XtfMessage *message = &messages->all[number - 1];

    message->k = k;
    message->next = 0;
    messages->n++;
    if (group->n_listed < XTF_MESSAGES_LISTED) {
        message->next = group->listed;
        group->listed = number;
        group->n_listed++;
    } else {
        messages->unlisted.few_words = 1;
        xtf_flights_add(&messages->unlisted, xtf_message_key(groups, group, k))->words[0] = number;
    }
    return message;
}

/* Returns the link to a message in its group's list: a number plus 1; 0 at the end of the list. */
static inline uint32_t *xtf_messages_listed(XtfMessages *messages, XtfGroup *group, uint32_t k)
{
    uint32_t *at = &group->listed;

    while (*at && messages->all[*at - 1].k != k)
        at = &messages->all[*at - 1].next;
    return at;
}

static inline XtfMessage *xtf_messages_find(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k)
{
    uint32_t number = *xtf_messages_listed(messages, group, k);

    if (number == 0 && messages->unlisted.n > 0) {
        const XtfFlight *flight = xtf_flights_find(&messages->unlisted, xtf_message_key(groups, group, k));
        number = flight ? (uint32_t)flight->words[0] : 0;
    }
    return number > 0 ? &messages->all[number - 1] : NULL;
}

static inline void xtf_messages_remove(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group,
                                       XtfMessage *message)
{
    uint32_t *at = xtf_messages_listed(messages, group, message->k), number = (uint32_t)(message - messages->all) + 1;

    if (*at) {
        *at = message->next;
        group->n_listed--;
    } else {
        xtf_flights_remove(&messages->unlisted,
                           xtf_flights_find(&messages->unlisted, xtf_message_key(groups, group, message->k)));
    }
    message->next = messages->free;
    messages->free = number;
    messages->n--;
}

/*
 * Tables of a replay: groups of messages by their envelope, and what is in flight, by numbers. Both are open hash
 * tables in one block of memory each. Messages in flight are mostly few in each group, which lists them itself.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/files/paged.h"

/* A group of messages; or, with the receiver XTF_GROUP_COLLECTIVE and no tag, a process's operations of a communicator,
 * of which the beginnings are sent and the ends received. */
typedef struct {
    uint32_t comm, tag, sender, receiver;
} XtfGroupKey;

#define XTF_GROUP_COLLECTIVE UINT32_MAX

typedef struct {
    XtfGroupKey key;
    uint32_t sent, received; /* so many by now */
    uint32_t location;       /* that sends, as pass 1 learns: a number, or UINT32_MAX */
    uint32_t other;          /* that receives */
    bool uncertain;          /* over the whole trace */
    bool lossy;              /* only by how many it has of each: records were lost */
    bool broken;             /* from here on, in this run */
    uint8_t n_listed;
    uint32_t listed; /* of its messages in flight some, by number plus 1; 0: none */
} XtfGroup;

typedef struct {
    XtfGroup *all; /* in `paged` */
    XtfPaged paged;
    uint32_t n, room;
    uint32_t *slots; /* numbers of groups, plus 1; 0: none */
    uint32_t n_slots;
} XtfGroups;

void xtf_groups_finish(XtfGroups *groups);
/* The number of the group, which is made if there is none and `add`; UINT32_MAX: there is none. */
uint32_t xtf_groups_find(XtfGroups *groups, const XtfGroupKey *key, bool add);

/* What is in flight: values of some words by a number. */
enum { XTF_FLIGHT_WORDS = 6 };

typedef struct {
    uint64_t key; /* UINT64_MAX: the slot is free */
    uint64_t words[];
} XtfFlight;

typedef struct {
    uint64_t *slots; /* of a key and words each */
    uint64_t n_slots, n;
    uint32_t few_words; /* of a value, to be set first: there are many small tables; 0: XTF_FLIGHT_WORDS */
} XtfFlights;

void xtf_flights_finish(XtfFlights *flights);
/* A new entry, of which there is none yet; to be filled before anything else is done. */
XtfFlight *xtf_flights_add(XtfFlights *flights, uint64_t key);
XtfFlight *xtf_flights_find(const XtfFlights *flights, uint64_t key); /* NULL: there is none */
void xtf_flights_remove(XtfFlights *flights, XtfFlight *flight);

/* A message in flight: the k-th of its group. */
typedef struct {
    uint64_t location, row, time; /* of its send */
    uint64_t value;               /* what the consumer said of it */
    uint64_t bytes;
    uint32_t k, next;
} XtfMessage;

/* All of them. */
typedef struct {
    XtfMessage *all;
    uint32_t n_used, room, free;
    uint64_t n;      /* in flight */
    XtfFlights rest; /* those that their group does not list: numbers plus 1 */
} XtfMessages;

/* `group` is one of `groups`; a pointer to a message is good until the next one is added. */
XtfMessage *xtf_messages_add(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k);
XtfMessage *xtf_messages_find(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k);
void xtf_messages_remove(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, XtfMessage *message);
/* Forgets all; the lists of groups are the caller's to clear. */
void xtf_messages_finish(XtfMessages *messages);

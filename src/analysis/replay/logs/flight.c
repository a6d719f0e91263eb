#include "src/analysis/replay/logs/flight.h"

#include <string.h>

#include "libxtf/base/splitmix.h"

/* ---- Groups. */

static uint64_t hash_key(const XtfGroupKey *key)
{
    return xtf_splitmix(xtf_splitmix((uint64_t)key->comm << 32 | key->tag) +
                        ((uint64_t)key->sender << 32 | key->receiver));
}

static bool same_key(const XtfGroupKey *a, const XtfGroupKey *b)
{
    return a->comm == b->comm && a->tag == b->tag && a->sender == b->sender && a->receiver == b->receiver;
}

/* Returns the slot of the key, or the free slot for it. */
static uint32_t *slot_of(const XtfGroups *groups, const XtfGroupKey *key)
{
    uint32_t mask = groups->n_slots - 1, i = (uint32_t)hash_key(key) & mask;

    while (groups->slots[i] && !same_key(&groups->all[groups->slots[i] - 1].key, key))
        i = (i + 1) & mask;
    return &groups->slots[i];
}

static void grow_slots(XtfGroups *groups)
{
    groups->n_slots = MAX(64, 2 * groups->n_slots);
    g_free(groups->slots);
    groups->slots = g_new0(uint32_t, groups->n_slots);
    for (uint32_t i = 0; i < groups->n; i++)
        *slot_of(groups, &groups->all[i].key) = i + 1;
}

uint32_t xtf_groups_find(XtfGroups *groups, const XtfGroupKey *key, bool add)
{
    if (!groups->n_slots && !add)
        return UINT32_MAX;
    if (2 * (uint64_t)groups->n >= groups->n_slots)
        grow_slots(groups);
    uint32_t *slot = slot_of(groups, key);
    if (*slot || !add)
        return *slot - 1;
    if (groups->n == groups->room) {
        groups->room = MAX(32, groups->room + groups->room / 2);
        groups->all = xtf_paged_grow(&groups->paged, groups->room * sizeof *groups->all);
    }
    groups->all[groups->n] = (XtfGroup){.key = *key, .location = UINT32_MAX, .receiver_or_rank = UINT32_MAX};
    *slot = ++groups->n;
    return groups->n - 1;
}

void xtf_groups_finish(XtfGroups *groups)
{
    xtf_paged_free(&groups->paged);
    g_free(groups->slots);
    *groups = (XtfGroups){0};
}

/* ---- In flight. */

static uint64_t home_of(const XtfFlights *flights, uint64_t key)
{
    return (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (flights->n_slots - 1);
}

static size_t slot_bytes(const XtfFlights *flights)
{
    return (1 + (size_t)(flights->few_words ? flights->few_words : XTF_FLIGHT_WORDS)) * sizeof(uint64_t);
}

static XtfFlight *slot_at(const XtfFlights *flights, uint64_t i)
{
    return (XtfFlight *)(void *)((uint8_t *)flights->slots + i * slot_bytes(flights));
}

static XtfFlight *flight_slot(const XtfFlights *flights, uint64_t key)
{
    uint64_t i = home_of(flights, key);

    while (slot_at(flights, i)->key != key && slot_at(flights, i)->key != UINT64_MAX)
        i = (i + 1) & (flights->n_slots - 1);
    return slot_at(flights, i);
}

static void grow_flights(XtfFlights *flights)
{
    XtfFlights old = *flights;
    size_t bytes = slot_bytes(flights);

    flights->n_slots = MAX(flights->few_words ? 4 : 8, 2 * old.n_slots);
    flights->slots = g_malloc_n(flights->n_slots, bytes);
    memset(flights->slots, 0xff, flights->n_slots * bytes);
    for (uint64_t i = 0; i < old.n_slots; i++)
        if (slot_at(&old, i)->key != UINT64_MAX)
            memcpy(flight_slot(flights, slot_at(&old, i)->key), slot_at(&old, i), bytes);
    g_free(old.slots);
}

XtfFlight *xtf_flights_add(XtfFlights *flights, uint64_t key)
{
    if (3 * flights->n >= 2 * flights->n_slots)
        grow_flights(flights);
    XtfFlight *flight = flight_slot(flights, key);
    flights->n += flight->key == UINT64_MAX;
    flight->key = key;
    return flight;
}

XtfFlight *xtf_flights_find(const XtfFlights *flights, uint64_t key)
{
    XtfFlight *flight = flights->n ? flight_slot(flights, key) : NULL;
    return flight && flight->key == key ? flight : NULL;
}

/* Removes an entry. The entries behind it in its run of slots move up, so that searches find them. */
void xtf_flights_remove(XtfFlights *flights, XtfFlight *flight)
{
    size_t bytes = slot_bytes(flights);
    uint64_t mask = flights->n_slots - 1, hole = (uint64_t)((uint8_t *)flight - (uint8_t *)flights->slots) / bytes;

    for (uint64_t i = (hole + 1) & mask; slot_at(flights, i)->key != UINT64_MAX; i = (i + 1) & mask) {
        uint64_t home = home_of(flights, slot_at(flights, i)->key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            memcpy(slot_at(flights, hole), slot_at(flights, i), bytes);
            hole = i;
        }
    }
    slot_at(flights, hole)->key = UINT64_MAX;
    flights->n--;
}

void xtf_flights_finish(XtfFlights *flights)
{
    g_free(flights->slots);
    *flights = (XtfFlights){.few_words = flights->few_words};
}

/* ---- Messages in flight. */

enum { LISTED_MAX = 8 };

static uint64_t message_key(const XtfGroups *groups, const XtfGroup *group, uint32_t k)
{
    return (uint64_t)(group - groups->all) << 32 | k;
}

static uint32_t allot_message(XtfMessages *messages)
{
    uint32_t number = messages->free;

    if (number > 0) {
        messages->free = messages->all[number - 1].next;
        return number;
    }
    if (messages->n_used == messages->room) {
        messages->room = MAX(32, messages->room + messages->room / 2);
        messages->all = g_renew(XtfMessage, messages->all, messages->room);
    }
    return ++messages->n_used;
}

XtfMessage *xtf_messages_add(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k)
{
    uint32_t number = allot_message(messages);
    XtfMessage *message = &messages->all[number - 1];

    message->k = k;
    message->next = 0;
    messages->n++;
    if (group->n_listed < LISTED_MAX) {
        message->next = group->listed;
        group->listed = number;
        group->n_listed++;
    } else {
        messages->unlisted.few_words = 1;
        xtf_flights_add(&messages->unlisted, message_key(groups, group, k))->words[0] = number;
    }
    return message;
}

/* Returns the link to a message in its group's list: a number plus 1; 0 at the end of the list. */
static uint32_t *listed_at(XtfMessages *messages, XtfGroup *group, uint32_t k)
{
    uint32_t *at = &group->listed;

    while (*at && messages->all[*at - 1].k != k)
        at = &messages->all[*at - 1].next;
    return at;
}

XtfMessage *xtf_messages_find(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, uint32_t k)
{
    uint32_t number = *listed_at(messages, group, k);

    if (number == 0 && messages->unlisted.n > 0) {
        const XtfFlight *flight = xtf_flights_find(&messages->unlisted, message_key(groups, group, k));
        number = flight ? (uint32_t)flight->words[0] : 0;
    }
    return number > 0 ? &messages->all[number - 1] : NULL;
}

void xtf_messages_remove(XtfMessages *messages, const XtfGroups *groups, XtfGroup *group, XtfMessage *message)
{
    uint32_t *at = listed_at(messages, group, message->k), number = (uint32_t)(message - messages->all) + 1;

    if (*at) {
        *at = message->next;
        group->n_listed--;
    } else {
        xtf_flights_remove(&messages->unlisted,
                           xtf_flights_find(&messages->unlisted, message_key(groups, group, message->k)));
    }
    message->next = messages->free;
    messages->free = number;
    messages->n--;
}

void xtf_messages_finish(XtfMessages *messages)
{
    g_free(messages->all);
    xtf_flights_finish(&messages->unlisted);
    *messages = (XtfMessages){0};
}

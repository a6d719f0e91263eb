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

void xtf_flights_grow(XtfFlights *flights)
{
    XtfFlights old = *flights;

    flights->slot_words = 1 + (flights->few_words ? flights->few_words : XTF_FLIGHT_WORDS);
    flights->n_slots = MAX(flights->few_words ? 4 : 8, 2 * old.n_slots);
    size_t bytes = flights->slot_words * sizeof *flights->slots;
    flights->slots = g_malloc_n(flights->n_slots, bytes);
    memset(flights->slots, 0xff, flights->n_slots * bytes);
    for (uint64_t i = 0; i < old.n_slots; i++)
        if (xtf_flights_at(&old, i)->key != UINT64_MAX)
            memcpy(xtf_flights_slot(flights, xtf_flights_at(&old, i)->key), xtf_flights_at(&old, i), bytes);
    g_free(old.slots);
}

void xtf_flights_finish(XtfFlights *flights)
{
    g_free(flights->slots);
    *flights = (XtfFlights){.few_words = flights->few_words};
}

/* ---- Messages in flight. */

void xtf_messages_grow(XtfMessages *messages)
{
    messages->room = MAX(32, messages->room + messages->room / 2);
    messages->all = g_renew(XtfMessage, messages->all, messages->room);
}

void xtf_messages_finish(XtfMessages *messages)
{
    g_free(messages->all);
    xtf_flights_finish(&messages->unlisted);
    *messages = (XtfMessages){0};
}

#include "src/analysis/causes/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 Wide;

/* Sums of doubles that should be whole are so near to it, relative to them. */
#define NEARLY 1e-9

typedef struct {
    double rest;
    uint32_t i;
} Order;

void xtf_rests_finish(XtfRests *rests)
{
    xtf_flights_finish(&rests->rests);
}

static double rest_in(const XtfFlight *flight)
{
    double rest;

    memcpy(&rest, flight->words, sizeof rest);
    return rest;
}

static double rest_of(const XtfRests *rests, uint64_t key)
{
    const XtfFlight *flight = xtf_flights_find(&rests->rests, key);
    return flight ? rest_in(flight) : 0;
}

/* Nothing is kept of parts that are nothing, which most are. */
static void add_rest(XtfRests *rests, uint64_t key, double more)
{
    if (more == 0)
        return;
    rests->rests.few_words = 1;
    XtfFlight *flight = xtf_flights_find(&rests->rests, key);
    double rest = (flight ? rest_in(flight) : 0) + more;
    if (!flight)
        flight = xtf_flights_add(&rests->rests, key);
    memcpy(flight->words, &rest, sizeof rest);
}

static int compare(const void *a, const void *b)
{
    const Order *one = a, *other = b;

    if (one->rest != other->rest)
        return one->rest > other->rest ? -1 : 1;
    return (one->i > other->i) - (one->i < other->i);
}

/* What all shares lose together if each loses `level` ticks, or all that it has. */
static Wide lost_at(const XtfShare *shares, uint32_t n, uint64_t level)
{
    Wide lost = 0;

    for (uint32_t i = 0; i < n; i++)
        lost += MIN(shares[i].ticks, level);
    return lost;
}

/* Takes ticks back, from all the same, so that nobody waits for many; what is left then from the least rests. */
static void take_back(XtfShare *shares, const Order *order, uint32_t n, Wide excess)
{
    uint64_t low = 0, high = UINT64_MAX; /* the greatest level at which no more than that is lost */

    while (low < high) {
        uint64_t middle = low + (high - low) / 2 + 1;
        if (lost_at(shares, n, middle) <= excess)
            low = middle;
        else
            high = middle - 1;
    }
    excess -= lost_at(shares, n, low);
    for (uint32_t i = 0; i < n; i++)
        shares[i].ticks -= MIN(shares[i].ticks, low);
    for (uint32_t i = n; i-- > 0 && excess > 0;) {
        XtfShare *share = &shares[order[i].i];
        excess -= share->ticks > 0;
        share->ticks -= share->ticks > 0;
    }
}

void xtf_shares_round(XtfRests *rests, XtfShare *shares, uint32_t n, uint64_t whole)
{
    g_autofree Order *order = g_new(Order, n);
    double sum = 0;
    Wide given = 0;

    for (uint32_t i = 0; i < n; i++) {
        double owed = MAX(shares[i].exact + rest_of(rests, shares[i].key), 0);
        shares[i].ticks = owed < 0x1p63 ? (uint64_t)floor(owed) : 0;
        order[i] = (Order){.rest = owed - (double)shares[i].ticks, .i = i};
        sum += owed;
        given += shares[i].ticks;
    }
    uint64_t total = sum < 0x1p63 ? (uint64_t)floor(sum * (1 + 0x1p-50) + NEARLY) : 0;
    total = MIN(total, whole);
    if (n > 1)
        qsort(order, n, sizeof *order, compare);
    for (uint32_t i = 0; i < n && given < total; i++, given++)
        shares[order[i].i].ticks++;
    if (given > total) /* too much was owed, and waits for the next time */
        take_back(shares, order, n, given - total);
    for (uint32_t i = 0; i < n; i++)
        add_rest(rests, shares[i].key, shares[i].exact - (double)shares[i].ticks);
}

uint64_t xtf_share_round(XtfRests *rests, uint64_t key, double exact, uint64_t whole)
{
    XtfShare share = {.key = key, .exact = exact};

    xtf_shares_round(rests, &share, 1, whole);
    return share.ticks;
}

uint64_t xtf_share_key(uint32_t callpath, uint32_t what)
{
    return (uint64_t)callpath << 8 | what;
}

#include "src/analysis/waits/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 Wide;

/* The relative error of sums of doubles that should be whole. */
#define RELATIVE_ERROR 1e-9

typedef struct {
    double remainder;
    uint32_t i;
} Order;

void xtf_remainders_finish(XtfRemainders *remainders)
{
    xtf_flights_finish(&remainders->remainders);
}

static double remainder_in(const XtfFlight *flight)
{
    double remainder;

    memcpy(&remainder, flight->words, sizeof remainder);
    return remainder;
}

static double remainder_of(const XtfRemainders *remainders, uint64_t key)
{
    const XtfFlight *flight = xtf_flights_find(&remainders->remainders, key);
    return flight ? remainder_in(flight) : 0;
}

/* Adds to the remainder of a key. A key without a remainder, as most, takes no memory. */
static void add_remainder(XtfRemainders *remainders, uint64_t key, double more)
{
    if (more == 0)
        return;
    remainders->remainders.few_words = 1;
    XtfFlight *flight = xtf_flights_find(&remainders->remainders, key);
    double remainder = (flight ? remainder_in(flight) : 0) + more;
    if (!flight)
        flight = xtf_flights_add(&remainders->remainders, key);
    memcpy(flight->words, &remainder, sizeof remainder);
}

static int compare_remainders(const void *a, const void *b)
{
    const Order *one = a, *second = b;

    if (one->remainder != second->remainder)
        return one->remainder > second->remainder ? -1 : 1;
    return (one->i > second->i) - (one->i < second->i);
}

/* Returns the ticks that all shares lose together if each loses at most `level` ticks. */
static Wide lost_ticks(const XtfShare *shares, uint32_t n, uint64_t level)
{
    Wide lost = 0;

    for (uint32_t i = 0; i < n; i++)
        lost += MIN(shares[i].ticks, level);
    return lost;
}

/* Subtracts `excess` ticks from the shares, equally, so that no share loses many. The last ones come from the shares
 * with the smallest remainders. */
static void subtract_excess(XtfShare *shares, const Order *order, uint32_t n, Wide excess)
{
    uint64_t low = 0, high = UINT64_MAX; /* search for the greatest level at which at most `excess` is lost */

    while (low < high) {
        uint64_t middle = low + (high - low) / 2 + 1;
        if (lost_ticks(shares, n, middle) <= excess)
            low = middle;
        else
            high = middle - 1;
    }
    excess -= lost_ticks(shares, n, low);
    for (uint32_t i = 0; i < n; i++)
        shares[i].ticks -= MIN(shares[i].ticks, low);
    for (uint32_t i = n; i-- > 0 && excess > 0;) {
        XtfShare *share = &shares[order[i].i];
        excess -= share->ticks > 0;
        share->ticks -= share->ticks > 0;
    }
}

void xtf_shares_round(XtfRemainders *remainders, XtfShare *shares, uint32_t n, uint64_t whole)
{
    g_autofree Order *order = g_new(Order, n);
    double sum = 0;
    Wide given = 0;

    for (uint32_t i = 0; i < n; i++) {
        double due = MAX(shares[i].exact + remainder_of(remainders, shares[i].key), 0);
        shares[i].ticks = due < 0x1p63 ? (uint64_t)floor(due) : 0;
        order[i] = (Order){.remainder = due - (double)shares[i].ticks, .i = i};
        sum += due;
        given += shares[i].ticks;
    }
    uint64_t total = sum < 0x1p63 ? (uint64_t)floor(sum * (1 + 0x1p-50) + RELATIVE_ERROR) : 0;
    total = MIN(total, whole);
    if (n > 1)
        qsort(order, n, sizeof *order, compare_remainders);
    for (uint32_t i = 0; i < n && given < total; i++, given++)
        shares[order[i].i].ticks++;
    if (given > total) /* the remainders exceed the whole and stay for the next wait */
        subtract_excess(shares, order, n, given - total);
    for (uint32_t i = 0; i < n; i++)
        add_remainder(remainders, shares[i].key, shares[i].exact - (double)shares[i].ticks);
}

uint64_t xtf_share_round(XtfRemainders *remainders, uint64_t key, double exact, uint64_t whole)
{
    XtfShare share = {.key = key, .exact = exact};

    xtf_shares_round(remainders, &share, 1, whole);
    return share.ticks;
}

uint64_t xtf_share_key(uint32_t callpath, uint32_t quantity)
{
    return (uint64_t)callpath << 8 | quantity;
}

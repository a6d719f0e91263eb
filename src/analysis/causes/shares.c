#include "src/analysis/causes/shares.h"

#include <math.h>
#include <stdlib.h>

/* Sums of doubles that should be whole are so near to it, relative to them. */
#define NEARLY 1e-9

typedef struct {
    double rest;
    uint32_t i;
} Order;

void xtf_rests_finish(XtfRests *rests)
{
    g_clear_pointer(&rests->rests, g_hash_table_unref);
}

static double rest_of(const XtfRests *rests, uint64_t key)
{
    const double *rest = rests->rests ? g_hash_table_lookup(rests->rests, &key) : NULL;
    return rest ? *rest : 0;
}

/* Nothing is kept of parts that are nothing, which most are. */
static void add_rest(XtfRests *rests, uint64_t key, double more)
{
    if (more == 0)
        return;
    if (!rests->rests)
        rests->rests = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    double *rest = g_hash_table_lookup(rests->rests, &key);
    if (!rest) {
        rest = g_new0(double, 1);
        g_hash_table_insert(rests->rests, g_memdup2(&key, sizeof key), rest);
    }
    *rest += more;
}

static int compare(const void *a, const void *b)
{
    const Order *one = a, *other = b;

    if (one->rest != other->rest)
        return one->rest > other->rest ? -1 : 1;
    return (one->i > other->i) - (one->i < other->i);
}

void xtf_shares_round(XtfRests *rests, XtfShare *shares, uint32_t n, uint64_t whole)
{
    g_autofree Order *order = g_new(Order, n);
    double sum = 0;
    uint64_t given = 0;

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
    /* Too much was owed: the least rests wait for the next time, a tick each, so that nobody waits for many. */
    for (uint32_t i = n; given > total; i = i > 1 ? i - 1 : n) {
        XtfShare *share = &shares[order[i - 1].i];
        given -= share->ticks > 0;
        share->ticks -= share->ticks > 0;
    }
    for (uint32_t i = 0; i < n; i++)
        add_rest(rests, shares[i].key, shares[i].exact - (double)shares[i].ticks);
}

uint64_t xtf_share_round(XtfRests *rests, uint64_t key, double exact, uint64_t whole)
{
    XtfShare share = {.key = key, .exact = exact};

    xtf_shares_round(rests, &share, 1, whole);
    return share.ticks;
}

uint64_t xtf_share_key(uint32_t context, uint32_t what)
{
    return (uint64_t)context << 8 | what;
}

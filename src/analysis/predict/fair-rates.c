#include "src/analysis/predict/fair-rates.h"

#include <glib.h>
#include <math.h>

#include "src/analysis/predict/heap.h"

#define NO_STREAM  UINT32_MAX
#define NO_LINK    UINT32_MAX
#define LITTLE     1e-9  /* relative difference of equal rates */
#define LEAST_RATE 1e-12 /* part of the capacity: errors of rounding stop no flow */

enum { ROUNDS_MAX = 6 };

typedef struct {
    uint32_t *streams;
    uint32_t n, room;
    uint32_t n_flows; /* of all its streams */
    double load;      /* sum of the rates */
    double trial;     /* load with the new rates */
    double left;      /* capacity that is not given to flows yet */
    uint32_t n_open;  /* flows without a new rate */
    uint64_t region;  /* number of the last region that had it */
    uint64_t touched; /* number of the last round in which `trial` was set */
} Link;

/* A link whose flows get equal shares of its free capacity, or a stream with a limit. */
typedef struct {
    double rate;
    uint32_t number;
    bool is_stream;
} Candidate;

struct XtfFairRates {
    Link *links;
    uint32_t n_links;
    double capacity;
    XtfStream *streams;
    uint32_t n_streams, room, free;
    GArray *region;     /* uint32_t: links */
    GArray *members;    /* uint32_t: streams of the region */
    GArray *candidates; /* Candidate: a heap, least rate first */
    uint64_t number;    /* of the region */
    uint64_t round;
};

XtfFairRates *xtf_fair_rates_new(uint32_t n_links, double capacity)
{
    XtfFairRates *rates = g_new0(XtfFairRates, 1);

    rates->links = g_new0(Link, (gsize)n_links + 1);
    rates->n_links = n_links;
    rates->capacity = capacity;
    rates->free = NO_STREAM;
    rates->region = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    rates->members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    rates->candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    return rates;
}

void xtf_fair_rates_free(XtfFairRates *rates)
{
    if (!rates)
        return;
    for (uint32_t i = 0; i < rates->n_links; i++)
        g_free(rates->links[i].streams);
    g_free(rates->links);
    g_free(rates->streams);
    g_array_unref(rates->region);
    g_array_unref(rates->members);
    g_array_unref(rates->candidates);
    g_free(rates);
}

const XtfStream *xtf_fair_stream(const XtfFairRates *rates, uint32_t number)
{
    return &rates->streams[number];
}

uint32_t xtf_fair_rates_add(XtfFairRates *rates, uint32_t first, uint32_t second, double limit)
{
    uint32_t number = rates->free;

    if (number != NO_STREAM) {
        rates->free = rates->streams[number].next_free;
    } else {
        if (rates->n_streams == rates->room) {
            rates->room = MAX(64, 2 * rates->room);
            rates->streams = g_renew(XtfStream, rates->streams, rates->room);
        }
        number = rates->n_streams++;
    }
    rates->streams[number] = (XtfStream){.links = {first, second},
                                         .limit = limit < rates->capacity * (1 - LITTLE) ? limit : INFINITY,
                                         .bottleneck = NO_LINK};
    return number;
}

static void add_to_link(Link *link, XtfStream *stream, unsigned side, uint32_t number)
{
    if (link->n == link->room) {
        link->room = MAX(4, 2 * link->room);
        link->streams = g_renew(uint32_t, link->streams, link->room);
    }
    stream->at[side] = link->n;
    link->streams[link->n++] = number;
}

void xtf_fair_rates_begin(XtfFairRates *rates, uint32_t number)
{
    XtfStream *stream = &rates->streams[number];

    for (unsigned side = 0; side < 2; side++) {
        Link *link = &rates->links[stream->links[side]];
        if (stream->n == 0)
            add_to_link(link, stream, side, number);
        link->n_flows++;
    }
    stream->n++;
}

static void remove_from_link(XtfFairRates *rates, Link *link, const XtfStream *stream, unsigned side)
{
    uint32_t last = link->streams[--link->n];
    XtfStream *moved = &rates->streams[last];

    link->streams[stream->at[side]] = last;
    moved->at[side] = stream->at[side]; /* a link is the first one of all its streams, or the second one */
}

void xtf_fair_rates_end(XtfFairRates *rates, uint32_t number)
{
    XtfStream *stream = &rates->streams[number];

    stream->n--;
    for (unsigned side = 0; side < 2; side++) {
        Link *link = &rates->links[stream->links[side]];
        link->n_flows--;
        if (stream->n == 0)
            remove_from_link(rates, link, stream, side);
    }
    if (stream->n > 0)
        return;
    stream->next_free = rates->free;
    rates->free = number;
}

/* ---- The heap of candidates. */

static bool is_less(const void *a, const void *b)
{
    const Candidate *left = a, *right = b;

    if (left->rate != right->rate)
        return left->rate < right->rate;
    return left->is_stream != right->is_stream ? left->is_stream : left->number < right->number;
}

static void add_candidate(GArray *heap, Candidate candidate)
{
    xtf_heap_add(heap, &candidate, sizeof candidate, is_less);
}

static void replace_first(GArray *heap, Candidate candidate)
{
    xtf_heap_replace_first(heap, &candidate, sizeof candidate, is_less);
}

static void remove_first(GArray *heap)
{
    xtf_heap_remove_first(heap, sizeof(Candidate), is_less);
}

/* ---- Filling a region. */

static bool is_in_region(const XtfFairRates *rates, uint32_t link)
{
    return rates->links[link].region == rates->number;
}

static bool is_full(const XtfFairRates *rates, double load)
{
    return load >= rates->capacity * (1 - LITTLE);
}

static bool add_link(XtfFairRates *rates, uint32_t link)
{
    if (is_in_region(rates, link))
        return false;
    rates->links[link].region = rates->number;
    g_array_append_val(rates->region, link);
    return true;
}

/* Returns the limit of a stream of the region: its own, or its rate if its bottleneck is outside. */
static double limit_of(const XtfFairRates *rates, const XtfStream *stream)
{
    bool outside = stream->bottleneck != NO_LINK && !is_in_region(rates, stream->bottleneck);

    return outside ? MIN(stream->limit, stream->rate) : stream->limit;
}

static void add_region_stream(XtfFairRates *rates, uint32_t number)
{
    XtfStream *stream = &rates->streams[number];

    if (stream->seen == rates->round)
        return;
    stream->seen = rates->round;
    stream->fixed = false;
    g_array_append_val(rates->members, number);
    double limit = limit_of(rates, stream);
    if (limit < rates->capacity)
        add_candidate(rates->candidates, (Candidate){limit, number, true});
}

static void begin_round(XtfFairRates *rates)
{
    rates->round++;
    g_array_set_size(rates->members, 0);
    g_array_set_size(rates->candidates, 0);
    for (guint i = 0; i < rates->region->len; i++) {
        uint32_t number = g_array_index(rates->region, uint32_t, i);
        Link *link = &rates->links[number];
        link->left = rates->capacity;
        link->n_open = link->n_flows;
        for (uint32_t k = 0; k < link->n; k++)
            add_region_stream(rates, link->streams[k]);
        if (link->n > 0)
            add_candidate(rates->candidates, (Candidate){link->left / link->n_flows, number, false});
    }
}

static void fix_stream(XtfFairRates *rates, uint32_t number, double rate, uint32_t bottleneck)
{
    XtfStream *stream = &rates->streams[number];

    stream->fixed = true;
    stream->new_rate = MAX(rate, rates->capacity * LEAST_RATE);
    stream->new_bottleneck = bottleneck;
    for (unsigned i = 0; i < 2; i++) {
        Link *link = &rates->links[stream->links[i]];
        if (!is_in_region(rates, stream->links[i]))
            continue;
        link->left = MAX(0, link->left - rate * stream->n);
        link->n_open -= stream->n;
    }
}

/* Gives all streams of the region their rates, least first. */
static void fill_region(XtfFairRates *rates)
{
    GArray *heap = rates->candidates;

    begin_round(rates);
    while (heap->len > 0) {
        const Candidate first = g_array_index(heap, Candidate, 0);
        if (first.is_stream) {
            const XtfStream *stream = &rates->streams[first.number];
            remove_first(heap);
            if (!stream->fixed)
                fix_stream(rates, first.number, first.rate, first.rate < stream->limit ? stream->bottleneck : NO_LINK);
            continue;
        }
        Link *link = &rates->links[first.number];
        double share = link->n_open > 0 ? link->left / link->n_open : INFINITY;
        if (share > first.rate) {
            if (link->n_open > 0)
                replace_first(heap, (Candidate){share, first.number, false});
            else
                remove_first(heap);
            continue;
        }
        remove_first(heap);
        for (uint32_t i = 0; i < link->n; i++)
            if (!rates->streams[link->streams[i]].fixed)
                fix_stream(rates, link->streams[i], first.rate, first.number);
    }
}

static bool differs(const XtfStream *stream)
{
    return fabs(stream->new_rate - stream->rate) > LITTLE * stream->rate;
}

/* Adds the links outside on which streams of the region get another rate, if others would notice; false: there are
 * none. */
static bool widen_region(XtfFairRates *rates)
{
    bool widened = false;

    for (guint i = 0; i < rates->members->len; i++) {
        const XtfStream *stream = &rates->streams[g_array_index(rates->members, uint32_t, i)];
        for (unsigned side = 0; side < 2 && differs(stream); side++) {
            Link *link = &rates->links[stream->links[side]];
            if (is_in_region(rates, stream->links[side]))
                continue;
            if (link->touched != rates->round) {
                link->touched = rates->round;
                link->trial = link->load;
            }
            link->trial += (stream->new_rate - stream->rate) * stream->n;
        }
    }
    for (guint i = 0; i < rates->members->len; i++) {
        const XtfStream *stream = &rates->streams[g_array_index(rates->members, uint32_t, i)];
        for (unsigned side = 0; side < 2 && differs(stream); side++) {
            const Link *link = &rates->links[stream->links[side]];
            if (link->touched == rates->round && !is_in_region(rates, stream->links[side]) &&
                (is_full(rates, link->load) || link->trial > rates->capacity * (1 + LITTLE)))
                widened |= add_link(rates, stream->links[side]);
        }
    }
    return widened;
}

/* Adds all links that are connected with the region. */
static void complete_region(XtfFairRates *rates)
{
    for (guint i = 0; i < rates->region->len; i++) {
        const Link *link = &rates->links[g_array_index(rates->region, uint32_t, i)];
        for (uint32_t k = 0; k < link->n; k++) {
            add_link(rates, rates->streams[link->streams[k]].links[0]);
            add_link(rates, rates->streams[link->streams[k]].links[1]);
        }
    }
}

static void set_rates(XtfFairRates *rates, void (*change)(void *data, uint32_t number), void *data)
{
    for (guint i = 0; i < rates->members->len; i++) {
        uint32_t number = g_array_index(rates->members, uint32_t, i);
        XtfStream *stream = &rates->streams[number];
        stream->bottleneck = stream->new_bottleneck;
        if (!differs(stream))
            continue;
        change(data, number);
        for (unsigned side = 0; side < 2; side++)
            if (!is_in_region(rates, stream->links[side]))
                rates->links[stream->links[side]].load += (stream->new_rate - stream->rate) * stream->n;
        stream->rate = stream->new_rate;
    }
    for (guint i = 0; i < rates->region->len; i++) {
        Link *link = &rates->links[g_array_index(rates->region, uint32_t, i)];
        link->load = 0;
        for (uint32_t k = 0; k < link->n; k++)
            link->load += rates->streams[link->streams[k]].rate * rates->streams[link->streams[k]].n;
    }
}

void xtf_fair_rates_update(XtfFairRates *rates, const uint32_t *links, uint32_t n,
                           void (*change)(void *data, uint32_t number), void *data)
{
    rates->number++;
    g_array_set_size(rates->region, 0);
    for (uint32_t i = 0; i < n; i++)
        add_link(rates, links[i]);
    for (unsigned round = 1;; round++) {
        fill_region(rates);
        if (!widen_region(rates))
            break;
        if (round == ROUNDS_MAX)
            complete_region(rates);
    }
    set_rates(rates, change, data);
}

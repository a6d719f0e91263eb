#include <string.h>

#include "libxtf/error.h"
#include "src/world/world-private.h"

/* Waits for the next bytes of a rank. The caller unrefs them. */
static GBytes *take_together(XtfWorld *world, unsigned from)
{
    while (g_queue_is_empty(&world->peers[from].together))
        xtf_world_wait(world);
    return g_queue_pop_head(&world->peers[from].together);
}

/* Sends the bytes down a binomial tree: the parent of rank r is r without its lowest bit. */
GBytes *xtf_world_broadcast(XtfWorld *world, GBytes *bytes)
{
    unsigned own = world->rank, lowest = own & -own;
    GBytes *whole = own == 0 ? g_bytes_ref(bytes) : take_together(world, own - lowest);

    for (unsigned bit = 1; (own == 0 || bit < lowest) && bit < world->size; bit <<= 1)
        if (own + bit < world->size)
            xtf_world_send_together(world, own + bit, whole);
    return whole;
}

/* Adds up along the tree of xtf_world_broadcast(), towards rank 0. */
static void sum_towards_first(XtfWorld *world, uint64_t *numbers, size_t n)
{
    unsigned own = world->rank, lowest = own & -own;

    for (unsigned bit = 1; (own == 0 || bit < lowest) && bit < world->size; bit <<= 1) {
        if (own + bit >= world->size)
            continue;
        g_autoptr(GBytes) bytes = take_together(world, own + bit);
        const uint64_t *added = g_bytes_get_data(bytes, NULL);
        for (size_t i = 0; i < n; i++)
            numbers[i] += added[i];
    }
    g_autoptr(GBytes) sums = own > 0 ? g_bytes_new(numbers, n * sizeof *numbers) : NULL;
    if (sums)
        xtf_world_send_together(world, own - lowest, sums);
}

void xtf_world_sum(XtfWorld *world, uint64_t *numbers, size_t n)
{
    sum_towards_first(world, numbers, n);
    g_autoptr(GBytes) own = g_bytes_new(numbers, n * sizeof *numbers);
    g_autoptr(GBytes) shared = xtf_world_broadcast(world, own);
    memcpy(numbers, g_bytes_get_data(shared, NULL), n * sizeof *numbers);
}

static void unref_bytes(gpointer bytes)
{
    g_bytes_unref(bytes);
}

GPtrArray *xtf_world_gather(XtfWorld *world, GBytes *bytes)
{
    if (world->rank > 0) {
        xtf_world_send_together(world, 0, bytes);
        return NULL;
    }
    GPtrArray *all = g_ptr_array_new_with_free_func(unref_bytes);
    g_ptr_array_add(all, g_bytes_ref(bytes));
    for (unsigned from = 1; from < world->size; from++)
        g_ptr_array_add(all, take_together(world, from));
    return all;
}

/* How a rank has fared. */
typedef enum {
    GOOD,
    CANCELLED,
    FAILED,
} Outcome;

/* Returns the rank that reports: the lowest with the worst outcome; `size` if all are good. */
static uint32_t choose_reporter(const GPtrArray *outcomes)
{
    uint8_t worst = GOOD;
    uint32_t reporter = outcomes->len;

    for (uint32_t i = 0; i < outcomes->len; i++) {
        const uint8_t *outcome = g_bytes_get_data(outcomes->pdata[i], NULL);
        if (*outcome > worst) {
            worst = *outcome;
            reporter = i;
        }
    }
    return reporter;
}

bool xtf_world_agree(XtfWorld *world, const GError *own, bool *reports)
{
    const uint8_t outcome = !own ? GOOD : g_error_matches(own, XTF_ERROR, XTF_ERROR_CANCELLED) ? CANCELLED : FAILED;
    g_autoptr(GBytes) bytes = g_bytes_new(&outcome, sizeof outcome), chosen = NULL;
    g_autoptr(GPtrArray) outcomes = xtf_world_gather(world, bytes);
    uint32_t reporter = outcomes ? choose_reporter(outcomes) : 0;

    chosen = g_bytes_new(&reporter, sizeof reporter);
    g_autoptr(GBytes) agreed = xtf_world_broadcast(world, chosen);
    memcpy(&reporter, g_bytes_get_data(agreed, NULL), sizeof reporter);
    *reports = reporter == world->rank;
    return reporter == world->size;
}

bool xtf_world_have_succeeded(XtfWorld *world, GError *own, GError **error)
{
    bool reports = true;

    if (world && !world->has_failed) {
        if (own)
            xtf_world_warn(world);
        if (xtf_world_agree(world, own, &reports))
            return true;
        world->has_failed = true;
        if (reports && world->rank > 0)
            g_prefix_error(&own, "rank %u on %s: ", world->rank, g_get_host_name());
    } else if (!own) {
        return !world;
    }
    if (reports)
        g_propagate_error(error, own);
    else
        g_clear_error(&own);
    return false;
}

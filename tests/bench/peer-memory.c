#include "peers.h"

uint64_t peer_lower_bound(const uint64_t *values, uint64_t n, uint64_t key)
{
    uint64_t low = 0, high = n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (values[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t count(void *self, const PeerArray *array, uint64_t from, uint64_t to)
{
    return peer_lower_bound(array->times, array->n, to) - peer_lower_bound(array->times, array->n, from);
}

const Peer peer_memory = {.name = "sorted array in memory", .count = count};

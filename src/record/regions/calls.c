/* The counts of calls that each thread keeps, and the brake. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "src/record/regions/regions.h"

enum {
    BRAKE_CALLS = 100000, /* default of XTF_RECORD_BRAKE */
    BRAKE_NS = 1000,      /* a call, with the time to record it, is too short if it takes less */
    CALLS_SIZE = XTF_WIRE_CHOICES * sizeof(XtfRegionCalls) + XTF_REGIONS_SCRATCH,
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;
static uint32_t brake_calls; /* 0: no brake */

static void free_calls(void *calls)
{
    xtf_regions_calls = NULL;
    munmap(calls, CALLS_SIZE);
}

static void set_up_process(void)
{
    const char *option = xtf_core_option("BRAKE");
    unsigned long calls = option ? strtoul(option, NULL, 10) : BRAKE_CALLS;

    brake_calls = calls < UINT32_MAX ? calls : UINT32_MAX - 1;
    xtf_regions_choices =
        (_Atomic uint8_t *)((uint8_t *)xtf_core_process + xtf_wire_choices_at(xtf_core_process->n_rings));
    has_key = pthread_key_create(&key, free_calls) == 0;
}

bool xtf_regions_start(void)
{
    static _Atomic bool tried;
    int kept = errno;

    if (atomic_load_explicit(&tried, memory_order_relaxed))
        return false;
    /* Calls of any thread during the activation are not recorded. */
    atomic_store_explicit(&tried, true, memory_order_relaxed);
    bool active = xtf_core_option("FOLDER") && xtf_core_activate();
    errno = kept;
    return active;
}

/* Reserves memory for the counts of all regions. The kernel allocates a page when the thread first calls a region in
 * it. */
bool xtf_regions_make_calls(void)
{
    int kept = errno;

    pthread_once(&once, set_up_process);
    void *calls = mmap(NULL, CALLS_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (calls != MAP_FAILED) {
        xtf_regions_calls = calls;
        if (has_key)
            pthread_setspecific(key, calls);
    }
    errno = kept;
    return calls != MAP_FAILED;
}

/* True if the region's last brake_calls calls took less than BRAKE_NS each, on average: recording then takes most of
 * their time. Unless calls are nested, they follow one another, so the time since the first bounds their sum. */
static bool called_too_often(const XtfRegionCalls *calls, uint64_t now)
{
    return now - calls->since < (uint64_t)brake_calls * BRAKE_NS;
}

/* True if the region may be braked: only functions that a compiler instrumented. The program placed the others by hand,
 * to have all of their calls recorded. */
static bool may_be_braked(uint32_t index)
{
    return brake_calls > 0 && index >= XTF_REGIONS_NAMED;
}

bool xtf_regions_look(XtfRing *ring, uint32_t index)
{
    XtfRegionCalls *calls = &xtf_regions_calls[index];
    uint64_t now = xtf_monotonic_ns();

    if (calls->left == 0) {
        bool defined =
            index < XTF_REGIONS_NAMED ? xtf_regions_define_named(ring, index) : xtf_regions_define_address(ring, index);
        if (!defined)
            return false; /* the next call tries again */
    } else if (may_be_braked(index) && called_too_often(calls, now)) {
        uint8_t before = XTF_WIRE_CHOICE_RECORD;
        if (atomic_compare_exchange_strong(&xtf_regions_choices[index], &before, XTF_WIRE_CHOICE_BRAKED))
            xtf_core_record(ring, xtf_core_now(), XTF_WIRE_BRAKED, XTF_WIRE_REGIONS_OWN + index, 0, brake_calls);
        if (calls->open == 0) {
            calls->left = 2; /* so that the next recorded call reads the clock */
            return false;
        }
    }
    calls->since = now;
    calls->left = may_be_braked(index) ? brake_calls + 1 : UINT32_MAX;
    return true;
}

void xtf_regions_unwind(XtfRing *ring, uint32_t index)
{
    uint32_t region = XTF_WIRE_REGIONS_OWN + index, depth = ring->depth;

    while (depth > 0 && ring->stack[depth - 1] != region)
        depth--;
    if (depth == 0)
        return;
    for (uint32_t i = depth; i < ring->depth; i++)
        if (ring->stack[i] >= XTF_WIRE_REGIONS_OWN) {
            XtfRegionCalls *calls = &xtf_regions_calls[ring->stack[i] - XTF_WIRE_REGIONS_OWN];
            calls->open -= calls->open > 0;
        }
    ring->depth = depth;
}

/*
 * Call sites: the places from which the program calls functions that are recorded.
 *
 * The table of the process is an open hash table. A site's number is its place in it, plus 1. Each ring remembers the
 * sites of its latest calls (core.h), so the table is rarely asked.
 *
 * With --sites=N above 1 a site has several frames. Its key is a hash of them, and its frames are beside the table. A
 * thread stores the key first, then the frames. Another thread that finds the key alone adds the same site once more,
 * and the collector joins both. Each ring remembers the trails of its latest stacks, whose comparison takes less time
 * than a walk.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "src/record/core/inner.h"

enum {
    FULL = XTF_WIRE_SITES / 8 * 7, /* no site is added beyond, so that look-ups stay short */
    FORGOTTEN = 1,                 /* replaces the key of a site whose library was unloaded */
    N_STACKS = 256,                /* sites of several frames that a ring remembers */
    STACKS_OF_ADDRESS = 4,         /* most of these stacks with the same call address */
};
#define ADDRESS_BITS 54
_Static_assert(XTF_WIRE_FUNCTIONS == 1 << (64 - ADDRESS_BITS), "a key has room for a region and an address");

/* The frames of a call, innermost first. */
typedef struct {
    uint32_t region, n;
    uintptr_t addresses[XTF_WIRE_FRAMES_MAX]; /* addresses of the frames; 0 from index n on */
} Call;

typedef enum { NEW, WHOLE, DEFINED } State; /* WHOLE: the frames are stored */

static _Atomic uint64_t keys[XTF_WIRE_SITES]; /* 0: the place is free */
static _Atomic uint8_t states[XTF_WIRE_SITES];
static _Atomic uint32_t n_sites;
/* By place, site_frames + 1 words each: the frames, 0 beyond the last, and the region. NULL: sites have one frame,
 * which is in the key. */
static uint64_t *frames;

void xtf_core_set_site_frames(uint64_t n)
{
    xtf_core.site_frames = n < XTF_WIRE_FRAMES_MAX ? (uint32_t)n : XTF_WIRE_FRAMES_MAX;
    if (n <= 1)
        return;
    void *memory = mmap(NULL, XTF_WIRE_SITES * sizeof *frames * (xtf_core.site_frames + 1), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
        frames = memory;
        return;
    }
    xtf_core_say("no memory for --sites=%u: call sites have one frame", xtf_core.site_frames);
    xtf_core.site_frames = 1;
}

static uint64_t key_of(const Call *call)
{
    uint64_t key = call->addresses[0] ^ (uint64_t)call->region << ADDRESS_BITS;

    for (uint32_t i = 1; i < call->n; i++)
        key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + call->addresses[i];
    return key > FORGOTTEN ? key : FORGOTTEN + 1;
}

static uint64_t *frames_at(uint32_t place)
{
    return frames + (size_t)place * (xtf_core.site_frames + 1);
}

/* True if the site at a place, which has the call's key, is that of the call. */
static bool is_site_of(uint32_t place, const Call *call)
{
    if (!frames)
        return true;
    const uint64_t *words = frames_at(place);
    bool same = atomic_load_explicit(&states[place], memory_order_acquire) != NEW;
    for (uint32_t i = 0; same && i < xtf_core.site_frames; i++)
        same = words[i] == call->addresses[i];
    return same && words[xtf_core.site_frames] == call->region;
}

static void store_frames(uint32_t place, const Call *call)
{
    if (!frames)
        return;
    memcpy(frames_at(place), call->addresses, xtf_core.site_frames * sizeof *frames);
    frames_at(place)[xtf_core.site_frames] = call->region;
    atomic_store_explicit(&states[place], WHOLE, memory_order_release);
}

/* Finds the place of a call in the table, and adds it if it is new. Returns XTF_WIRE_SITES if the table is full. */
static uint32_t find_site_place(uint64_t key, const Call *call)
{
    uint32_t place = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 49);
    _Static_assert(XTF_WIRE_SITES == 1 << (64 - 49), "a hash is a place");

    for (;; place = (place + 1) & (XTF_WIRE_SITES - 1)) {
        uint64_t found = atomic_load_explicit(&keys[place], memory_order_relaxed);
        if (found == key && is_site_of(place, call))
            return place;
        if (found != 0)
            continue;
        if (atomic_load_explicit(&n_sites, memory_order_relaxed) >= FULL)
            return XTF_WIRE_SITES;
        if (atomic_compare_exchange_strong(&keys[place], &found, key)) {
            atomic_fetch_add_explicit(&n_sites, 1, memory_order_relaxed);
            store_frames(place, call);
            return place;
        }
        if (found == key && is_site_of(place, call)) /* another thread has just added it */
            return place;
    }
}

/* Writes the definition of a call's site, and returns its size. `text` has space for n paths. */
static size_t write_definition(const Call *call, XtfDefineSite *site, XtfDefineFrame *defined, char *text)
{
    char *path = text;

    *site = (XtfDefineSite){.region = call->region, .n = call->n};
    for (uint32_t i = 0; i < call->n; i++) {
        bool in_program;
        uintptr_t base = xtf_core_find_module(call->addresses[i], path, &in_program);
        defined[i] = (XtfDefineFrame){call->addresses[i], base, in_program, (uint32_t)strlen(path)};
        path += defined[i].path_size;
    }
    return (size_t)(path - (char *)site);
}

/* Defines a site. Several threads may do so, each in its own ring. */
static bool define_site(XtfRing *ring, uint32_t place, const Call *call)
{
    size_t room = sizeof(XtfDefineSite) + call->n * (sizeof(XtfDefineFrame) + PATH_MAX);
    int saved = errno;
    /* Not on the stack: the thread may have a small one. */
    void *memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool defined = false;

    if (memory != MAP_FAILED) {
        XtfDefineSite *site = memory;
        XtfDefineFrame *of_site = (XtfDefineFrame *)(site + 1);
        size_t size = write_definition(call, site, of_site, (char *)(of_site + call->n));
        defined = xtf_core_define(ring, XTF_DEFINE_SITE, place + 1, site, size);
        munmap(memory, room);
    }
    errno = saved;
    return defined;
}

static uint32_t number_of(XtfRing *ring, uint64_t key, const Call *call, bool *lasting)
{
    uint32_t place = find_site_place(key, call);

    *lasting = true;
    if (place == XTF_WIRE_SITES)
        return XTF_WIRE_SITES + call->region;
    if (atomic_load_explicit(&states[place], memory_order_relaxed) != DEFINED) {
        *lasting = define_site(ring, place, call); /* if the ring had no space, the next call defines the site again */
        if (*lasting)
            atomic_store_explicit(&states[place], DEFINED, memory_order_release);
    }
    return place + 1;
}

static void prepare_stacks(XtfRing *ring)
{
    int saved = errno;

    ring->stack_bounds = xtf_stack_bounds();
    if (!ring->stacks) { /* otherwise an earlier thread of the ring allocated the memory */
        void *memory = mmap(NULL, N_STACKS * sizeof *ring->stacks, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        ring->stacks = memory == MAP_FAILED ? NULL : memory;
    }
    errno = saved;
}

/* Walks the stack, and returns the number of its site. `known`: the places of stacks with this call address. */
static uint32_t walk_stack(XtfRing *ring, uint32_t region, uintptr_t address, const void *frame, XtfCoreStack *known)
{
    Call call = {.region = region};
    XtfStackTrail trail;
    bool lasting;

    call.n = xtf_stack_walk(&ring->stack_bounds, frame, address, xtf_core.site_frames, call.addresses, &trail);
    uint32_t number = number_of(ring, key_of(&call), &call, &lasting);
    if (known && lasting && trail.n > 0) {
        XtfCoreStack *stack = &known[ring->next_stack++ % STACKS_OF_ADDRESS];
        stack->number = number;
        stack->trail = trail;
        atomic_store_explicit(&stack->key, address ^ (uint64_t)region << ADDRESS_BITS, memory_order_relaxed);
    }
    return number;
}

/* Returns the number of a site of several frames. */
static uint32_t find_stack(XtfRing *ring, uint32_t region, uintptr_t address, const void *frame)
{
    uint64_t key = address ^ (uint64_t)region << ADDRESS_BITS;

    if (__builtin_expect(!ring->stack_bounds.high, 0))
        prepare_stacks(ring);
    if (!ring->stacks)
        return walk_stack(ring, region, address, frame, NULL);
    XtfCoreStack *known =
        ring->stacks + ((address ^ address >> 8) * STACKS_OF_ADDRESS & (N_STACKS - STACKS_OF_ADDRESS));
    for (unsigned i = 0; i < STACKS_OF_ADDRESS; i++)
        if (atomic_load_explicit(&known[i].key, memory_order_relaxed) == key &&
            xtf_stack_is_same(&ring->stack_bounds, frame, &known[i].trail))
            return known[i].number;
    return walk_stack(ring, region, address, frame, known);
}

uint32_t xtf_core_find_site(XtfRing *ring, XtfCoreSite *place, uint32_t region, uintptr_t address, const void *frame)
{
    Call call = {.region = region, .n = 1, .addresses = {address}};
    uint32_t number = 0;
    bool lasting = true;

    if (frames)
        return find_stack(ring, region, address, frame);
    if (xtf_core.site_frames > 0)
        number = number_of(ring, key_of(&call), &call, &lasting);
    if (lasting) {
        place->number = number;
        atomic_store_explicit(&place->key, key_of(&call), memory_order_relaxed);
    }
    return number;
}

bool xtf_core_has_sites(void)
{
    return atomic_load_explicit(&n_sites, memory_order_relaxed) > 0;
}

/* True if all code of a site is still loaded. */
static bool is_kept(uint32_t place, uint64_t key, bool (*keeps)(const void *data, uintptr_t address), const void *data)
{
    if (!frames)
        return keeps(data, (uintptr_t)(key & ((UINT64_C(1) << ADDRESS_BITS) - 1)));
    bool kept = true;
    for (uint32_t i = 0; kept && i < xtf_core.site_frames && frames_at(place)[i]; i++)
        kept = keeps(data, frames_at(place)[i]);
    return kept;
}

/* Makes a ring forget its latest sites. Its thread may use them meanwhile. */
static void forget_latest(XtfRing *ring)
{
    XtfCoreStack *stacks = ring->stacks;

    for (uint32_t k = 0; ring->data && k < XTF_CORE_SITES; k++)
        atomic_store_explicit(&ring->sites[k].key, 0, memory_order_relaxed);
    for (uint32_t k = 0; stacks && k < N_STACKS; k++)
        atomic_store_explicit(&stacks[k].key, 0, memory_order_relaxed);
}

void xtf_core_forget_sites(bool (*keeps)(const void *data, uintptr_t address), const void *data)
{
    bool forgotten = false;

    for (uint32_t i = 0; i < XTF_WIRE_SITES; i++) {
        uint64_t key = atomic_load_explicit(&keys[i], memory_order_relaxed);
        if (key <= FORGOTTEN || is_kept(i, key, keeps, data))
            continue;
        forgotten |= atomic_compare_exchange_strong(&keys[i], &key, FORGOTTEN);
    }
    if (frames)
        xtf_stack_forget(keeps, data);
    for (uint32_t i = 0; forgotten && xtf_core_life.owns_rings && i < xtf_core.process->n_rings; i++)
        forget_latest(&xtf_core.rings[i]);
}

/*
 * Call sites: the places from which the program calls functions that are recorded.
 *
 * The table of the process is an open hash table. A site's number is its place in it, plus 1. Each ring remembers the
 * sites of its latest calls (core.h), so the table is rarely asked.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "src/record/core/inner.h"

enum {
    FULL = XTF_WIRE_SITES / 8 * 7, /* no site is added beyond, so that look-ups stay short */
    FORGOTTEN = 1,                 /* replaces the key of a site whose library was unloaded */
};
#define ADDRESS_BITS 54
_Static_assert(XTF_WIRE_FUNCTIONS == 1 << (64 - ADDRESS_BITS), "a key has room for a region and an address");

static _Atomic uint64_t keys[XTF_WIRE_SITES]; /* 0: free */
static _Atomic uint8_t defined[XTF_WIRE_SITES];
static _Atomic uint32_t n_sites;

/* Finds the place of a key in the table, and adds the key if it is new. Returns XTF_WIRE_SITES if the table is full. */
static uint32_t find_site_place(uint64_t key)
{
    uint32_t place = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 49);
    _Static_assert(XTF_WIRE_SITES == 1 << (64 - 49), "a hash is a place");

    for (;; place = (place + 1) & (XTF_WIRE_SITES - 1)) {
        uint64_t found = atomic_load_explicit(&keys[place], memory_order_relaxed);
        if (found == key)
            return place;
        if (found != 0)
            continue;
        if (atomic_load_explicit(&n_sites, memory_order_relaxed) >= FULL)
            return XTF_WIRE_SITES;
        if (atomic_compare_exchange_strong(&keys[place], &found, key)) {
            atomic_fetch_add_explicit(&n_sites, 1, memory_order_relaxed);
            return place;
        }
        if (found == key) /* another thread has just added it */
            return place;
    }
}

/* Defines a site. Several threads may do so, each in its own ring. */
static bool define_site(XtfRing *ring, uint32_t place, uint32_t region, uintptr_t address)
{
    struct {
        XtfDefineSite head;
        char path[PATH_MAX];
    } site = {.head = {.address = address, .region = region}};

    site.head.base = xtf_core_find_module(address, site.path);
    return xtf_core_define(ring, XTF_DEFINE_SITE, place + 1, &site, sizeof site.head + strlen(site.path));
}

static uint32_t number_of(XtfRing *ring, uint64_t key, uint32_t region, uintptr_t address, bool *lasting)
{
    uint32_t place = find_site_place(key);

    *lasting = true;
    if (place == XTF_WIRE_SITES)
        return XTF_WIRE_SITES + region;
    if (!atomic_load_explicit(&defined[place], memory_order_relaxed)) {
        *lasting = define_site(ring, place, region, address); /* else the next call tries again */
        if (*lasting)
            atomic_store_explicit(&defined[place], 1, memory_order_relaxed);
    }
    return place + 1;
}

uint32_t xtf_core_find_site(XtfRing *ring, XtfCoreSite *place, uint32_t region, uintptr_t address)
{
    uint64_t key = address ^ (uint64_t)region << ADDRESS_BITS;
    uint32_t number = 0;
    bool lasting = true;

    if (!xtf_core.sites_off)
        number = number_of(ring, key, region, address, &lasting);
    if (lasting) {
        place->number = number;
        atomic_store_explicit(&place->key, key, memory_order_relaxed);
    }
    return number;
}

bool xtf_core_has_sites(void)
{
    return atomic_load_explicit(&n_sites, memory_order_relaxed) > 0;
}

void xtf_core_forget_sites(bool (*keeps)(const void *data, uintptr_t address), const void *data)
{
    bool forgotten = false;

    for (uint32_t i = 0; i < XTF_WIRE_SITES; i++) {
        uint64_t key = atomic_load_explicit(&keys[i], memory_order_relaxed);
        if (key <= FORGOTTEN || keeps(data, (uintptr_t)(key & ((UINT64_C(1) << ADDRESS_BITS) - 1))))
            continue;
        forgotten |= atomic_compare_exchange_strong(&keys[i], &key, FORGOTTEN);
    }
    for (uint32_t i = 0; forgotten && xtf_core_life.owns_rings && i < xtf_core.process->n_rings; i++)
        for (uint32_t k = 0; xtf_core.rings[i].data && k < XTF_CORE_SITES; k++)
            atomic_store_explicit(&xtf_core.rings[i].sites[k].key, 0, memory_order_relaxed);
}

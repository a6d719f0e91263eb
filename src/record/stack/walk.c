/*
 * The table of rules is an open hash table by return address. A rule is stored after its address. A thread that finds
 * the address without a rule looks the rule up itself.
 */
#include "src/record/stack/walk.h"

#include <pthread.h>
#include <stdatomic.h>

#include "src/record/stack/rule.h"

enum {
    PLACES = 1 << 14,
    FULL = PLACES / 8 * 7, /* no rule is added beyond, so that look-ups stay short */
    FORGOTTEN = 1,         /* replaces an address whose library was unloaded */
    FRAMES_SKIPPED = 16,   /* most frames of wrappers, and of MPI's routines of Fortran, around the innermost one */
};

static struct {
    _Atomic uintptr_t address; /* 0: free */
    _Atomic XtfStackRule rule; /* 0: not yet there */
} rules[PLACES];
static _Atomic uint32_t n_rules;

static XtfStackRule add_rule(uint32_t place, uintptr_t address)
{
    XtfStackRule rule = xtf_stack_find_rule(address);
    uintptr_t free = 0;

    if (atomic_load_explicit(&n_rules, memory_order_relaxed) >= FULL ||
        !atomic_compare_exchange_strong(&rules[place].address, &free, address))
        return rule;
    atomic_fetch_add_explicit(&n_rules, 1, memory_order_relaxed);
    atomic_store_explicit(&rules[place].rule, rule, memory_order_relaxed);
    return rule;
}

static inline XtfStackRule rule_of(uintptr_t address)
{
    uint32_t place = (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
    _Static_assert(PLACES == 1 << (64 - 50), "a hash is a place");

    for (;; place = (place + 1) & (PLACES - 1)) {
        uintptr_t found = atomic_load_explicit(&rules[place].address, memory_order_relaxed);
        if (__builtin_expect(found == address, 1)) {
            XtfStackRule rule = atomic_load_explicit(&rules[place].rule, memory_order_relaxed);
            return rule ? rule : xtf_stack_find_rule(address);
        }
        if (found == 0)
            return add_rule(place, address);
    }
}

/* Registers at the return from a call. */
typedef struct {
    uintptr_t address, stack_pointer, frame_pointer;
} Registers;

/* Reads a word of the stack. Words below the stack pointer are of functions that have returned. */
static inline bool read_word(const XtfStackBounds *bounds, const Registers *at, uintptr_t place, uintptr_t *word)
{
    if (place < at->stack_pointer || place > bounds->high - sizeof *word || place % sizeof *word)
        return false;
    *word = *(const uintptr_t *)place;
    return true;
}

static inline bool find_cfa(const XtfStackBounds *bounds, const Registers *at, XtfStackRule rule, uintptr_t *cfa)
{
    uintptr_t offset = (uintptr_t)(intptr_t)xtf_stack_offset(rule);

    switch (xtf_stack_cfa(rule)) {
    case XTF_STACK_FROM_STACK_POINTER:
        *cfa = at->stack_pointer + offset;
        return true;
    case XTF_STACK_FROM_FRAME_POINTER:
        *cfa = at->frame_pointer + offset;
        return true;
    case XTF_STACK_STORED_NEAR_FRAME:
        return read_word(bounds, at, at->frame_pointer + offset, cfa);
    default:
        return false;
    }
}

/* Finds the caller's frame pointer. */
static inline bool find_frame_pointer(const XtfStackBounds *bounds, const Registers *at, XtfStackRule rule,
                                      uintptr_t cfa, uintptr_t *frame_pointer)
{
    uintptr_t saved = (uintptr_t)(intptr_t)xtf_stack_saved(rule);

    switch (xtf_stack_saved_kind(rule)) {
    case XTF_STACK_KEPT:
        *frame_pointer = at->frame_pointer;
        return true;
    case XTF_STACK_SAVED_BELOW_CFA:
        return read_word(bounds, at, cfa + saved, frame_pointer);
    case XTF_STACK_SAVED_AT_FRAME:
        return read_word(bounds, at, at->frame_pointer + saved, frame_pointer);
    default:
        *frame_pointer = 0; /* which is outside of all stacks */
        return true;
    }
}

/* Replaces the registers by the registers in the caller. Returns false if the caller is unknown. */
static inline bool step_out(const XtfStackBounds *bounds, Registers *at)
{
    XtfStackRule rule = rule_of(at->address);
    Registers caller;

    if (!find_cfa(bounds, at, rule, &caller.stack_pointer) ||
        !read_word(bounds, at, caller.stack_pointer - sizeof caller.address, &caller.address) ||
        !find_frame_pointer(bounds, at, rule, caller.stack_pointer, &caller.frame_pointer) ||
        caller.address <= FORGOTTEN)
        return false;
    *at = caller;
    return true;
}

XtfStackBounds xtf_stack_bounds(void)
{
    XtfStackBounds bounds = {0};
    pthread_attr_t attributes;
    void *low;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes))
        return bounds;
    if (!pthread_attr_getstack(&attributes, &low, &size))
        bounds = (XtfStackBounds){(uintptr_t)low, (uintptr_t)low + size};
    pthread_attr_destroy(&attributes);
    return bounds;
}

unsigned xtf_stack_walk(const XtfStackBounds *bounds, const void *frame, uintptr_t from, unsigned n,
                        uintptr_t *addresses)
{
    unsigned found = 1;

    addresses[0] = from;
#ifdef __x86_64__
    const uintptr_t *words = frame;
    Registers at = {.frame_pointer = words[0], .address = words[1], .stack_pointer = (uintptr_t)(words + 2)};

    if ((uintptr_t)frame < bounds->low || (uintptr_t)frame >= bounds->high)
        return 1;
    for (unsigned skipped = 0; at.address != from; skipped++)
        if (skipped == FRAMES_SKIPPED || !step_out(bounds, &at))
            return 1;
    while (found < n && step_out(bounds, &at))
        addresses[found++] = at.address;
#endif
    return found;
}

void xtf_stack_forget(bool (*keeps)(const void *data, uintptr_t address), const void *data)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        uintptr_t address = atomic_load_explicit(&rules[i].address, memory_order_relaxed);
        if (address > FORGOTTEN && !keeps(data, address))
            atomic_compare_exchange_strong(&rules[i].address, &address, FORGOTTEN);
    }
}

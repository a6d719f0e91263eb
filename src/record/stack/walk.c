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
    _Atomic uintptr_t address; /* address of code; 0: the place is free */
    _Atomic XtfStackRule rule; /* rule at this address; 0: not stored yet */
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
    uintptr_t frame_pointer_place; /* the word of the stack that has the frame pointer */
} Registers;

typedef struct {
    const XtfStackBounds *bounds;
    uintptr_t begin; /* where the first frame begins */
    XtfStackTrail *trail;
} Walk;

/* Adds a word to the trail. */
static inline void note_word(const Walk *walk, uintptr_t place, uintptr_t value, bool is_relative)
{
    XtfStackTrail *trail = walk->trail;
    uintptr_t distance = place - walk->begin;

    if (trail->n >= XTF_STACK_WORDS || distance >= UINT32_MAX - sizeof value) {
        trail->n = XTF_STACK_WORDS + 1;
        return;
    }
    trail->distances[trail->n] = (uint32_t)distance;
    trail->values[trail->n] = is_relative ? value - walk->begin : value;
    trail->relative |= (uint32_t)is_relative << trail->n++;
    if (trail->size < distance + sizeof value)
        trail->size = (uint32_t)(distance + sizeof value);
}

/* Reads a word of the stack. Words below the stack pointer are of functions that have returned. */
static inline bool read_word(const XtfStackBounds *bounds, const Registers *at, uintptr_t place, uintptr_t *word)
{
    if (place < at->stack_pointer || place > bounds->high - sizeof *word || place % sizeof *word)
        return false;
    *word = *(const uintptr_t *)place;
    return true;
}

/* Returns the frame pointer, for a rule that needs it. */
static inline uintptr_t use_frame_pointer(const Walk *walk, const Registers *at)
{
    note_word(walk, at->frame_pointer_place, at->frame_pointer, true);
    return at->frame_pointer;
}

static inline bool find_cfa(const Walk *walk, const Registers *at, XtfStackRule rule, uintptr_t *cfa)
{
    uintptr_t offset = (uintptr_t)(intptr_t)xtf_stack_offset(rule), place;

    switch (xtf_stack_cfa(rule)) {
    case XTF_STACK_FROM_STACK_POINTER:
        *cfa = at->stack_pointer + offset;
        return true;
    case XTF_STACK_FROM_FRAME_POINTER:
        *cfa = use_frame_pointer(walk, at) + offset;
        return true;
    case XTF_STACK_STORED_NEAR_FRAME:
        place = use_frame_pointer(walk, at) + offset;
        if (!read_word(walk->bounds, at, place, cfa))
            return false;
        note_word(walk, place, *cfa, true);
        return true;
    default:
        return false;
    }
}

/* Finds the caller's frame pointer. */
static inline bool find_frame_pointer(const Walk *walk, const Registers *at, XtfStackRule rule, Registers *caller)
{
    uintptr_t saved = (uintptr_t)(intptr_t)xtf_stack_saved(rule);

    caller->frame_pointer = at->frame_pointer;
    caller->frame_pointer_place = at->frame_pointer_place;
    switch (xtf_stack_saved_kind(rule)) {
    case XTF_STACK_KEPT:
        return true;
    case XTF_STACK_SAVED_BELOW_CFA:
        caller->frame_pointer_place = caller->stack_pointer + saved;
        return read_word(walk->bounds, at, caller->frame_pointer_place, &caller->frame_pointer);
    case XTF_STACK_SAVED_AT_FRAME:
        caller->frame_pointer_place = use_frame_pointer(walk, at) + saved;
        return read_word(walk->bounds, at, caller->frame_pointer_place, &caller->frame_pointer);
    default:
        caller->frame_pointer = 0; /* which is outside of all stacks */
        return true;
    }
}

/* Replaces the registers by the registers in the caller. Returns false if the caller is unknown. */
static inline bool step_out(const Walk *walk, Registers *at)
{
    XtfStackRule rule = rule_of(at->address);
    Registers caller;

    if (!find_cfa(walk, at, rule, &caller.stack_pointer))
        return false;
    uintptr_t place = caller.stack_pointer - sizeof caller.address;
    if (!read_word(walk->bounds, at, place, &caller.address) || !find_frame_pointer(walk, at, rule, &caller) ||
        caller.address <= FORGOTTEN)
        return false;
    note_word(walk, place, caller.address, false);
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
                        uintptr_t *addresses, XtfStackTrail *trail)
{
    unsigned found = 1;

    addresses[0] = from;
    trail->n = trail->size = trail->relative = 0;
#ifdef __x86_64__
    const uintptr_t *words = frame;
    const Walk walk = {.bounds = bounds, .begin = (uintptr_t)frame, .trail = trail};
    Registers at = {.frame_pointer = words[0], .address = words[1], .stack_pointer = (uintptr_t)(words + 2)};
    bool known = true;

    if (walk.begin < bounds->low || walk.begin >= bounds->high)
        return 1;
    at.frame_pointer_place = walk.begin;
    note_word(&walk, (uintptr_t)&words[1], at.address, false);
    for (unsigned skipped = 0; known && at.address != from; skipped++)
        known = skipped < FRAMES_SKIPPED && step_out(&walk, &at);
    while (known && found < n && (known = step_out(&walk, &at)))
        addresses[found++] = at.address;
    if (!known || trail->n > XTF_STACK_WORDS)
        trail->n = 0;
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

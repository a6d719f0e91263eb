/*
 * Return addresses of the open calls of a thread.
 *
 * Uses libc only, and allocates no memory. A walk that knows the rules of all its addresses takes no lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The stack of a thread: addresses from `low` to before `high`. */
typedef struct {
    uintptr_t low, high; /* both 0: the bounds are unknown */
} XtfStackBounds;

/* Finds the stack of the calling thread. Allocates memory, so it is called once for each thread. */
XtfStackBounds xtf_stack_bounds(void);

enum { XTF_STACK_WORDS = 20 }; /* most words of a trail */

/* The words of the stack that determine a walk: return addresses, and frame pointers that lead to them. While all of
 * them are the same, at the same distances, a walk finds the same addresses: the rules depend on the addresses alone.
 */
typedef struct {
    uint32_t n;        /* 0: the walk cannot be repeated */
    uint32_t size;     /* bytes of the stack, from the first frame to the end of the last word */
    uint32_t relative; /* bit i: value i counts from the first frame */
    uint32_t distances[XTF_STACK_WORDS];
    uintptr_t values[XTF_STACK_WORDS];
} XtfStackTrail;

/* True if a walk from the frame would find the same addresses as the walk of the trail. */
static inline bool xtf_stack_is_same(const XtfStackBounds *bounds, const void *frame, const XtfStackTrail *trail)
{
    uintptr_t base = (uintptr_t)frame;

    if (trail->n == 0 || base < bounds->low || base >= bounds->high || bounds->high - base < trail->size)
        return false;
    for (uint32_t i = 0; i < trail->n; i++) {
        uintptr_t origin = base & -(uintptr_t)(trail->relative >> i & 1);
        if (*(const uintptr_t *)(base + trail->distances[i]) - origin != trail->values[i])
            return false;
    }
    return true;
}

/* Writes return addresses, innermost first, and returns their number, 1 to n. `frame` is __builtin_frame_address(0) of
 * a function. `from` is the first address to write: the function's own return address, or that of a function around it.
 * Only `from` is written if no way leads there, or if the frame is not in the stack. Writes the walk's trail. */
unsigned xtf_stack_walk(const XtfStackBounds *bounds, const void *frame, uintptr_t from, unsigned n,
                        uintptr_t *addresses, XtfStackTrail *trail);

/* Forgets the rules of addresses that `keeps` denies, since other code may be loaded there. */
void xtf_stack_forget(bool (*keeps)(const void *data, uintptr_t address), const void *data);

#pragma GCC visibility pop

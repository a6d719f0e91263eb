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
    uintptr_t low, high; /* both 0: unknown */
} XtfStackBounds;

/* Finds the stack of the calling thread. Allocates memory, so it is called once for each thread. */
XtfStackBounds xtf_stack_bounds(void);

/* Writes return addresses, innermost first, and returns their number, 1 to n. `frame` is __builtin_frame_address(0) of
 * a function. `from` is the first address to write: the function's own return address, or that of a function around it.
 * Only `from` is written if no way leads there, or if the frame is not in the stack. */
unsigned xtf_stack_walk(const XtfStackBounds *bounds, const void *frame, uintptr_t from, unsigned n,
                        uintptr_t *addresses);

/* Forgets the rules of addresses that `keeps` denies, since other code may be loaded there. */
void xtf_stack_forget(bool (*keeps)(const void *data, uintptr_t address), const void *data);

#pragma GCC visibility pop

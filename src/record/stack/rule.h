/*
 * Rules that lead from a return address to the frame around it.
 *
 * A rule is one word, so that threads can share rules without a lock. It is a property of the code at the address: the
 * compiler's unwind information says it. Frame pointers are one case, FROM_FRAME_POINTER. They are followed only where
 * the code at the address has one: else the register has another frame's, and a caller would be missing.
 */
#pragma once

#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef uint64_t XtfStackRule; /* 0: none */

/* Where the canonical frame address (CFA) is. It is the stack pointer's value in the caller, after the call. */
typedef enum {
    XTF_STACK_UNKNOWN = 1,        /* the walk ends at this address */
    XTF_STACK_FROM_STACK_POINTER, /* CFA = stack pointer + offset */
    XTF_STACK_FROM_FRAME_POINTER, /* CFA = frame pointer + offset */
    XTF_STACK_STORED_NEAR_FRAME,  /* CFA = word at frame pointer + offset: functions that align their stack */
} XtfStackCfa;

/* Where the caller's frame pointer is. */
typedef enum {
    XTF_STACK_KEPT,            /* still in the register */
    XTF_STACK_SAVED_BELOW_CFA, /* in the word at CFA + saved */
    XTF_STACK_SAVED_AT_FRAME,  /* in the word at frame pointer + saved */
    XTF_STACK_LOST,
} XtfStackSaved;

enum { XTF_STACK_SAVED_MAX = 1 << 26 }; /* |saved| of a rule is less */

static inline XtfStackRule xtf_stack_rule(XtfStackCfa cfa, int32_t offset, XtfStackSaved kind, int32_t saved)
{
    return cfa | (uint64_t)kind << 3 | (uint64_t)((uint32_t)saved & (2 * XTF_STACK_SAVED_MAX - 1)) << 5 |
           (uint64_t)(uint32_t)offset << 32;
}

static inline XtfStackCfa xtf_stack_cfa(XtfStackRule rule)
{
    return (XtfStackCfa)(rule & 7);
}

static inline int32_t xtf_stack_offset(XtfStackRule rule)
{
    return (int32_t)(rule >> 32);
}

static inline XtfStackSaved xtf_stack_saved_kind(XtfStackRule rule)
{
    return (XtfStackSaved)(rule >> 3 & 3);
}

static inline int32_t xtf_stack_saved(XtfStackRule rule)
{
    return (int32_t)(uint32_t)rule >> 5;
}

/* Finds the rule of a return address in the unwind information of its object file. Allocates nothing. May take a lock
 * of the dynamic linker. */
XtfStackRule xtf_stack_find_rule(uintptr_t address);

#pragma GCC visibility pop

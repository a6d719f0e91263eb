/* Call frame instructions of DWARF. */
#pragma once

#include "src/record/stack/bytes.h"
#include "src/record/stack/rule.h"

#pragma GCC visibility push(hidden)

/* Instructions of a function, and of the common information (CIE) that it shares with others. */
typedef struct {
    XtfStackBytes common, own;
    uintptr_t begin; /* of the function */
    uint64_t code_unit;
    int64_t data_unit;
} XtfFrameProgram;

/* Runs the instructions up to a place in the function. Returns UNKNOWN if they are damaged or not supported. */
XtfStackRule xtf_frame_rule(const XtfFrameProgram *program, uintptr_t place);

#pragma GCC visibility pop

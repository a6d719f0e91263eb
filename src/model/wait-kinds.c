#include "src/model/wait-kinds.h"

#include <string.h>

#define ROW(label, RULE, ...) [XTF_LABEL_##label] = {.name = #label, .rule = XTF_WAIT_##RULE, __VA_ARGS__},
const XtfWaitKind xtf_wait_kinds[XTF_N_WAIT_KINDS] = {XTF_WAIT_KINDS(ROW)};

const XtfWaitKind *xtf_wait_kind_named(const char *name)
{
    for (unsigned kind = 0; name && kind < XTF_N_WAIT_KINDS; kind++) {
        if (strcmp(xtf_wait_kinds[kind].name, name) == 0)
            return &xtf_wait_kinds[kind];
    }
    return NULL;
}

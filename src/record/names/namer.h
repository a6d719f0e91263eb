/*
 * Finds the places of calls in a thread of its own, since the debug information of a large program takes seconds to
 * read.
 */
#pragma once

#include <stdint.h>

#include "src/record/names/symbol.h"

typedef struct XtfNamer XtfNamer;

/* A call: its number is the caller's. */
typedef struct {
    uint32_t number;
    char *path; /* object file, loaded at `base` */
    uint64_t base, address;
    XtfCallPlace place;
} XtfNaming;

/* Returns NULL if the system has no thread. */
XtfNamer *xtf_namer_new(void);
/* Waits for the end of the thread, unless it looks up a name. NULL is fine. */
void xtf_namer_free(XtfNamer *namer);
void xtf_namer_ask(XtfNamer *namer, uint32_t number, const char *path, uint64_t base, uint64_t address);
/* Returns an answer, in the order of the questions. NULL if there is none within the timeout. */
XtfNaming *xtf_namer_answer(XtfNamer *namer, uint64_t timeout_us);
void xtf_naming_free(XtfNaming *naming);

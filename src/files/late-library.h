/*
 * Libraries that are loaded at their first use, because loading them would delay each start of xtf.
 *
 * A room that uses such a library has a structure of pointers to the library's functions, in the order of `names`.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
    const char *soname;
    const char *label;        /* the library's name in messages */
    const char *const *names; /* of the functions, NULL-terminated */
    void *calls;              /* the structure, which loading fills */
    gsize once;               /* private, as the rest */
    char *failure;            /* NULL: none; never freed */
} XtfLateLibrary;

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library, or one of its functions, cannot be loaded. */
bool xtf_late_library_load(XtfLateLibrary *library, GError **error);

/*
 * The distinct texts of a file, numbered from 1: names, categories, and values of arguments. Their memory is bounded.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_CHROME_NAMES_MAX = 1 << 17,      /* most texts */
    XTF_CHROME_NAMES_BYTES = 8 << 20,    /* most bytes of all texts */
    XTF_CHROME_NAMES_RESERVED = 1 << 14, /* texts of 128 bytes that only names may use, not values */
};

typedef struct {
    char *text;
    bool is_region;
    uint32_t category;        /* of the region's first event: number of a text; 0: none */
    uint32_t attribute_types; /* bit k: arguments of this name have values of type k of xtf_value_types */
} XtfChromeName;

typedef struct {
    GHashTable *numbers; /* text -> number */
    GArray *all;         /* of XtfChromeName; number 0 is the empty text */
    uint64_t bytes;
    uint32_t further; /* number of the name of all names beyond the bound; 0: not used */
} XtfChromeNames;

void xtf_chrome_names_init(XtfChromeNames *names);
void xtf_chrome_names_finish(XtfChromeNames *names); /* may be called twice */

/* Returns the number of a text. Beyond the bound it is that of the text "(further names)". */
uint32_t xtf_chrome_name(XtfChromeNames *names, const char *text);
/* Returns the number of a value of an argument; UINT32_MAX beyond the bound. */
uint32_t xtf_chrome_value(XtfChromeNames *names, const char *text);

static inline XtfChromeName *xtf_chrome_name_at(const XtfChromeNames *names, uint32_t number)
{
    return &g_array_index(names->all, XtfChromeName, number);
}

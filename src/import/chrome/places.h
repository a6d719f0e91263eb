/*
 * Processes and threads of the JSON, by their pid and tid, which may be numbers or texts. Each pair is a location.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { XTF_CHROME_PLACES_MAX = 1 << 18 }; /* most processes, and most locations */

/* A pid or tid. */
typedef struct {
    bool is_text;   /* not a number from 0 to 2^31 - 1 */
    uint32_t value; /* the number; the number of the text */
} XtfChromeId;

typedef struct {
    XtfChromeId pid;
    uint32_t name, labels; /* numbers of texts; 0: none */
    bool has_order;
    int64_t order;      /* sort index */
    uint32_t proc, row; /* set by xtf_chrome_places_number(): number of the process, and its place in the order */
    uint32_t location;  /* the first location of the process in the order; UINT32_MAX: none */
} XtfChromeProcess;

typedef struct {
    uint32_t process; /* index of its process */
    XtfChromeId tid;
    uint32_t name;              /* number of a text; 0: none */
    bool has_order, has_slices; /* has_slices: an event with a duration was read */
    int64_t order;
    uint32_t thread; /* set by xtf_chrome_places_number() */
} XtfChromeLocation;

typedef struct {
    GArray *processes, *locations; /* of XtfChromeProcess, XtfChromeLocation; in the order of the file */
    GHashTable *process_index, *location_index;
    XtfChromeId last_pid, last_tid;
    uint32_t last; /* location of these two; UINT32_MAX: none */
    guint *order;  /* indices of locations by process and thread; set by xtf_chrome_places_number() */
    guint *process_order;
} XtfChromePlaces;

void xtf_chrome_places_init(XtfChromePlaces *places);
void xtf_chrome_places_finish(XtfChromePlaces *places); /* may be called twice */

/* Returns the index of a process or location; adds it. UINT32_MAX: there are too many. */
uint32_t xtf_chrome_process(XtfChromePlaces *places, XtfChromeId pid);
uint32_t xtf_chrome_location(XtfChromePlaces *places, XtfChromeId pid, XtfChromeId tid);

/* Numbers processes and threads: by their pid and tid, or if that is a text or taken, from the largest number on. A
 * later call numbers them again. */
void xtf_chrome_places_number(XtfChromePlaces *places);

static inline XtfChromeProcess *xtf_chrome_process_at(const XtfChromePlaces *places, uint32_t i)
{
    return &g_array_index(places->processes, XtfChromeProcess, i);
}

static inline XtfChromeLocation *xtf_chrome_location_at(const XtfChromePlaces *places, uint32_t i)
{
    return &g_array_index(places->locations, XtfChromeLocation, i);
}

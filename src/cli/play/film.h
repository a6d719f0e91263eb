/*
 * A trace as a film: the tables of one frame, read from the tree.
 */
#pragma once

#include "src/cli/play/screen.h"
#include "src/cli/play/value-table.h"

typedef struct {
    XtfTree *tree; /* borrowed */
    char *name;    /* name of the trace */
    char *rate;    /* directory below frames/, such as "25fps" */
    double length; /* length of a frame, seconds */
    uint64_t n;    /* number of frames */
    double duration;
    char letter; /* letter of the arrows that are shown */
} XtfFilm;

/* Initializes a film, and borrows the tree. XTF_ERROR_NOT_FOUND says why a rate is wrong. */
bool xtf_film_init(XtfFilm *film, XtfTree *tree, const char *name, const char *rate, char letter, GError **error);
void xtf_film_finish(XtfFilm *film); /* all zeros is fine */
bool xtf_film_set_rate(XtfFilm *film, const char *rate, GError **error);
/* Returns the frame at a time in seconds; for a time outside the film, the first or last frame. */
uint64_t xtf_film_at(const XtfFilm *film, double seconds);

typedef struct {
    uint64_t k;
    XtfValueTable *state, *total, *run, *arrows, *profile; /* owned */
    double from;                                           /* seconds */
    guint *by_bytes; /* lines of `arrows` that have a receiver, most bytes first */
    guint n_arrows;
} XtfFilmFrame;

/* Reads a frame. Returns NULL with an error. */
XtfFilmFrame *xtf_film_frame(const XtfFilm *film, uint64_t k, GError **error);
void xtf_film_frame_free(XtfFilmFrame *frame); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFilmFrame, xtf_film_frame_free)

/* Returns the weight of an arrow, which is a line of `arrows`: bytes, or the number of moved tasks. */
double xtf_film_weight(const XtfValueTable *arrows, guint line);

/* Reads the profile of one process in a frame. Returns NULL with an error. */
XtfValueTable *xtf_film_profile(const XtfFilm *film, uint64_t k, const char *proc, GError **error);
/* Returns the region in which a process spends most of a frame, or the program outside of all regions; NULL: neither.
 * The caller frees it. */
char *xtf_film_mostly(const XtfFilm *film, uint64_t k, const char *proc);

/* Reads the shares of a line of `state` or `total`. */
void xtf_film_shares(const XtfValueTable *table, guint line, double shares[static XTF_SCREEN_SHARES]);

/* Returns, for each of n slices of a window in seconds, the largest share of a process; 255: it has none. Returns NULL
 * with an error. The caller frees the shares. */
uint8_t *xtf_film_strip(const XtfFilm *film, const char *proc, double from, double to, guint n, GError **error);

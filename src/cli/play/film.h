/*
 * A trace as a film: what is shown of one frame, read from the tree.
 */
#pragma once

#include "src/cli/play/screen.h"
#include "src/cli/play/value-table.h"

typedef struct {
    XtfTree *tree; /* borrowed */
    char *name;    /* of the trace */
    char *rate;    /* "25fps": the directory below frames/ */
    double length; /* of a frame, seconds */
    uint64_t n;    /* frames */
    double duration;
    char letter; /* of the arrows that are shown */
} XtfFilm;

/* Borrows the tree. XTF_ERROR_NOT_FOUND says what is wrong with a rate. */
bool xtf_film_init(XtfFilm *film, XtfTree *tree, const char *name, const char *rate, char letter, GError **error);
void xtf_film_finish(XtfFilm *film); /* all zeros is fine */
bool xtf_film_set_rate(XtfFilm *film, const char *rate, GError **error);
/* The frame of a time, in seconds: the first or last of one outside. */
uint64_t xtf_film_at(const XtfFilm *film, double seconds);

typedef struct {
    uint64_t k;
    XtfValueTable *state, *total, *run, *arrows, *profile; /* owned */
    double from;                                           /* seconds */
    guint *by_bytes; /* lines of `arrows` that have a receiver, most bytes first */
    guint n_arrows;
} XtfFilmFrame;

/* NULL with an error. */
XtfFilmFrame *xtf_film_frame(const XtfFilm *film, uint64_t k, GError **error);
void xtf_film_frame_free(XtfFilmFrame *frame); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFilmFrame, xtf_film_frame_free)

/* How much an arrow, a line of a table of them, is: bytes, or tasks that moved. */
double xtf_film_weight(const XtfValueTable *arrows, guint line);

/* The profile of one process in a frame. NULL with an error. */
XtfValueTable *xtf_film_profile(const XtfFilm *film, uint64_t k, const char *proc, GError **error);
/* What a process does for most of a frame: a region, or the program outside of all regions. NULL: nothing. The caller
 * frees it. */
char *xtf_film_mostly(const XtfFilm *film, uint64_t k, const char *proc);

/* The shares of a line of `state` or `total`. */
void xtf_film_shares(const XtfValueTable *table, guint line, double shares[static XTF_SCREEN_SHARES]);

/* What a process did most in each of n slices of a window in seconds: a share, or 255 for nothing. NULL with an error.
 * The caller frees it. */
uint8_t *xtf_film_strip(const XtfFilm *film, const char *proc, double from, double to, guint n, GError **error);

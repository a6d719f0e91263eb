/*
 * Entries of a selection's directory: files that show its records, directories that narrow it, and links.
 */
#pragma once

#include "src/tree/node/node-class.h"

extern const char xtf_readme[]; /* docs/TREE.md */

extern const XtfNodeClass xtf_readme_file, xtf_count_file, xtf_columns_file, xtf_header_file, xtf_records_file,
    xtf_calls_file;
extern const XtfNodeClass xtf_view_file;    /* the maker sets its `view` */
extern const XtfNodeClass xtf_picture_file; /* the maker sets its `picture` */

extern const XtfNodeClass xtf_definitions_dir;
bool xtf_definitions_dir_has(const char *name); /* entries that are no tables */
extern const XtfNodeClass xtf_by_dir, xtf_frames_dir, xtf_arrows_dir, xtf_local_dir;
XtfNode *xtf_arrows_dir_new(XtfNode *directory, const char *name, GError **error);
/* Makes "run" of a frame. */
XtfNode *xtf_run_file_new(XtfNode *frame, const char *name, GError **error);
extern const XtfNodeClass xtf_procs_dir, xtf_threads_dir, xtf_times_dir, xtf_lasts_dir, xtf_instants_dir,
    xtf_numbers_dir;
extern const XtfNodeClass xtf_regions_dir, xtf_comms_dir, xtf_peers_dir, xtf_tags_dir, xtf_classes_dir,
    xtf_culprits_dir, xtf_sites_dir, xtf_iterations_dir;

/* True if the selection's records are derived rows of several kinds. The kinds, labels of their events, are directories
 * directly below the selection. */
bool xtf_kinds_has(const XtfNode *directory);
XtfNode *xtf_kinds_lookup(XtfNode *directory, const char *name, GError **error);

/* Returns `up` and the name of frame k of n. All frame names of a rate have the same width. */
char *xtf_frame_name(const char *up, uint64_t k, uint64_t n);
/* Makes "next" or "prev" of a window. */
XtfNode *xtf_window_link_new(XtfNode *window, const char *name, GError **error);
/* Makes "before" or "after" of an instant. */
XtfNode *xtf_instant_link_new(XtfNode *instant, const char *name, GError **error);
extern const XtfNodeClass xtf_zoom_dir;
XtfNode *xtf_zoom_new(XtfNode *directory, const char *name, GError **error);

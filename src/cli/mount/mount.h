/* Mounting, for `xtf mount` and for the helper of mount(8). */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Options given with -o. */
typedef struct {
    uint64_t cache_bytes; /* size of the page cache; 0: the default */
    uint64_t max_nodes;
    unsigned threads;
    unsigned idle;   /* seconds without a request until cached pages are freed; 0: never */
    bool follow;     /* show later commits of a trace that grows */
    bool incomplete; /* leave out damaged parts */
    bool nonempty;   /* mount over files, or over another mount, and hide them */
    uid_t uid;
    gid_t gid;
    char *cache_folder; /* folder for imports of archives; NULL: the default */
    char *companion;    /* analysis to show; NULL: the one beside the trace */
    GString *kernel;    /* options for mount(2), comma-separated */
} XtfMountOptions;

void xtf_mount_options_init(XtfMountOptions *options);
void xtf_mount_options_finish(XtfMountOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMountOptions, xtf_mount_options_finish)

/* Parses a comma-separated list of options. With `sloppy`, ignores unknown ones, as mount(8) -s asks. */
bool xtf_mount_options_parse(XtfMountOptions *options, const char *list, bool sloppy, GError **error);

typedef struct {
    bool foreground, debug, quiet;
} XtfMountManner;

/* Mounts a trace, and serves it until the end if in the foreground. Returns the exit status. */
int xtf_mount(const char *source, const char *directory, const XtfMountOptions *options, const XtfMountManner *manner);

/* Runs as `mount.xtf SOURCE DIR [-fnsv] [-o OPTIONS]` (see mount(8), "External helpers"). */
int xtf_mount_helper(int argc, char **argv);

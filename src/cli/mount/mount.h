/* Mounting, for the command and for mount(8)'s helper. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the -o options say. */
typedef struct {
    uint64_t cache_bytes; /* of the page cache; 0: the default */
    uint64_t max_nodes;
    unsigned threads;
    bool follow;     /* show what is written meanwhile */
    bool incomplete; /* leave out parts that are damaged */
    bool nonempty;   /* mount over files, or over another mount, which it hides */
    uid_t uid;
    gid_t gid;
    char *cache_folder; /* for imports of archives; NULL: the default */
    char *companion;    /* the analysis to show; NULL: that beside the trace */
    GString *kernel;    /* for mount(2), separated by commas */
} XtfMountOptions;

void xtf_mount_options_init(XtfMountOptions *options);
void xtf_mount_options_finish(XtfMountOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMountOptions, xtf_mount_options_finish)

/* Adds a list of options, separated by commas. `sloppy`: unknown options are ignored, as mount(8) -s asks. */
bool xtf_mount_options_parse(XtfMountOptions *options, const char *list, bool sloppy, GError **error);

typedef struct {
    bool foreground, debug, quiet;
} XtfMountManner;

/* Mounts and, in the foreground, serves until the end. Returns the exit status. */
int xtf_mount(const char *source, const char *directory, const XtfMountOptions *options, const XtfMountManner *manner);

/* `mount.xtf SOURCE DIR [-fnsv] [-o OPTIONS]` (see mount(8), "External helpers"). */
int xtf_mount_helper(int argc, char **argv);

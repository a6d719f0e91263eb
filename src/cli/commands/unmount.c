#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

/* The directory's real path; the last component may be a mount whose daemon died, which realpath() cannot resolve. */
static char *real_path(const char *directory)
{
    g_autofree char *whole = g_canonicalize_filename(directory, NULL);
    g_autofree char *name = g_path_get_basename(whole);
    g_autofree char *above = g_path_get_dirname(whole);
    char *resolved = realpath(directory, NULL);

    if (resolved)
        return resolved;
    g_autofree char *parent = realpath(above, NULL);
    return parent ? g_build_filename(parent, name, NULL) : NULL;
}

/* Whether the topmost mount there is a trace. */
static bool is_mounted_trace(const char *path)
{
    g_autofree char *table = NULL;
    bool is_trace = false;

    if (!g_file_get_contents("/proc/self/mountinfo", &table, NULL, NULL))
        return false;
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, " ", -1);
        if (g_strv_length(fields) < 7)
            continue;
        g_autofree char *mounted = g_strcompress(fields[4]); /* \040 and the like */
        const char *type = strstr(*line, " - ");
        if (strcmp(mounted, path) == 0)
            is_trace = type && g_str_has_prefix(type + 3, "fuse.xtf ");
    }
    return is_trace;
}

/* Only fusermount3 may unmount for a user. */
static int unmount_as_user(const char *path, bool lazy)
{
    const char *arguments[] = {"fusermount3", lazy ? "-uz" : "-u", "--", path, NULL};

    execvp(arguments[0], (char *const *)arguments);
    fprintf(stderr, "xtf: cannot run fusermount3: %s\n", g_strerror(errno));
    return XTF_EXIT_FAILED;
}

int xtf_command_unmount(int argc, char **argv)
{
    gboolean lazy = FALSE;
    const GOptionEntry entries[] = {
        {"lazy", 'z', 0, G_OPTION_ARG_NONE, &lazy, "Detach it now, even if it is in use; it ends with its last user",
         NULL},
        {0},
    };

    if (!xtf_cli_parse(&argc, &argv, 1, "DIR", "Unmounts a trace.", entries))
        return XTF_EXIT_USAGE;
    g_autofree char *path = real_path(argv[1]);
    if (!path || !is_mounted_trace(path)) {
        xtf_print_line(stderr, "xtf: no trace is mounted at '%s'", argv[1]);
        return XTF_EXIT_FAILED;
    }
    if (geteuid() != 0)
        return unmount_as_user(path, lazy);
    if (umount2(path, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) == 0)
        return XTF_EXIT_DONE;
    if (errno == EBUSY)
        xtf_print_line(stderr, "xtf: '%s' is in use (--lazy detaches it all the same)", argv[1]);
    else
        xtf_print_line(stderr, "xtf: cannot unmount '%s': %s", argv[1], g_strerror(errno));
    return XTF_EXIT_FAILED;
}

#include "src/cli/mount/mount.h"

#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"

int xtf_command_mount(int argc, char **argv)
{
    g_auto(XtfMountOptions) options = {0};
    g_auto(GStrv) lists = NULL;
    XtfMountManner manner = {0};
    gboolean foreground = FALSE, debug = FALSE, quiet = FALSE, follow = FALSE;
    const GOptionEntry entries[] = {
        {"foreground", 'f', 0, G_OPTION_ARG_NONE, &foreground, "Stay in the foreground", NULL},
        {"follow", 'F', 0, G_OPTION_ARG_NONE, &follow, "Show a trace that is being written, as of its last commit",
         NULL},
        {"options", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &lists,
         "Mount options: follow, cache=SIZE, cachedir=DIR, threads=N, max_nodes=N, uid=N, gid=N, allow_other...",
         "OPTIONS"},
        {"debug", 'd', 0, G_OPTION_ARG_NONE, &debug, "Show every request; stays in the foreground", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show no progress and no remarks", NULL},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 2, "SOURCE DIR",
            "Mounts a trace as a directory. SOURCE is an .xtf file, a folder of them (see `xtf merge`), or an\n"
            "archive of a format that `xtf import` reads, which is imported first and kept in the cache\n"
            "folder until it changes.",
            entries))
        return XTF_EXIT_USAGE;
    xtf_mount_options_init(&options);
    for (char **list = lists; list && *list; list++) {
        if (!xtf_mount_options_parse(&options, *list, false, &error)) {
            xtf_cli_fail(error);
            return XTF_EXIT_USAGE;
        }
    }
    options.follow |= follow;
    manner = (XtfMountManner){.foreground = foreground || debug, .debug = debug, .quiet = quiet};
    return xtf_mount(argv[1], argv[2], &options, &manner);
}

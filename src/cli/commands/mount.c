#include "src/cli/mount/mount.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/commands/commands.h"
#include "src/cli/trace/align-source.h"
#include "src/cli/trace/analyze-source.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"

/* Work on a trace before it is mounted. */
typedef bool (*Preparation)(const char *source, const XtfSourceOptions *source_options, GError **error);

/* Prepares the trace in a child process. The daemon is forked later, without the threads that this work may start. */
static int prepare_trace(Preparation preparation, const char *source, const XtfMountOptions *options, bool quiet)
{
    const XtfSourceOptions source_options = {
        .cache_folder = options->cache_folder, .quiet = quiet, .companion = options->companion};
    GError *error = NULL;
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(preparation(source, &source_options, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error));
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : XTF_EXIT_FAILED;
}

int xtf_command_mount(int argc, char **argv)
{
    g_auto(XtfMountOptions) options = {0};
    g_auto(GStrv) lists = NULL;
    XtfMountManner manner = {0};
    gboolean foreground = FALSE, debug = FALSE, quiet = FALSE, follow = FALSE, analyze = FALSE, align = FALSE,
             incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"foreground", 'f', 0, G_OPTION_ARG_NONE, &foreground, "Stay in the foreground", NULL},
        {"follow", 'F', 0, G_OPTION_ARG_NONE, &follow, "Show a trace that is still being written", NULL},
        {"options", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &lists,
         "Options of xtf-mount(1), such as cache=SIZE or allow_other", "OPTIONS"},
        {"analyze", 'a', 0, G_OPTION_ARG_NONE, &analyze, "Analyse the trace first, unless it has an analysis", NULL},
        {"align", 'A', 0, G_OPTION_ARG_NONE, &align, "Align the clocks first if they contradict each other", NULL},
        {"debug", 'd', 0, G_OPTION_ARG_NONE, &debug, "Show every request, and stay in the foreground", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Show no progress and no remarks", NULL},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, 2, "SOURCE DIR",
            "Mounts a trace as a directory. SOURCE is an .xtf file, a folder of .xtf files, or an archive of a\n"
            "format that `xtf import` reads. An archive is imported first; the import is kept in the cache.\n"
            "\n"
            "  xtf mount run.xtf DIR && cat DIR/findings        unmount with: xtf unmount DIR\n"
            "  xtf mount -aA run.xtf DIR                        align the clocks and analyse first\n"
            "  xtf mount --follow run.xtf.d DIR                 show a job that still runs",
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
    options.incomplete |= incomplete;
    /* An analysis is of the clocks that the trace has. */
    int status = align ? prepare_trace(xtf_cli_align_source, argv[1], &options, quiet) : XTF_EXIT_DONE;
    if (status == XTF_EXIT_DONE && analyze)
        status = prepare_trace(xtf_cli_analyze_source, argv[1], &options, quiet);
    if (status != XTF_EXIT_DONE)
        return status;
    manner = (XtfMountManner){.foreground = foreground || debug, .debug = debug, .quiet = quiet};
    return xtf_mount(argv[1], argv[2], &options, &manner);
}

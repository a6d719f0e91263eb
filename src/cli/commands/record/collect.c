/*
 * xtf collect: what packs the records of one traced process. Programs under `xtf record` start it.
 */
#include <stdio.h>
#include <unistd.h>

#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"
#include "src/record/collect/run.h"

int xtf_command_collect(int argc, char **argv)
{
    XtfCollectOptions options = {.memory = -1, .process = -1, .socket = -1};
    g_autofree char *folder = g_strdup(g_getenv("XTF_RECORD_FOLDER"));
    const GOptionEntry entries[] = {
        {"memory", 0, 0, G_OPTION_ARG_INT, &options.memory, "Descriptor of the memory that the process shares", "FD"},
        {"socket", 0, 0, G_OPTION_ARG_INT, &options.socket, "Descriptor of a socket whose other end the process has",
         "FD"},
        {"process", 0, 0, G_OPTION_ARG_INT, &options.process, "Descriptor of the process (pidfd)", "FD"},
        {"folder", 0, 0, G_OPTION_ARG_FILENAME, &folder, "Where the part is written, else $XTF_RECORD_FOLDER", "DIR"},
        {0},
    };

    if (!xtf_cli_parse(&argc, &argv, 0, "--memory FD --socket FD [--process FD]",
                       "Reads the records of one process that is traced, and writes them to DIR/RANK.xtf.\n\n"
                       "Nobody types this: a process that runs under `xtf record` starts its own collector, and gives\n"
                       "it these descriptors. The collector ends when the process does. SIGTERM ends it earlier: what\n"
                       "was recorded so far is written, and the process goes on without being recorded.",
                       entries))
        return XTF_EXIT_USAGE;
    if (options.memory < 0 || (options.socket < 0 && options.process < 0) || !folder) {
        fputs("xtf: collect: a program under `xtf record` calls it (see xtf collect --help)\n", stderr);
        return XTF_EXIT_USAGE;
    }
    options.folder = folder;
    return xtf_collect_run(&options) ? XTF_EXIT_DONE : XTF_EXIT_FAILED;
}

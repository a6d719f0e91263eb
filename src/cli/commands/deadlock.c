/*
 * xtf deadlock RUN: finds which processes of a hung run wait for each other, or would if sends were synchronous.
 */
#include <stdio.h>

#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/watch/live-tree.h"
#include "src/cli/watch/potential-report.h"
#include "src/cli/watch/waits-report.h"

enum { LINES_DEFAULT = 20 };

/* Prints the report of a trace's potential deadlocks. Returns the exit status. */
static int print_potential(const char *source, bool json, guint most)
{
    GError *error = NULL;
    g_autoptr(XtfTree) tree = xtf_live_tree_open(source, NULL, &error);
    g_auto(XtfPotentialReport) report = {0};
    g_autoptr(GString) text = g_string_new(NULL);
    XtfInterrupts interrupts;

    if (!tree)
        return xtf_cli_fail(error);
    atomic_bool *cancel = xtf_interrupts_catch(&interrupts);
    bool good = xtf_potential_report_init(&report, xtf_tree_trace(tree), cancel, &error) &&
                (json ? xtf_potential_report_json(&report, text, &error)
                      : xtf_potential_report_text(&report, most, text, &error));
    xtf_interrupts_release(&interrupts);
    if (!good)
        return xtf_cli_fail(error);
    if (json)
        g_string_append_c(text, '\n');
    fputs(text->str, stdout);
    return report.run.n_cycles > 0 ? XTF_EXIT_FOUND : XTF_EXIT_DONE;
}

int xtf_command_deadlock(int argc, char **argv)
{
    gboolean json = FALSE, all = FALSE, potential = FALSE;
    const GOptionEntry entries[] = {
        {"json", 0, 0, G_OPTION_ARG_NONE, &json, "Print one object of JSON", NULL},
        {"all", 'a', 0, G_OPTION_ARG_NONE, &all, "Print all threads that wait (default: 20 of a kind)", NULL},
        {"potential", 'p', 0, G_OPTION_ARG_NONE, &potential, "Find deadlocks of the trace with synchronous sends",
         NULL},
        {0},
    };
    g_auto(XtfWaitsReport) report = {0};
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, XTF_CLI_ANY, "[RUN]",
            "Finds the processes that wait for each other, of a run that hangs, or was killed while it hung.\n"
            "RUN is the folder of parts of a running program, or a trace. Without it: the newest run that xtf\n"
            "record records on this machine. A running program must have waited for two seconds. Exits with 3\n"
            "if there is a deadlock, a mismatch of collective operations, or a wait for an ended process.\n"
            "With --potential: finds the processes that would wait for each other if each send waited for its\n"
            "receive, as sends may with larger messages or another MPI. RUN is a trace then.\n"
            "\n"
            "  xtf deadlock                    the program still runs\n"
            "  xtf deadlock --json run.xtf     for a script\n"
            "  xtf deadlock --potential run.xtf",
            entries))
        return XTF_EXIT_USAGE;
    if (argc > 2) {
        fputs("xtf: deadlock: too many arguments\n", stderr);
        return XTF_EXIT_USAGE;
    }
    if (potential && argc < 2) {
        fputs("xtf: deadlock: --potential needs a trace\n", stderr);
        return XTF_EXIT_USAGE;
    }
    if (potential)
        return print_potential(argv[1], json, all ? G_MAXUINT : LINES_DEFAULT);
    g_autofree char *source = xtf_live_run_find(argv[1], &error);
    g_autoptr(XtfTree) tree = source ? xtf_live_tree_open(source, NULL, &error) : NULL;
    if (!tree || !xtf_waits_report_init(&report, tree, &error))
        return xtf_cli_fail(error);
    g_autoptr(GString) text = g_string_new(NULL);
    if (json) {
        xtf_waits_report_json(&report, text);
        g_string_append_c(text, '\n');
    } else {
        xtf_waits_report_text(&report, all ? G_MAXUINT : LINES_DEFAULT, text);
    }
    fputs(text->str, stdout);
    return report.verdict >= XTF_WAITS_ENDED ? XTF_EXIT_FOUND : XTF_EXIT_DONE;
}

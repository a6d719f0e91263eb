/*
 * xtf representative TRACE...: finds whether enough runs of a program are alike, by their numbers of calls.
 */
#include <stdio.h>

#include "src/cli/commands/commands.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/studies/representative/report.h"

typedef struct {
    XtfTree **trees;
    XtfNode **nodes;
    unsigned n;
} Runs;

static void runs_finish(Runs *runs)
{
    for (unsigned i = 0; i < runs->n; i++) {
        g_clear_pointer(&runs->nodes[i], xtf_node_unref);
        g_clear_pointer(&runs->trees[i], xtf_tree_free);
    }
    g_free(runs->nodes);
    g_free(runs->trees);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Runs, runs_finish)

static bool open_runs(Runs *runs, char **sources, unsigned n, const char *path, bool incomplete, GError **error)
{
    *runs = (Runs){g_new0(XtfTree *, n), g_new0(XtfNode *, n), n};
    for (unsigned i = 0; i < n; i++) {
        runs->trees[i] = xtf_cli_open_tree(sources[i], incomplete, error);
        runs->nodes[i] = runs->trees[i] ? xtf_cli_resolve(runs->trees[i], path, sources[i], error) : NULL;
        if (!runs->nodes[i])
            return false;
    }
    return true;
}

static bool print_answer(const XtfRunProfiles *profiles, const XtfRepresentative *judged, char **sources,
                         const XtfRepresentativeRule *rule, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!xtf_representative_report(profiles, judged, (const char *const *)sources, text, error))
        return false;
    xtf_representative_conclude(judged, rule, text);
    return xtf_print_bytes(text->str, text->len, error);
}

/* Judges the runs and prints the answer. Returns the exit status. */
static int judge_runs(const Runs *runs, char **sources, bool by_process, const XtfRepresentativeRule *rule)
{
    g_auto(XtfRunProfiles) profiles = {0};
    g_auto(XtfRepresentative) judged = {0};
    GError *error = NULL;

    if (!xtf_run_profiles_load(&profiles, runs->nodes, runs->n, by_process, &error))
        return xtf_cli_fail(error);
    g_autofree XtfFrequencies *calls = g_new(XtfFrequencies, profiles.n);
    for (unsigned i = 0; i < profiles.n; i++)
        calls[i] = profiles.all[i].calls;
    xtf_representative_judge(calls, profiles.n, rule, &judged);
    if (!print_answer(&profiles, &judged, sources, rule, &error))
        return xtf_cli_fail(error);
    return judged.verdict == XTF_REPRESENTATIVE_YES ? XTF_EXIT_DONE : XTF_EXIT_FOUND;
}

int xtf_command_representative(int argc, char **argv)
{
    double delta = 0.05, share = 0.8;
    gint least = 5;
    gboolean by_process = FALSE, incomplete = FALSE;
    g_autofree char *path = NULL;
    const GOptionEntry entries[] = {
        {"delta", 0, 0, G_OPTION_ARG_DOUBLE, &delta, "Profiles are alike if less than D apart (default: 0.05)", "D"},
        {"share", 0, 0, G_OPTION_ARG_DOUBLE, &share, "Part of the profiles that must be alike (default: 0.8)", "P"},
        {"min", 0, 0, G_OPTION_ARG_INT, &least, "Least number of profiles (default: 5)", "Q"},
        {"processes", 0, 0, G_OPTION_ARG_NONE, &by_process, "A profile of each process (default: of each run)", NULL},
        {"path", 'p', 0, G_OPTION_ARG_STRING, &path, "Compare a directory of each trace, such as time/10%-90%", "PATH"},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    g_auto(Runs) runs = {0};
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, -1, "TRACE...",
            "Finds whether enough runs of a program are alike, by the numbers of calls of each region. Exits\n"
            "with 3 if not, or if that is undecided.\n"
            "\n"
            "  xtf representative run-*.xtf\n"
            "  xtf representative --processes --min 16 run.xtf",
            entries))
        return XTF_EXIT_USAGE;
    if (!(delta > 0) || !(share >= 0 && share <= 1) || least < 1) {
        fprintf(stderr, "xtf: representative: --delta is above 0, --share from 0 to 1, and --min at least 1\n");
        return XTF_EXIT_USAGE;
    }
    if (!open_runs(&runs, argv + 1, (unsigned)argc - 1, path ? path : "/", incomplete, &error))
        return xtf_cli_fail(error);
    const XtfRepresentativeRule rule = {delta, share, (unsigned)least};
    return judge_runs(&runs, argv + 1, by_process, &rule);
}

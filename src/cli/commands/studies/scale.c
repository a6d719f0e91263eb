/*
 * xtf scale TRACE...: models how the time of each region depends on the number of processes.
 */
#include <stdio.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/studies/scaling/chart.h"
#include "src/studies/scaling/report.h"

#define AT_DEFAULT G_MININT64

/* The options as they were typed. */
typedef struct {
    char *of, *by, *path, *svg; /* NULL: not given */
    gboolean strong, weak, incomplete;
    double efficiency; /* percent */
    gint64 at, top;    /* at AT_DEFAULT: not given */
} Given;

static void given_finish(Given *given)
{
    g_free(given->of);
    g_free(given->by);
    g_free(given->path);
    g_free(given->svg);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Given, given_finish)

static bool parse_amount(const char *text, XtfScalingAmount *of)
{
    for (unsigned i = 0; i < XTF_N_SCALING_AMOUNTS; i++) {
        if (g_str_equal(text, xtf_scaling_amount_names[i])) {
            *of = (XtfScalingAmount)i;
            return true;
        }
    }
    return false;
}

/* Returns what is wrong with the options, or NULL. */
static const char *interpret_options(const Given *given, XtfScalingOptions *options)
{
    if (given->top < 0)
        return "--top takes a number from 1 on (0: all)";
    if (given->at < 1 && given->at != AT_DEFAULT)
        return "--at takes a number of processes, 1 or more";
    if (given->strong && given->weak)
        return "--strong and --weak exclude each other";
    if (!(given->efficiency > 0 && given->efficiency < 100))
        return "--efficiency takes a percentage between 0 and 100";
    if (given->of && !parse_amount(given->of, &options->of))
        return "--of takes slowest, mean or calls";
    if (given->by && !g_str_equal(given->by, "region") && !g_str_equal(given->by, "class"))
        return "--by takes region or class";
    options->by_class = g_strcmp0(given->by, "class") == 0;
    options->asked = given->strong ? XTF_SCALING_IS_STRONG : given->weak ? XTF_SCALING_IS_WEAK : XTF_SCALING_AUTO;
    options->at = (double)MAX(given->at, 0);
    options->efficiency = given->efficiency / 100;
    return NULL;
}

/* ---- Runs. */

typedef struct {
    XtfScalingRun *all;
    XtfTree **trees; /* own the texts of the runs */
    unsigned n;
} Runs;

static void runs_finish(Runs *runs)
{
    for (unsigned i = 0; i < runs->n; i++) {
        xtf_scaling_run_finish(&runs->all[i]);
        g_clear_pointer(&runs->trees[i], xtf_tree_free);
    }
    g_free(runs->all);
    g_free(runs->trees);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Runs, runs_finish)

static bool load_run(XtfScalingRun *run, XtfTree *tree, const char *source, const Given *given, GError **error)
{
    const char *path = given->path ? given->path : "/";
    g_autoptr(XtfNode) node = xtf_cli_resolve(tree, path, source, error);

    if (!node)
        return false;
    if (xtf_scaling_run_load(run, node, error))
        return true;
    g_prefix_error(error, "%s: %s: ", source, path);
    return false;
}

static bool load_runs(Runs *runs, char **sources, unsigned n, const Given *given, GError **error)
{
    runs->all = g_new0(XtfScalingRun, n);
    runs->trees = g_new0(XtfTree *, n);
    runs->n = n;
    for (unsigned i = 0; i < n; i++) {
        runs->trees[i] = xtf_cli_open_tree(sources[i], given->incomplete, error);
        if (!runs->trees[i] || !load_run(&runs->all[i], runs->trees[i], sources[i], given, error))
            return false;
    }
    return true;
}

/* ---- Output. */

static bool print_study(const XtfScalingStudy *study, uint64_t top, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (!xtf_scaling_report(study, top, text, error))
        return false;
    g_string_append_c(text, '\n');
    xtf_scaling_conclusions(study, text);
    return xtf_print_bytes(text->str, text->len, error);
}

static bool write_chart(const XtfScalingStudy *study, const char *path, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) fault = NULL;

    if (!xtf_scaling_chart(study, text, error))
        return false;
    return g_file_set_contents_full(path, text->str, (gssize)text->len, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &fault) ||
           xtf_fail(error, XTF_ERROR_IO, "%s", fault->message);
}

static int model_runs(char **sources, unsigned n, const XtfScalingOptions *options, const Given *given)
{
    g_auto(Runs) runs = {0};
    g_auto(XtfScalingStudy) study = {0};
    GError *error = NULL;

    if (!load_runs(&runs, sources, n, given, &error) || !xtf_scaling_study_init(&study, runs.all, n, options, &error) ||
        (given->svg && !write_chart(&study, given->svg, &error)) || !print_study(&study, (uint64_t)given->top, &error))
        return xtf_cli_fail(error);
    return XTF_EXIT_DONE;
}

int xtf_command_scale(int argc, char **argv)
{
    g_auto(Given) given = {.efficiency = 50, .at = AT_DEFAULT, .top = 20};
    XtfScalingOptions options = {0};
    const GOptionEntry entries[] = {
        {"of", 0, 0, G_OPTION_ARG_STRING, &given.of,
         "Model the time of the slowest process (default), the mean, or calls", "WHAT"},
        {"by", 'b', 0, G_OPTION_ARG_STRING, &given.by, "A line for each region (default) or class", "WHAT"},
        {"at", 0, 0, G_OPTION_ARG_INT64, &given.at, "Predict for P processes (default: four times the most measured)",
         "P"},
        {"path", 'p', 0, G_OPTION_ARG_STRING, &given.path, "Model a directory of each trace, such as time/10%-90%",
         "PATH"},
        {"strong", 0, 0, G_OPTION_ARG_NONE, &given.strong, "All runs solve the same problem (default: found out)",
         NULL},
        {"weak", 0, 0, G_OPTION_ARG_NONE, &given.weak, "The problem grows with the number of processes", NULL},
        {"efficiency", 0, 0, G_OPTION_ARG_DOUBLE, &given.efficiency,
         "Find where the parallel efficiency falls below PERCENT (default: 50)", "PERCENT"},
        {"top", 'n', 0, G_OPTION_ARG_INT64, &given.top, "Show the N greatest predictions (default: 20; 0: all)", "N"},
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &given.svg, "Draw the models, with their bands, into FILE", "FILE"},
        XTF_INCOMPLETE_ENTRY(given.incomplete),
        {0},
    };

    if (!xtf_cli_parse(&argc, &argv, -3, "TRACE TRACE TRACE...",
                       "Models the time of each region as a function of the number of processes, from traces\n"
                       "of runs with different numbers of processes; five or more make good models. Shows what limits\n"
                       "the scaling.\n"
                       "\n"
                       "  xtf scale run-4.xtf run-8.xtf run-16.xtf run-32.xtf run-64.xtf\n"
                       "  xtf scale --at 1024 --by class run-*.xtf",
                       entries))
        return XTF_EXIT_USAGE;
    const char *fault = interpret_options(&given, &options);
    if (fault) {
        fprintf(stderr, "xtf: scale: %s\n", fault);
        return XTF_EXIT_USAGE;
    }
    return model_runs(argv + 1, (unsigned)(argc - 1), &options, &given);
}
